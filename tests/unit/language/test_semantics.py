"""The reference interpreter where random programs hardly ever get: long numbers, and what has no parts."""

from collections.abc import Callable
from itertools import product
from operator import add, eq, ge, gt, le, lt, mod, mul, ne, sub

import pytest

from seriatim.language import execution, semantics
from seriatim.language.parser import parse
from seriatim.language.semantics import MAX_BITS, Configuration, Unbounded, apply, focus, refocus, store
from seriatim.language.syntax import Fault, Number, Operator

BigSteps = Callable[[Configuration, int], frozenset[Configuration]]

VALUES = (-3, -1, 0, 1, 2, 7)
MEANINGS: dict[Operator, Callable[[int, int], int]] = {
    Operator.EQUAL: eq,
    Operator.UNEQUAL: ne,
    Operator.LESS: lt,
    Operator.LESS_EQUAL: le,
    Operator.GREATER: gt,
    Operator.GREATER_EQUAL: ge,
    Operator.ADD: add,
    Operator.SUBTRACT: sub,
    Operator.MULTIPLY: mul,
    Operator.MODULO: mod,
}


@pytest.mark.parametrize("operator", Operator)
def test_an_operator_means_what_arithmetic_says(operator: Operator) -> None:
    """Both interpreters of the checker take values from here, so that neither is a test of it."""
    for left, right in product(VALUES, VALUES[3:]):
        assert apply(operator, left, right) == int(MEANINGS[operator](left, right))


HALF = MAX_BITS // 2


def power(bits: int) -> int:
    """The smallest number of this length."""
    return 1 << (bits - 1)


def test_a_product_is_refused_once_it_is_too_long() -> None:
    assert apply(Operator.MULTIPLY, power(HALF), power(HALF)) == power(HALF) ** 2
    for left, right in [(HALF, HALF + 1), (HALF + 1, HALF), (MAX_BITS, MAX_BITS)]:
        with pytest.raises(Unbounded):
            apply(Operator.MULTIPLY, power(left), power(right))


WAITS = parse("request r { while (x == 0) { yield }; 7 }").handlers[0].body
COUNTS = parse("request r { while (x < 3) { x := x + 1 }; 7 }").handlers[0].body


@pytest.mark.parametrize("big_steps", [semantics.big_steps, execution.big_steps])
def test_a_loop_is_followed_as_far_as_allowed_and_no_further(big_steps: BigSteps) -> None:
    """A loop of three rounds is begun four times, and values may have so many bits."""
    longest = Configuration(WAITS, store({"x": power(MAX_BITS)}), ())
    assert {end.expression for end in big_steps(longest, 1)} == {Number(7)}
    assert {end.expression for end in big_steps(Configuration(COUNTS, (), ()), 4)} == {Number(7)}
    with pytest.raises(Unbounded):
        big_steps(Configuration(WAITS, store({"x": power(MAX_BITS + 1)}), ()), 1)
    with pytest.raises(Unbounded):
        big_steps(Configuration(COUNTS, (), ()), 3)


@pytest.mark.parametrize("faults", [semantics.faults, execution.faults])
def test_mistakes_that_a_step_can_make_are_found(faults: Callable[[Configuration], frozenset[Fault]]) -> None:
    body = parse("X in 0..1 := 0\nrequest r { if (?) { X := 2 }; yield; X := 3 }").handlers[0].body
    assert [fault.code for fault in faults(Configuration(body, (), ()))] == ["SER801"]


def test_a_value_has_nothing_to_evaluate_first() -> None:
    with pytest.raises(ValueError, match="no subexpression"):
        focus(Number(1))
    with pytest.raises(ValueError, match="no subexpression"):
        refocus(Number(1), Number(0))
