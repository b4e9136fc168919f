"""Rational solutions of linear equations, and of those the ones in which some entries are not negative.

Nobody has to trust what is found here: sums that no step changes (flows) are found by it, and re-checked step
by step.
"""

from fractions import Fraction
from math import gcd, lcm

from seriatim.budget import Deadline

MAX_RAYS = 60

Row = list[Fraction]


def null_space(rows: list[Row], width: int, deadline: Deadline | None = None) -> list[Row]:
    """A basis of what solves all equations."""
    pivots: list[tuple[int, Row]] = []
    for row in rows:
        if deadline is not None:
            deadline.check()
        reduced = list(row)
        for column, pivot in pivots:
            if reduced[column]:
                factor = reduced[column]
                reduced = [x - factor * y for x, y in zip(reduced, pivot, strict=True)]
        lead = next((column for column, x in enumerate(reduced) if x), None)
        if lead is None:
            continue
        reduced = [x / reduced[lead] for x in reduced]
        pivots = [
            (column, [x - pivot[lead] * y for x, y in zip(pivot, reduced, strict=True)])
            for column, pivot in pivots
        ]
        pivots.append((lead, reduced))
    leads = {column for column, _ in pivots}
    basis: list[Row] = []
    for free in range(width):
        if free not in leads:
            vector = [Fraction(0)] * width
            vector[free] = Fraction(1)
            for column, pivot in pivots:
                vector[column] = -pivot[free]
            basis.append(vector)
    return basis


def nonnegative(basis: list[Row], weights: list[int], deadline: Deadline | None = None) -> list[Row]:
    """Rays that generate the solutions with these entries not negative, by double description; lines count as
    two rays."""
    lines, rays = list(basis), list[Row]()
    for column in weights:
        if deadline is not None:
            deadline.check()
        line = next((each for each in lines if each[column]), None)
        if line is not None:
            lines.remove(line)
            if line[column] < 0:
                line = [-x for x in line]
            lines = [_without(each, line, column) for each in lines]
            rays = [*(_without(each, line, column) for each in rays), line]
            continue
        positive = [ray for ray in rays if ray[column] > 0]
        negative = [ray for ray in rays if ray[column] < 0]
        crossed = [
            [x * -other[column] + y * one[column] for x, y in zip(one, other, strict=True)]
            for one in positive
            for other in negative
        ]
        rays = [*positive, *(ray for ray in rays if ray[column] == 0), *crossed][:MAX_RAYS]
    return [*rays, *lines, *([-x for x in line] for line in lines)]


def _without(vector: Row, line: Row, column: int) -> Row:
    factor = vector[column] / line[column]
    return [x - factor * y for x, y in zip(vector, line, strict=True)]


def small_integers(ray: Row) -> list[int]:
    """The same direction in integers without a common divisor."""
    scale = lcm(*(each.denominator for each in ray))
    numbers = [int(each * scale) for each in ray]
    divisor = gcd(*numbers) or 1
    return [each // divisor for each in numbers]
