"""What happens for each value of some names: instances are created, messages come and go."""

from seriatim.arithmetic.substitution import substitute
from seriatim.arithmetic.terms import (
    ONE,
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
    equal,
    fresh,
    names_in,
    number,
    subtract,
    times,
)
from seriatim.checking.sequentialization.symbolic import Function
from seriatim.frozen import frozen

Bound = tuple[Name, Term, Term]
"""A name and the range of its values."""


@frozen
class Event:
    """Something that happens once for each value of some bound names in their ranges, under a condition: an
    instance is created (subject: an action), or a message comes or goes (subject: a global)."""

    subject: str
    arguments: tuple[Term, ...]
    amount: int
    condition: Term = TRUE
    bound: tuple[Bound, ...] = ()


def _solutions(event: Event, indices: tuple[Term, ...]) -> dict[Name, Term]:
    """The values of those bound names that the indices determine.

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


def _idle(event: Event) -> list[tuple[Term, Term]]:
    """The ranges of bound names that nothing depends on: each value creates the same instance once more."""
    used = names_in(event.condition)
    used |= frozenset(name for argument in event.arguments for name in names_in(argument))
    used |= frozenset(n for _, low, high in event.bound for end in (low, high) for n in names_in(end))
    return [(low, high) for name, low, high in event.bound if name not in used]


def is_countable(event: Event) -> bool:
    """Whether `count_at` can tell how many instances an event creates: bound names are determined by the
    arguments, except for at most one that nothing depends on."""
    solved = len(_solutions(event, event.arguments))
    idle = len(_idle(event))
    return idle <= 1 and solved + idle == len(event.bound)


def count_at(event: Event, indices: tuple[Term, ...]) -> Term:
    """How many instances with these arguments a countable event creates."""
    values = _solutions(event, indices)
    idle = _idle(event)
    ranges = [between(low, name, high) for name, low, high in event.bound if name in values]
    matches = [equal(a, b) for a, b in zip(event.arguments, indices, strict=True)]
    condition = substitute(both(*ranges, event.condition, *matches), values)
    if not idle:
        return bracket(condition)
    length = add(subtract(idle[0][1], idle[0][0]), ONE)
    return choose(both(condition, at_most(ZERO, length)), length, ZERO)


def more(function: Function, event: Event) -> Function:
    """A count function, changed by what an event creates or executes."""
    return lambda *indices: add(function(*indices), times(event.amount, count_at(event, indices)))


def total(event: Event) -> tuple[Term, Term]:
    """How much an event adds in all, and what is known about that number if it has no simple form."""
    if not event.bound:
        return times(event.amount, bracket(event.condition)), TRUE
    if event.condition == TRUE and len(event.bound) == 1:
        _, low, high = event.bound[0]
        length = add(subtract(high, low), ONE)
        return times(event.amount, choose(at_most(ZERO, length), length, ZERO)), TRUE
    unknown = fresh("total", Sort.INT)
    return times(event.amount, unknown), at_most(number(0), unknown)
