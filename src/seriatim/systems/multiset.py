"""Multisets of small integers, interned: equal ones have equal numbers, and 0 is the empty one.

They are stored as counts: the cost depends on the number of different items, not on the total number.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable

Counts = tuple[tuple[int, int], ...]
"""Pairs (item, count), sorted by item."""


class Multisets:
    """A growing table of multisets; adding and removing an item are memoised look-ups."""

    def __init__(self) -> None:
        self.counts: list[Counts] = [()]
        """The counts of each multiset."""
        self.sizes: list[int] = [0]
        """The size of each multiset, equal items included."""
        self._numbers: dict[Counts, int] = {(): 0}
        self._added: dict[tuple[int, int], int] = {}
        self._removed: dict[tuple[int, int], int] = {}

    def number(self, items: Iterable[int]) -> int:
        """The number of the multiset with these items."""
        return self._number(tuple(sorted(Counter(items).items())))

    def items(self, multiset: int) -> list[int]:
        """The items, sorted; equal ones are listed one by one."""
        return [item for item, count in self.counts[multiset] for _ in range(count)]

    def distinct(self, multiset: int) -> list[int]:
        return [item for item, _ in self.counts[multiset]]

    def add(self, multiset: int, item: int) -> int:
        key = (multiset, item)
        result = self._added.get(key)
        if result is None:
            counts = self.counts[multiset]
            at = bisect_left(counts, (item,))
            if at < len(counts) and counts[at][0] == item:
                more = (*counts[:at], (item, counts[at][1] + 1), *counts[at + 1 :])
            else:
                more = (*counts[:at], (item, 1), *counts[at:])
            result = self._added[key] = self._number(more)
        return result

    def remove(self, multiset: int, item: int) -> int:
        """The multiset without one copy of an item that it contains."""
        key = (multiset, item)
        result = self._removed.get(key)
        if result is None:
            rest = self.without(multiset, ((item, 1),))
            assert rest is not None, "it is there"
            result = self._removed[key] = rest
        return result

    def without(self, multiset: int, others: Counts) -> int | None:
        """The multiset without some items; None if it does not contain all of them."""
        rest = dict(self.counts[multiset])
        for item, count in others:
            left = rest.get(item, 0) - count
            if left < 0:
                return None
            if left:
                rest[item] = left
            else:
                del rest[item]
        return self._number(tuple(rest.items()))  # Still sorted: nothing was added.

    def _number(self, counts: Counts) -> int:
        number = self._numbers.get(counts)
        if number is None:
            number = self._numbers[counts] = len(self.counts)
            self.counts.append(counts)
            self.sizes.append(sum(count for _, count in counts))
        return number
