"""Linear constraints as data: what they say about numbers."""

from itertools import product

import pytest

from seriatim.arithmetic.formula import (
    Conjunction,
    Constraint,
    Form,
    Relation,
    at_least,
    at_most,
    combination,
    is_zero,
    round_form,
    total,
)

NUMBERS = range(6)


def test_a_total_counts_variables_as_often_as_they_occur() -> None:
    assert total([2, 0, 2], 7) == Form(((0, 1), (2, 2)), 7)
    assert total([2, 0, 2], 7).value([10, 0, 3]) == 10 + 2 * 3 + 7


def test_a_combination_is_a_sum_of_multiples() -> None:
    """What cancels out is gone."""
    forms = [(2, Form(((0, 3), (1, 1)), 5)), (-3, Form(((0, 2), (2, 1)), 1))]
    assert combination(forms, 4) == Form(((1, 2), (2, -3)), 4 + 10 - 3)


@pytest.mark.parametrize(
    ("form", "divisor", "expected"),
    [
        (Form(((0, 3), (1, -3)), -5), 2, Form(((0, 2), (1, -1)), -3)),
        (Form(((0, 4), (1, -4)), 4), 2, Form(((0, 2), (1, -2)), 2)),
        (Form(((0, 1), (1, -1)), 1), 3, Form(((0, 1),), 0)),
        (Form(((0, -5), (1, 7)), -1), 1, Form(((0, -5), (1, 7)), -1)),
    ],
)
def test_multiples_are_rounded_up_and_the_constant_down(form: Form, divisor: int, expected: Form) -> None:
    assert round_form(form, divisor) == expected
    for values in product(NUMBERS, repeat=2):
        assert form.value(values) < 0 or expected.value(values) >= 0


def holding(constraint: Constraint) -> list[int]:
    return [number for number in NUMBERS if constraint.holds([number])]


def test_bounds_are_exact() -> None:
    x = total([0])
    assert holding(at_least(x, 2)) == [2, 3, 4, 5]
    assert holding(at_most(x, 2)) == [0, 1, 2]
    assert holding(is_zero(combination([(1, x)], -2))) == [2]
    assert at_least(total([0], 1), 3) == Constraint(Form(((0, 1),), -2), Relation.IS_NATURAL)
    assert at_most(total([0], 1), 3) == Constraint(Form(((0, -1),), 2), Relation.IS_NATURAL)


def test_a_conjunction_is_about_quotients_rounded_down() -> None:
    """x // 2 = 1, and half of y and that together is at least 2."""
    quotients = ((total([0]), 2), (total([1, 2]), 2))
    both = Conjunction(2, quotients, (is_zero(total([2], -1)), at_least(total([3]), 2)))
    found = [vector for vector in product(NUMBERS, repeat=2) if both.holds(vector)]
    assert found == [(x, y) for x, y in product(NUMBERS, repeat=2) if x // 2 == 1 and (y + 1) // 2 >= 2]
