"""Evaluates constant expressions, for the preprocessor and the widths of types."""

from collections.abc import Mapping

from seriatim.frontends.p4.terms import (
    Binary,
    Boolean,
    Cast,
    Expression,
    Literal,
    Name,
    Operator,
    Prefix,
    Ternary,
    Unary,
)

NONE: Mapping[str, int] = {}


def constant_of(expression: Expression, names: Mapping[str, int] = NONE) -> int | None:
    """The value of an integer expression; None if it has no value, or needs a name that is not known.

    Integers are of any size, as in widths and conditions. A cast counts only if its operand is a literal.
    """
    match expression:
        case Literal(value=value):
            return value
        case Boolean(value=value):
            return int(value)
        case Name(name=name):
            return names.get(name)
        case Unary(operator=operator, operand=operand):
            inner = constant_of(operand, names)
            return None if inner is None else _apply_prefix(operator, inner)
        case Ternary(condition=condition, then=then, otherwise=otherwise):
            test = constant_of(condition, names)
            return None if test is None else constant_of(then if test else otherwise, names)
        case Binary(operator=operator, left=left, right=right):
            one, other = constant_of(left, names), constant_of(right, names)
            return None if one is None or other is None else combine(operator, one, other)
        case Cast(operand=operand):
            return None if not isinstance(operand, Literal) else operand.value
        case _:
            return None


def _apply_prefix(operator: Prefix, value: int) -> int | None:
    match operator:
        case Prefix.NOT:
            return int(not value)
        case Prefix.MINUS:
            return -value
        case Prefix.PLUS:
            return value
        case Prefix.INVERT:
            return None  # Needs a width.


def combine(operator: Operator, left: int, right: int) -> int | None:  # noqa: C901 - a line an operator
    """Applies an operator to integers of any size; None if the result is undefined."""
    match operator:
        case Operator.OR:
            return int(bool(left or right))
        case Operator.AND:
            return int(bool(left and right))
        case Operator.EQUAL:
            return int(left == right)
        case Operator.UNEQUAL:
            return int(left != right)
        case Operator.LESS:
            return int(left < right)
        case Operator.GREATER:
            return int(left > right)
        case Operator.LESS_EQUAL:
            return int(left <= right)
        case Operator.GREATER_EQUAL:
            return int(left >= right)
        case Operator.BIT_OR:
            return left | right
        case Operator.BIT_XOR:
            return left ^ right
        case Operator.BIT_AND:
            return left & right
        case Operator.SHIFT_LEFT:
            return left << right if 0 <= right <= 4096 else None
        case Operator.SHIFT_RIGHT:
            return left >> right if right >= 0 else None
        case Operator.ADD:
            return left + right
        case Operator.SUBTRACT:
            return left - right
        case Operator.MULTIPLY:
            return left * right
        case Operator.DIVIDE:
            return left // right if left >= 0 and right > 0 else None
        case Operator.MODULO:
            return left % right if left >= 0 and right > 0 else None
        case Operator.CONCAT | Operator.ADD_SATURATING | Operator.SUBTRACT_SATURATING:
            return None
