"""The unfolding of an input, whichever kind it is of."""

from itertools import chain

from seriatim.budget import Deadline
from seriatim.program.inputs import Input
from seriatim.program.syntax import Program
from seriatim.systems.from_system import SystemUnfolding
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.unfolding import ProgramUnfolding

Origin = ProgramUnfolding | SystemUnfolding
"""An unfolding that knows the way back to its input."""


def unfold(content: Input, limits: Limits, deadline: Deadline, dead_ends: bool = False) -> Origin:
    """With moves to where nobody does anything more, if runs count that are not complete."""
    if isinstance(content, Program):
        return ProgramUnfolding(content, limits, deadline)
    return SystemUnfolding(content, dead_ends)


def explained(reached: LimitReached, origin: Origin) -> LimitReached:
    """The same limit, with what makes the system so large, as far as its states tell."""
    if reached.growth is not None or not isinstance(origin, ProgramUnfolding):
        return reached
    from seriatim.systems.growth import growth

    globals_ = ((origin.global_names, values) for values in origin.global_values)
    locals_ = ((origin.steps.points[point].live, values) for point, values in origin.local_states)
    return LimitReached(reached.flag, reached.limit, growth(origin.program, chain(globals_, locals_)))
