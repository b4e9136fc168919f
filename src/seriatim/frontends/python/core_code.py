"""Small pieces of code of the core."""

from dataclasses import replace

from seriatim.frontends.python.domains import Domain
from seriatim.program.syntax import (
    NOWHERE,
    Binary,
    Choice,
    Connective,
    Expression,
    If,
    Logical,
    Number,
    Operator,
    Sequence,
    sequence,
)
from seriatim.source import Span


def within(inner: Domain, outer: Domain) -> bool:
    """Whether a domain surely lies in another one."""
    if not inner.atoms <= outer.atoms:
        return False
    if not inner.has_numbers:
        return True
    if not outer.has_numbers or not (inner.is_finite or not outer.is_finite):
        return False
    if outer.only is not None:
        return inner.is_finite and inner.span() <= len(outer.only) and set(inner.numbers()) <= outer.only
    low = outer.low is None or (inner.low is not None and inner.low >= outer.low)
    high = outer.high is None or (inner.high is not None and inner.high <= outer.high)
    return low and high


def without_atoms(domain: Domain) -> Domain:
    return replace(domain, atoms=frozenset())


def binary(operator: Operator, left: Expression, right: Expression, span: Span) -> Expression:
    return Binary(operator, left, right, span)


def is_equal(code: Expression, number: int) -> Expression:
    return Binary(Operator.EQUAL, code, Number(number))


def equal_to(code: Expression, number: int, span: Span) -> Expression:
    return Binary(Operator.EQUAL, code, Number(number, span), span)


def every(tests: list[Expression], span: Span) -> Expression:
    found: Expression = Number(1, span)
    for index, test in enumerate(tests):
        found = test if index == 0 else Logical(Connective.AND, found, test, span)
    return found


def some(tests: list[Expression], span: Span) -> Expression:
    found: Expression = Number(0, span)
    for index, test in enumerate(tests):
        found = test if index == 0 else Logical(Connective.OR, found, test, span)
    return found


def choose_value(values: tuple[int, ...], span: Span) -> Expression:
    """Any of some values, by as few choices as possible."""
    if len(values) == 1:
        return Number(values[0], span)
    middle = len(values) // 2
    return If(Choice(span), choose_value(values[middle:], span), choose_value(values[:middle], span), span)


def join_code(code: list[Expression]) -> Expression:
    if not code:
        return Number(0)
    joined = sequence(*code)
    return joined if not isinstance(joined, Sequence) else Sequence(joined.items, NOWHERE)
