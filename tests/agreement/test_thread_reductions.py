"""Smaller programs with threads have the verdicts of the larger ones, and pairs never contradict covers."""

import pytest

from seriatim.budget import Deadline, OutOfTime
from seriatim.checking.context import Context
from seriatim.checking.thread_pairs import obligations as thread_pairs_obligations
from seriatim.engines.threads.cover_evidence import pairs_evidence
from seriatim.engines.threads.karp_miller import Cover, Failure
from seriatim.engines.threads.pairs import PairFailure as NotExcluded
from seriatim.engines.threads.pairs import Pairs
from seriatim.frontends.conc.frontend import read_threads
from seriatim.program.threads.reduction import drop, fuse
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.reductions.threads.reducing import loosen_threads, reduce_threads
from seriatim.source import SourceText
from seriatim.systems.threads.finite import FiniteSystem
from testkit.generators.threads import (
    random_counting_text,
    random_crowd_text,
    random_gate_text,
    random_locking_text,
    random_text,
)
from testkit.samples import sample


def covered(program: ThreadProgram) -> str:
    system = FiniteSystem(program, Deadline(1.0))
    cover = Cover(system, Deadline(1.0))
    try:
        is_whole = cover.build(100)
    except Failure:
        return "fails"
    except OutOfTime:
        return "unknown"
    return "safe" if is_whole and system.inexact is None else "unknown"


def paired(program: ThreadProgram) -> str:
    system = FiniteSystem(program, Deadline(1.0))
    pairs = Pairs(system, Deadline(1.0))
    try:
        if not pairs.build(300) or system.inexact is not None:
            return "unknown"
    except (NotExcluded, OutOfTime):
        return "unknown"
    obligations = list(thread_pairs_obligations(program, pairs_evidence(pairs), Context()))
    assert all(each.holds for each in obligations), obligations
    return "safe"


def compare(text: str) -> tuple[str, str, str]:
    """The verdicts about a program, about a smaller one, and of pairs."""
    program = read_threads(SourceText("random.conc", text))
    before = covered(program)
    reduced = reduce_threads(program, Deadline())
    assert fuse(drop(program, reduced.dropped), reduced.fused) == reduced.program
    after, by_pairs = covered(reduced.program), paired(reduced.program)
    assert (before, after) != ("fails", "safe"), text
    assert reduced.dropped or (before, after) != ("safe", "fails"), text
    assert by_pairs == "unknown" or "fails" not in (before, after), text
    return before, after, by_pairs


@pytest.mark.parametrize("seed", sample(200))
def test_reductions_keep_verdicts(seed: int) -> None:
    compare(random_text(seed))


@pytest.mark.parametrize("seed", sample(200))
def test_reductions_keep_verdicts_of_programs_with_locks(seed: int) -> None:
    compare(random_locking_text(seed))


@pytest.mark.parametrize("seed", sample(60))
def test_reductions_keep_verdicts_of_programs_with_many_threads(seed: int) -> None:
    compare(random_crowd_text(seed))


@pytest.mark.parametrize("seed", sample(60))
def test_reductions_keep_verdicts_of_programs_with_gates(seed: int) -> None:
    compare(random_gate_text(seed))


def compare_loosely(text: str) -> str | None:
    """The verdict about the program whose counted loops go round any number of times; it allows more runs."""
    program = read_threads(SourceText("random.conc", text))
    loose = loosen_threads(program, Deadline())
    if loose is None:
        return None
    assert fuse(drop(program, loose.dropped), loose.fused) == loose.program
    before, after = covered(program), covered(loose.program)
    assert (before, after) != ("fails", "safe"), text
    return after


@pytest.mark.parametrize("seed", sample(200))
def test_counted_loops_allow_more_if_they_go_round_any_number_of_times(seed: int) -> None:
    compare_loosely(random_counting_text(seed))


def test_counted_loops_are_often_safe_whatever_the_count() -> None:
    found = [compare_loosely(random_counting_text(seed)) for seed in range(30)]
    assert {"safe", "fails"} <= set(found)
    assert found.count(None) < 10


def test_a_counter_that_leaves_its_range_is_kept() -> None:
    """Dropping it would drop a step that fails."""
    text = (
        "global g: 0..3 = 0;\nthread main() { local i: 0..30; i := 0;\n"
        "while (i <= 30) { atomic { g := (g + 1) % 4; } i := i + 1; } }\n"
    )
    program = read_threads(SourceText("t.conc", text))
    assert loosen_threads(program, Deadline(10)) is None
