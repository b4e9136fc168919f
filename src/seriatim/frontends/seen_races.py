"""A race that was seen on the real thing, as a network system: one run, and all one-at-a-time runs.

Global states are moments of runs, so nothing has to be known about what the state consists of. Each
one-at-a-time run is a chain of moments, in which a request is a single step. The race is one more chain, a
step for each turn. Its requests hand over their answers at its end, all of them together: no part of it is a
complete run. Where answers alone do not tell the difference, a last request looks at the state, and answers
what it sees.

Claim: the system has a complete run with the answers of the race, and its serial runs of these requests have
exactly the outcomes of the one-at-a-time runs that were seen. So it is not serializable if and only if no
one-at-a-time run of the real thing, of which all were tried, has the outcome of the race.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from seriatim.program.network_system import LocalState, NetworkSystem


@dataclass(frozen=True, slots=True)
class SerialRun:
    """A run of one request at a time."""

    requests: tuple[str, ...]
    """In their order."""
    answers: tuple[str, ...]
    states: tuple[str, ...]
    """The state that each request leaves behind."""
    final: str = ""
    """What the last look sees."""


@dataclass(frozen=True, slots=True)
class Race:
    """A run whose outcome no one-at-a-time run has."""

    requests: tuple[str, ...]
    answers: tuple[str, ...]
    turns: tuple[int, ...]
    """The request of each turn, counted from 0."""
    final: str = ""


def race_system(race: Race, serial: Sequence[SerialRun], look: str | None) -> NetworkSystem:
    """The system of a race; `look` names the request that looks at the final state, if one does."""
    builder = SystemBuilder()
    start = builder.moment("the first state")
    for run in serial:
        _add_serial(builder, run, start, look)
    _add_race(builder, race, start, look)
    return builder.finish(start)


class SystemBuilder:
    """Collects the parts of a network system, numbered in the order in which they come."""

    def __init__(self) -> None:
        self.globals: dict[str, int] = {}
        self.locals: dict[str, int] = {}
        self.requests: dict[str, int] = {}
        self.responses: dict[str, int] = {}
        self.req: dict[tuple[int, int], None] = {}
        self.resp: dict[tuple[int, int], None] = {}
        self.delta: dict[tuple[int, int, int, int], None] = {}

    def moment(self, name: str) -> int:
        """A moment of a run; one of the same name gets a number."""
        number, unique = 1, name
        while unique in self.globals:
            number += 1
            unique = f"{name} ({number})"
        return self.globals.setdefault(unique, len(self.globals))

    def local(self, name: str) -> int:
        return self.locals.setdefault(name, len(self.locals))

    def arrival(self, request: str) -> int:
        """The local state in which a request arrives."""
        local = self.local(f"{request} arrives")
        self.req.setdefault((self.requests.setdefault(request, len(self.requests)), local))
        return local

    def end(self, request: str, answer: str) -> int:
        """The local state in which a request has answered."""
        local = self.local(f"{request} has answered {answer}")
        self.resp.setdefault((local, self.responses.setdefault(answer, len(self.responses))))
        return local

    def move(self, local: int, before: int, target: int, after: int) -> None:
        self.delta.setdefault((local, before, target, after))

    def finish(self, initial: int) -> NetworkSystem:
        return NetworkSystem(
            tuple(self.globals),
            tuple(LocalState(name) for name in self.locals),
            tuple(self.requests),
            tuple(self.responses),
            initial,
            tuple(self.req),
            tuple(self.resp),
            tuple(self.delta),
        )


def _add_serial(builder: SystemBuilder, run: SerialRun, start: int, look: str | None) -> None:
    now = start
    for request, answer, state in zip(run.requests, run.answers, run.states, strict=True):
        after = builder.moment(state)
        builder.move(builder.arrival(request), now, builder.end(request, answer), after)
        now = after
    if look is not None:
        builder.move(builder.arrival(look), now, builder.end(look, run.final), now)


def _add_race(builder: SystemBuilder, race: Race, start: int, look: str | None) -> None:
    now = start
    where = [builder.arrival(request) for request in race.requests]
    for number, mover in enumerate(race.turns, 1):
        request = race.requests[mover]
        target = builder.local(f"request {mover + 1}, {request}, after turn {number}")
        after = builder.moment(f"the race, after turn {number}")
        builder.move(where[mover], now, target, after)
        where[mover], now = target, after
    for number, (request, answer) in enumerate(zip(race.requests, race.answers, strict=True)):
        after = builder.moment(f"the race, {number + 1} of {len(race.answers)} answers handed over")
        builder.move(where[number], now, builder.end(request, answer), after)
        now = after
    if look is not None:
        builder.move(builder.arrival(look), now, builder.end(look, race.final), now)
