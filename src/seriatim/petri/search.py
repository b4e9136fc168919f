"""Runs of a net to a goal, found by trying: all runs up to a size, or all orders of given counts of firings.

Transitions that take nothing can always fire, so a search bounds how often they do: first once in all, then
twice, and so on, as long as there is room. Nets without such transitions are searched breadth first; a search
that ends has seen every marking that the net reaches.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.petri.net import Marking, PetriNet, fire

CHECK_EVERY = 1024
"""Markings between two looks at the clock."""

Goal = Callable[[Marking], bool]


@dataclass(frozen=True, slots=True)
class Exhausted:
    """All markings that the net reaches were seen, and none is in the goal."""

    markings: int
    """How many there are."""


def run_to(
    net: PetriNet, is_goal: Goal, max_markings: int, deadline: Deadline
) -> tuple[int, ...] | Exhausted | None:
    """A run to a marking of the goal, one with few spawned tokens; None if no run is found among so many
    markings, and there may be more."""
    sources = frozenset(index for index, transition in enumerate(net.transitions) if not transition.pre)
    left = max_markings
    for spawned in range(1 if sources else 0, max_markings):
        found, seen = _search_bounded(net, is_goal, sources, spawned, left, deadline)
        left -= seen
        if found is not None:
            return found
        if not sources and left > 0:
            return Exhausted(seen)
        if left <= 0:
            return None
    return None


def _search_bounded(
    net: PetriNet, is_goal: Goal, sources: frozenset[int], spawned: int, max_markings: int, deadline: Deadline
) -> tuple[tuple[int, ...] | None, int]:
    """A run in which sources fire at most so often, and how many markings were seen."""
    start = (net.initial, spawned)
    came_by: dict[tuple[Marking, int], tuple[tuple[Marking, int], int] | None] = {start: None}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        marking, may_spawn = state
        if is_goal(marking):
            firings: list[int] = []
            while (step := came_by[state]) is not None:
                state, index = step
                firings.append(index)
            return tuple(reversed(firings)), len(came_by)
        for index, transition in enumerate(net.transitions):
            is_source = index in sources
            if is_source and not may_spawn:
                continue
            after = fire(marking, transition)
            following = None if after is None else (after, may_spawn - is_source)
            if following is not None and following not in came_by:
                came_by[following] = (state, index)
                queue.append(following)
                if len(came_by) % CHECK_EVERY == 0:
                    deadline.check()
                if len(came_by) >= max_markings:
                    return None, len(came_by)
    return None, len(came_by)


def order_firings(
    net: PetriNet, counts: Sequence[int], max_markings: int, deadline: Deadline
) -> tuple[int, ...] | None:
    """A run in which each transition fires exactly so often, looked for depth first."""
    seen = {tuple(counts)}
    firings: list[int] = []
    trail = [(net.initial, tuple(counts), iter(range(len(counts))))]
    while trail:
        marking, left, choices = trail[-1]
        if not any(left):
            return tuple(firings)
        for index in choices:
            if not left[index]:
                continue
            after = fire(marking, net.transitions[index])
            rest = (*left[:index], left[index] - 1, *left[index + 1 :])
            if after is not None and rest not in seen:
                seen.add(rest)
                if len(seen) % CHECK_EVERY == 0:
                    deadline.check()
                if len(seen) > max_markings:
                    return None
                trail.append((after, rest, iter(range(len(counts)))))
                firings.append(index)
                break
        else:
            trail.pop()
            if firings:
                firings.pop()
    return None
