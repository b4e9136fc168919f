"""What declarations become: tests of ranges, values brought into a range, choices and ways to an element."""

from collections.abc import Callable

import pytest

from seriatim.frontends.ser.core_terms import (
    choose_value,
    clamp,
    fold,
    is_quiet,
    outside,
    select,
    wrap,
)
from seriatim.frontends.ser.parser import parse
from seriatim.frontends.ser.scope import Values
from seriatim.program.execution import big_steps
from seriatim.program.semantics import Configuration, response, store
from seriatim.program.syntax import (
    NOWHERE,
    Binary,
    Choice,
    Connective,
    Expression,
    Fault,
    Logical,
    Number,
    Operator,
    Prefix,
    Read,
    Unary,
    walk,
)

VARIABLE = Read("x")
RANGES = [Values(0, 3), Values(2, 2), Values(-2, 1), Values(1, 4)]
NUMBERS = range(-9, 10)


def values(expression: Expression, x: int = 0) -> set[int | None]:
    """All that come of it."""
    ends = big_steps(Configuration(expression, store({"x": x}), ()))
    return {response(end.expression) for end in ends}


@pytest.mark.parametrize("allowed", RANGES)
def test_what_is_tested_is_what_bounds_leave_open(allowed: Values) -> None:
    """Within the bounds, the test says who is outside; without a test, nobody is."""
    for low in NUMBERS:
        for high in range(low, 10):
            test = outside(VARIABLE, (low, high), allowed, NOWHERE)
            for number in range(low, high + 1):
                assert (number not in allowed) == (test is not None and values(test, number) == {1})
            assert (test is None) == (low in allowed and high in allowed)


def rounded_about(number: int, allowed: Values) -> int:
    return next(n for n in allowed.all() if (n - number) % len(allowed.all()) == 0)


def nearest(number: int, allowed: Values) -> int:
    return min(allowed.all(), key=lambda n: abs(n - number))


@pytest.mark.parametrize("allowed", RANGES)
@pytest.mark.parametrize(("brought", "expected"), [(wrap, rounded_about), (clamp, nearest)])
def test_values_are_brought_into_a_range(
    allowed: Values,
    brought: Callable[..., Expression],
    expected: Callable[[int, Values], int],
) -> None:
    for number in NUMBERS:
        assert values(brought(VARIABLE, allowed, NOWHERE), number) == {expected(number, allowed)}


@pytest.mark.parametrize("allowed", [*RANGES, Values(0, 6)])
def test_any_of_the_values_may_be_chosen(allowed: Values) -> None:
    """With a choice less than there are values."""
    expression = choose_value(allowed.low, allowed.high, NOWHERE)
    assert values(expression) == set(allowed.all())
    choices = sum(isinstance(part, Choice) for part in walk(expression))
    assert choices == len(allowed.all()) - 1


@pytest.mark.parametrize("allowed", [*RANGES, Values(0, 6)])
def test_an_element_is_selected_by_its_index(allowed: Values) -> None:
    expression = select(VARIABLE, allowed.low, allowed.high, lambda i: Number(10 * i), NOWHERE)
    for index in allowed.all():
        assert values(expression, index) == {10 * index}


WRITTEN, NUMBER = Read("N"), Number(1)
"""The name of a constant, and a number."""


def assert_folded(expression: Expression, *written: Expression) -> None:
    """To the number that it is, unless it was written in numbers."""
    (value,) = values(expression)
    assert value is not None
    assert fold(expression, written) == Number(value)
    assert fold(expression, (NUMBER,) * len(written)) is expression


def test_constants_are_folded_to_the_same_value() -> None:
    for left in (-1, 0, 1, 2):
        for prefix in Prefix:
            assert_folded(Unary(prefix, Number(left)), WRITTEN)
        for right in (1, 2, 3):
            for operator in Operator:
                assert_folded(Binary(operator, Number(left), Number(right)), WRITTEN, NUMBER)
                assert_folded(Binary(operator, Number(left), Number(right)), NUMBER, WRITTEN)
    assert fold(VARIABLE, (WRITTEN,)) is VARIABLE
    assert fold(Unary(Prefix.MINUS, VARIABLE), (VARIABLE,)) == Unary(Prefix.MINUS, VARIABLE)


@pytest.mark.parametrize("connective", Connective)
@pytest.mark.parametrize("left", [0, 1, 2])
def test_a_constant_may_decide_what_follows(connective: Connective, left: int) -> None:
    """What it leaves open stays as it is; so does what is behind a number."""
    for right in (0, 1, 2):
        assert_folded(Logical(connective, Number(left), Number(right)), WRITTEN, NUMBER)
    open_: Expression = Logical(connective, Number(left), VARIABLE)
    is_decided = (left == 0) == (connective is Connective.AND)
    assert fold(open_, (WRITTEN, VARIABLE)) == (Number(int(left != 0)) if is_decided else open_)
    assert fold(open_, (NUMBER, VARIABLE)) is open_


@pytest.mark.parametrize(
    ("code", "quiet"),
    [("X + -y", True), ("if (X) { 1 } else { y }", True), ("x := 1; 0", False)]
    + [(code, False) for code in ("1 + yield", "X && ?", "while (X) { 0 }")],
)
def test_who_is_quiet_changes_nothing_and_lets_nobody_run(code: str, quiet: bool) -> None:
    assert is_quiet(parse(f"request a {{ {code} }}").handlers[0].body) == quiet


def test_whoever_may_fail_is_not_quiet() -> None:
    assert not is_quiet(Fault("SER801", "too much"))
