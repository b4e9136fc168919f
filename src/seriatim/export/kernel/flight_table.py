"""Flights by number: evidence names a request and its local state once, and then by its place in a table."""

from typing import Generic

from seriatim.checking.numbering import Numbering
from seriatim.checking.reference import State
from seriatim.export.kernel.names import Names
from seriatim.export.kernel.text import Text

Flight = tuple[str, State]
"""(request, local state)."""


class FlightTable(Generic[State]):
    def __init__(self, names: Names[State]) -> None:
        self.names = names
        self._pairs: Numbering[Text] = Numbering()

    def number(self, flight: Flight[State]) -> int:
        request, state = flight
        return self._pairs.number((self.names.request(request), self.names.local(state)))

    def text(self) -> list[Text]:
        return list(self._pairs)
