"""Small numbers for large values, in the order in which they are met: cheaper to hash, compare and keep."""

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

Value = TypeVar("Value", bound=Hashable)


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
