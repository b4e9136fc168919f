"""A smaller thread program with the same verdict, and what has gone."""

from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.program.threads.movers import Movers
from seriatim.program.threads.reduction import Name, Spot, Stays, drop, without_place
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.reductions.threads.slicing import irrelevant

MAX_PLACES = 400
"""Of programs whose places are tried one by one."""


@dataclass(frozen=True, slots=True)
class ReducedThreads:
    program: ThreadProgram
    dropped: tuple[Name, ...]
    fused: tuple[Spot, ...]
    """In the order in which they go."""


def reduce_threads(program: ThreadProgram, deadline: Deadline) -> ReducedThreads:
    """The program itself, if nothing can go."""
    dropped = irrelevant(program)
    smaller = drop(program, dropped)
    fused: list[Spot] = []
    if sum(len(template.places) for template in smaller.templates) > MAX_PLACES:
        return ReducedThreads(smaller, dropped, ())
    changed, movers = True, Movers(smaller)
    while changed:
        changed = False
        for name, place in [(each.name, place) for each in smaller.templates for place in each.places]:
            deadline.check()
            try:
                smaller = without_place(movers, smaller.by_name[name], place)
            except Stays:
                continue
            movers = Movers(smaller)
            fused.append((name, place))
            changed = True
    return ReducedThreads(smaller, dropped, tuple(fused))
