"""Random walks of a few requests beside a serial state, with numbers. Facts that held there are candidates.

Walks are not part of a proof: they only exclude facts that are not worth trying.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from seriatim.arithmetic.evaluation import evaluate
from seriatim.arithmetic.terms import Name
from seriatim.budget import Deadline
from seriatim.program.symbolic.invariant import View
from seriatim.program.symbolic.model import argument_name, global_name, local_name, other_name, serial_name
from seriatim.program.symbolic.moves import Move, Policy

WALKS = 60
STEPS = 30
MOST_AT_REST = 4
ARGUMENTS = (0, 1, 2, 3, 5, -1)
MOST_ROWS = 120
"""The most rows for one view."""

Row = Mapping[Name, int]
"""The values of the names in a formula."""


@dataclass(frozen=True, slots=True)
class _Flight:
    point: int
    values: Mapping[str, int]


class Walks:
    """The rows seen so far, by the points of the requests."""

    def __init__(self, policy: Policy, deadline: Deadline) -> None:
        self.policy = policy
        self.model = policy.model
        self.deadline = deadline
        self.random = Random(0)
        self.rows: dict[View, dict[tuple[int, ...], Row]] = {}
        for _ in range(WALKS):
            self._walk()

    def at(self, view: View) -> list[Row]:
        return list(self.rows.get(view, {}).values())

    def _walk(self) -> None:
        start = {name: evaluate(self.model.initial[name], {}) for name in self.model.variables}
        shared: dict[Name, int] = {global_name(name): value for name, value in start.items()}
        shared |= {serial_name(name): start[name] for name in self.policy.variables}
        flights: list[_Flight] = []
        most = self.random.randint(1, MOST_AT_REST)
        for _ in range(STEPS):
            self.deadline.check()
            self._keep(shared, flights)
            place = self.random.randrange(len(flights) + (len(flights) < most))
            found = self._moves(shared, flights[place] if place < len(flights) else None)
            if not found:
                continue
            move, values = self.random.choice(found)
            if place < len(flights):
                del flights[place]
            shared = {global_name(name): evaluate(term, values) for name, term in move.globals.items()}
            shared |= {serial_name(name): evaluate(term, values) for name, term in move.serial.items()}
            if move.after is not None:
                kept = {name: evaluate(term, values) for name, term in move.after.values.items()}
                flights.append(_Flight(move.after.point, kept))

    def _moves(self, shared: Row, flight: _Flight | None) -> list[tuple[Move, Row]]:
        if flight is None:
            handler = self.random.randrange(len(self.model.routines))
            given = {
                argument_name(name): self.random.choice(ARGUMENTS)
                for name in self.model.routines[handler].parameters
            }
            values, doings = {**shared, **given}, self.policy.begin(handler)
        else:
            own = {local_name(name): value for name, value in flight.values.items()}
            values, doings = {**shared, **own}, self.policy.go_on(flight.point)
        return [(move, values) for move in doings.moves if evaluate(move.condition, values)]

    def _keep(self, shared: Row, flights: list[_Flight]) -> None:
        self._add((), shared)
        for one in flights:
            self._add((one.point,), {**shared, **_name_values(one, 0)})
        for view, pair in _pairs(flights):
            self._add(view, {**shared, **_name_values(pair[0], 0), **_name_values(pair[1], 1)})

    def _add(self, view: View, row: Row) -> None:
        known = self.rows.setdefault(view, {})
        if len(known) < MOST_ROWS:
            known[tuple(row.values())] = row


def _pairs(flights: list[_Flight]) -> Iterator[tuple[View, tuple[_Flight, _Flight]]]:
    for place, one in enumerate(flights):
        for other in flights[place + 1 :]:
            first, second = (one, other) if one.point <= other.point else (other, one)
            yield (first.point, second.point), (first, second)


def _name_values(flight: _Flight, place: int) -> Row:
    return {other_name(place, name): value for name, value in flight.values.items()}
