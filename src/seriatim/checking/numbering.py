"""Small numbers for large values, in the order in which they are met, and sets of such numbers as bits.

A number is cheaper to hash, compare and keep than a value. Sets are united, intersected and compared at once.
"""

from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

Value = TypeVar("Value", bound=Hashable)


EVERYTHING = -1
"""The set of all numbers."""

PIECE = 64
"""Bytes of which the members are listed at a time: taking a bit off a large integer copies all of it."""


class Numbering(Generic[Value]):
    """Equal values have equal numbers, from 0 on."""

    def __init__(self) -> None:
        self._values: list[Value] = []
        self._numbers: dict[Value, int] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, number: int) -> Value:
        return self._values[number]

    def __iter__(self) -> Iterator[Value]:
        return iter(self._values)

    def __contains__(self, value: Value) -> bool:
        return value in self._numbers

    def number(self, value: Value) -> int:
        number = self._numbers.get(value)
        if number is None:
            number = self._numbers[value] = len(self._values)
            self._values.append(value)
        return number


def members(mask: int) -> Iterator[int]:
    """The numbers in a set, the smallest first."""
    if mask < 1 << 8 * PIECE:
        yield from _members(mask, 0)
        return
    content = mask.to_bytes((mask.bit_length() + 7) // 8, "little")
    for start in range(0, len(content), PIECE):
        yield from _members(int.from_bytes(content[start : start + PIECE], "little"), 8 * start)


def _members(mask: int, first: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        mask ^= low
        yield first + low.bit_length() - 1


def set_of(numbers: Iterable[int]) -> int:
    mask = 0
    for number in numbers:
        mask |= 1 << number
    return mask
