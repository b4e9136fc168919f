"""Random C programs with threads have the verdicts of their twins, in which every access is a statement."""

import pytest

from seriatim.budget import Deadline
from seriatim.engines.threads.search import Exhausted, Failing, Search
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.frontends.conc.lowering import lower
from seriatim.frontends.conc.parser import parse
from seriatim.program.threads.runs import replay
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.source import SourceText
from seriatim.systems.threads.finite import FiniteSystem
from seriatim.systems.threads.runs import thread_run
from testkit.generators.c_threads import random_c_texts
from testkit.oracles.thread_reference import brute_force
from testkit.samples import sample

STATES = 800


def searched(program: ThreadProgram) -> tuple[str, int]:
    """What a search says, and with how many threads besides main it has seen everything."""
    system = FiniteSystem(program, Deadline(), forgets=True)
    search = Search(system, Deadline())
    found = search.advance(STATES)
    if isinstance(found, Failing):
        *_, last = replay(program, thread_run(system, found.steps))
        assert last.failure is not None
        return "fails", found.threads
    return "safe" if isinstance(found, Exhausted) else "unknown", search.clean_up_to


def compare(seed: int) -> str:
    c, twin = random_c_texts(seed)
    text = parse(SourceText("twin.conc", twin))
    about_c, threads = searched(read_c_threads(SourceText("random.c", c)))
    about_twin, others = searched(lower(text))
    shown = c + twin
    assert {about_c, about_twin} != {"safe", "fails"}, shown
    if "fails" in (about_c, about_twin):  # Neither finds it with fewer threads than the other one needs.
        assert about_c == "unknown" or about_twin == "unknown" or threads == others, shown
        assert about_c == "fails" or threads < others, shown
        assert about_twin == "fails" or others < threads, shown
    fails, _ = brute_force(text, 1, 200, (0,))
    assert not fails or about_c != "safe", shown
    return about_c


@pytest.mark.parametrize("seed", sample(300))
def test_c_and_its_twin_agree(seed: int) -> None:
    compare(seed)


def test_programs_are_of_both_kinds() -> None:
    """Otherwise the comparison would say little."""
    assert {compare(seed) for seed in range(12)} >= {"safe", "fails"}
