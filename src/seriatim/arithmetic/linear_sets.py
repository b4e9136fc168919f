"""Linear sets {b + Σ kⱼ·pⱼ : kⱼ ≥ 0} with independent periods pⱼ, and their complements.

Claim: `membership` describes the set exactly. Why: the periods are independent, so the matrix P of their
columns has a left inverse over the rationals. Gauss and Jordan bring [P | I] to [I, 0 | A, E] by row
operations; A·w is the only k for which P·k = w can hold, and it does hold if and only if E·w = 0. So a vector
z = b + w is in the set if and only if E·w = 0 and all entries of A·w are natural numbers. Rows are multiplied
by a common denominator, so that all numbers are integers: z is in the set if and only if

    e·(z − b) = 0 for each row e of `equations`, and
    a·(z − b) is a natural multiple of d for each (a, d) of `coordinates`.

Because all this is exact, no quantifier is needed to say that z is *not* in the set: one of the finitely many
conditions fails. `outside` turns that into disjoint conjunctions.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from seriatim.arithmetic.formula import Constraint, Form, at_least, at_most, combination, is_zero

Vector = tuple[int, ...]
"""An entry for each dimension."""


@dataclass(frozen=True, slots=True)
class LinearSet:
    """All sums of the base and of periods, which are independent."""

    base: Vector
    periods: tuple[Vector, ...]


@dataclass(frozen=True, slots=True)
class Membership:
    """The conditions on z − base for z to be in a linear set; see the module."""

    base: Vector
    equations: tuple[Vector, ...]
    coordinates: tuple[tuple[Vector, int], ...]

    def holds(self, vector: Vector) -> bool:
        offset = tuple(a - b for a, b in zip(vector, self.base, strict=True))
        return all(product(row, offset) == 0 for row in self.equations) and all(
            product(row, offset) >= 0 and product(row, offset) % divisor == 0
            for row, divisor in self.coordinates
        )


def membership(linear_set: LinearSet) -> Membership:
    """The membership test of a linear set; raises `ValueError` if the periods are dependent."""
    dimension, count = len(linear_set.base), len(linear_set.periods)
    rows = [
        [Fraction(period[index]) for period in linear_set.periods]
        + [Fraction(int(index == column)) for column in range(dimension)]
        for index in range(dimension)
    ]
    for column in range(count):
        pivot = next((r for r in range(column, dimension) if rows[r][column] != 0), None)
        if pivot is None:
            raise ValueError("the periods of a linear set are dependent")
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [entry / rows[column][column] for entry in rows[column]]
        for index, row in enumerate(rows):
            if index != column and row[column] != 0:
                rows[index] = [a - row[column] * b for a, b in zip(row, rows[column], strict=True)]
    integral = [_integral(row[count:]) for row in rows]
    equations = tuple(tuple(entry // gcd(*row) for entry in row) for row, _ in integral[count:])
    return Membership(linear_set.base, equations, tuple(integral[:count]))


def _integral(row: Sequence[Fraction]) -> tuple[Vector, int]:
    """A multiple with integer entries, and by how much it was multiplied."""
    factor = lcm(*(entry.denominator for entry in row))
    return tuple(int(entry * factor) for entry in row), factor


def outside(
    condition: Membership, vector: Sequence[Form], new_variable: Callable[[], int]
) -> Iterator[tuple[Constraint, ...]]:
    """Disjoint conjunctions, one of which holds if and only if the vector is not in the set.

    Each says which condition fails, and that those before it hold. That a·w ≥ 0 is no multiple of d is
    said with two new natural numbers: a·w = d·q + 1 + r with r ≤ d − 2.
    """
    held: tuple[Constraint, ...] = ()
    for row in condition.equations:
        form = _apply(row, vector, condition.base)
        yield (*held, at_least(form, 1))
        yield (*held, at_most(form, -1))
        held = (*held, is_zero(form))
    coordinates = [(_apply(row, vector, condition.base), d) for row, d in condition.coordinates]
    for form, _ in coordinates:
        yield (*held, at_most(form, -1))
        held = (*held, at_least(form, 0))
    for form, divisor in coordinates:
        if divisor == 1:
            continue
        quotient, rest = (Form(((new_variable(), 1),)) for _ in range(2))
        difference = [(1, form), (-divisor, quotient)]
        yield (*held, is_zero(combination([*difference, (-1, rest)], -1)), at_most(rest, divisor - 2))
        held = (*held, is_zero(combination(difference)))


def _apply(row: Vector, vector: Sequence[Form], base: Vector) -> Form:
    """row · (vector − base)"""
    return combination(zip(row, vector, strict=True), -product(row, base))


def product(left: Iterable[int], right: Iterable[int]) -> int:
    return sum(a * b for a, b in zip(left, right, strict=True))
