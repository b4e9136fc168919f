"""Engines for threads agree with the rules of the language, executed on statements, for random programs."""

import pytest

from seriatim.budget import Deadline
from seriatim.checking.context import Context
from seriatim.checking.thread_cover import obligations as thread_cover_obligations
from seriatim.engines.threads.cover_evidence import cover_evidence
from seriatim.engines.threads.karp_miller import Cover, Failure
from seriatim.engines.threads.search import Exhausted, Failing, Search
from seriatim.frontends.conc.formatting import layout
from seriatim.frontends.conc.lowering import lower
from seriatim.frontends.conc.parser import parse
from seriatim.program.threads.runs import replay
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.reductions.threads.reducing import reduce_threads
from seriatim.source import SourceText
from seriatim.systems.threads.finite import FiniteSystem
from seriatim.systems.threads.runs import thread_run
from seriatim.systems.threads.tidying import switches, tidy
from testkit.generators.threads import random_text
from testkit.oracles.thread_reference import brute_force
from testkit.samples import sample

THREADS = 2
INTEGERS = tuple(range(-2, 5))
"""More than the engines try: constants of the programs are 0 and 1."""


def searched(program: ThreadProgram) -> str:
    """What the search says with so many threads; runs that it finds are replayed."""
    system = FiniteSystem(program, Deadline())
    search = Search(system, Deadline())
    found = None
    while found is None and search.bound <= THREADS and search.explored < 500:
        found = search.advance(20)
    if isinstance(found, Failing):
        run = thread_run(system, found.steps)
        *_, last = replay(program, run)
        assert last.failure == run.failure
        tidied = tidy(program, run, Deadline())
        *_, last = replay(program, tidied)
        assert last.failure == run.failure
        assert switches(tidied.steps) <= switches(run.steps)
        return "fails"
    if system.inexact is not None:
        return "unknown"
    if isinstance(found, Exhausted):
        return "safe"
    return "clean" if search.bound > THREADS else "unknown"


def covered(program: ThreadProgram) -> str:
    """What the cover says; the checker accepts it."""
    system = FiniteSystem(program, Deadline())
    cover = Cover(system, Deadline())
    try:
        if not cover.build(60) or system.inexact is not None:
            return "unknown"
    except Failure:
        return "fails"
    obligations = list(thread_cover_obligations(program, cover_evidence(cover), Context()))
    assert all(each.holds for each in obligations), obligations
    return "safe"


@pytest.mark.parametrize("seed", sample(60, 4))
def test_a_search_in_long_steps_finds_a_failure_if_there_is_one(seed: int) -> None:
    program = lower(parse(SourceText("random.conc", random_text(seed))))
    passed = reduce_threads(program, Deadline()).fused
    found = {}
    for name, places in (("steps", ()), ("long steps", passed)):
        system = FiniteSystem(program, Deadline())
        search = Search(system, Deadline(), places)
        answer = None
        while answer is None and search.bound <= THREADS and search.explored < 2_000:
            answer = search.advance(50)
        if isinstance(answer, Failing):
            *_, last = replay(program, thread_run(system, answer.steps))
            assert last.failure is not None
        found[name] = isinstance(answer, Failing) if search.explored < 2_000 else None
    assert None in found.values() or found["steps"] == found["long steps"]


@pytest.mark.parametrize("first", range(0, 60, 5))
def test_search_and_cover_agree_with_brute_force(first: int) -> None:
    for seed in range(first, first + 5):
        source = SourceText("random.conc", random_text(seed))
        text = parse(source)
        program = lower(text)
        laid = layout(source)
        assert lower(parse(SourceText("laid.conc", laid))) == program
        assert layout(SourceText("laid.conc", laid)) == laid
        fails, is_whole = brute_force(text, THREADS, 400, INTEGERS)
        by_search, by_cover = searched(program), covered(program)
        if fails:
            assert "safe" not in (by_search, by_cover), source.text
            assert by_search != "clean", source.text
        if by_search == "safe":
            assert by_cover != "fails", source.text
        if fails is False and is_whole and by_cover == "fails":
            assert by_search == "unknown", source.text
