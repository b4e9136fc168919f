"""Which values an expression can have, as far as declared ranges tell without running anything.

Claim: if every variable is within its bounds, the value of the expression is within the interval. Each case
bounds the exact set of values of its operator on intervals; what has no case is unbounded.
"""

from collections.abc import Mapping
from math import inf

from seriatim.program.syntax import (
    Assign,
    Binary,
    Choice,
    Expression,
    If,
    Logical,
    Number,
    Operator,
    Prefix,
    Read,
    Sequence,
    Unary,
)

Bounds = tuple[float, float]
"""(the least value, the greatest value); integers or infinite."""

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
