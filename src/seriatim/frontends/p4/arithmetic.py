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
from seriatim.frontends.p4.constants import combined
from seriatim.frontends.p4.kinds import Bits, Bool, Simple
from seriatim.frontends.p4.terms import Operator, Prefix

COMPARISONS = frozenset(
    (
        *(Operator.EQUAL, Operator.UNEQUAL, Operator.LESS, Operator.GREATER),
        *(Operator.LESS_EQUAL, Operator.GREATER_EQUAL),
    )
)


class Undefined(Exception):
    """An operation that has no value, such as a division by 0."""


def prefixed(operator: Prefix, operand: int, kind: Simple) -> int:
    match operator:
        case Prefix.NOT:
            return int(not operand)
        case Prefix.INVERT:
            return fitted(~operand, kind)
        case Prefix.MINUS:
            return fitted(-operand, kind)
        case Prefix.PLUS:
            return operand


def applied(operator: Operator, left: int, right: int, kind: Simple, right_kind: Simple) -> int:
    """The value of a binary operator; `kind` is that of the result."""
    match operator:
        case Operator.CONCAT:
            assert isinstance(right_kind, Bits)
            low = right & ((1 << right_kind.width) - 1)
            return fitted((left << right_kind.width) | low, kind)
        case Operator.ADD_SATURATING | Operator.SUBTRACT_SATURATING:
            assert isinstance(kind, Bits)
            exact = left + right if operator is Operator.ADD_SATURATING else left - right
            return min(max(exact, kind.low), kind.high)
        case Operator.SHIFT_LEFT if right > 4096:
            return 0
        case Operator.SHIFT_RIGHT if right > 4096:
            return -1 if left < 0 else 0
    found = combined(operator, left, right)
    if found is None:
        raise Undefined(operator)
    return fitted(found, kind)


def fitted(value: int, kind: Simple) -> int:
    """A number as its kind stores it."""
    return kind.fit(value) if isinstance(kind, Bits) else value


def converted(value: int, kind: Simple) -> int:
    """A cast; to `bool`, of 0 or 1."""
    return int(value != 0) if isinstance(kind, Bool) else fitted(value, kind)


def simplified(value: Value, known: Callable[[Get], Value]) -> Value:
    """A value in which everything is replaced that is known, and computed as far as possible."""
    match value:
        case Const():
            return value
        case Get():
            return known(value)
        case Prefixed(operator=operator, operand=operand, kind=kind):
            inner = simplified(operand, known)
            if isinstance(inner, Const):
                return Const(prefixed(operator, inner.value, kind), kind)
            return Prefixed(operator, inner, kind)
        case Converted(operand=operand, kind=kind):
            inner = simplified(operand, known)
            if isinstance(inner, Const):
                return Const(converted(inner.value, kind), kind)
            return Converted(inner, kind) if inner.kind != kind else inner
        case Sliced(operand=operand, high=high, low=low, kind=kind):
            inner = simplified(operand, known)
            if isinstance(inner, Const):
                return Const(sliced(inner.value, high, low), kind)
            return Sliced(inner, high, low, kind)
        case Either(condition=condition, then=then, otherwise=otherwise, kind=kind):
            test = simplified(condition, known)
            if isinstance(test, Const):
                return simplified(then if test.value else otherwise, known)
            return Either(test, simplified(then, known), simplified(otherwise, known), kind)
        case Applied():
            return _applied(value, known)


def _applied(value: Applied, known: Callable[[Get], Value]) -> Value:
    left = simplified(value.left, known)
    operator, kind = value.operator, value.kind
    if operator in (Operator.AND, Operator.OR) and isinstance(left, Const):
        decides = bool(left.value) == (operator is Operator.OR)
        return left if decides else simplified(value.right, known)
    right = simplified(value.right, known)
    if isinstance(left, Const) and isinstance(right, Const):
        return Const(applied(operator, left.value, right.value, kind, right.kind), kind)
    return Applied(operator, left, right, kind, value.span)


def sliced(value: int, high: int, low: int) -> int:
    return (value >> low) & ((1 << (high - low + 1)) - 1)


def folded(value: Value) -> Value:
    """The same with its constants computed."""
    return simplified(value, lambda get: get)
