"""The values of expressions without variables, as the preprocessor and the widths of types need them."""

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
    """The value of a whole-numbered expression; None if it has none, or needs a name that is not known.

    Numbers are of any size here: widths and conditions are written with them. A cast to a width is no
    constant of this kind.
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
            return None if inner is None else _prefixed(operator, inner)
        case Ternary(condition=condition, then=then, otherwise=otherwise):
            test = constant_of(condition, names)
            return None if test is None else constant_of(then if test else otherwise, names)
        case Binary(operator=operator, left=left, right=right):
            one, other = constant_of(left, names), constant_of(right, names)
            return None if one is None or other is None else combined(operator, one, other)
        case Cast(operand=operand):
            return None if not isinstance(operand, Literal) else operand.value
        case _:
            return None


def _prefixed(operator: Prefix, value: int) -> int | None:
    match operator:
        case Prefix.NOT:
            return int(not value)
        case Prefix.MINUS:
            return -value
        case Prefix.PLUS:
            return value
        case Prefix.INVERT:
            return None  # It has no value without a width.


def combined(operator: Operator, left: int, right: int) -> int | None:  # noqa: C901 - a line an operator
    """The value of an operator on numbers of any size; None if it has none."""
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
