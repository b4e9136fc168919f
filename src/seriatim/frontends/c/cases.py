"""Expressions by cases: what holds in one of several, as expressions that do not get deep."""

from seriatim.frontends.c.operators import ZERO
from seriatim.frontends.c.symbols import Scalar
from seriatim.program.threads.symbolic import conjunction
from seriatim.program.threads.syntax import Assert
from seriatim.source import Span
from seriatim.terms.expressions import FALSE, TRUE, Expression, Variable, apply

USED_FREED = "memory is used after it was freed"

FEW = 16
"""Cases that are told one after the other; more are halved, so that expressions do not get deep."""


def by_cases(cases: list[tuple[Expression, Expression]]) -> Expression:
    """The value of the case whose condition holds; the last one, if no other is."""
    if len(cases) > FEW:
        middle = len(cases) // 2
        early, late = cases[:middle], cases[middle:]
        return apply("?", any_of([each for each, _ in early]), by_cases(early), by_cases(late))
    *others, (_, found) = cases
    for condition, value in reversed(others):
        found = apply("?", condition, value, found)
    return found


def any_of(conditions: list[Expression]) -> Expression:
    if len(conditions) > FEW:
        middle = len(conditions) // 2
        return apply("||", any_of(conditions[:middle]), any_of(conditions[middle:]))
    found: Expression = FALSE
    for condition in conditions:
        found = condition if found == FALSE else apply("||", found, condition)
    return found


def not_freed(
    freed: dict[str, str], cases: tuple[tuple[Expression, Scalar], ...], span: Span
) -> tuple[Assert, ...]:
    """That memory is not freed before it is accessed; in the step of the access."""
    demands: list[Expression] = []
    for condition, scalar in cases:
        if scalar.name in freed:
            is_there = apply("==", Variable(freed[scalar.name]), ZERO)
            demands.append(is_there if condition == TRUE else apply("==>", condition, is_there))
    if not demands:
        return ()
    return (Assert(conjunction(tuple(demands)), span, USED_FREED, is_about_memory=True),)
