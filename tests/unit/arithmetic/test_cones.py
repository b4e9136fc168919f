"""Rational solutions of linear equations: all of them, and those with entries that are not negative."""

from fractions import Fraction
from itertools import product
from random import Random

import pytest

from seriatim.arithmetic.cones import Row, nonnegative, null_space, small_integers
from testkit.samples import sample

WIDTH = 4


def drawn(seed: int) -> list[Row]:
    random = Random(seed)
    return [
        [Fraction(random.choice([-2, -1, 0, 0, 1, 2])) for _ in range(WIDTH)]
        for _ in range(random.randint(1, 3))
    ]


def solves(rows: list[Row], vector: Row) -> bool:
    return all(sum(x * y for x, y in zip(row, vector, strict=True)) == 0 for row in rows)


def rank(rows: list[Row]) -> int:
    """What the solutions leave."""
    return WIDTH - len(null_space(rows, WIDTH))


def small_solutions(rows: list[Row]) -> list[Row]:
    vectors = ([Fraction(each) for each in vector] for vector in product(range(-2, 3), repeat=WIDTH))
    return [vector for vector in vectors if solves(rows, vector)]


@pytest.mark.parametrize("seed", sample(100, 20))
def test_the_basis_spans_all_solutions(seed: int) -> None:
    rows = drawn(seed)
    basis = null_space(rows, WIDTH)
    assert all(solves(rows, each) for each in basis)
    assert rank(basis) == len(basis)
    assert all(rank([*basis, each]) == len(basis) for each in small_solutions(rows))


@pytest.mark.parametrize("seed", sample(100, 20))
def test_rays_are_all_that_is_not_negative(seed: int) -> None:
    """They are as many directions as small solutions without negative weights are."""
    rows = drawn(seed)
    weights = [2, 3]
    rays = nonnegative(null_space(rows, WIDTH), weights)
    assert all(solves(rows, ray) and ray[2] >= 0 and ray[3] >= 0 for ray in rays)
    expected = [each for each in small_solutions(rows) if each[2] >= 0 and each[3] >= 0]
    assert all(rank([*rays, each]) == rank(rays) for each in expected)


def test_integers_have_no_common_divisor() -> None:
    assert small_integers([Fraction(1, 2), Fraction(-1, 3), Fraction(0)]) == [3, -2, 0]
    assert small_integers([Fraction(4), Fraction(6)]) == [2, 3]
