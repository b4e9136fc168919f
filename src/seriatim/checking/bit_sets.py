"""Sets of small numbers as bits of one integer: united, intersected and compared at once."""

from collections.abc import Iterable, Iterator

EVERYTHING = -1
"""All numbers there are."""

PIECE = 64
"""Bytes of which the members are listed at a time: taking a bit off a large integer copies all of it."""


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
