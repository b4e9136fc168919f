"""The numbers that show that conditions are exact make an identity, whatever the linear set."""

from random import Random

import pytest

from seriatim.arithmetic.linear_sets import LinearSet, membership
from seriatim.export.kernel.counting import exactness


@pytest.mark.parametrize("seed", range(30))
def test_conditions_are_exact(seed: int) -> None:
    """multiple · I = Σ (multiple / d) · p · aᵀ + Σ c · eᵀ, entry by entry."""
    random = Random(seed)
    size = random.randint(1, 5)
    periods = [
        tuple(random.randint(0, 3) if row < column else int(row == column) * 2 for row in range(size))
        for column in range(random.randint(0, size))
    ]
    conditions = membership(LinearSet((0,) * size, tuple(periods)))
    multiple, remainders = exactness(conditions)
    assert multiple > 0
    columns = [list(column) for column in remainders if not isinstance(column, int)]
    for row in range(size):
        for column in range(size):
            by_periods = sum(
                multiple // divisor * period[row] * a[column]
                for (a, divisor), period in zip(conditions.coordinates, periods, strict=True)
            )
            by_equations = sum(
                int(str(c[row])) * e[column] for c, e in zip(columns, conditions.equations, strict=True)
            )
            assert by_periods + by_equations == multiple * (row == column)
