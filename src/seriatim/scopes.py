"""Scopes for annotations of your own code: `seats: Annotated[int, Range(0, 3)]`.

Nothing here does anything at run time. `ser check` tries these numbers as arguments; any class called `Range`
with the attributes `low` and `high` will do as well.
"""


class Range:
    """The integers from `low` to `high`."""

    __slots__ = ("high", "low")

    def __init__(self, low: int, high: int) -> None:
        self.low = low
        self.high = high

    def __repr__(self) -> str:
        return f"Range({self.low}, {self.high})"
