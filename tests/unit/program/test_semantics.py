"""The reference interpreter where random programs hardly ever get: long numbers, and what has no parts."""

from collections.abc import Callable
from itertools import product
from operator import add, eq, ge, gt, le, lt, mod, mul, ne, sub
from typing import Any

import pytest

from seriatim.frontends.ser.parser import parse
from seriatim.program import execution, semantics
from seriatim.program.actions import actions, marked_steps
from seriatim.program.semantics import MAX_BITS, Configuration, Unbounded, apply, focus, refocus, store
from seriatim.program.syntax import Fault, Number, Operator

BigSteps = Callable[[Configuration, int], frozenset[Any]]
"""What comes of an atomic step; with a bound."""

INTERPRETERS = [semantics.big_steps, execution.big_steps, actions, marked_steps]

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


VISITS = {
    "while (x < 3) { x := x + 1 }; 7": 4,
    "while (x < 2) { x := x + ? }; x": 5,
    "while (?) { 0 }; y := ?; y": 3,
    "x := ?; y := ?; x": 3,
    "x := ? * 0; y := ?; y": 2,
    "if (?) { 0 } else { 0 }; y := ?; y": 2,
    "x := ?; x := 0; while (x < 3) { x := x + 1 }; x": 5,
}
"""How often programs come to a loop or to a choice; where ways have met, they go on as one."""


def can_be_followed(big_steps: BigSteps, start: Configuration, limit: int) -> bool:
    try:
        return bool(big_steps(start, limit))
    except Unbounded:
        return False


@pytest.mark.parametrize("big_steps", INTERPRETERS)
def test_loops_and_choices_are_followed_as_far_as_allowed_and_no_further(big_steps: BigSteps) -> None:
    for text, visits in VISITS.items():
        start = Configuration(parse(f"request r {{ {text} }}").handlers[0].body, (), ())
        assert [can_be_followed(big_steps, start, limit) for limit in (visits - 1, visits)] == [False, True]


@pytest.mark.parametrize("big_steps", INTERPRETERS)
@pytest.mark.parametrize("name", ["x", "X"])
def test_values_may_have_so_many_bits(big_steps: BigSteps, name: str) -> None:
    waits = parse(f"request r {{ while ({name} == 0) {{ yield }}; 7 }}").handlers[0].body
    for bits in (MAX_BITS, MAX_BITS + 1):
        values = store({name: power(bits)})
        start = Configuration(waits, values, ()) if name == "x" else Configuration(waits, (), values)
        assert can_be_followed(big_steps, start, 1) == (bits == MAX_BITS)


@pytest.mark.parametrize("faults", [semantics.faults, execution.faults])
def test_mistakes_that_a_step_can_make_are_found(faults: Callable[[Configuration], frozenset[Fault]]) -> None:
    body = parse("X in 0..1 := 0\nrequest r { if (?) { X := 2 }; yield; X := 3 }").handlers[0].body
    assert [fault.code for fault in faults(Configuration(body, (), ()))] == ["SER801"]


def test_a_value_has_nothing_to_evaluate_first() -> None:
    with pytest.raises(ValueError, match="no subexpression"):
        focus(Number(1))
    with pytest.raises(ValueError, match="no subexpression"):
        refocus(Number(1), Number(0))
