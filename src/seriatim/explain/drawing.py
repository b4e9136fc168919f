"""Draws a random run and describes it."""

from collections.abc import Sequence
from typing import assert_never

from seriatim.budget import Deadline
from seriatim.explain.drawn import Answered, CutShort, DrawnRun, Ending, GotStuck
from seriatim.explain.nearest import nearest_serial
from seriatim.explain.telling import show_run
from seriatim.source import SourceText
from seriatim.systems.from_input import Origin
from seriatim.systems.random_run import StuckAtRandom, TooLong, random_run
from seriatim.systems.run import Run


def draw(
    origin: Origin,
    source: SourceText,
    handlers: Sequence[int],
    seed: int,
    deadline: Deadline,
    *,
    serial: bool,
    wants_order: bool,
) -> DrawnRun:
    """A random run of these requests and, if wanted, the serial order that explains it. Raises
    `LimitReached` or `OutOfBudget`."""
    drawn = random_run(origin, handlers, seed, serial, deadline=deadline)
    ending: Ending
    match drawn:
        case Run():
            run = drawn
            explains = wants_order and not serial
            ending = Answered(nearest_serial(run.outcome(), origin, deadline=deadline) if explains else None)
        case StuckAtRandom(run=run, waiting=waiting, never_begun=never_begun):
            ending = GotStuck(tuple(number + 1 for number in waiting), never_begun)
        case TooLong(run=run):
            ending = CutShort()
        case _:
            assert_never(drawn)
    return DrawnRun(show_run(run, origin, source), ending, seed, serial)
