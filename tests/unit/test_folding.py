"""What follows itself is told once, and nothing gets lost in folding."""

from random import Random

import pytest

from seriatim.folding import Repeated, fold, unfold


def test_what_follows_itself_is_told_once() -> None:
    assert fold([7, 7, 7]) == (Repeated((7,), 3),)
    assert fold("ababc") == (Repeated(("a", "b"), 2), "c")


def test_stretches_contain_folded_ones() -> None:
    assert fold([0, 0, 0, 1] * 5) == (Repeated((Repeated((0,), 3), 1), 5),)


def test_nothing_is_nothing() -> None:
    assert fold([]) == ()


def test_a_hundred_thousand_items_become_a_few() -> None:
    assert fold(([0] * 99 + [1]) * 1000) == (Repeated((Repeated((0,), 99), 1), 1000),)


def test_long_stretches_are_found() -> None:
    long, longer = tuple(range(61)), tuple(range(100, 1_100))
    assert fold((*long * 7, *longer * 3)) == (Repeated(long, 7), Repeated(longer, 3))


@pytest.mark.parametrize("seed", range(40))
def test_unfolding_gives_back_what_was_folded(seed: int) -> None:
    random = Random(seed)
    items: list[int] = []
    while len(items) < 300:
        stretch = [random.randrange(3) for _ in range(random.randint(1, 5))]
        items += stretch * random.randint(1, 6)
    assert list(unfold(fold(items))) == items
