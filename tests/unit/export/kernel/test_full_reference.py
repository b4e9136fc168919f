"""Programs with all their locals take the same steps as with their live ones."""

import pytest

from seriatim.checking.reference import ProgramReference
from seriatim.export.kernel.full_reference import FullReference, FullState
from seriatim.program.semantics import big_steps
from seriatim.program.state import GlobalState
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.cases import case


@pytest.mark.parametrize("seed", range(20))
def test_steps_differ_in_dead_locals_only(seed: int) -> None:
    unfolding = case("program", seed).unfolding
    assert isinstance(unfolding, ProgramUnfolding)
    full = FullReference(unfolding.program)
    live = ProgramReference(unfolding.program, big_steps)
    assert full.initial == live.initial
    for request in full.requests:
        pending = [(state, full.initial) for state in full.fresh(request)]
        known = {(state, full.initial) for state in live.fresh(request)}
        for state, global_ in pending[:20]:
            there = {(full.description(end), after) for end, after in full.steps(state, global_)}
            here = {
                (live.description(end), after)
                for other, g in known
                if g == global_ and live.description(other) == full.description(state)
                for end, after in live.steps(other, g)
            }
            assert there == here


def test_dead_locals_are_kept() -> None:
    from seriatim.frontends.all import read_input
    from seriatim.program.syntax import Program
    from seriatim.source import SourceText

    program = read_input(SourceText("-", "request a { x := 1; yield; 2 }"))
    assert isinstance(program, Program)
    reference = FullReference(program)
    (start,) = reference.fresh("a")
    ((after, _),) = reference.steps(start, reference.initial)
    assert after[1] == (("x", 1),)
    assert reference.description(after) == ("2", ())
    steps: frozenset[tuple[FullState, GlobalState]] = reference.steps(after, reference.initial)
    assert steps == frozenset()
