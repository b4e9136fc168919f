"""Covers up to symmetry: what can be in flight at each node, one situation of each orbit.

A *node* (g, D) is a global state with the states of the commits so far, as in `seriatim.checking.cover`. A
permutation of positions acts on g, on all members of D, on flights and on requests together. The cover has
some nodes, and at each of them some flights.

Claim: if the permutations are symmetries of the program (`seriatim.program.symmetry`), then for each node N
and each flight f that is there in some run, and is not fresh, the cover has a node πN with the flight πf,
for some permutation π. Why: by induction over runs. The initial node is in the cover. Let a step of f lead
from N to N', and put f' there. By the claim for N and f, or because all ways to put a fresh flight beside a
node of the cover are looked at, the cover has πN and πf; permutations map steps to steps, so the step from
there leads to πN' and πf', of which `_arrive` puts an image into the cover. Let another flight m be at N.
The cover has σN and σm, and there is only one node of each orbit in it: σN = πN. So πm = (π σ⁻¹) σm is the
image of a flight of the cover under a permutation that keeps πN. `arrangements` goes through these, as far
as πN' tells their results apart, and puts an image of (πN', πm) into the cover. With invariants, flights
whose weights exceed what the equation allows are not together; weights are the same for all images, since
the variable stands at no position that can be exchanged, or else the invariant is not used.

Code with the same normal form is taken for the same code (`seriatim.program.normal_form`).
"""

from collections.abc import Iterator

from seriatim.arithmetic.columns import arrangements, matching
from seriatim.certificate.in_flight import Invariant
from seriatim.checking.no_fault import NO_FAULTS
from seriatim.checking.obligation import DoesNotFollow
from seriatim.checking.symmetric_flights import Node, Row, SymmetricFlights
from seriatim.checking.weights import Weight, Weights, values_of


class OrbitPlace:
    """The node of an orbit that is in the cover, and what can be there."""

    def __init__(self, node: Node, row: Row) -> None:
        self.node = node
        self.row = row
        self.flights: list[int] = []
        """Whose steps are explored; fresh ones are not listed."""
        self.departures: dict[object, tuple[Node, Row, Weight]] = {}
        """Where steps lead, with the weights of those who take them: one of each orbit."""


class OrbitCover:
    """One node of each orbit, and one flight there of each orbit under permutations that keep the node."""

    def __init__(self, flights: SymmetricFlights, invariants: tuple[Invariant, ...]) -> None:
        self.flights = flights
        self.invariants = invariants
        self.classes = flights.symmetry.classes
        self.places: dict[object, OrbitPlace] = {}
        self.known: set[tuple[int, tuple[int, ...]]] = set()
        """The keys of nodes with flights."""
        fresh = {flights.row(flight).key: flight for flight in sorted(flights.fresh)}
        self.fresh = list(fresh.values())
        """One of each orbit."""
        self.weights: Weights[object] = Weights(invariants, values_of(flights.reference.initial), fresh)
        """The weights of flights, by a key that is the same for all images."""
        self.pending: list[tuple[OrbitPlace, int]] = []
        self._place((flights.initial, frozenset((flights.start,))))

    def explore(self) -> None:
        """Adds what follows, until nothing does. Raises `DoesNotFollow`, or `Broken` for invariants."""
        while self.pending:
            place, flight = self.pending.pop()
            self.flights.allowance.spend()
            self._does_not_fail(place.node, flight)
            if flight not in self.flights.fresh:
                place.flights.append(flight)
                for node, row, weights in list(place.departures.values()):
                    self._take_along(place, flight, node, row, weights)
            for target, node in self._moves(flight, place.node):
                if node != place.node:
                    self._place(node)  # Requests can arrive there, even if none is in flight.
                    self._depart(place, node, self.weights.of[self.flights.row(flight).key])
                if target is not None:
                    self._arrive(target, node)

    def _place(self, node: Node) -> OrbitPlace:
        """The node of the cover in the orbit of this one. Ways to put a fresh flight there are pending."""
        row = self.flights.node_row(node)
        if row.key not in self.places:
            place = self.places[row.key] = OrbitPlace(node, row)
            for flight in self.fresh:
                for source in arrangements(self.classes, row.columns, self.flights.row(flight).columns):
                    self.flights.allowance.spend()
                    self.pending.append((place, self.flights.image(flight, source)))
        return self.places[row.key]

    def _depart(self, place: OrbitPlace, node: Node, weights: Weight) -> None:
        row = self.flights.node_row(node)
        key = (self.flights.below(place.row, row).key, weights)
        if key not in place.departures:
            place.departures[key] = (node, row, weights)
            for flight in list(place.flights):
                self._take_along(place, flight, node, row, weights)

    def _take_along(self, place: OrbitPlace, flight: int, node: Node, row: Row, weights: Weight) -> None:
        """Every image of a flight that can be at the place is at a node after the step of another flight."""
        own = self.flights.row(flight)
        together = zip(self.weights.of[own.key], weights, self._room(place.node[0]), strict=True)
        if any(mine + other > room for mine, other, room in together):
            return
        for source in arrangements(place.row.columns, row.columns, own.columns):
            self.flights.allowance.spend()
            columns = tuple([own.columns[origin] for origin in source])
            if self.flights.below(row, Row(own.rest, columns)).key not in self.known:
                self._arrive(self.flights.image(flight, source), node)

    def _arrive(self, flight: int, node: Node) -> None:
        if flight in self.flights.fresh:
            return
        row = self.flights.node_row(node)
        key = self.flights.below(row, self.flights.row(flight)).key
        if key in self.known:
            return
        self.known.add(key)
        place = self._place(node)
        self.pending.append((place, self.flights.image(flight, matching(row.columns, place.row.columns))))

    def _moves(self, flight: int, node: Node) -> Iterator[tuple[int | None, Node]]:
        """(the next flight or None if it is answered, the next node)."""
        global_, serial = node
        request = self.flights.known[flight][0]
        for target, after in self.flights.steps(flight, global_):
            if target == flight and after == global_ and flight not in self.flights.fresh:
                continue  # Nothing has happened.
            flying = target if isinstance(target, int) else None
            keys = self.flights.row(flight).key, None if flying is None else self.flights.row(flying).key
            self.weights.step(*keys, self._room(global_), self._room(after))
            response = self.flights.commit(flight, target)
            then = serial if response is None else self.flights.serial_after(serial, request, response)
            yield flying, (after, then)

    def _does_not_fail(self, node: Node, flight: int) -> None:
        request, state = self.flights.known[flight]
        for fault in self.flights.program.faults(state, self.flights.globals[node[0]]):
            reason = f"not excluded in `{request}`: {fault.message} (line {fault.span.line})"
            raise DoesNotFollow(reason, NO_FAULTS)

    def _room(self, global_: int) -> Weight:
        return self.weights.room(values_of(self.flights.globals[global_]))
