"""Operators of C on values: conversions, wrapping, division that truncates."""

from dataclasses import dataclass

from seriatim.frontends.c.symbols import Symbol
from seriatim.frontends.c.types import INT, CType, common, converted, promoted, wrapped
from seriatim.terms.expressions import Constant, Expression, apply, can_divide_by_zero, negation
from seriatim.terms.operators import Op, compute

ZERO, ONE = Constant(0), Constant(1)


@dataclass(frozen=True, slots=True)
class Operand:
    """A value of a type; of a condition, also its truth."""

    expression: Expression
    type: CType
    truth: Expression | None = None
    points_to: str = ""
    """Of a pointer: the kind of what it points to."""
    cases: tuple[tuple[Expression, Symbol], ...] = ()
    """Of a structure: the variables that hold it, by conditions; its number means nothing."""


def truth(operand: Operand) -> Expression:
    if operand.truth is not None:
        return operand.truth
    if isinstance(operand.expression, Constant):
        return Constant(operand.expression.value != 0)
    return apply("!=", operand.expression, ZERO)


def of_truth(condition: Expression) -> Operand:
    if isinstance(condition, Constant):
        return Operand(ONE if condition.value else ZERO, INT, condition)
    return Operand(apply("?", condition, ONE, ZERO), INT, condition)


def convert(operand: Operand, target: CType) -> Expression:
    return converted(operand.expression, operand.type, target)


def negated(operand: Operand) -> Operand:
    """`!x`"""
    return of_truth(negation(truth(operand)))


def opposite(operand: Operand) -> Operand:
    """`-x`"""
    type_ = promoted(operand.type)
    value = convert(operand, type_)
    if isinstance(value, Constant):
        return Operand(_fit(Constant(-value.value), type_), type_)
    return Operand(_fit(apply("neg", value), type_), type_)


def inverted(operand: Operand) -> Operand:
    """`~x`: -x - 1 in two's complement."""
    type_ = promoted(operand.type)
    return Operand(_fit(_folded("-", Constant(-1), convert(operand, type_)), type_), type_)


def combined(operator: str, one: Operand, other: Operand) -> Operand | None:
    """The value of an operator; None if it is not known."""
    type_ = common(one.type, other.type)
    left, right = convert(one, type_), convert(other, type_)
    match operator:
        case "==" | "!=" | "<" | "<=" | ">" | ">=":
            return of_truth(apply(operator, left, right))
        case "+" | "-" | "*":
            return Operand(_fit(_folded(operator, left, right), type_), type_)
        case "/" | "%":
            return Operand(_divided(operator, left, right, type_), type_)
        case "<<" if isinstance(right, Constant) and 0 <= right.value < type_.bits:
            kind = promoted(one.type)
            power = Constant(1 << int(right.value))
            return Operand(_fit(_folded("*", convert(one, kind), power), kind), kind)
        case ">>" if isinstance(right, Constant) and 0 <= right.value < type_.bits:
            kind = promoted(one.type)
            return Operand(_folded("/", convert(one, kind), Constant(1 << int(right.value))), kind)
        case "&" | "|" | "^":
            return _bitwise(operator, one, other, left, right, type_)
        case _:
            return None


def _bitwise(
    operator: str, one: Operand, other: Operand, left: Expression, right: Expression, type_: CType
) -> Operand | None:
    """Of truth values, and with a constant; None if it is not known."""
    if one.truth is not None and other.truth is not None:
        is_lazy = not can_divide_by_zero(other.truth)  # Both sides are evaluated, and may fail.
        match operator:
            case "&" if is_lazy:
                return of_truth(apply("&&", one.truth, other.truth))
            case "|" if is_lazy:
                return of_truth(apply("||", one.truth, other.truth))
            case "&":
                return of_truth(apply("==", apply("+", left, right), Constant(2)))
            case "|":
                return of_truth(apply("!=", apply("+", left, right), ZERO))
            case _:
                return of_truth(apply("!=", one.truth, other.truth))
    if isinstance(left, Constant) and not isinstance(right, Constant):
        left, right = right, left
    if not isinstance(right, Constant):
        return None
    mask = int(right.value)
    common_bits = _masked(left, mask) if mask >= 0 else _folded("-", left, _masked(left, ~mask))
    if operator == "&":
        return Operand(common_bits, type_)
    # x | c = x + c - (x & c), and x ^ c = x + c - 2 (x & c).
    both = common_bits if operator == "|" else _folded("*", Constant(2), common_bits)
    return Operand(_folded("-", _folded("+", left, right), both), type_)


def _masked(value: Expression, mask: int) -> Expression:
    """`x & m`, a sum over the runs of ones in `m`: division rounds down, as shifting does."""
    found: Expression = ZERO
    low = 0
    while mask >> low:
        if not mask >> low & 1:
            low += 1
            continue
        high = low
        while mask >> high & 1:
            high += 1
        shifted = _folded("/", value, Constant(1 << low)) if low else value
        part = _folded("%", shifted, Constant(1 << (high - low)))
        scaled = _folded("*", part, Constant(1 << low)) if low else part
        found = scaled if found == ZERO else _folded("+", found, scaled)
        low = high
    return found


def _folded(operator: Op, left: Expression, right: Expression) -> Expression:
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Constant(compute(operator)(left.value, right.value))
    return apply(operator, left, right)


def _fit(value: Expression, type_: CType) -> Expression:
    """Unsigned arithmetic wraps; signed arithmetic does not overflow, that is assumed."""
    return value if type_.signed else wrapped(value, type_)


def _divided(operator: str, left: Expression, right: Expression, type_: CType) -> Expression:
    """Division that truncates; of a dividend that is not negative it is the one of SMT-LIB."""
    kind: Op = "/" if operator == "/" else "%"
    plain = apply(kind, left, right)
    if not type_.signed or (isinstance(left, Constant) and left.value >= 0):
        return plain
    mirrored = apply("neg", apply(kind, apply("neg", left), right))
    return apply("?", apply(">=", left, ZERO), plain, mirrored)
