"""Multisets of small integers, interned: equal ones have equal numbers, and 0 is the empty one."""


class Multisets:
    """A growing table of multisets; adding and removing an item are memoised look-ups."""

    def __init__(self) -> None:
        self.items: list[tuple[int, ...]] = [()]
        """The items of each multiset, sorted."""
        self._numbers: dict[tuple[int, ...], int] = {(): 0}
        self._added: dict[tuple[int, int], int] = {}
        self._removed: dict[tuple[int, int], int] = {}

    def number(self, items: tuple[int, ...]) -> int:
        """The number of the multiset with these items, which must be sorted."""
        number = self._numbers.get(items)
        if number is None:
            number = self._numbers[items] = len(self.items)
            self.items.append(items)
        return number

    def add(self, multiset: int, item: int) -> int:
        key = (multiset, item)
        result = self._added.get(key)
        if result is None:
            result = self._added[key] = self.number(tuple(sorted((*self.items[multiset], item))))
        return result

    def remove(self, multiset: int, item: int) -> int:
        """Without one copy of an item that is there."""
        key = (multiset, item)
        result = self._removed.get(key)
        if result is None:
            rest = list(self.items[multiset])
            rest.remove(item)
            result = self._removed[key] = self.number(tuple(rest))
        return result

    def distinct(self, multiset: int) -> list[int]:
        return list(dict.fromkeys(self.items[multiset]))
