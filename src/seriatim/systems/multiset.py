"""Multisets of small integers, interned: equal ones have equal numbers, and 0 is the empty one.

They are kept by counts: what one costs depends on how many different items it has, not on how many in all.
"""

from collections import Counter
from collections.abc import Iterable

Counts = tuple[tuple[int, int], ...]
"""(item, how many of it), by item."""


class Multisets:
    """A growing table of multisets; adding and removing an item are memoised look-ups."""

    def __init__(self) -> None:
        self.counts: list[Counts] = [()]
        """Of each multiset."""
        self.sizes: list[int] = [0]
        """How many items each has, equal ones included."""
        self._numbers: dict[Counts, int] = {(): 0}
        self._added: dict[tuple[int, int], int] = {}
        self._removed: dict[tuple[int, int], int] = {}

    def number(self, items: Iterable[int]) -> int:
        """The number of the multiset with these items."""
        return self._number(tuple(sorted(Counter(items).items())))

    def items(self, multiset: int) -> list[int]:
        """Sorted; equal ones are listed one by one."""
        return [item for item, count in self.counts[multiset] for _ in range(count)]

    def distinct(self, multiset: int) -> list[int]:
        return [item for item, _ in self.counts[multiset]]

    def add(self, multiset: int, item: int) -> int:
        key = (multiset, item)
        result = self._added.get(key)
        if result is None:
            result = self._added[key] = self._changed(multiset, ((item, 1),))
        return result

    def remove(self, multiset: int, item: int) -> int:
        """Without one copy of an item that is there."""
        key = (multiset, item)
        result = self._removed.get(key)
        if result is None:
            result = self._removed[key] = self._changed(multiset, ((item, -1),))
        return result

    def without(self, multiset: int, others: Counts) -> int | None:
        """Without some items; None if not all of them are there."""
        there = dict(self.counts[multiset])
        if any(there.get(item, 0) < count for item, count in others):
            return None
        return self._changed(multiset, [(item, -count) for item, count in others])

    def _changed(self, multiset: int, differences: Iterable[tuple[int, int]]) -> int:
        counts = dict(self.counts[multiset])
        for item, difference in differences:
            counts[item] = counts.get(item, 0) + difference
        assert all(count >= 0 for count in counts.values()), "who is removed is there"
        return self._number(tuple(sorted(pair for pair in counts.items() if pair[1])))

    def _number(self, counts: Counts) -> int:
        number = self._numbers.get(counts)
        if number is None:
            number = self._numbers[counts] = len(self.counts)
            self.counts.append(counts)
            self.sizes.append(sum(count for _, count in counts))
        return number
