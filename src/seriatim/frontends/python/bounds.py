"""What bounds of integers tell about the results of operators."""

from seriatim.frontends.python.domains import NOTHING, Domain, integers
from seriatim.frontends.python.values import Scalar
from seriatim.program.syntax import (
    Connective,
    Expression,
    Logical,
    Number,
    Operator,
    Prefix,
    Unary,
)
from seriatim.source import Span


def same(value: Scalar) -> Scalar:
    return value


def connect(connective: Connective, left: Expression, right: Expression, span: Span) -> Expression:
    if isinstance(right, Number):
        if bool(right.value) is (connective is Connective.AND):
            return left
        # The left operand has no effects, so that it need not be evaluated.
        return Number(int(connective is Connective.OR), span)
    return Logical(connective, left, right, span)


def negate(code: Expression, span: Span) -> Expression:
    if isinstance(code, Number):
        return Number(int(code.value == 0), span)
    return Unary(Prefix.NOT, code, span)


def bounds(operator: Operator, left: Domain, right: Domain) -> Domain:
    """The numbers that an operation can give."""
    if left.is_empty or right.is_empty:
        return NOTHING
    is_scope = left.is_scope or right.is_scope
    a, b, c, d = left.low, left.high, right.low, right.high
    match operator:
        case Operator.ADD:
            low = None if a is None or c is None else a + c
            high = None if b is None or d is None else b + d
        case Operator.SUBTRACT:
            low = None if a is None or d is None else a - d
            high = None if b is None or c is None else b - c
        case Operator.MODULO:
            assert d is not None
            return integers(0, d - 1, is_scope=is_scope)
        case _:
            if a is None or b is None or c is None or d is None:
                return integers(None, None, is_scope=is_scope)
            products = (a * c, a * d, b * c, b * d)
            low, high = min(products), max(products)
    return integers(low, high, is_scope=is_scope)


def compute_scope(operator: Operator, left: Domain, right: Domain) -> Domain | None:
    """The scope of what is computed from arguments; None if none of them has one."""
    if left.given is None and right.given is None:
        return None
    return bounds(operator, left.given or left, right.given or right)


def decide(operator: Operator, left: Domain, right: Domain) -> bool | None:
    """The result of a comparison, if bounds tell it."""
    if left.is_empty or right.is_empty:
        return None
    below = left.high is not None and right.low is not None and left.high < right.low
    above = left.low is not None and right.high is not None and left.low > right.high
    no_higher = left.high is not None and right.low is not None and left.high <= right.low
    no_lower = left.low is not None and right.high is not None and left.low >= right.high
    match operator:
        case Operator.EQUAL:
            return False if below or above else None
        case Operator.LESS:
            return True if below else False if no_lower else None
        case Operator.LESS_EQUAL:
            return True if no_higher else False if above else None
        case Operator.GREATER:
            return True if above else False if no_higher else None
        case _:
            return True if no_lower else False if below else None
