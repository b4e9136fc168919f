"""Unfolds an input of any kind."""

from typing import assert_never

from seriatim.budget import Deadline
from seriatim.program.inputs import Input
from seriatim.program.network_system import NetworkSystem
from seriatim.program.syntax import Program
from seriatim.systems.from_system import SystemUnfolding
from seriatim.systems.growth import growth
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.unfolding import ProgramUnfolding

Origin = ProgramUnfolding | SystemUnfolding
"""An unfolding that knows the way back to its input."""


def unfold(content: Input, limits: Limits, deadline: Deadline, dead_ends: bool = False) -> Origin:
    """The unfolding of an input; `dead_ends` keeps moves to dead ends, if incomplete runs count."""
    match content:
        case Program():
            return ProgramUnfolding(content, limits, deadline)
        case NetworkSystem():
            return SystemUnfolding(content, dead_ends)
        case _:
            assert_never(content)


def program_of(origin: Origin) -> Program:
    """Returns the program that an unfolding is of; callers know that it is not of a network system."""
    match origin:
        case ProgramUnfolding(program=program):
            return program
        case SystemUnfolding():
            raise AssertionError("a network system has no text")
        case _:
            assert_never(origin)


def explain_limit(reached: LimitReached, origin: Origin) -> LimitReached:
    """The same limit, with the variable that makes the system large, as far as its states show."""
    if reached.growth is not None:
        return reached
    found = growth(origin.content.handlers, origin.stores())
    return LimitReached(reached.flag, reached.limit, found)
