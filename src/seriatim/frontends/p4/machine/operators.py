"""The operators of P4 on numbers of any width, as the language defines them."""

from collections.abc import Callable
from operator import add, and_, floordiv, ge, gt, le, lt, mod, mul, or_, sub, xor

from seriatim.frontends.p4.kinds import Bits
from seriatim.frontends.p4.machine.values import Number, Value, refuse, truth
from seriatim.frontends.p4.terms import Operator, Prefix
from seriatim.source import Span

Function = Callable[[int, int], int]

_COMPARISONS: dict[Operator, Callable[[int, int], bool]] = {
    Operator.LESS: lt,
    Operator.GREATER: gt,
    Operator.LESS_EQUAL: le,
    Operator.GREATER_EQUAL: ge,
}

_WRAPPING: dict[Operator, Function] = {
    Operator.BIT_OR: or_,
    Operator.BIT_XOR: xor,
    Operator.BIT_AND: and_,
    Operator.ADD: add,
    Operator.SUBTRACT: sub,
    Operator.MULTIPLY: mul,
}

_SATURATING: dict[Operator, Function] = {
    Operator.ADD_SATURATING: add,
    Operator.SUBTRACT_SATURATING: sub,
}

_QUOTIENTS: dict[Operator, Function] = {
    Operator.DIVIDE: floordiv,
    Operator.MODULO: mod,
}


def prefix(operator: Prefix, operand: Value, span: Span) -> Value:
    if operator is Prefix.NOT:
        return not truth(operand, span)
    if not isinstance(operand, Number):
        raise refuse("a number is expected", span)
    match operator:
        case Prefix.MINUS:
            return wrap(-operand.value, operand.bits)
        case Prefix.INVERT if operand.bits is not None:
            return wrap(~operand.value, operand.bits)
        case Prefix.PLUS:
            return operand
        case _:
            raise refuse("only a number with a width can be inverted", span)


def binary(operator: Operator, left: Value, right: Value, span: Span) -> Value:
    """Applies a binary operator that needs both operands, so not `&&` or `||`."""
    if operator in (Operator.EQUAL, Operator.UNEQUAL):
        return _equal(left, right, span) == (operator is Operator.EQUAL)
    if not isinstance(left, Number) or not isinstance(right, Number):
        raise refuse(f"`{operator}` takes two numbers", span)
    if operator in (Operator.SHIFT_LEFT, Operator.SHIFT_RIGHT):
        return _shift(operator, left, right, span)
    if operator is Operator.CONCAT:
        return _concatenate(left, right, span)
    bits = common_width(left, right, span)
    one, other = (each.value if bits is None else bits.fit(each.value) for each in (left, right))
    if operator in _COMPARISONS:
        return _COMPARISONS[operator](one, other)
    return _calculate(operator, one, other, bits, span)


def _calculate(operator: Operator, one: int, other: int, bits: Bits | None, span: Span) -> Number:
    if operator in _SATURATING and bits is not None:
        return Number(max(bits.low, min(bits.high, _SATURATING[operator](one, other))), bits)
    if operator in _QUOTIENTS:
        if one < 0 or other <= 0:
            raise refuse("a division takes a dividend of at least 0 and a divisor above 0", span)
        return wrap(_QUOTIENTS[operator](one, other), bits)
    if operator not in _WRAPPING:
        raise refuse(f"`{operator}` takes numbers with a width", span)
    return wrap(_WRAPPING[operator](one, other), bits)


def common_width(left: Number, right: Number, span: Span) -> Bits | None:
    """The common width of two operands; None if neither has one."""
    if left.bits is not None and right.bits is not None and left.bits != right.bits:
        raise refuse(f"`{left.bits}` and `{right.bits}` do not fit each other", span)
    return left.bits or right.bits


def _equal(left: Value, right: Value, span: Span) -> bool:
    if isinstance(left, Number) and isinstance(right, Number):
        bits = common_width(left, right, span)
        return left.value == right.value if bits is None else bits.fit(left.value) == bits.fit(right.value)
    if type(left) is not type(right):
        raise refuse("two values of one type are expected", span)
    return left == right


def _shift(operator: Operator, left: Number, right: Number, span: Span) -> Number:
    if right.value < 0:
        raise refuse("a shift by a negative number is not possible", span)
    width = 4096 if left.bits is None else left.bits.width
    distance = min(right.value, width)  # A longer shift leaves only the sign.
    shifted = left.value << distance if operator is Operator.SHIFT_LEFT else left.value >> distance
    return wrap(shifted, left.bits)


def _concatenate(left: Number, right: Number, span: Span) -> Number:
    if left.bits is None or right.bits is None:
        raise refuse("`++` takes numbers with a width", span)
    low = right.value & ((1 << right.bits.width) - 1)
    bits = Bits(left.bits.width + right.bits.width, left.bits.signed)
    return wrap(left.value << right.bits.width | low, bits)


def slice_bits(value: Value, high: int, low: int, span: Span) -> Number:
    if not isinstance(value, Number) or not 0 <= low <= high:
        raise refuse("bits of a number are expected, the highest first", span)
    bits = Bits(high - low + 1)
    return Number(bits.fit(value.value >> low), bits)


def replace_bits(old: Value, high: int, low: int, new: Value, span: Span) -> Number:
    """Replaces the bits of a number from high to low."""
    if not isinstance(old, Number) or not isinstance(new, Number) or old.bits is None:
        raise refuse("bits of a number are expected", span)
    mask = (1 << (high - low + 1)) - 1
    return wrap(old.value & ~(mask << low) | (new.value & mask) << low, old.bits)


def wrap(value: int, bits: Bits | None) -> Number:
    return Number(value if bits is None else bits.fit(value), bits)
