"""Operators on numbers as P4 defines them, at their full widths."""

from collections.abc import Callable

from seriatim.frontends.p4.code import (
    Applied,
    Const,
    Converted,
    Either,
    Get,
    Prefixed,
    Sliced,
    Value,
)
from seriatim.frontends.p4.constants import combine
from seriatim.frontends.p4.kinds import Bits, Bool, Simple
from seriatim.frontends.p4.terms import Operator, Prefix

COMPARISONS = frozenset(
    (
        *(Operator.EQUAL, Operator.UNEQUAL, Operator.LESS, Operator.GREATER),
        *(Operator.LESS_EQUAL, Operator.GREATER_EQUAL),
    )
)


class Undefined(Exception):
    """Raised when an operation has no value, such as a division by 0."""


def apply_prefix(operator: Prefix, operand: int, kind: Simple) -> int:
    match operator:
        case Prefix.NOT:
            return int(not operand)
        case Prefix.INVERT:
            return fit_to(~operand, kind)
        case Prefix.MINUS:
            return fit_to(-operand, kind)
        case Prefix.PLUS:
            return operand


def apply_binary(operator: Operator, left: int, right: int, kind: Simple, right_kind: Simple) -> int:
    """Applies a binary operator; `kind` is that of the result."""
    match operator:
        case Operator.CONCAT:
            assert isinstance(right_kind, Bits)
            low = right & ((1 << right_kind.width) - 1)
            return fit_to((left << right_kind.width) | low, kind)
        case Operator.ADD_SATURATING | Operator.SUBTRACT_SATURATING:
            assert isinstance(kind, Bits)
            exact = left + right if operator is Operator.ADD_SATURATING else left - right
            return min(max(exact, kind.low), kind.high)
        case Operator.SHIFT_LEFT if right > 4096:
            return 0
        case Operator.SHIFT_RIGHT if right > 4096:
            return -1 if left < 0 else 0
    found = combine(operator, left, right)
    if found is None:
        raise Undefined(operator)
    return fit_to(found, kind)


def fit_to(value: int, kind: Simple) -> int:
    """Cuts a number to the width of its kind."""
    return kind.fit(value) if isinstance(kind, Bits) else value


def convert(value: int, kind: Simple) -> int:
    """Casts a number; to `bool`, 0 or 1."""
    return int(value != 0) if isinstance(kind, Bool) else fit_to(value, kind)


def simplify(value: Value, known: Callable[[Get], Value]) -> Value:
    """Replaces paths by their known values, and computes as far as possible."""
    match value:
        case Const():
            return value
        case Get():
            return known(value)
        case Prefixed(operator=operator, operand=operand, kind=kind):
            inner = simplify(operand, known)
            if isinstance(inner, Const):
                return Const(apply_prefix(operator, inner.value, kind), kind)
            return Prefixed(operator, inner, kind)
        case Converted(operand=operand, kind=kind):
            inner = simplify(operand, known)
            if isinstance(inner, Const):
                return Const(convert(inner.value, kind), kind)
            return Converted(inner, kind) if inner.kind != kind else inner
        case Sliced(operand=operand, high=high, low=low, kind=kind):
            inner = simplify(operand, known)
            if isinstance(inner, Const):
                return Const(slice_bits(inner.value, high, low), kind)
            return Sliced(inner, high, low, kind)
        case Either(condition=condition, then=then, otherwise=otherwise, kind=kind):
            test = simplify(condition, known)
            if isinstance(test, Const):
                return simplify(then if test.value else otherwise, known)
            return Either(test, simplify(then, known), simplify(otherwise, known), kind)
        case Applied():
            return _simplify_binary(value, known)


def _simplify_binary(value: Applied, known: Callable[[Get], Value]) -> Value:
    left = simplify(value.left, known)
    operator, kind = value.operator, value.kind
    if operator in (Operator.AND, Operator.OR) and isinstance(left, Const):
        decides = bool(left.value) == (operator is Operator.OR)
        return left if decides else simplify(value.right, known)
    right = simplify(value.right, known)
    if isinstance(left, Const) and isinstance(right, Const):
        return Const(apply_binary(operator, left.value, right.value, kind, right.kind), kind)
    return Applied(operator, left, right, kind, value.span)


def slice_bits(value: int, high: int, low: int) -> int:
    return (value >> low) & ((1 << (high - low + 1)) - 1)


def fold(value: Value) -> Value:
    """Computes the constant parts of a value."""
    return simplify(value, lambda get: get)
