"""Why a system is so large: the variable that takes most values, and the lines that give it new ones."""

from collections import defaultdict

from seriatim.language.syntax import Assign, Number, Program, walk
from seriatim.network.control_flow import is_temporary
from seriatim.network.from_input import Origin
from seriatim.network.limits import Growth, LimitReached
from seriatim.network.unfolding import ProgramUnfolding

FEW = 8
"""A variable with at most so many values is not what makes a system large."""


def explained(reached: LimitReached, origin: Origin) -> LimitReached:
    """The same limit, with what makes the system so large, as far as its states tell."""
    if reached.growth is not None or not isinstance(origin, ProgramUnfolding):
        return reached
    return LimitReached(reached.flag, reached.limit, growth(origin))


def growth(unfolding: ProgramUnfolding) -> Growth | None:
    """The variable with the most values among the states found so far, if it has many."""
    values: defaultdict[str, set[int]] = defaultdict(set)
    for state in unfolding.global_values:
        for name, value in zip(unfolding.global_names, state, strict=True):
            values[name].add(value)
    for point, state in unfolding.local_states:
        for name, value in zip(unfolding.steps.points[point].live, state, strict=True):
            if not is_temporary(name):
                values[name].add(value)
    if not values:
        return None
    name = max(sorted(values), key=lambda name: len(values[name]))
    if len(values[name]) <= FEW:
        return None
    return Growth(name, lines_that_change(unfolding.program, name))


def lines_that_change(program: Program, name: str) -> tuple[int, ...]:
    """The lines that assign to a variable something else than a constant."""
    return tuple(
        sorted(
            {
                part.span.line
                for handler in program.handlers
                for part in walk(handler.body)
                if isinstance(part, Assign) and part.name == name and not isinstance(part.value, Number)
            }
        )
    )
