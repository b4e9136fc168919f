"""Columns: rows of the same length, told apart only up to a permutation of their positions.

A row gives each position a colour. Rows that stand below each other give each position a column of colours.
Permutations of positions act on all rows at once, so rows differ only by such a permutation if and only if
they have the same columns, as often.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby, permutations, product
from typing import TypeVar

Source = tuple[int, ...]
"""For each position, the one whose colour comes there."""

Colour = TypeVar("Colour", bound=Hashable)


def arrangements(
    within: Sequence[Hashable], onto: Sequence[Hashable], row: Sequence[Hashable]
) -> Iterator[Source]:
    """The ways to permute a row inside the groups of positions of one colour of `within`, as far as `onto`
    can tell them apart: two ways that have the same columns with both rows are one.

    In each group, it only matters how many of each of the row's colours come to each colour of `onto`.
    """
    groups: dict[Hashable, list[int]] = {}
    for position, colour in enumerate(within):
        groups.setdefault(colour, []).append(position)
    ways = [list(_distributions(group, onto, row)) for group in groups.values()]
    for choice in product(*ways):
        source = [0] * len(row)
        for pairs in choice:
            for position, origin in pairs:
                source[position] = origin
        yield tuple(source)


def _distributions(
    group: list[int], onto: Sequence[Hashable], row: Sequence[Hashable]
) -> Iterator[list[tuple[int, int]]]:
    """All ways to distribute the colours of one group, as pairs of a position and its source."""
    targets: dict[Hashable, list[int]] = {}
    sources: dict[Hashable, list[int]] = {}
    for position in group:
        targets.setdefault(onto[position], []).append(position)
        sources.setdefault(row[position], []).append(position)
    if len(targets) == 1 or len(sources) == 1:
        yield [(position, position) for position in group]
        return
    places = sorted(targets.values(), key=len)
    for amounts in _amounts(
        [len(place) for place in places], Counter({c: len(s) for c, s in sources.items()})
    ):
        left = {colour: iter(positions) for colour, positions in sources.items()}
        pairs: list[tuple[int, int]] = []
        for place, taken in zip(places, amounts, strict=True):
            origins = [next(left[colour]) for colour, amount in taken.items() for _ in range(amount)]
            pairs.extend(zip(place, origins, strict=True))
        yield pairs


def _amounts(sizes: list[int], available: Counter[Hashable]) -> Iterator[list[Counter[Hashable]]]:
    """All ways to fill places of these sizes with what is available, which is as much as they hold."""
    if len(sizes) == 1:
        yield [available]
        return
    for taken in _selections(sizes[0], list(available.items())):
        for rest in _amounts(sizes[1:], available - taken):
            yield [taken, *rest]


def _selections(size: int, available: list[tuple[Hashable, int]]) -> Iterator[Counter[Hashable]]:
    """All multisets of this size."""
    if size == 0:
        yield Counter()
        return
    if not available:
        return
    (colour, count), *others = available
    for amount in range(min(count, size), -1, -1):
        for rest in _selections(size - amount, others):
            yield rest + Counter({colour: amount})


def matching(columns: Sequence[Colour], others: Sequence[Colour]) -> Source:
    """A permutation after which the first columns are the others: for each position, where its column comes
    from."""
    sources: dict[Colour, list[int]] = {}
    for position in range(len(columns) - 1, -1, -1):
        sources.setdefault(columns[position], []).append(position)
    return tuple(sources[column].pop() for column in others)


Row = tuple[int, tuple[int, ...]]
"""Something that stands at no position, and a row of colours."""

MAX_ORDERS = 120
"""Orders of rows that look alike, of which the least is looked for."""


class TooAlike(Exception):
    """There are too many rows that nothing tells apart."""


def in_order(above: tuple[int, ...], rows: list[Row]) -> list[Row]:
    """A set of rows in an order that permutations of positions do not change: after any of them, the rows are
    in the same order again, up to rows that make no difference.

    Rows are sorted by what a permutation keeps; of the orders that this leaves open, the one with the least
    columns is taken. Raises `TooAlike` where it leaves open too many.
    """
    if len(rows) == 1:
        return rows

    def keep(row: Row) -> tuple[int, list[tuple[int, int]]]:
        return row[0], sorted(zip(above, row[1], strict=True))

    ties = [list(tied) for _, tied in groupby(sorted(rows, key=keep), key=keep)]
    orders = 1
    for tied in ties:
        for number in range(2, len(tied) + 1):
            orders *= number
    if orders > MAX_ORDERS:
        raise TooAlike
    choices = ([row for part in choice for row in part] for choice in product(*map(permutations, ties)))
    return min(choices, key=lambda order: sorted(zip(above, *[row[1] for row in order], strict=True)))
