"""Why a system is so large: the variable that takes most values, and the lines that give it new ones."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from seriatim.program.syntax import Assign, Handler, Number, walk
from seriatim.systems.control_flow import is_temporary
from seriatim.systems.limits import Growth

FEW = 8
"""A variable with at most this many values does not make a system large."""


@dataclass(frozen=True, slots=True)
class MostValues:
    """The variable that takes the most values among some states."""

    variable: str
    number: int
    """How many values it takes."""
    lines: tuple[int, ...]
    """The lines that give it new values."""


def most_values(
    handlers: Iterable[Handler], states: Iterable[tuple[tuple[str, ...], tuple[int, ...]]]
) -> MostValues | None:
    """The variable with the most values among some states, (names, values) each."""
    values: defaultdict[str, set[int]] = defaultdict(set)
    for names, state in states:
        for name, value in zip(names, state, strict=True):
            if not is_temporary(name):
                values[name].add(value)
    if not values:
        return None
    name = max(sorted(values), key=lambda name: len(values[name]))
    return MostValues(name, len(values[name]), lines_that_change(handlers, name))


def growth(
    handlers: Iterable[Handler], states: Iterable[tuple[tuple[str, ...], tuple[int, ...]]]
) -> Growth | None:
    """The variable with the most values, if they are many."""
    found = most_values(handlers, states)
    return Growth(found.variable, found.lines) if found is not None and found.number > FEW else None


def lines_that_change(handlers: Iterable[Handler], name: str) -> tuple[int, ...]:
    """The lines that assign a variable something other than a constant."""
    return tuple(
        sorted(
            {
                part.span.line
                for handler in handlers
                for part in walk(handler.body)
                if isinstance(part, Assign) and part.name == name and not isinstance(part.value, Number)
            }
        )
    )
