"""Global states as a reader of the input knows them."""

GlobalState = tuple[tuple[str, int], ...] | str
"""All globals of a program, sorted by name, with their values; or the name of a network system's global
state."""

ShownState = tuple[tuple[str, int | str], ...] | str
"""The same with values as the reader calls them."""
