"""Sequences with repetitions: a part that repeats is listed once, with a count.

Short stretches are folded first, so that longer ones contain folded ones. Long stretches are tried only with
periods that the distances between letters suggest. The sequence is written as a string with a letter for each
kind of item, and a fold is one more kind: regular expressions find repetitions much faster than a loop would.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from sys import maxunicode
from typing import Generic, TypeAlias, TypeVar

SHORT_PERIOD = 60
"""Stretches of up to this many items are always looked for."""

Item = TypeVar("Item", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Repeated(Generic[Item]):
    """A stretch that occurs several times in a row."""

    items: tuple["Folded[Item]", ...]
    """At least one item: unfolding an empty stretch many times would only take time."""
    times: int

    def __post_init__(self) -> None:
        if not self.items:
            raise ValueError("nothing is repeated")


Folded: TypeAlias = Item | Repeated[Item]


def fold(items: Sequence[Item]) -> tuple[Folded[Item], ...]:
    """The same sequence, folded."""
    alphabet = _Alphabet[Item]()
    text = "".join(map(alphabet.letter, items))
    for period in range(1, SHORT_PERIOD + 1):
        text = alphabet.fold(text, period)
    tried: set[int] = set()
    while period := _long_period(text, tried):
        text = alphabet.fold(text, period)
        tried.add(period)
    return alphabet.items(text)


def _long_period(text: str, tried: set[int]) -> int:
    """The most common distance between equal letters; 0 if it is too short, or shared by too few letters
    for a repeated stretch."""
    distances: Counter[int] = Counter()
    latest: dict[str, int] = {}
    for place, letter in enumerate(text):
        distances[place - latest.get(letter, place)] += 1
        latest[letter] = place
    for period, letters in distances.most_common():
        if letters < SHORT_PERIOD:
            return 0
        if period > SHORT_PERIOD and period <= letters and period not in tried:
            return period
    return 0


class _Alphabet(Generic[Item]):
    """A letter for each kind of item."""

    def __init__(self) -> None:
        self.kinds: list[Folded[Item]] = []
        self.letters: dict[Folded[Item], str] = {}

    def letter(self, item: Folded[Item]) -> str:
        letter = self.letters.get(item)
        if letter is None:
            letter = self.letters[item] = chr(len(self.kinds))
            self.kinds.append(item)
        return letter

    def fold(self, text: str, period: int) -> str:
        """The text with one letter for each repeated stretch of `period` letters."""
        return re.sub(rf"(.{{{period}}})\1+", self._fold, text, flags=re.DOTALL)

    def _fold(self, found: re.Match[str]) -> str:
        """A letter for a repeated stretch; the same text if there are no more letters."""
        if len(self.kinds) > maxunicode:
            return found[0]
        return self.letter(Repeated(self.items(found[1]), len(found[0]) // len(found[1])))

    def items(self, text: str) -> tuple[Folded[Item], ...]:
        return tuple(self.kinds[ord(letter)] for letter in text)


def unfold(items: Sequence[Folded[Item]]) -> Iterator[Item]:
    """The original sequence, item by item."""
    for item in items:
        if isinstance(item, Repeated):
            for _ in range(item.times):
                yield from unfold(item.items)
        else:
            yield item
