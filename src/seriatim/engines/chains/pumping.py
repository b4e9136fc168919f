"""Pumping cycles of the components of a chain: after them, numbers of requests have grown."""

from collections import Counter, deque

from seriatim.budget import Deadline
from seriatim.certificate.chain_proofs import NodeCase
from seriatim.engines.chains.refinement import component_entry
from seriatim.engines.chains.system import ChainSystem
from seriatim.petri.situated_structures import StructureWalk, rigid_places
from seriatim.petri.situations import Direction, Numbers

MAX_STATES = 40_000
"""The most states explored for one pumping cycle."""

GROWING_BY = (1, 2, 4, 8)
"""How far above its first value a search for a pumping cycle tracks a number."""

CHECK_EVERY = 256
"""How many cases come between two looks at the clock."""

Edges = tuple[int, ...]


def pumping_cycle(system: ChainSystem, level: int, direction: Direction, deadline: Deadline) -> Edges | None:
    """A cycle that can be taken at the entry of a component, backwards at its exit, and after which all known
    numbers have grown that can change at all; None if it takes too long to find.

    It is put together from cycles each of which makes some of these numbers grow, and none of the others
    smaller; those that have grown before may become smaller, so that the cycles before it are repeated.
    """
    walk = StructureWalk(system.given, direction)
    first, nodes = component_entry(system, walk, level)
    if level not in system.counts.inner:
        return ()
    rigid = rigid_places(system.given, nodes, first.node)
    wanted = {p for p, number in enumerate(first.numbers) if number is not None and p not in rigid}
    numbers = first.numbers
    cycles: list[tuple[Edges, set[int]]] = []
    while left := {place for place in wanted if numbers[place] is not None}:
        found = _growing_cycle(walk, nodes, NodeCase(first.node, numbers), left, deadline)
        if found is None:
            return None
        cycles.append(found)
        numbers = tuple(None if place in found[1] else n for place, n in enumerate(numbers))
    repeated = _repeat(walk, cycles)
    return repeated if walk.is_forward else tuple(reversed(repeated))


def _growing_cycle(
    walk: StructureWalk, nodes: frozenset[int], first: NodeCase, left: set[int], deadline: Deadline
) -> tuple[Edges, set[int]] | None:
    """A shortest cycle after which none of these numbers is smaller, and some are larger: which ones."""
    for growing_by in GROWING_BY:
        came_by: dict[NodeCase, tuple[NodeCase, int] | None] = {first: None}
        queue = deque([first])
        while queue and len(came_by) < MAX_STATES:
            if len(came_by) % CHECK_EVERY == 0:
                deadline.check()
            case = queue.popleft()
            for number, node, numbers in walk.following(case):
                if node not in nodes:
                    continue
                reached = NodeCase(node, _cap(numbers, first.numbers, left, growing_by))
                if reached in came_by:
                    continue
                came_by[reached] = (case, number)
                queue.append(reached)
                pairs = [(p, first.numbers[p] or 0, reached.numbers[p] or 0) for p in left]
                if node == first.node and all(now >= then for _, then, now in pairs):
                    grown = {place for place, then, now in pairs if now > then}
                    if grown:
                        return _way(came_by, reached), grown
    return None


def _cap(numbers: Numbers, first: Numbers, left: set[int], growing_by: int) -> Numbers:
    """Caps numbers that have grown much; with the smaller ones, no more is possible."""
    found = list(numbers)
    for place in left:
        now, then = found[place], first[place]
        if now is not None and then is not None:
            found[place] = min(now, then + growing_by)
    return tuple(found)


def _way(came_by: dict[NodeCase, tuple[NodeCase, int] | None], last: NodeCase) -> Edges:
    edges: list[int] = []
    while (step := came_by[last]) is not None:
        last, edge = step
        edges.append(edge)
    return tuple(reversed(edges))


def _repeat(walk: StructureWalk, cycles: list[tuple[Edges, set[int]]]) -> Edges:
    """The cycles in their order, each one as often as those after it need what it makes grow."""
    needed: Counter[int] = Counter()
    parts: list[Edges] = []
    for cycle, grown in reversed(cycles):
        effect, depth = effect_of(walk, cycle)
        times = max([1, *(-(-(needed[place] + 1) // effect[place]) for place in grown)])
        for place in depth:
            needed[place] += times * max(0, -effect[place]) + depth[place]
        parts.append(cycle * times)
    return tuple(edge for part in reversed(parts) for edge in part)


def effect_of(walk: StructureWalk, edges: Edges) -> tuple[Counter[int], Counter[int]]:
    """How a way, walked in its direction, changes the numbers of places, and how many it needs there."""
    effect: Counter[int] = Counter()
    depth: Counter[int] = Counter()
    for number in edges:
        edge = walk.given.edges[number]
        taken, given = walk.given.find_taken(edge), walk.given.find_given(edge)
        if not walk.is_forward:
            taken, given = given, taken
        if taken is not None:
            effect[taken] -= 1
            depth[taken] = max(depth[taken], -effect[taken])
        if given is not None:
            effect[given] += 1
    return effect, depth
