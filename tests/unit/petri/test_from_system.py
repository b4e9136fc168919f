"""The net of a network system: its runs are the system's runs."""

from collections import Counter

import pytest
from hypothesis import given

from seriatim.budget import Deadline
from seriatim.frontends.ser.parser import parse
from seriatim.petri.from_system import (
    Answered,
    Cause,
    Global,
    InFlight,
    InterleavingNet,
    Kind,
    in_flight,
    interleaving_net,
)
from seriatim.petri.net import PetriNet, Transition
from seriatim.program.network_system import LocalState, NetworkSystem
from seriatim.systems.from_program import network_system
from seriatim.systems.limits import Limits
from testkit.generators.system_strategies import network_systems

RUNNING_EXAMPLE = """
request main:
    X := 1
    yield
    y := X
    X := 0
    return y
"""

SHARED = NetworkSystem(
    globals=("g",),
    locals=(LocalState("a"), LocalState("b"), LocalState("c")),
    requests=("first", "second"),
    responses=("ok",),
    initial=0,
    req=((0, 0), (1, 1)),
    resp=((1, 0),),
    delta=((0, 0, 1, 0), (2, 0, 1, 0)),
)
"""Both requests can be at b, only the first at a, none at c."""

Marking = tuple[int, ...]


def running_example() -> InterleavingNet:
    return interleaving_net(network_system(parse(RUNNING_EXAMPLE), Limits(), Deadline()))


def fire(marking: Marking, transition: Transition) -> Marking | None:
    taken, given = Counter(transition.pre), Counter(transition.post)
    if any(marking[place] < tokens for place, tokens in taken.items()):
        return None
    return tuple(tokens - taken[place] + given[place] for place, tokens in enumerate(marking))


def markings(net: PetriNet, spawns: int) -> set[Marking]:
    """Everything reachable with at most so many spawns."""
    seen = {(net.initial, 0)}
    pending = [(net.initial, 0)]
    while pending:
        marking, spawned = pending.pop()
        for transition in net.transitions:
            next_ = fire(marking, transition)
            count = spawned + (not transition.pre)
            if next_ is not None and count <= spawns and (next_, count) not in seen:
                seen.add((next_, count))
                pending.append((next_, count))
    return {marking for marking, _ in seen}


def configurations(system: NetworkSystem, spawns: int) -> set[tuple[int, tuple[tuple[str, int, int], ...]]]:
    """The same for the system itself: the global state, and who is in flight or answered."""
    start = (system.initial, (), 0)
    seen: set[tuple[int, tuple[tuple[str, int, int], ...], int]] = {start}
    pending = [*seen]
    while pending:
        global_, requests, spawned = pending.pop()
        successors = [
            (global_, (*requests, ("in flight", request, local)), spawned + 1)
            for request, local in system.req
        ]
        for index, (status, request, local) in enumerate(requests):
            others = requests[:index] + requests[index + 1 :]
            if status == "in flight":
                successors += [
                    (after, (*others, ("in flight", request, target)), spawned)
                    for source, before, target, after in system.delta
                    if (source, before) == (local, global_)
                ]
                successors += [
                    (global_, (*others, ("answered", request, response)), spawned)
                    for source, response in system.resp
                    if source == local
                ]
        for after, unsorted, count in successors:
            next_ = (after, tuple(sorted(unsorted)), count)
            if count <= spawns and next_ not in seen:
                seen.add(next_)
                pending.append(next_)
    return {(global_, requests) for global_, requests, _ in seen}


def test_the_running_example_has_the_net_of_the_papers_third_figure() -> None:
    net = running_example()
    kinds = [type(place) for place in net.places]
    assert kinds == [Global] * 2 + [InFlight] * 4 + [Answered] * 2
    assert [cause.kind for cause in net.causes] == [Kind.SPAWN] + [Kind.STEP] * 4 + [Kind.RESPOND] * 2
    assert net.net.initial == (1, 0, 0, 0, 0, 0, 0, 0)
    assert net.net.places == ("p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8")
    assert net.net.transitions[0] == Transition("t1", (), (2,))


def test_the_running_example_reaches_the_papers_marking() -> None:
    """With two requests, one answered 0 and one answered 1, and X = 0 at the end."""
    net = running_example().net
    assert (1, 0, 0, 0, 0, 0, 1, 1) in markings(net, spawns=2)


def test_a_response_takes_the_request_out_of_flight() -> None:
    net = running_example()
    for cause, transition in zip(net.causes, net.net.transitions, strict=True):
        if cause.kind is Kind.RESPOND:
            (taken,), (given,) = transition.pre, transition.post
            assert isinstance(net.places[taken], InFlight)
            assert isinstance(net.places[given], Answered)


def test_only_local_states_that_a_request_can_reach_have_places() -> None:
    net = interleaving_net(SHARED)
    assert in_flight(SHARED) == ((0, 1), (1,))
    assert net.places == (
        Global(0),
        InFlight(0, 0),
        InFlight(0, 1),
        InFlight(1, 1),
        Answered(0, 0),
        Answered(1, 0),
    )


def test_requests_that_share_a_state_are_answered_in_their_own_places() -> None:
    net = interleaving_net(SHARED)
    assert net.causes[-2:] == (Cause(Kind.RESPOND, 0), Cause(Kind.RESPOND, 1))
    assert [(t.pre, t.post) for t in net.net.transitions[-2:]] == [((2,), (4,)), ((3,), (5,))]


@given(system=network_systems())
@pytest.mark.parametrize("spawns", [1, 2])
def test_the_net_and_the_system_reach_the_same(system: NetworkSystem, spawns: int) -> None:
    net = interleaving_net(system)

    def configuration(marking: Marking) -> tuple[int, tuple[tuple[str, int, int], ...]]:
        global_ = -1
        requests: list[tuple[str, int, int]] = []
        for place, tokens in zip(net.places, marking, strict=True):
            match place:
                case Global(state=state):
                    global_ = state if tokens else global_
                case InFlight(request=request, local=local):
                    requests += [("in flight", request, local)] * tokens
                case Answered(request=request, response=response):
                    requests += [("answered", request, response)] * tokens
        return global_, tuple(sorted(requests))

    assert {configuration(marking) for marking in markings(net.net, spawns)} == configurations(system, spawns)
