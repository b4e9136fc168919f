"""Global states as a reader of the input knows them, and what the text calls their values."""

from collections.abc import Mapping

GlobalState = tuple[tuple[str, int], ...] | str
"""All globals of a program, sorted by name, with their values; or the name of a network system's global
state."""

ShownState = tuple[tuple[str, int | str], ...] | str
"""The same with values as the reader calls them."""

Names = Mapping[str, Mapping[int, str]]
"""What a text calls numbers, by what they are values or answers of; those left out have no other name."""


def named(names: Names, owner: str, value: int) -> str:
    """A number as the text calls it."""
    known = names.get(owner)
    return str(value) if known is None else known.get(value, str(value))


def is_array(name: str) -> bool:
    """Whether it is the name of an array with a cell for each integer: `A[]`."""
    return name.endswith("[]")


def cell_name(array: str, index: int) -> str:
    """The variable that one of these cells is: `A[3]`."""
    return f"{array.removesuffix('[]')}[{index}]"
