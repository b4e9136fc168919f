"""The interleaving net N_int(S) of a network system (paper, Appendix E), with the way back to the system.

A token in a global's place is the global state; a token in the place of a request and a local state is a
request in flight; a token in the place of a request and a response is an answered request, and stays there.
Spawning takes no token; answering takes the request out of flight (the appendix misprints that pre).
Only what requests can reach is there, whatever the global state does.
"""

from collections import defaultdict
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from seriatim.closure import closure
from seriatim.petri.net import PetriNet, Transition
from seriatim.program.network_system import NetworkSystem
from seriatim.text_width import printable


@dataclass(frozen=True, slots=True)
class Global:
    """The place of a global state."""

    state: int


@dataclass(frozen=True, slots=True)
class InFlight:
    """The place of the requests of a name that are in a local state."""

    request: int
    local: int


@dataclass(frozen=True, slots=True)
class Answered:
    """The place of the requests of a name that were answered with a response."""

    request: int
    response: int


Place = Global | InFlight | Answered


class Kind(StrEnum):
    """What a transition does with a request."""

    SPAWN = "spawn"
    STEP = "step"
    RESPOND = "respond"


@dataclass(frozen=True, slots=True)
class Cause:
    """Where a transition comes from: req, δ or resp, and for which request."""

    kind: Kind
    request: int


@dataclass(frozen=True, slots=True)
class InterleavingNet:
    """A net, and what its places and transitions mean in the system."""

    system: NetworkSystem
    net: PetriNet
    places: tuple[Place, ...]
    causes: tuple[Cause, ...]


Flow = tuple[Cause, tuple[Place, ...], tuple[Place, ...]]
"""A transition: why there is one, what it takes, what it gives."""


def interleaving_net(system: NetworkSystem) -> InterleavingNet:
    """Places are the global states, the requests in flight, the answered requests, in the system's order."""
    responses: defaultdict[int, list[int]] = defaultdict(list)
    for local, response in system.resp:
        responses[local].append(response)
    steps: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for local, before, target, after in system.delta:
        steps[local].append((before, target, after))

    flying = [
        InFlight(request, local) for request, locals_ in enumerate(in_flight(system)) for local in locals_
    ]
    flows: list[Flow] = [
        (Cause(Kind.SPAWN, request), (), (InFlight(request, local),)) for request, local in system.req
    ]
    flows.extend(
        (
            Cause(Kind.STEP, place.request),
            (place, Global(before)),
            (InFlight(place.request, target), Global(after)),
        )
        for place in flying
        for before, target, after in steps[place.local]
    )
    flows.extend(
        (Cause(Kind.RESPOND, place.request), (place,), (Answered(place.request, response),))
        for place in flying
        for response in responses[place.local]
    )
    answered = {(place.request, response) for place in flying for response in responses[place.local]}
    places: tuple[Place, ...] = (
        *(Global(state) for state in range(len(system.globals))),
        *flying,
        *(Answered(request, response) for request, response in sorted(answered)),
    )
    net = _net(places, flows, Global(system.initial))
    named = replace(net, meanings=_meanings(system, net, places, flows))
    return InterleavingNet(system, named, places, tuple(cause for cause, _, _ in flows))


def _meanings(
    system: NetworkSystem, net: PetriNet, places: tuple[Place, ...], flows: list[Flow]
) -> dict[str, str]:
    """Returns what each place and each transition stands for, in the words of the system."""
    found = {name: _place_words(system, place) for name, place in zip(net.places, places, strict=True)}
    for transition, (cause, pre, post) in zip(net.transitions, flows, strict=True):
        found[transition.name] = _flow_words(system, cause, pre, post)
    return {name: printable(meaning) for name, meaning in found.items()}


def _place_words(system: NetworkSystem, place: Place) -> str:
    match place:
        case Global(state=state):
            return f"shared: {system.globals[state]}"
        case InFlight(request=request, local=local):
            return f"{system.requests[request]} at {_local_words(system, local)}"
        case Answered(request=request, response=response):
            return f"{system.requests[request]} answered {system.responses[response]}"
        case _:
            assert_never(place)


def _local_words(system: NetworkSystem, local: int) -> str:
    state = system.locals[local]
    if state.line is None:
        return state.name
    values = ", ".join(f"{name}={value}" for name, value in state.values)
    return f"line {state.line}" + (f" [{values}]" if values else "")


def _flow_words(system: NetworkSystem, cause: Cause, pre: tuple[Place, ...], post: tuple[Place, ...]) -> str:
    name = system.requests[cause.request]
    match pre, post:
        case (InFlight(local=local), Global(state=before)), (InFlight(local=target), Global(state=after)):
            changed = "" if before == after else f", {system.globals[before]} to {system.globals[after]}"
            return (
                f"{name} goes from {_local_words(system, local)} to {_local_words(system, target)}{changed}"
            )
        case (InFlight(),), (Answered(response=response),):
            return f"{name} answers {system.responses[response]}"
        case _:
            return f"{name} arrives"


def _net(places: tuple[Place, ...], flows: list[Flow], start: Place) -> PetriNet:
    number = {place: index for index, place in enumerate(places)}
    return PetriNet(
        places=tuple(f"p{index}" for index in range(1, len(places) + 1)),
        transitions=tuple(
            Transition(f"t{index}", tuple(number[p] for p in pre), tuple(number[p] for p in post))
            for index, (_, pre, post) in enumerate(flows, 1)
        ),
        initial=tuple(int(place == start) for place in places),
    )


def in_flight(system: NetworkSystem) -> tuple[tuple[int, ...], ...]:
    """For each request the local states that it can be in, whatever the global state does; sorted."""
    targets: defaultdict[int, list[int]] = defaultdict(list)
    for local, _, target, _ in system.delta:
        targets[local].append(target)
    starts: defaultdict[int, list[int]] = defaultdict(list)
    for request, local in system.req:
        starts[request].append(local)
    requests = range(len(system.requests))
    return tuple(tuple(sorted(closure(starts[request], targets.__getitem__))) for request in requests)
