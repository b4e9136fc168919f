"""Cuts on nets small enough to see why."""

import pytest

from seriatim.petri.cuts import Cut, CutKind, broken_cuts, clause
from seriatim.petri.net import PetriNet, Transition


def net(initial: tuple[int, ...], *arcs: tuple[tuple[int, ...], tuple[int, ...]]) -> PetriNet:
    return PetriNet(
        tuple(f"p{i}" for i in range(len(initial))),
        tuple(Transition(f"t{i}", pre, post) for i, (pre, post) in enumerate(arcs)),
        initial,
    )


def holds(found: PetriNet, cut: Cut, counts: list[int]) -> bool:
    return any(constraint.holds(counts) for constraint in clause(found, cut))


BORROWED = net((1, 0), ((1,), (1, 0)))
"""t0 needs a token on p1, which nobody brings; the state equation does not see it."""

LEFT_BEHIND = net((1, 0), ((0,), (0, 1)), ((0, 1), (0, 1)), ((1,), ()))
"""A token on p1 goes away only by t2."""


def test_a_transition_that_is_never_enabled_breaks_a_siphon_cut() -> None:
    siphon = Cut(CutKind.SIPHON, frozenset({1}))
    assert siphon in broken_cuts(BORROWED, [3])
    assert not holds(BORROWED, siphon, [3])
    assert holds(BORROWED, siphon, [0])


def test_a_token_that_cannot_have_gone_breaks_a_trap_cut() -> None:
    """t0 gives to p1 and t1 moves within it, but nothing takes the token away."""
    found = net((1, 0, 0), ((0,), (0, 1)), ((1, 2), (2,)), ((0,), (0, 2)))
    trap = Cut(CutKind.TRAP, frozenset({1, 2}))
    assert list(broken_cuts(found, [1, 1, 0])) == [Cut(CutKind.SIPHON, frozenset({2})), trap]
    assert not holds(found, trap, [1, 1, 0])
    assert holds(found, trap, [1, 1, 1])


def test_counts_of_runs_break_nothing() -> None:
    assert list(broken_cuts(LEFT_BEHIND, [0, 0, 0])) == []
    assert list(broken_cuts(LEFT_BEHIND, [2, 5, 1])) == []
    assert list(broken_cuts(LEFT_BEHIND, [2, 5, 2])) == []


def test_what_is_marked_at_the_start_stays_so_unless_it_is_left() -> None:
    """t0 needs two tokens where there is one, which only the trap cut sees."""
    found = net((1, 0), ((0, 0), (0,)), ((0,), (1,)))
    trap = Cut(CutKind.TRAP, frozenset({0}))
    assert list(broken_cuts(found, [1, 0])) == [Cut(CutKind.TRAP, frozenset({0, 1}))]
    assert not holds(found, trap, [1, 0])
    assert holds(found, trap, [0, 0])
    assert holds(found, trap, [0, 1])


def test_a_siphon_with_a_token_makes_no_cut() -> None:
    with pytest.raises(ValueError, match="without tokens"):
        clause(BORROWED, Cut(CutKind.SIPHON, frozenset({0})))
