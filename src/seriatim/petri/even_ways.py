"""Ways through a structure that take each edge a given number of times, as evenly as they can."""

from collections import deque
from collections.abc import Iterable, Mapping

from seriatim.petri.structures import Structure


def even_way(given: Structure, counts: Mapping[int, int], start: int, end: int) -> tuple[int, ...]:
    """A way from one node to another that takes each edge so many times, as evenly as it can.

    There is one, as the edges are connected and balance (Euler). A tree of edges that lead to the end is kept
    to the last: from each node, its edge of the tree is taken when nothing else is left there. Then no edge
    is left over. Evenly: next comes the edge of which most is left, compared to its whole count, so that what
    some edges take, others have given shortly before.
    """
    left = {edge: count for edge, count in counts.items() if count > 0}
    tree = _tree_to(given, left, end)
    leaving: dict[int, list[int]] = {}
    for edge in left:
        leaving.setdefault(given.edges[edge].source, []).append(edge)
    way: list[int] = []
    node = start
    while True:
        kept = tree.get(node)
        best, share = kept, 0.0
        for edge in leaving.get(node, ()):
            spare = left[edge] - (edge == kept)
            if spare > 0 and spare / counts[edge] > share:
                best, share = edge, spare / counts[edge]
        if best is None or left[best] == 0:
            return tuple(way)
        left[best] -= 1
        way.append(best)
        node = given.edges[best].target


def _tree_to(given: Structure, edges: Iterable[int], end: int) -> dict[int, int]:
    """For each node but the end, the first edge of a shortest way there."""
    entering: dict[int, list[int]] = {}
    for edge in edges:
        entering.setdefault(given.edges[edge].target, []).append(edge)
    tree: dict[int, int] = {}
    queue = deque([end])
    while queue:
        for edge in entering.get(queue.popleft(), ()):
            source = given.edges[edge].source
            if source != end and source not in tree:
                tree[source] = edge
                queue.append(source)
    return tree
