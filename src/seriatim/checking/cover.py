"""Covers: what can be in flight together, in all runs or in all complete ones.

For each node (g, D), a cover has the flights that can be there (level 1), or the pairs of flights that can
be there together (level 2). It holds for all runs, by induction: a step of one flight takes its node to
another one, puts the flight's successor there, and takes along whatever could be beside it. Fresh flights
can be beside everything. *Invariants* say what cannot: if s · (v − initial v) = Σ w(flight) over all
flights, with w ≥ 0 and 0 for fresh and answered ones, then flights whose weights exceed the left side cannot
be together. Weights are learned from the steps; that every other step keeps the equation is verified, and an
invariant that some step breaks is not used.

Steps to flights that no step in the cover ever leads to an answer are in no complete run, so they may be
left out; this can make the cover smaller, so it is repeated until nothing changes.
"""

from collections.abc import Callable, Iterator, Set
from typing import Generic

from seriatim.certificate.in_flight import Invariant
from seriatim.checking.flights import Flights
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

NOBODY: frozenset[int] = frozenset()


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
        self.weights: dict[int, Weights] = dict.fromkeys(flights.fresh, (0,) * len(invariants))
        self._rooms: dict[int, Weights] = {}
        start = (flights.initial, frozenset((flights.start,)))
        self.nodes: dict[Node, dict[int, Set[int]]] = {start: {}}
        """For each node, for each flight that is not fresh, those beside which it can be (level 2 only)."""
        self.departures: dict[Node, dict[tuple[Node, Weights], set[int]]] = {}
        """For each node, where flights of some weight have gone, and what they are there (level 1 only)."""
        self.departed: dict[Node, set[int]] = {}
        """For each node, the flights whose steps are among these."""
        self.pending = [start]

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
        fits = self.fitting(node)
        departures = self.departures.setdefault(node, {})
        departed = self.departed.setdefault(node, set())
        for flight in (self.flights.fresh | here.keys()) - departed:
            departed.add(flight)
            for target, then in self.moves(flight, node):
                arrivals = departures.setdefault((then, self.weights[flight]), set())
                if target is not None and target not in self.flights.fresh:
                    arrivals.add(target)
        for (then, weight), arrivals in departures.items():
            there = self.nodes.get(then)
            if there is None:
                there = self.nodes[then] = dict.fromkeys(fits(weight) | arrivals, NOBODY)
                yield then
            elif new := (fits(weight) | arrivals) - there.keys():
                there.update(dict.fromkeys(new, NOBODY))
                yield then

    def with_pairs(self, node: Node) -> Iterator[Node]:
        """Level 2."""
        here = self.nodes[node]
        fits = self.fitting(node)
        fresh = self.flights.fresh
        for flight in [*fresh, *here]:
            weight = self.weights[flight]
            beside = (here.keys() if flight in fresh else here[flight]) & fits(weight)
            for target, then in self.moves(flight, node):
                gains = then not in self.nodes
                there = self.nodes.setdefault(then, {})
                arrived = NOBODY if target is None or target in fresh else frozenset((target,))
                for other in beside:
                    both = tuple([a + b for a, b in zip(weight, self.weights[other], strict=True)])
                    gains |= add(there, other, here[other] & beside & fits(both) | arrived)
                for other in arrived:
                    gains |= add(there, other, beside)
                if gains:
                    yield then

    def moves(self, flight: int, node: Node) -> Iterator[tuple[int | None, Node]]:
        """(the next flight or None if it is answered, the next node), for the steps that count."""
        global_, serial = node
        request = self.flights.known[flight][0]
        for target, after in self.flights.steps(flight, global_):
            if isinstance(target, int) and self.hopeful is not None and target not in self.hopeful:
                continue
            self.weigh(flight, target, global_, after)
            then = serial
            if self.is_serial:
                response = self.flights.commit(flight, target)
                if response is not None:
                    then = self.flights.serial_after(serial, request, response)
            yield (target if isinstance(target, int) else None), (after, then)

    def weigh(self, flight: int, target: int | str, before: int, after: int) -> None:
        """Learns the weight of a flight from the first step to it, and verifies it for every other step."""
        weight = self.weights[flight]
        if before != after:
            changes = zip(weight, self.room(after), self.room(before), strict=True)
            weight = tuple([own + now - then for own, now, then in changes])
        expected = (0,) * len(weight)
        if isinstance(target, int):
            expected = self.weights.setdefault(target, weight)
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

    def fitting(self, node: Node) -> Callable[[Weights], set[int]]:
        """The flights at a node that the invariants allow beside others of some weight together."""
        room = self.room(node[0])
        groups: dict[Weights, set[int]] = {}
        for flight in self.nodes[node]:
            groups.setdefault(self.weights[flight], set()).add(flight)
        answers: dict[Weights, set[int]] = {}

        def fits(taken: Weights) -> set[int]:
            allowed = answers.get(taken)
            if allowed is None:
                allowed = answers[taken] = set()
                for weight, flights in groups.items():
                    if all(w + t <= r for w, t, r in zip(weight, taken, room, strict=True)):
                        allowed |= flights
            return allowed

        return fits

    def may_be_answered(self) -> set[int]:
        """The flights, fresh or in the cover, from which steps can lead to an answer."""
        before: dict[int, set[int]] = {}
        found: set[int] = set()
        for node, here in self.nodes.items():
            for flight in (*self.flights.fresh, *here):
                for target, _ in self.flights.steps(flight, node[0]):
                    if isinstance(target, str):
                        found.add(flight)
                    else:
                        before.setdefault(target, set()).add(flight)
        pending = list(found)
        while pending:
            for flight in before.get(pending.pop(), set()) - found:
                found.add(flight)
                pending.append(flight)
        return found


def add(there: dict[int, Set[int]], flight: int, beside: Set[int]) -> bool:
    """Puts a flight somewhere, beside others; whether that is news."""
    known = there.get(flight)
    if known is not None and beside <= known:
        return False
    there[flight] = beside if known is None else known | beside
    return True
