"""Events: an instance is created, or a message comes or goes, for each value of some names."""

from dataclasses import dataclass

from seriatim.arithmetic.substitution import substitute
from seriatim.arithmetic.terms import (
    TRUE,
    ZERO,
    Name,
    Sort,
    Term,
    add,
    at_most,
    between,
    both,
    bracket,
    choose,
    fresh,
    names_in,
    number,
    subtract,
    times,
)
from seriatim.checking.sequentialization.symbolic import Function, length, same

Bound = tuple[Name, Term, Term]
"""A name and the range of its values."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens once for each value of the bound names in their ranges, under a condition. The
    subject is an action of which an instance is created, or a global with a message that comes or goes."""

    subject: str
    arguments: tuple[Term, ...]
    amount: int
    condition: Term = TRUE
    bound: tuple[Bound, ...] = ()


def _solve(event: Event, indices: tuple[Term, ...]) -> dict[Name, Term]:
    """Finds the values of those bound names that the indices determine.

    Each name needs an argument of its own that is the name plus something without bound names.
    """
    bound = {name for name, _, _ in event.bound}
    free = list(range(len(event.arguments)))
    found: dict[Name, Term] = {}
    for name, _, _ in event.bound:
        for position in free:
            offset = subtract(event.arguments[position], name)
            if not bound & names_in(offset):
                found[name] = subtract(indices[position], offset)
                free.remove(position)
                break
    return found


def _find_idle(event: Event) -> list[tuple[Term, Term]]:
    """Finds the ranges of bound names that nothing depends on: each value creates the same instance again."""
    used = names_in(event.condition)
    used |= frozenset(name for argument in event.arguments for name in names_in(argument))
    used |= frozenset(n for _, low, high in event.bound for end in (low, high) for n in names_in(end))
    return [(low, high) for name, low, high in event.bound if name not in used]


def is_countable(event: Event) -> bool:
    """Whether `count_at` can tell how many instances an event creates: bound names are determined by the
    arguments, except for at most one that nothing depends on."""
    solved = len(_solve(event, event.arguments))
    idle = len(_find_idle(event))
    return idle <= 1 and solved + idle == len(event.bound)


def count_at(event: Event, indices: tuple[Term, ...]) -> Term:
    """Counts the instances with these arguments that a countable event creates."""
    values = _solve(event, indices)
    idle = _find_idle(event)
    ranges = [between(low, name, high) for name, low, high in event.bound if name in values]
    condition = substitute(both(*ranges, event.condition, same(event.arguments, indices)), values)
    if not idle:
        return bracket(condition)
    low, high = (substitute(end, values) for end in idle[0])
    return choose(condition, length(low, high), ZERO)


def add_event(function: Function, event: Event) -> Function:
    """Adds to a count function what an event creates, or takes away what it executes."""
    return lambda *indices: add(function(*indices), times(event.amount, count_at(event, indices)))


def count_all(event: Event) -> tuple[Term, Term]:
    """Counts how much an event adds in all; also returns what is known about that number if it has no simple
    form."""
    if not event.bound:
        return times(event.amount, bracket(event.condition)), TRUE
    if event.condition == TRUE and len(event.bound) == 1:
        _, low, high = event.bound[0]
        return times(event.amount, length(low, high)), TRUE
    unknown = fresh("total", Sort.INT)
    return times(event.amount, unknown), at_most(number(0), unknown)
