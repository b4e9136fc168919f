"""Finds the entry of a table that matches given keys."""

from collections.abc import Callable
from dataclasses import dataclass

from seriatim.frontends.p4.syntax import Entry, Table
from seriatim.frontends.p4.terms import Anything, Expression, Interval, Mask


@dataclass(frozen=True, slots=True)
class Chosen:
    """An action with its data; `hit` says whether an entry has chosen it."""

    action: str
    data: tuple[int, ...] = ()
    hit: bool = True


@dataclass(frozen=True, slots=True)
class Matching:
    """Compares keys with the expressions in entries, which `number` evaluates."""

    number: Callable[[Expression], int]

    def fits(self, key: int, written: Expression) -> bool:
        match written:
            case Anything():
                return True
            case Mask(value=value, mask=mask):
                bits = self.number(mask)
                return key & bits == self.number(value) & bits
            case Interval(low=low, high=high):
                return self.number(low) <= key <= self.number(high)
            case _:
                return key == self.number(written)

    def prefix(self, written: Expression, width: int) -> int:
        """The length of the prefix that a key of an entry names."""
        match written:
            case Anything():
                return 0
            case Mask(mask=mask):
                return self.number(mask).bit_count()
            case _:
                return width


WIDEST = 1 << 16
"""More bits than any key has."""


def matching_entry(table: Table, keys: tuple[int, ...], matching: Matching) -> Entry | None:
    """The entry that wins: the one with the largest priority, then the longest prefix, then the first."""
    found = [
        entry
        for entry in table.entries or ()
        if all(matching.fits(key, written) for key, written in zip(keys, entry.keys, strict=True))
    ]

    def rank(entry: Entry) -> tuple[int, int]:
        prefixes = [
            matching.prefix(written, WIDEST)
            for key, written in zip(table.keys, entry.keys, strict=True)
            if key.match == "lpm"
        ]
        priority = 0 if entry.priority is None else matching.number(entry.priority)
        return -priority, -sum(prefixes)

    return min(found, key=rank, default=None)
