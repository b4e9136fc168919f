"""The reference interpreter where random programs hardly ever get: long numbers, and what has no parts."""

import pytest

from seriatim.language.semantics import MAX_BITS, Unbounded, apply, focus, refocus
from seriatim.language.syntax import Number, Operator

HALF = MAX_BITS // 2


def power(bits: int) -> int:
    """The smallest number of this length."""
    return 1 << (bits - 1)


def test_a_product_is_refused_once_it_is_too_long() -> None:
    assert apply(Operator.MULTIPLY, power(HALF), power(HALF)) == power(HALF) ** 2
    for left, right in [(HALF, HALF + 1), (HALF + 1, HALF), (MAX_BITS, MAX_BITS)]:
        with pytest.raises(Unbounded):
            apply(Operator.MULTIPLY, power(left), power(right))


def test_a_value_has_nothing_to_evaluate_first() -> None:
    with pytest.raises(ValueError, match="no subexpression"):
        focus(Number(1))
    with pytest.raises(ValueError, match="no subexpression"):
        refocus(Number(1), Number(0))
