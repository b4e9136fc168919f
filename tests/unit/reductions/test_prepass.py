"""All reductions in turn."""

from dataclasses import replace
from pathlib import Path

import pytest

from seriatim.budget import Deadline, OutOfTime
from seriatim.engines.search.engine import Search
from seriatim.frontends.all import read_input
from seriatim.properties.statement import Outcomes
from seriatim.reductions.prepass import prepass
from seriatim.source import SourceText
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import Limits
from seriatim.systems.posing import pose
from seriatim.systems.run import replays
from seriatim.systems.slicing import macro_system
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.inputs.reduction_cases import NEVER, assert_runs_expand, assert_same_outcomes, of_program
from testkit.oracles.brute_force import rules_of_unfolding, serial

BENCHMARKS = Path(__file__).parents[4] / "shared" / "benchmarks"

needs_benchmarks = pytest.mark.skipif(
    not BENCHMARKS.is_dir(), reason="the paper's benchmarks are not next to the checkout"
)

COMMITS_TWICE = """
request w { while (s == 0) { X := 0; yield; if (X == 1) { yield } else { s := 1 } }; 0 }
request t { if (X == 0) { X := 1; 1 } else { 0 } }
"""

ATOMIC = "a1 a3 a4 a5 a7 c2 c3 c4 c8 e1 e5 e7 f1 f4 f5 g2 g5 g7"


def test_a_loop_that_returns_to_its_beginning_keeps_its_violation() -> None:
    """The head of the loop is the fresh request, too; three times t/1 beside one w/0 stays possible."""
    given = of_program(COMMITS_TWICE)
    reduced = prepass(given, NEVER)
    assert_same_outcomes(reduced.system, given.origin)
    origin = given.origin
    assert isinstance(origin, ProgramUnfolding)
    problem = pose(Outcomes(), origin, Limits(1_000), NEVER)
    search = Search(replace(problem, system=reduced.system))
    refuted = search.advance(10_000, NEVER)
    assert refuted is not None
    run = reduced.expand(refuted.run)
    assert replays(run, given.origin)
    outcome = sorted(
        (given.requests[request], response)
        for completion in run.outcome().elements()
        for request, response in [given.completions[completion]]
    )
    assert outcome == [("t", "1"), ("t", "1"), ("t", "1"), ("w", "0")]
    assert tuple(outcome) not in serial(rules_of_unfolding(given.origin), 4)


@pytest.mark.parametrize(
    "text",
    [
        "request f { while (L == 1) { yield }; L := 1; yield; y := X; yield; X := 1 - y; yield; L := 0; y }",
        "request f { X := 1 - X; yield; yield; 0 } request g { X }",
        "request up { x := 1; while (X == 3) { yield }; X := X + 1 } request zero { X := 0 }",
    ],
)
def test_these_become_one_step_each(text: str) -> None:
    given = of_program(text)
    reduced = prepass(given, NEVER)
    assert not given.is_atomic()
    assert reduced.system.is_atomic()
    assert_same_outcomes(reduced.system, given.origin)
    assert assert_runs_expand(reduced.system, reduced.expand, given.origin) > 0


def test_it_stops_at_the_deadline() -> None:
    with pytest.raises(OutOfTime):
        prepass(of_program(COMMITS_TWICE), Deadline(0))


def test_without_checks_there_is_no_fusion() -> None:
    given = of_program("request f { Z := 1; yield; y := X; X := 1 - X; y } request g { X }")
    assert prepass(given, NEVER).system.is_atomic()
    assert not prepass(given, NEVER, max_checks=0).system.is_atomic()


@needs_benchmarks
def test_which_benchmarks_become_atomic() -> None:
    """18 of the 27 serializable ones, and none of the others."""
    found = set()
    for path in sorted([*BENCHMARKS.glob("[a-g]?.ser"), *BENCHMARKS.glob("[a-g]?.json")]):
        content = read_input(SourceText(path.name, path.read_text("utf-8")))
        given = macro_system(unfold(content, Limits(), NEVER), Limits(), NEVER)
        reduced = prepass(given, NEVER)
        assert_runs_expand(reduced.system, reduced.expand, given.origin)
        if reduced.system.is_atomic():
            found.add(path.stem)
    assert sorted(found) == ATOMIC.split()


def test_handlers_that_are_single_steps_are_known() -> None:
    """Nobody else touches what `note` writes; what `flip` reads may change before it writes."""
    system = of_program(
        "request flip { x := N; yield; N := 1 - x; x } request note { K := 1; yield; L := 1; 0 }"
    )
    assert system.one_step_requests() == ()
    reduced = prepass(system, Deadline()).system
    assert [reduced.requests[request] for request in reduced.one_step_requests()] == ["note"]
