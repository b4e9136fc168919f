"""Expressions by cases: what holds in one of several, as expressions that do not get deep."""

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from seriatim.frontends.c.operators import ZERO
from seriatim.frontends.c.symbols import Scalar
from seriatim.program.threads.symbolic import conjunction
from seriatim.program.threads.syntax import Assert
from seriatim.source import Span
from seriatim.terms.expressions import FALSE, TRUE, Apply, Constant, Expression, Variable, apply

OUTSIDE = "the index is outside its array"
USED_FREED = "memory is used after it was freed"

FEW = 16
"""Cases that are told one after the other; more are halved, so that expressions do not get deep."""


def by_cases(cases: list[tuple[Expression, Expression]]) -> Expression:
    """The value of the case whose condition holds; any of them, if none holds."""
    if len(cases) > FEW:
        middle = len(cases) // 2
        early, late = cases[:middle], cases[middle:]
        return apply("?", is_among(early, late[0][0]), by_cases(early), by_cases(late))
    *others, (_, found) = cases
    for condition, value in reversed(others):
        found = apply("?", condition, value, found)
    return found


def is_among(early: list[tuple[Expression, Expression]], next_one: Expression) -> Expression:
    """Whether an early case holds: if the cases are numbers in order, that is one comparison."""
    ways = [each for each, _ in early]
    match ways[0], next_one:
        case (
            Apply(op="==", arguments=(number, Constant())),
            Apply(op="==", arguments=(_, Constant() as first)),
        ) if are_ordered([*ways, next_one], number):
            return apply("<", number, first)
        case _:
            return any_of(ways)


def are_ordered(conditions: list[Expression], number: Expression) -> bool:
    """Whether the conditions compare one number with larger and larger constants."""
    values: list[int] = []
    for each in conditions:
        match each:
            case Apply(op="==", arguments=(compared, Constant(value=value))) if compared == number:
                values.append(int(value))
            case _:
                return False
    return all(one < other for one, other in pairwise(values))


def any_of(conditions: list[Expression]) -> Expression:
    if len(conditions) > FEW:
        middle = len(conditions) // 2
        return apply("||", any_of(conditions[:middle]), any_of(conditions[middle:]))
    found: Expression = FALSE
    for condition in conditions:
        found = condition if found == FALSE else apply("||", found, condition)
    return found


@dataclass(frozen=True, slots=True)
class Guard:
    """What has to hold where a variable is accessed."""

    condition: Expression
    says: str
    """What is wrong otherwise."""


def add_guard(guards: MutableMapping[str, list[Guard]], name: str, guard: Guard) -> None:
    """Adds what has to hold for a variable, once."""
    known = guards.get(name, [])
    if guard not in known:
        guards[name] = [*known, guard]


def not_freed(flag: str) -> Guard:
    """That a block is not freed."""
    return Guard(apply("==", Variable(flag), ZERO), USED_FREED)


Guards = Mapping[str, Sequence[Guard]]
"""By the names of variables."""


def demands(guards: Guards, cases: tuple[tuple[Expression, Scalar], ...], span: Span) -> tuple[Assert, ...]:
    """That memory is there when it is accessed: in the step of the access."""
    found: dict[str, list[Expression]] = {}
    for condition, scalar in cases:
        for guard in guards.get(scalar.name, ()):
            holds = guard.condition if condition == TRUE else apply("==>", condition, guard.condition)
            found.setdefault(guard.says, []).append(holds)
    return tuple(
        Assert(conjunction(tuple(conditions)), span, says, is_about_memory=True)
        for says, conditions in found.items()
    )
