"""Pieces of core code that sugar becomes: bounded values, choices, and the way to an element of an array.

The bounds of an expression are an interval. Claim: if every variable is within its bounds, the value of the
expression is within the interval. Each case bounds the exact set of values of its operator on intervals; what
has no case is unbounded.
"""

from collections.abc import Callable, Mapping
from math import inf

from seriatim.frontends.ser.scope import Values
from seriatim.frontends.ser.surface import Surface
from seriatim.program.semantics import Unbounded, apply
from seriatim.program.syntax import (
    Assign,
    Binary,
    Choice,
    Connective,
    Expression,
    Fault,
    If,
    Logical,
    Number,
    Operator,
    Prefix,
    Read,
    Sequence,
    Unary,
    While,
    Yield,
    walk,
)
from seriatim.source import Span

Bounds = tuple[float, float]
"""A pair (least value, greatest value); integers or infinite."""

UNBOUNDED: Bounds = (-inf, inf)
TRUTH: Bounds = (0, 1)


def interval(expression: Expression, variables: Mapping[str, Bounds]) -> Bounds:  # noqa: C901 - an arm a case
    """Bounds of the values of an expression; `variables` are those that have bounds."""
    match expression:
        case Number(value=value):
            return value, value
        case Choice() | Logical() | Unary(operator=Prefix.NOT):
            return TRUTH
        case Read(name=name):
            return variables.get(name, UNBOUNDED)
        case Assign(value=value):
            return interval(value, variables)
        case Sequence(items=(*_, last)):
            return interval(last, variables)
        case Unary(operator=Prefix.MINUS, operand=operand):
            low, high = interval(operand, variables)
            return -high, -low
        case If(then=then, otherwise=otherwise):
            first = interval(then, variables)
            second = (0, 0) if otherwise is None else interval(otherwise, variables)
            return min(first[0], second[0]), max(first[1], second[1])
        case Binary(operator=Operator.ADD, left=left, right=right):
            (low, high), (least, most) = interval(left, variables), interval(right, variables)
            return low + least, high + most
        case Binary(operator=Operator.SUBTRACT, left=left, right=right):
            (low, high), (least, most) = interval(left, variables), interval(right, variables)
            return low - most, high - least
        case Binary(operator=Operator.MODULO, right=Number(value=modulus)):
            return 0, modulus - 1
        case Binary(operator=Operator.MULTIPLY | Operator.MODULO):
            return UNBOUNDED
        case Binary():
            return TRUTH
        case _:
            return UNBOUNDED


def is_quiet(expression: Expression) -> bool:
    """Whether evaluating it changes nothing and lets no other request run."""
    return not any(isinstance(part, Assign | Yield | While | Choice | Fault) for part in walk(expression))


def outside(value: Expression, bounds: Bounds, values: Values, span: Span) -> Expression | None:
    """Whether a value, which lies within some bounds, is outside a range; None if it cannot be."""
    low, high = bounds
    tests: list[Expression] = []
    if low < values.low:
        tests.append(Binary(Operator.LESS, value, Number(values.low, span), span))
    if high > values.high:
        tests.append(Binary(Operator.GREATER, value, Number(values.high, span), span))
    if len(tests) == 2:
        return Logical(Connective.OR, tests[0], tests[1], span)
    return tests[0] if tests else None


def wrap(value: Expression, values: Values, span: Span) -> Expression:
    """low + (value - low) % (number of values)."""
    modulus = Number(values.high - values.low + 1, span)
    if values.low == 0:
        return Binary(Operator.MODULO, value, modulus, span)
    low = Number(values.low, span)
    distance: Expression = Binary(Operator.MODULO, Binary(Operator.SUBTRACT, value, low, span), modulus, span)
    return Binary(Operator.ADD, low, distance, span)


def clamp(value: Read, values: Values, span: Span) -> Expression:
    """The nearest value of a range."""
    low, high = Number(values.low, span), Number(values.high, span)
    below: Expression = Binary(Operator.LESS, value, low, span)
    above: Expression = Binary(Operator.GREATER, value, high, span)
    return If(below, low, If(above, high, value, span), span)


def choose_value(low: int, high: int, span: Span) -> Expression:
    """Any of some values, by as few choices as possible."""
    if low == high:
        return Number(low, span)
    middle = (low + high) // 2
    return If(Choice(span), choose_value(middle + 1, high, span), choose_value(low, middle, span), span)


def select(
    index: Expression, low: int, high: int, leaf: Callable[[int], Expression], span: Span
) -> Expression:
    """Returns what `leaf` makes of the index, which is known to lie between two numbers."""
    if low == high:
        return leaf(low)
    middle = (low + high) // 2
    return If(
        Binary(Operator.LESS_EQUAL, index, Number(middle, span), span),
        select(index, low, middle, leaf, span),
        select(index, middle + 1, high, leaf, span),
        span,
    )


def is_number(written: Surface) -> bool:
    return isinstance(written, Number)


def fold(expression: Expression, written: tuple[Surface, ...]) -> Expression:
    """Replaces an expression by its value, if constants and arguments determine it; keeps plain numbers.

    So a program without declarations stays exactly as its text says.
    """
    if all(map(is_number, written)):
        return expression
    span = expression.span
    match expression:
        case Unary(operator=Prefix.NOT, operand=Number(value=value)):
            return Number(int(value == 0), span)
        case Unary(operator=Prefix.MINUS, operand=Number(value=value)):
            return Number(-value, span)
        case Binary(operator=operator, left=Number(value=left), right=Number(value=right)):
            try:
                return Number(apply(operator, left, right), span)
            except Unbounded:
                return expression  # as it would be without constants
        case Logical(connective=connective, left=Number(value=left), right=right) if not is_number(
            written[0]
        ):
            if (left != 0) is (connective is Connective.OR):
                return Number(int(left != 0), span)
            return Number(int(right.value != 0), span) if isinstance(right, Number) else expression
        case _:
            return expression
