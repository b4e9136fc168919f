"""Runs of a few requests in which commits are watched: what the checker's covers have to contain."""

from collections.abc import Iterator
from typing import Generic

from seriatim.certificate.commit import CommittedState
from seriatim.checking.reference import Reference, State
from seriatim.program.state import GlobalState
from testkit.oracles.brute_force import Numbering, TooLarge

MOST_STATES = 600

Watched = tuple[GlobalState, frozenset[GlobalState], tuple[int, ...], int]
"""(g, D, flights by number and sorted, how many are answered)."""


class Runs(Generic[State]):
    """What a few requests can do, with D kept up to date; straight from the reference.

    Whoever can answer where it arrives does so at once, or not at all.
    """

    def __init__(self, reference: Reference[State], committed: tuple[CommittedState, ...] = ()) -> None:
        self.reference = reference
        self.committed = committed
        self.flights: Numbering[tuple[str, State]] = Numbering()
        self.responses: dict[int, str | None] = {}
        """λ."""
        self.ends: dict[tuple[str, GlobalState], set[tuple[str, GlobalState]]] = {}
        self.fresh = tuple(
            self.number(request, state)
            for request in reference.requests
            for state in sorted(reference.fresh(request), key=repr)
        )

    def number(self, request: str, state: State) -> int:
        flight = self.flights.number((request, state))
        if flight not in self.responses:
            code, values = self.reference.description(state)
            fitting = (
                entry.response
                for entry in self.committed
                if entry.handler == request and entry.code == code and all(v in values for v in entry.values)
            )
            self.responses[flight] = next(fitting, None)
        return flight

    def steps(self, flight: int, global_: GlobalState) -> Iterator[tuple[int | str, GlobalState]]:
        request, state = self.flights.items[flight]
        if flight in self.fresh:
            for answer in self.reference.answers(state):
                yield answer, global_
        for target, after in self.reference.steps(state, global_):
            for answer in self.reference.answers(target):
                yield answer, after
            if not self.reference.is_final(target):
                yield self.number(request, target), after

    def committing(
        self, serial: frozenset[GlobalState], flight: int, target: int | str
    ) -> frozenset[GlobalState]:
        """D after a step."""
        response = target if isinstance(target, str) else self.responses[target]
        if self.responses[flight] is not None or response is None:
            return serial
        request = self.flights.items[flight][0]
        ends = (end for global_ in serial for end in self.alone(request, global_))
        return frozenset(after for answer, after in ends if answer == response)

    def alone(self, request: str, global_: GlobalState) -> set[tuple[str, GlobalState]]:
        """How a request can be answered that runs alone from here."""
        if (request, global_) not in self.ends:
            pending = [(state, global_) for state in self.reference.fresh(request)]
            seen = set(pending)
            ends: set[tuple[str, GlobalState]] = set()
            while pending:
                state, here = pending.pop()
                ends.update((answer, here) for answer in self.reference.answers(state))
                for following in self.reference.steps(state, here) - seen:
                    seen.add(following)
                    pending.append(following)
                if len(seen) > MOST_STATES:
                    raise TooLarge
            self.ends[request, global_] = ends
        return self.ends[request, global_]

    def successors(self, watched: Watched, requests: int) -> Iterator[Watched]:
        global_, serial, flying, answered = watched
        movers = [(flight, index) for index, flight in enumerate(flying)]
        if len(flying) + answered < requests:
            movers += [(flight, len(flying)) for flight in self.fresh]
        for flight, index in movers:
            others = flying[:index] + flying[index + 1 :]
            if index == len(flying):
                yield global_, serial, tuple(sorted((*others, flight))), answered
            for target, after in self.steps(flight, global_):
                then = self.committing(serial, flight, target)
                if isinstance(target, str):
                    yield after, then, others, answered + 1
                else:
                    yield after, then, tuple(sorted((*others, target))), answered

    def reachable(self, requests: int) -> dict[Watched, set[Watched]]:
        """All states with at most so many requests, and what comes next; raises `TooLarge`."""
        initial = self.reference.initial
        pending: list[Watched] = [(initial, frozenset((initial,)), (), 0)]
        found: dict[Watched, set[Watched]] = {}
        while pending:
            watched = pending.pop()
            if watched not in found:
                found[watched] = set(self.successors(watched, requests))
                pending.extend(found[watched])
                if len(found) > MOST_STATES:
                    raise TooLarge
        return found

    def most(self) -> dict[Watched, set[Watched]]:
        """With as many requests as have few states together."""
        for requests in (3, 2):
            try:
                return self.reachable(requests)
            except TooLarge:
                continue
        return self.reachable(1)


def completable(states: dict[Watched, set[Watched]]) -> set[Watched]:
    """Those from which everybody can be answered."""
    before: dict[Watched, list[Watched]] = {}
    for state, following in states.items():
        for after in following:
            before.setdefault(after, []).append(state)
    pending = [state for state in states if not state[2]]
    found = set(pending)
    while pending:
        for state in before.get(pending.pop(), ()):
            if state not in found:
                found.add(state)
                pending.append(state)
    return found
