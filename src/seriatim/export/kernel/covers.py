"""Covers as the kernel reads them: nodes with all flights that can be there, nothing left to be computed.

In the checker's covers, fresh requests may be anywhere, unsaid. In the kernel, a request is in flight once it
has taken a step; so a local state of fresh requests is listed, at every node, if steps lead back to it.
"""

from collections.abc import Callable
from typing import Generic

from seriatim.checking.cover import Cover, Node, Precision, close_cover
from seriatim.checking.flights import Flights
from seriatim.checking.numbering import members
from seriatim.checking.reference import State
from seriatim.export.kernel.flight_table import FlightTable
from seriatim.export.kernel.text import Text


class CoverText(Generic[State]):
    """A cover, and how it is written."""

    def __init__(self, cover: Cover[State], table: FlightTable[State]) -> None:
        self.cover = cover
        self.table = table
        self.flights = cover.flights
        self.returned = self.entered() & self.flights.fresh
        """Local states of fresh requests to which steps lead back."""

    def entered(self) -> set[int]:
        return {
            target
            for (global_, _), here in self.cover.nodes.items()
            for flight in (*self.flights.fresh, *members(here))
            for target, _ in self.flights.steps(flight, global_)
            if isinstance(target, int) and self.counts(target)
        }

    def counts(self, target: int) -> bool:
        """Whether steps to this flight are in the cover."""
        return self.cover.hopeful is None or target in self.cover.hopeful

    def number(self, flight: int) -> int:
        return self.table.number(self.flights.known[flight])

    def inside(self, node: Node) -> set[int]:
        """The flights that can be at a node."""
        return set(members(self.cover.nodes[node])) | self.returned

    def text(self, payload: Callable[[Node], Text]) -> Text:
        """Level, weights, nodes."""
        nodes: list[Text] = [self.node(node, payload(node)) for node in self.cover.nodes]
        return (self.heading(), nodes)

    def heading(self) -> Text:
        """Level and weights."""
        return (int(self.cover.level == 2), self._weights())

    def _weights(self) -> list[Text]:
        found: list[Text] = []
        for index in range(len(self.cover.invariants)):
            weights: list[Text] = [
                (self.number(flight), weight[index])
                for flight, weight in self.cover.weights.items()
                if weight[index] and flight not in self.flights.fresh
            ]
            found.append((index, weights))
        return found

    def node(self, node: Node, payload: Text) -> Text:
        known: list[Text] = [(1, value) for value in self.cover.room(node[0])]
        inside: list[Text] = [
            (self.number(flight), [self.number(other) for other in sorted(self._beside(node, flight))])
            for flight in sorted(self.inside(node))
        ]
        place = self.table.names.global_(self.flights.globals[node[0]])
        return (place, known, inside, payload)

    def _beside(self, node: Node, flight: int) -> set[int]:
        if self.cover.level == 1:
            return set()
        if flight in self.returned:
            return self.inside(node)
        return set(members(self.cover.rows[node][flight])) | self.returned


def prune_texts(
    flights: Flights[State], precision: Precision, table: FlightTable[State]
) -> tuple[list[Text], set[int]]:
    """The rounds in which flights turn out to be never answered, and the flights that are left.

    The same rounds as in `seriatim.checking.cover.hopeful`."""
    texts: list[Text] = []
    kept: set[int] | None = None
    while True:
        cover = CoverText(close_cover(flights, precision, is_serial=False, hopeful=kept), table)
        still = cover.cover.may_be_answered()
        if still == kept:
            return texts, still
        met = {flight for node in cover.cover.nodes for flight in cover.inside(node)}
        hopeless: list[Text] = [cover.number(flight) for flight in sorted(met - still)]
        texts.append((cover.text(lambda _: ()), hopeless))
        kept = still
