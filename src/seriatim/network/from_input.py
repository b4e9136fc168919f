"""The unfolding of an input, whichever kind it is of."""

from seriatim.language.syntax import Program
from seriatim.network.from_system import SystemUnfolding
from seriatim.network.inputs import Input
from seriatim.network.limits import Limits
from seriatim.network.unfolding import ProgramUnfolding

Origin = ProgramUnfolding | SystemUnfolding
"""An unfolding that knows the way back to its input."""


def unfold(content: Input, limits: Limits) -> Origin:
    return ProgramUnfolding(content, limits) if isinstance(content, Program) else SystemUnfolding(content)
