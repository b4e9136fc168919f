"""Walks on the serial automaton: paths, cycles, and their flows."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from seriatim.arithmetic.linear_sets import LinearSet, Vector
from seriatim.arithmetic.semilinear.independence import Independent
from seriatim.systems.automaton import INITIAL_STATE

Edge = tuple[int, int, int]
"""An edge (global state, completion, global state after) of the serial automaton."""

Walk = tuple[Edge, ...]
"""Consecutive edges."""

Flow = Mapping[Edge, int]
"""How often each edge is taken."""


def image(walk: Walk, completions: tuple[int, ...]) -> Vector:
    """How often each completion occurs."""
    counts = Counter(completion for _, completion, _ in walk)
    return tuple(counts[completion] for completion in completions)


def dependency(cycles: Iterable[Walk], completions: tuple[int, ...]) -> dict[Walk, int]:
    """Changes of how often cycles are taken, not all 0, that do not change the sum of their images; empty if
    there are none."""
    before: list[Walk] = []
    independent = Independent()
    for cycle in cycles:
        before.append(cycle)
        changes = independent.add(image(cycle, completions))
        if changes is not None:
            return {each: change for each, change in zip(before, changes, strict=True) if change != 0}
    return {}


@dataclass(frozen=True, slots=True)
class SerialCover:
    """Serial runs with all their variations: a path of the serial automaton from its initial state, and
    cycles at the states on it, which may be taken any number of times."""

    path: Walk
    cycles: tuple[Walk, ...]

    def linear_set(self, completions: tuple[int, ...]) -> LinearSet:
        """The outcomes of the path with the cycles inserted any number of times."""
        periods = tuple(image(cycle, completions) for cycle in self.cycles)
        return LinearSet(image(self.path, completions), periods)


def by_source(edges: Iterable[Edge]) -> dict[int, list[Edge]]:
    leaving: dict[int, list[Edge]] = {}
    for edge in edges:
        leaving.setdefault(edge[0], []).append(edge)
    return leaving


def first_visits(flow: Flow) -> frozenset[Edge]:
    """For each state that the flow visits, except the initial one, an edge by which it is first reached."""
    return frozenset(edge for edge in _arrivals(INITIAL_STATE, by_source(flow)).values() if edge is not None)


def _arrivals(start: int, leaving: Mapping[int, list[Edge]]) -> dict[int, Edge | None]:
    """The states that can be reached from a state, and the last edge of a shortest path to each."""
    arrived_by: dict[int, Edge | None] = {start: None}
    queue = deque([start])
    while queue:
        for edge in leaving.get(queue.popleft(), ()):
            if edge[2] not in arrived_by:
                arrived_by[edge[2]] = edge
                queue.append(edge[2])
    return arrived_by


def shortest_cycle(edge: Edge, leaving: Mapping[int, list[Edge]]) -> Walk | None:
    """A shortest cycle that begins with this edge."""
    arrived_by = _arrivals(edge[2], leaving)
    if edge[0] not in arrived_by:
        return None
    back: list[Edge] = []
    state = edge[0]
    while (last := arrived_by[state]) is not None:
        back.append(last)
        state = last[0]
    return (edge, *reversed(back))


def circulations(flow: Flow) -> Iterator[tuple[Walk, int]]:
    """Simple cycles to remove from the flow, one after the other, each with a count, until none is left."""
    spare = {edge: count for edge, count in flow.items() if count > 0}
    for first in flow:
        while first in spare:
            cycle = shortest_cycle(first, by_source(spare))
            if cycle is None:
                break
            times = min(spare[edge] for edge in cycle)
            yield cycle, times
            for edge in cycle:
                spare[edge] -= times
                if spare[edge] == 0:
                    del spare[edge]


def euler_path(flow: Flow) -> Walk:
    """A path from the initial state that takes each edge as often as the flow says (Hierholzer)."""
    left = dict(flow)
    leaving = by_source(edge for edge, count in left.items() if count > 0)
    state = INITIAL_STATE
    trail: list[Edge] = []
    walk: list[Edge] = []
    while True:
        edges = leaving.get(state)
        if edges:
            edge = edges[-1]
            left[edge] -= 1
            if left[edge] == 0:
                edges.pop()
            trail.append(edge)
            state = edge[2]
        elif trail:
            walk.append(trail.pop())
            state = walk[-1][0]
        else:
            return tuple(reversed(walk))
