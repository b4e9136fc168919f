"""Global states in the terms of the input, and names of their values."""

from collections.abc import Mapping

GlobalState = tuple[tuple[str, int], ...] | str
"""All globals of a program, sorted by name, with their values; or the name of a network system's global
state."""

ShownState = tuple[tuple[str, int | str], ...] | str
"""A global state whose values have their names from the text."""

Names = Mapping[str, Mapping[int, str]]
"""Names of numbers in a text, by the variable or request that has them as values or answers."""


def name_value(names: Names, owner: str, value: int) -> str:
    """A number by its name in the text."""
    known = names.get(owner)
    return str(value) if known is None else known.get(value, str(value))


def is_array(name: str) -> bool:
    """Whether it is the name of an array with a cell for each integer: `A[]`."""
    return name.endswith("[]")


def cell_name(array: str, index: int) -> str:
    """The variable for a cell of such an array, such as `A[3]`."""
    return f"{array.removesuffix('[]')}[{index}]"
