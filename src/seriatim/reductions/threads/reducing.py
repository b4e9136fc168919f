"""A smaller thread program with the same verdict, and what has gone."""

from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.program.threads.movers import Movers
from seriatim.program.threads.reduction import IDS, Name, Spot, Stays, drop, without_place
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.reductions.threads.counters import find_counters
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
    return reduce_without(program, irrelevant(program), deadline)


def loosen_threads(program: ThreadProgram, deadline: Deadline) -> ReducedThreads | None:
    """The program in which counted loops go round any number of times, and a join takes any thread; None if
    that is the same."""
    dropped = irrelevant(program)
    counters = find_counters(program, dropped)
    if not counters:
        return None
    try:
        return reduce_without(program, (*dropped, *counters, IDS), deadline)
    except Stays:  # An expression that can fail names them.
        return None


def reduce_without(program: ThreadProgram, dropped: tuple[Name, ...], deadline: Deadline) -> ReducedThreads:
    """The program without these variables, in steps as long as can be."""
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
