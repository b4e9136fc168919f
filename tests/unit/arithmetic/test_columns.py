"""Arrangements are all permutations of a row inside groups, up to what the other row can tell."""

from collections import Counter
from itertools import permutations
from random import Random

import pytest

from seriatim.arithmetic.columns import MAX_ORDERS, TooAlike, arrangements, in_order, matching


@pytest.mark.parametrize("seed", range(60))
def test_arrangements_are_all_columns_that_permutations_have(seed: int) -> None:
    random = Random(seed)
    size = random.randint(1, 6)
    within, onto, row = ([random.randrange(most) for _ in range(size)] for most in (2, 3, 3))
    expected = set()
    for permutation in permutations(range(size)):
        if all(within[at] == within[origin] for at, origin in enumerate(permutation)):
            columns = ((within[at], onto[at], row[origin]) for at, origin in enumerate(permutation))
            expected.add(tuple(sorted(columns)))
    found = [
        tuple(sorted((within[at], onto[at], row[origin]) for at, origin in enumerate(source)))
        for source in arrangements(within, onto, row)
    ]
    assert set(found) == expected
    assert len(found) == len(expected)
    for source in arrangements(within, onto, row):
        assert sorted(source) == list(range(size))


@pytest.mark.parametrize("seed", range(40))
def test_rows_have_one_order_for_all_permutations(seed: int) -> None:
    random = Random(seed)
    size = random.randint(1, 5)
    above = tuple(random.randrange(2) for _ in range(size))
    rows = [
        (random.randrange(2), tuple(random.randrange(2) for _ in range(size)))
        for _ in range(random.randint(1, 4))
    ]

    def columns(permutation: tuple[int, ...]) -> tuple[list[int], Counter[tuple[int, ...]]]:
        moved = [(rest, tuple(row[origin] for origin in permutation)) for rest, row in rows]
        random.shuffle(moved)
        top = tuple(above[origin] for origin in permutation)
        ordered = in_order(top, moved)
        return [rest for rest, _ in ordered], Counter(zip(top, *(row for _, row in ordered), strict=True))

    expected = columns(tuple(range(size)))
    assert all(columns(permutation) == expected for permutation in permutations(range(size)))


def test_too_many_rows_that_look_alike_are_refused() -> None:
    assert MAX_ORDERS < 720
    with pytest.raises(TooAlike):
        in_order((0, 0), [(0, (0, 1))] * 6)


def test_a_matching_makes_one_row_of_the_other() -> None:
    columns, others = "abcab", "bbaca"
    assert [columns[origin] for origin in matching(columns, others)] == list(others)
