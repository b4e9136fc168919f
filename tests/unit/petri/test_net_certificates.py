"""Certificates about nets: written, read and checked; forged ones are refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seriatim.arithmetic.formula import Form, at_least, at_most, total
from seriatim.budget import Deadline
from seriatim.petri.answering import find
from seriatim.petri.boundedness import Pump, decide_boundedness
from seriatim.petri.coverability import decide_covering
from seriatim.petri.covering import Covered, Covering
from seriatim.petri.invariants import find_invariant
from seriatim.petri.maximum import Maximum, find_maximum
from seriatim.petri.net import PetriNet, Transition
from seriatim.petri.net_certificates import (
    Bounded,
    Coverable,
    Most,
    NetClaim,
    Reachable,
    evidence_of,
    is_confirmed,
    read_certificate,
    write_certificate,
)
from seriatim.petri.queries import All, Not, Predicate, Quantifier, Some
from seriatim.petri.reachability import Open, Reached
from seriatim.source import InputError
from testkit.generators.nets import TOY, nets

NONE = frozenset[int]()

LOCK = PetriNet(
    ("idle", "busy", "lock", "done"),
    (Transition("take", (0, 2), (1,)), Transition("leave", (1,), (0, 2)), Transition("bell", (1,), (1, 3))),
    (2, 0, 1, 0),
)


def claims_about(net: PetriNet) -> list[NetClaim]:
    """All that can be found out about a net, with evidence."""
    target = ((0, 2),)
    covering = decide_covering(Covering(net, (target,)), Deadline())
    found = [NetClaim(Coverable((target,), ()), isinstance(covering, Covered), covering)]
    boundedness = decide_boundedness(net, 200, Deadline())
    if boundedness is not None:
        found.append(NetClaim(Bounded(), not isinstance(boundedness, Pump), boundedness))
    sought: Predicate = Some((All((at_least(total([0]), 2),)), Not(at_most(total([0, 0]), 5))))
    answer = find(net, sought, 200, Deadline())
    if not isinstance(answer, Open):
        asked = Reachable("q", Quantifier.EXISTS, sought)
        found.append(NetClaim(asked, isinstance(answer, Reached), evidence_of(answer)))
    most = find_maximum(net, Form(((0, 1),)), 200, Deadline())
    if isinstance(most, Maximum):
        found.append(NetClaim(Most("m", most.tokens, ((0, 1),)), True, evidence_of(most)))
    elif isinstance(most, Pump):
        found.append(NetClaim(Most("m", 0, ((0, 1),)), False, most))
    return found


@given(nets())
def test_what_was_found_is_confirmed_after_reading(net: PetriNet) -> None:
    claims = tuple(claims_about(net))
    again = read_certificate(write_certificate(net, claims), net)
    assert again == claims
    assert all(is_confirmed(net, NONE, claim, Deadline()) for claim in again)


@given(nets())
def test_the_opposite_is_refused(net: PetriNet) -> None:
    for claim in claims_about(net):
        opposite = NetClaim(claim.question, not claim.holds, claim.evidence)
        assert not is_confirmed(net, NONE, opposite, Deadline())


@given(nets(), nets())
def test_evidence_about_another_net_is_refused_or_right(net: PetriNet, other: PetriNet) -> None:
    """What is confirmed about another net is what is found out about it, too."""
    known = {repr(claim.question): claim.holds for claim in claims_about(other)}
    for claim in claims_about(net):
        if is_confirmed(other, NONE, claim, Deadline()):
            assert known.get(repr(claim.question), claim.holds) == claim.holds
    if (net.places, net.transitions, net.initial) != (other.places, other.transitions, other.initial):
        with pytest.raises(InputError, match="about another net"):
            read_certificate(write_certificate(net, tuple(claims_about(net))), other)


def test_a_transition_that_does_nothing_hides_no_bound() -> None:
    net = PetriNet(("a",), (Transition("nothing", (), ()), Transition("double", (0,), (0, 0))), (0,))
    assert all(is_confirmed(net, NONE, claim, Deadline()) for claim in claims_about(net))


def test_an_invariant_is_evidence() -> None:
    sought = at_least(total([1]), 2)
    found = find_invariant(LOCK, sought, Deadline())
    assert found is not None
    claim = NetClaim(Reachable("both", Quantifier.EXISTS, sought), False, evidence_of(found))
    (again,) = read_certificate(write_certificate(LOCK, (claim,)), LOCK)
    assert is_confirmed(LOCK, NONE, again, Deadline())
    more = Reachable("one", Quantifier.EXISTS, at_least(total([1]), 1))
    assert not is_confirmed(LOCK, NONE, NetClaim(more, False, again.evidence), Deadline())


def test_open_places_have_to_be_those_of_the_net() -> None:
    claim = claims_about(LOCK)[0]
    assert is_confirmed(LOCK, NONE, claim, Deadline())
    assert not is_confirmed(LOCK, frozenset([0]), claim, Deadline())
    bounded = NetClaim(Bounded(), True, decide_boundedness(TOY, 10, Deadline()))
    assert not is_confirmed(TOY, frozenset([0]), bounded, Deadline())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["format"], "another"),
        (["version"], 2),
        (["claims"], []),
        (["claims", 0, "question", "kind"], "unknown"),
        (["claims", 0, "holds"], 1),
        (["claims", 0, "evidence", "kind"], "proof"),
        (["claims", 0, "extra"], 1),
        (["claims", 0, "question", "targets"], [[[0]]]),
    ],
)
def test_what_is_no_certificate_is_refused(path: list[Any], value: object) -> None:
    content = json.loads(write_certificate(LOCK, tuple(claims_about(LOCK))))
    place = content
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(InputError):
        read_certificate(json.dumps(content), LOCK)


@given(st.data())
def test_evidence_with_numbers_that_mean_nothing_is_refused(data: st.DataObject) -> None:
    """Places and transitions that the net lacks: refused, and no failure."""
    content = json.loads(write_certificate(LOCK, tuple(claims_about(LOCK))))
    claim = data.draw(st.sampled_from(content["claims"]))
    numbers = list(_numbers(claim["evidence"]))
    if not numbers:
        return
    holder, key = data.draw(st.sampled_from(numbers))
    holder[key] = data.draw(st.sampled_from([-1, 99, 10**6]))
    try:
        read = read_certificate(json.dumps(content), LOCK)
    except InputError:
        return
    for each in read:
        is_confirmed(LOCK, NONE, each, Deadline(20))


def _numbers(value: Any) -> Any:
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(each, int) and not isinstance(each, bool):
            yield value, key
        elif isinstance(each, dict | list):
            yield from _numbers(each)
