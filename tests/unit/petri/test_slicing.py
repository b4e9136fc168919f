"""Slices have the runs that matter, and cuts that say why."""

from hypothesis import given
from hypothesis import strategies as st

from seriatim.petri.cuts import clause
from seriatim.petri.net import PetriNet, Transition, after_firings
from seriatim.petri.slicing import bidirectional_slice
from testkit.generators.nets import MAX_PLACES, TOY, explored, nets


@given(nets(), st.frozensets(st.integers(0, MAX_PLACES - 1)))
def test_runs_to_target_markings_are_runs_of_the_slice(net: PetriNet, allowed: frozenset[int]) -> None:
    part = bidirectional_slice(net, allowed)
    for marking, run in explored(net).items():
        if all(place in allowed for place, tokens in enumerate(marking) if tokens):
            assert part.is_reachable
            assert set(run) <= set(part.transitions)
            small = part.net(net)
            number = {index: new for new, index in enumerate(part.transitions)}
            assert after_firings(small, (number[index] for index in run)) == tuple(
                marking[place] for place in part.places
            )


@given(nets(), st.frozensets(st.integers(0, MAX_PLACES - 1)))
def test_runs_of_the_slice_are_runs_of_the_net(net: PetriNet, allowed: frozenset[int]) -> None:
    part = bidirectional_slice(net, allowed)
    if part.is_reachable:
        for marking, run in explored(part.net(net), 50).items():
            whole = after_firings(net, (part.transitions[index] for index in run))
            assert whole is not None
            assert tuple(whole[place] for place in part.places) == marking
            assert sum(whole) == sum(marking), "places that are left out stay empty"


@given(nets(), st.frozensets(st.integers(0, MAX_PLACES - 1)))
def test_slicing_a_slice_changes_nothing(net: PetriNet, allowed: frozenset[int]) -> None:
    part = bidirectional_slice(net, allowed)
    if part.is_reachable:
        again = bidirectional_slice(
            part.net(net), frozenset(index for index, place in enumerate(part.places) if place in allowed)
        )
        assert len(again.places) == len(part.places)
        assert len(again.transitions) == len(part.transitions)


@given(nets(), st.frozensets(st.integers(0, MAX_PLACES - 1)))
def test_the_cuts_of_a_slice_hold_for_every_run(net: PetriNet, allowed: frozenset[int]) -> None:
    part = bidirectional_slice(net, allowed)
    for run in explored(net, 60).values():
        counts = [run.count(index) for index in range(len(net.transitions))]
        for cut in part.cuts:
            assert any(constraint.holds(counts) for constraint in clause(net, cut))


def test_the_papers_toy_net_without_its_detour() -> None:
    """If P4 may hold no token in the end, nothing is left out: a token there can still move on. If P3 may not
    and its successors may not either, only the way to P4 is left, and what spawns tokens has to go."""
    assert len(bidirectional_slice(TOY, frozenset({0, 1, 2, 4, 5})).places) == 6
    part = bidirectional_slice(TOY, frozenset({1, 3}))
    assert [TOY.places[place] for place in part.places] == ["P2", "P4"]
    assert [TOY.transitions[index].name for index in part.transitions] == ["t3"]


def test_a_token_that_cannot_go_where_it_has_to_makes_the_target_unreachable() -> None:
    assert not bidirectional_slice(TOY, frozenset({0})).is_reachable


def test_both_directions_take_turns_until_nothing_changes() -> None:
    """Backwards, a token on b is seen to be stuck; only then, forwards, c is seen to stay empty."""
    net = PetriNet(
        ("a", "b", "c", "d"),
        (
            Transition("t0", (0,), (1, 2)),
            Transition("t1", (2,), (3,)),
            Transition("t2", (0,), (3,)),
        ),
        (1, 0, 0, 0),
    )
    part = bidirectional_slice(net, frozenset({3}))
    assert [net.transitions[index].name for index in part.transitions] == ["t2"]
    assert [net.places[place] for place in part.places] == ["a", "d"]
    assert len(part.cuts) == 2
