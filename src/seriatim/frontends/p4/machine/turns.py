"""The register operations of one packet in one step.

A packet's behaviour is a function of its fields and of the results of its register operations. So the list of
these results is its state: a step executes the packet from its start, answers the operations of earlier steps
from that list, performs the next group of operations on the registers, and stops before the group after it.
The model says which operations form a group. Groups are numbered in the order of execution, so they have the
same numbers each time.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

Cell = tuple[str, int]
"""A register and an index."""

Cells = Mapping[Cell, int]
"""The contents of registers; cells that are not listed are 0."""


class Paused(Exception):
    """Raised when the packet comes to the first operation of its next step."""


class Turn:
    """One step of one packet."""

    def __init__(self, seen: tuple[int, ...], cells: Cells) -> None:
        self.seen = list(seen)
        self.cells = dict(cells)
        self._repeated = len(seen)
        self._position = 0
        self._groups = 0
        self._open: int | None = None
        self._performed: int | None = None

    @contextmanager
    def together(self, condition: bool = True) -> Iterator[None]:
        """Makes the operations inside one group, or a part of a larger one that is open."""
        if not condition or self._open is not None:
            yield
            return
        self._open = self._next_group()
        try:
            yield
        finally:
            self._open = None

    def read(self, cell: Cell) -> int:
        if self._repeats():
            return self.seen[self._position - 1]
        self.seen.append(self.cells.get(cell, 0))
        return self.seen[-1]

    def write(self, cell: Cell, value: int) -> None:
        if not self._repeats():
            self.seen.append(0)  # A write sees nothing, but counts as an operation.
            self.cells[cell] = value

    def _repeats(self) -> bool:
        """Whether the next operation belongs to an earlier step; raises `Paused` if it belongs to a later."""
        group = self._next_group() if self._open is None else self._open
        if self._position < self._repeated:
            self._position += 1
            return True
        if self._performed not in (None, group):
            raise Paused
        self._performed = group
        return False

    def _next_group(self) -> int:
        self._groups += 1
        return self._groups
