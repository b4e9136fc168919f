"""Pieces of core code that sugar becomes: bounded values, choices, and the way to an element of an array."""

from collections.abc import Callable

from seriatim.frontends.ser.intervals import Bounds
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
    Unary,
    While,
    Yield,
    walk,
)
from seriatim.source import Span


def is_quiet(expression: Expression) -> bool:
    """Whether evaluating it changes nothing, and lets nobody else run."""
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


def wrapped(value: Expression, values: Values, span: Span) -> Expression:
    """low + (value - low) % (number of values)."""
    modulus = Number(values.high - values.low + 1, span)
    if values.low == 0:
        return Binary(Operator.MODULO, value, modulus, span)
    low = Number(values.low, span)
    distance: Expression = Binary(Operator.MODULO, Binary(Operator.SUBTRACT, value, low, span), modulus, span)
    return Binary(Operator.ADD, low, distance, span)


def clamped(value: Read, values: Values, span: Span) -> Expression:
    """The value of the range that is nearest."""
    low, high = Number(values.low, span), Number(values.high, span)
    below: Expression = Binary(Operator.LESS, value, low, span)
    above: Expression = Binary(Operator.GREATER, value, high, span)
    return If(below, low, If(above, high, value, span), span)


def chosen(low: int, high: int, span: Span) -> Expression:
    """Any of some values, by as few choices as possible."""
    if low == high:
        return Number(low, span)
    middle = (low + high) // 2
    return If(Choice(span), chosen(middle + 1, high, span), chosen(low, middle, span), span)


def selected(
    index: Expression, low: int, high: int, leaf: Callable[[int], Expression], span: Span
) -> Expression:
    """What `leaf` makes of the index, which is known to lie between two numbers."""
    if low == high:
        return leaf(low)
    middle = (low + high) // 2
    return If(
        Binary(Operator.LESS_EQUAL, index, Number(middle, span), span),
        selected(index, low, middle, leaf, span),
        selected(index, middle + 1, high, leaf, span),
        span,
    )


def is_number(written: Surface) -> bool:
    return isinstance(written, Number)


def folded(expression: Expression, written: tuple[Surface, ...]) -> Expression:
    """Its value, if it follows from constants and arguments; what was written in numbers stays as it is.

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
