"""Covers: what can be in flight together, in all runs or in all complete ones.

For each node (g, D), a cover has the flights that can be there (level 1), or the pairs of flights that can
be there together (level 2). It holds for all runs, by induction: a step of one flight takes its node to
another one, puts the flight's successor there, and takes along whatever could be beside it. Fresh flights
can be beside everything. *Invariants* say what cannot: if s · (v − initial v) = Σ w(flight) over all
flights, with w ≥ 0 and 0 for fresh and answered ones, then flights whose weights exceed the left side cannot
be together. Weights are learned from the steps; that every other step keeps the equation is verified, and an
invariant that some step breaks is not used.

Flights are kept as bit sets, and pairs of them as a set for each flight: what a step takes along is a few
operations on whole sets.

Steps to flights that no step in the cover ever leads to an answer are in no complete run, so they may be
left out; this can make the cover smaller, so it is repeated until nothing changes.
"""

from collections.abc import Iterator
from typing import Generic

from seriatim.certificate.in_flight import Invariant
from seriatim.checking.flights import Flights
from seriatim.checking.numbering import EVERYTHING, members, set_of
from seriatim.checking.precision import Precision
from seriatim.checking.reference import State


class Broken(Exception):
    """A step does not keep these invariants."""

    def __init__(self, invariants: set[Invariant]) -> None:
        super().__init__()
        self.invariants = invariants


def hopeful(flights: Flights[State], precision: Precision) -> set[int]:
    """The flights that complete runs can contain: those that may be answered, as far as covers can tell."""
    kept: set[int] | None = None
    while True:
        cover = closed_cover(flights, precision, is_serial=False, hopeful=kept)
        still = cover.may_be_answered()
        if still == kept:
            return still
        kept = still


def closed_cover(
    flights: Flights[State], precision: Precision, is_serial: bool, hopeful: set[int] | None
) -> "Cover[State]":
    """The cover under all steps, or under those to hopeful flights; without the invariants that do not
    hold."""
    initial = flights.reference.initial
    names = set() if isinstance(initial, str) else set(dict(initial))
    invariants = {invariant for invariant in precision.invariants if invariant.variable in names}
    while True:
        cover = Cover(flights, precision.level, tuple(sorted(invariants)), is_serial, hopeful)
        try:
            cover.explore()
        except Broken as broken:
            invariants -= broken.invariants
        else:
            return cover


Node = tuple[int, frozenset[int]]
"""(g, D); where serial order is not asked for, D stays as it is at first."""

Weights = tuple[int, ...]
"""For each invariant."""


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
        initial = flights.reference.initial
        self.initial_values = {} if isinstance(initial, str) else dict(initial)
        self.fresh = set_of(flights.fresh)
        self.weights: dict[int, Weights] = {}
        self._of_weight: dict[Weights, int] = {}
        """The flights of each weight."""
        self._fitting: dict[Weights, int] = {}
        """For some weights, the flights that weigh at most as much."""
        self._rooms: dict[int, Weights] = {}
        for flight in flights.fresh:
            self._learn(flight, (0,) * len(invariants))
        start = (flights.initial, frozenset((flights.start,)))
        self.nodes: dict[Node, int] = {start: 0}
        """For each node, the flights that can be there and are not fresh."""
        self.rows: dict[Node, dict[int, int]] = {start: {}}
        """For each node, for each flight of these, those beside which it can be (level 2 only)."""
        self.departures: dict[Node, dict[tuple[Node, Weights], int]] = {}
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
                arrived = 0 if target is None else 1 << target & ~self.fresh
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
            arrived = 0 if target is None else 1 << target & ~self.fresh
            for own, others in self.by_weight(beside):
                possible = beside & self.fitting(node[0], weight, own)
                for other in members(others):
                    gains |= add(there, other, rows[other] & possible | arrived)
            if arrived and target is not None:
                gains |= add(there, target, beside)
            if gains:
                self.nodes[then] = self.nodes.get(then, 0) | beside | arrived
                yield then

    def steps_at(self, node: Node) -> list[tuple[int, int | None, Node]]:
        """(flight, its next one or None if it is answered, the next node), for all flights at a node. What a
        flight can do there is found once, however often the node gains others. Steps that end at this node,
        with an answer or a fresh flight, are left out: whatever they take along is there."""
        steps = self.steps.setdefault(node, [])
        here = self.nodes[node] | self.fresh
        new = here & ~self.departed.get(node, 0)
        self.departed[node] = here
        for flight in members(new):
            for target, then in self.moves(flight, node):
                if then != node or (target is not None and not self.fresh >> target & 1):
                    steps.append((flight, target, then))
        return steps

    def by_weight(self, flights: int) -> list[tuple[Weights, int]]:
        """Some flights, grouped by what they weigh."""
        if not self.invariants:
            return [((), flights)]
        groups = [(weight, flights & own) for weight, own in self._of_weight.items()]
        return [group for group in groups if group[1]]

    def moves(self, flight: int, node: Node) -> Iterator[tuple[int | None, Node]]:
        """(the next flight or None if it is answered, the next node), for the steps that count."""
        global_, serial = node
        request = self.flights.known[flight][0]
        for target, after in self.flights.steps(flight, global_):
            if isinstance(target, int) and self.hopeful is not None and target not in self.hopeful:
                continue
            if target == flight and after == global_ and flight not in self.flights.fresh:
                continue  # Nothing has happened.
            self.weigh(flight, target, global_, after)
            then = serial
            if self.is_serial:
                response = self.flights.commit(flight, target)
                if response is not None:
                    then = self.flights.serial_after(serial, request, response)
            yield (target if isinstance(target, int) else None), (after, then)

    def weigh(self, flight: int, target: int | str, before: int, after: int) -> None:
        """Learns the weight of a flight from the first step to it, and verifies it for every other step."""
        if not self.invariants:
            if isinstance(target, int):
                self.weights.setdefault(target, ())
            return
        weight = self.weights[flight]
        if before != after:
            changes = zip(weight, self.room(after), self.room(before), strict=True)
            weight = tuple([own + now - then for own, now, then in changes])
        expected = (0,) * len(weight)
        if isinstance(target, int):
            if target not in self.weights:
                self._learn(target, weight)
            expected = self.weights[target]
        broken = {
            invariant
            for invariant, own, other in zip(self.invariants, weight, expected, strict=True)
            if own != other or own < 0
        }
        if broken:
            raise Broken(broken)

    def room(self, global_: int) -> Weights:
        """The weight of all flights together."""
        room = self._rooms.get(global_)
        if room is None:
            state = self.flights.globals[global_]
            values = {} if isinstance(state, str) else dict(state)
            differences = (values[i.variable] - self.initial_values[i.variable] for i in self.invariants)
            room = tuple([i.sign * by for i, by in zip(self.invariants, differences, strict=True)])
            self._rooms[global_] = room
        return room

    def _learn(self, flight: int, weight: Weights) -> None:
        self.weights[flight] = weight
        self._of_weight[weight] = self._of_weight.get(weight, 0) | 1 << flight
        self._fitting.clear()

    def fitting(self, global_: int, *taken: Weights) -> int:
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
        from seriatim.checking.reached import reached  # Many proofs are about all runs.

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
    """Puts a flight somewhere, beside others; whether that is news."""
    known = there.get(flight)
    if known is not None and not beside & ~known:
        return False
    there[flight] = beside if known is None else known | beside
    return True
