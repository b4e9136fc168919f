"""Covers: what can be in flight together, in all runs or in all complete ones.

For each node (g, D), a cover has the flights that can be there (level 1), or the pairs of flights that can
be there together (level 2). It holds for all runs, by induction: a step of one flight takes its node to
another one, puts the flight's successor there, and takes along whatever could be beside it. Fresh flights
can be beside everything. Invariants say what cannot (`seriatim.checking.weights`).

Flights are kept as bit sets, and pairs of them as a set for each flight: what a step takes along is a few
operations on whole sets.

Steps to flights that no step in the cover ever leads to an answer are in no complete run, so they may be
left out; this can make the cover smaller, so it is repeated until nothing changes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Generic

from seriatim.certificate.in_flight import Invariant, Level
from seriatim.checking.flights import Flights
from seriatim.checking.numbering import EVERYTHING, members, set_of
from seriatim.checking.reference import State
from seriatim.checking.weights import Weight, Weights, values_of, with_unbroken
from seriatim.closure import reached


@dataclass(frozen=True, slots=True)
class Precision:
    """How many requests are examined together, and which invariants limit what can be together."""

    level: Level
    invariants: tuple[Invariant, ...]
    """Invariants; those that a step breaks are not used."""


def looks(level: Level) -> str:
    """A level in words: how finely it examines what can be in flight together."""
    return "one by one (level 1)" if level == 1 else "in pairs (level 2)"


def hopeful(flights: Flights[State], precision: Precision) -> set[int]:
    """The flights that complete runs can contain: those that may be answered, as far as covers can tell."""
    kept: set[int] | None = None
    while True:
        cover = close_cover(flights, precision, is_serial=False, hopeful=kept)
        still = cover.may_be_answered()
        if still == kept:
            return still
        kept = still


def close_cover(
    flights: Flights[State], precision: Precision, is_serial: bool, hopeful: set[int] | None
) -> "Cover[State]":
    """The cover under all steps, or under those to hopeful flights; without the invariants that do not
    hold."""

    def closed(invariants: tuple[Invariant, ...]) -> "Cover[State]":
        cover = Cover(flights, precision.level, invariants, is_serial, hopeful)
        cover.explore()
        return cover

    return with_unbroken(precision.invariants, values_of(flights.reference.initial), closed)


Node = tuple[int, frozenset[int]]
"""A pair (g, D); if the serial order does not matter, D never changes."""


class Cover(Generic[State]):
    """For each node the flights that can be there, and at level 2 beside which others. Fresh ones always
    can."""

    def __init__(
        self,
        flights: Flights[State],
        level: int,
        invariants: tuple[Invariant, ...],
        is_serial: bool,
        hopeful: set[int] | None,
    ) -> None:
        self.flights = flights
        self.level = level
        self.invariants = invariants
        self.is_serial = is_serial
        self.hopeful = hopeful
        self.fresh = set_of(flights.fresh)
        self._weights = Weights(invariants, values_of(flights.reference.initial), flights.fresh)
        self.weights: Mapping[int, Weight] = self._weights.of
        self._of_weight: dict[Weight, int] = {}
        """The flights of each weight that are not fresh."""
        self._fitting: dict[Weight, int] = {}
        """For some weights, the flights that weigh at most as much."""
        self._rooms: dict[int, Weight] = {}
        start = (flights.initial, frozenset((flights.start,)))
        self.nodes: dict[Node, int] = {start: 0}
        """For each node, the flights that can be there and are not fresh."""
        self.rows: dict[Node, dict[int, int]] = {start: {}}
        """For each node, for each flight of these, those beside which it can be (level 2 only)."""
        self.departures: dict[Node, dict[tuple[Node, Weight], int]] = {}
        """For each node, where flights of some weight have gone, and what they are there (level 1 only)."""
        self.steps: dict[Node, list[tuple[int, int | None, Node]]] = {}
        """For each node, the steps that its flights can take (level 2 only)."""
        self.departed: dict[Node, int] = {}
        """For each node, the flights whose steps are among these."""
        self.pending = [start]

    def at(self, node: Node) -> list[int]:
        """The flights that can be at a node and are not fresh."""
        return list(members(self.nodes[node]))

    def has(self, node: Node, flight: int) -> bool:
        """Whether a flight that is not fresh can be at a node."""
        return bool(self.nodes[node] >> flight & 1)

    def has_beside(self, node: Node, flight: int, other: int) -> bool:
        """Whether two flights that are not fresh, and can be at a node, can be there together, as far as the
        level tells."""
        return self.level == 1 or bool(self.rows[node][flight] >> other & 1)

    def explore(self) -> None:
        """Adds what follows, until nothing does."""
        waiting = set(self.pending)
        while self.pending:
            node = self.pending.pop()
            waiting.discard(node)
            for changed in self.consequences(node):
                if changed not in waiting:
                    waiting.add(changed)
                    self.pending.append(changed)

    def consequences(self, node: Node) -> Iterator[Node]:
        """Carries out all steps at a node; the nodes that gain something."""
        self.flights.allowance.spend()
        yield from self.with_singles(node) if self.level == 1 else self.with_pairs(node)

    def with_singles(self, node: Node) -> Iterator[Node]:
        """Level 1. Steps to the same node by flights of the same weight take along the same others."""
        here = self.nodes[node]
        departures = self.departures.setdefault(node, {})
        new = (here | self.fresh) & ~self.departed.get(node, 0)
        self.departed[node] = here | self.fresh
        for flight in members(new):
            for target, then in self.moves(flight, node):
                key = (then, self.weights[flight])
                arrived = 0 if target is None else 1 << target
                departures[key] = departures.get(key, 0) | arrived
        for (then, weight), arrivals in departures.items():
            carried = here & self.fitting(node[0], weight) | arrivals
            there = self.nodes.get(then)
            if there is None or carried & ~there:
                self.nodes[then] = (there or 0) | carried
                yield then

    def with_pairs(self, node: Node) -> Iterator[Node]:
        """Level 2. A step takes along what is beside it, and of any two of these what is possible."""
        here, rows = self.nodes[node], self.rows[node]
        for flight, target, then in self.steps_at(node):
            weight = self.weights[flight]
            beside = (here if self.fresh >> flight & 1 else rows[flight]) & self.fitting(node[0], weight)
            gains = then not in self.nodes
            there = self.rows.setdefault(then, {})
            arrived = 0 if target is None else 1 << target
            for own, others in self.by_weight(beside):
                possible = beside & self.fitting(node[0], weight, own)
                for other in members(others):
                    gains |= add(there, other, rows[other] & possible | arrived)
            if target is not None:
                gains |= add(there, target, beside)
            if gains:
                self.nodes[then] = self.nodes.get(then, 0) | beside | arrived
                yield then

    def steps_at(self, node: Node) -> list[tuple[int, int | None, Node]]:
        """(flight, what `moves` says of it), for all flights at a node. What a flight can do there is found
        once, however often the node gains others. Steps that end at this node and add no flight are left out:
        whatever they take along is there."""
        steps = self.steps.setdefault(node, [])
        here = self.nodes[node] | self.fresh
        new = here & ~self.departed.get(node, 0)
        self.departed[node] = here
        for flight in members(new):
            for target, then in self.moves(flight, node):
                if then != node or target is not None:
                    steps.append((flight, target, then))
        return steps

    def by_weight(self, flights: int) -> list[tuple[Weight, int]]:
        """Some flights, grouped by what they weigh."""
        if not self.invariants:
            return [((), flights)]
        groups = [(weight, flights & own) for weight, own in self._of_weight.items()]
        return [group for group in groups if group[1]]

    def moves(self, flight: int, node: Node) -> Iterator[tuple[int | None, Node]]:
        """(the next flight or None if it is answered or fresh, the next node), for the steps that count."""
        global_, serial = node
        request = self.flights.known[flight][0]
        for target, after in self.flights.steps(flight, global_):
            if isinstance(target, int) and self.hopeful is not None and target not in self.hopeful:
                continue
            if target == flight and after == global_ and flight not in self.flights.fresh:
                continue  # Nothing has happened.
            flying = target if isinstance(target, int) else None
            self.weigh(flight, flying, global_, after)
            response = self.flights.commit(flight, target) if self.is_serial else None
            then = serial if response is None else self.flights.serial_after(serial, request, response)
            yield None if flying in self.flights.fresh else flying, (after, then)

    def weigh(self, flight: int, target: int | None, before: int, after: int) -> None:
        """Learns what a flight weighs, or verifies that it weighs as much."""
        known = len(self.weights)
        self._weights.step(flight, target, self.room(before), self.room(after))
        if target is not None and len(self.weights) > known:
            self._learn(target)

    def room(self, global_: int) -> Weight:
        """The weight of all flights together."""
        if global_ not in self._rooms:
            self._rooms[global_] = self._weights.room(values_of(self.flights.globals[global_]))
        return self._rooms[global_]

    def _learn(self, flight: int) -> None:
        weight = self.weights[flight]
        self._of_weight[weight] = self._of_weight.get(weight, 0) | 1 << flight
        self._fitting.clear()

    def fitting(self, global_: int, *taken: Weight) -> int:
        """The flights that the invariants allow in a global state beside others of these weights."""
        if not self.invariants:
            return EVERYTHING
        left = self.room(global_)
        for weights in taken:
            left = tuple([room - weight for room, weight in zip(left, weights, strict=True)])
        found = self._fitting.get(left)
        if found is None:
            found = 0
            for weights, flights in self._of_weight.items():
                if all(weight <= room for weight, room in zip(weights, left, strict=True)):
                    found |= flights
            self._fitting[left] = found
        return found

    def may_be_answered(self) -> set[int]:
        """The flights, fresh or in the cover, from which steps can lead to an answer."""
        back: set[tuple[int, int]] = set()
        answered: set[int] = set()
        for node, here in self.nodes.items():
            for flight in members(here | self.fresh):
                for target, _ in self.flights.steps(flight, node[0]):
                    if isinstance(target, str):
                        answered.add(flight)
                    else:
                        back.add((target, flight))
        return reached(answered, back)


def add(there: dict[int, int], flight: int, beside: int) -> bool:
    """Adds a flight beside others; returns whether that is new."""
    known = there.get(flight)
    if known is not None and not beside & ~known:
        return False
    there[flight] = beside if known is None else known | beside
    return True
