"""Graphs of what came before what: orders, components, and short cycles.

Nodes are numbers from 0, edges have labels. Some nodes only join others: an edge into such a node and on from
it are one step, and its label is that of the first edge.
"""

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

Edge = int
"""The number of an edge."""
Next = dict[int, list[tuple[int, Edge]]]
"""The edges that leave each node, with their targets."""


class Graph:
    def __init__(self, size: int) -> None:
        self.size = size
        self.sources: list[int] = []
        self.targets: list[int] = []
        self.labels: list[int] = []

    def node(self) -> int:
        """A new node, which only joins others."""
        self.size += 1
        return self.size - 1

    def add(self, source: int, target: int, label: int) -> None:
        self.sources.append(source)
        self.targets.append(target)
        self.labels.append(label)

    def strip(self, edges: Sequence[Edge] | None = None) -> tuple[list[int], list[int]]:
        """An order of the nodes that no cycle leads to (Kahn), and how many edges lead into each other node
        from one that is in a cycle or behind one. If `edges` are given, only those count."""
        chosen = range(len(self.sources)) if edges is None else edges
        degree = [0] * self.size
        following: list[list[int]] = [[] for _ in range(self.size)]
        for edge in chosen:
            degree[self.targets[edge]] += 1
            following[self.sources[edge]].append(self.targets[edge])
        order = [node for node in range(self.size) if not degree[node]]
        for node in order:
            for target in following[node]:
                degree[target] -= 1
                if not degree[target]:
                    order.append(target)
        return order, degree

    def order_by(self, ranks: Sequence[int]) -> list[int]:
        """All nodes in an order of an acyclic graph, those with small ranks as early as possible."""
        degree = [0] * self.size
        following: list[list[int]] = [[] for _ in range(self.size)]
        for source, target in zip(self.sources, self.targets, strict=True):
            degree[target] += 1
            following[source].append(target)
        heap = [(ranks[node], node) for node in range(self.size) if not degree[node]]
        heapify(heap)
        order: list[int] = []
        while heap:
            _, node = heappop(heap)
            order.append(node)
            for target in following[node]:
                degree[target] -= 1
                if not degree[target]:
                    heappush(heap, (ranks[target], target))
        return order

    def following(self, degree: Sequence[int], edges: Iterable[Edge] | None = None) -> Next:
        """The edges between nodes that `strip` has left."""
        found: Next = {}
        for edge in range(len(self.sources)) if edges is None else edges:
            if degree[self.sources[edge]] and degree[self.targets[edge]]:
                found.setdefault(self.sources[edge], []).append((self.targets[edge], edge))
        return found


def components(nodes: Iterable[int], following: Next) -> list[list[int]]:
    """The strongly connected components with more than one node, or with a node that leads to itself
    (Tarjan, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    is_open: set[int] = set()
    found: list[list[int]] = []
    for root in nodes:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        is_open.add(root)
        work = [(root, iter(following.get(root, ())))]
        while work:
            node, rest = work[-1]
            for target, _ in rest:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    is_open.add(target)
                    work.append((target, iter(following.get(target, ()))))
                    break
                if target in is_open:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part: list[int] = []
                    while not part or part[-1] != node:
                        part.append(stack.pop())
                        is_open.discard(part[-1])
                    if len(part) > 1 or any(target == node for target, _ in following.get(node, ())):
                        found.append(part)
    return found


def shortest_cycle(
    start: int, following: Next, inside: set[int], most: int | None = None
) -> list[Edge] | None:
    """A shortest cycle through a node; None if that takes more than `most` nodes."""
    came: dict[int, tuple[int, Edge] | None] = {start: None}
    queue = [start]
    for node in queue:
        if most is not None and len(came) > most:
            return None
        for target, edge in following.get(node, ()):
            if target == start:
                return [*_path(came, node), edge]
            if target in inside and target not in came:
                came[target] = node, edge
                queue.append(target)
    return None


def shortest_path(start: int, goal: int, following: Next) -> list[Edge] | None:
    came: dict[int, tuple[int, Edge] | None] = {start: None}
    queue = [start]
    for node in queue:
        if node == goal:
            return _path(came, goal)
        for target, edge in following.get(node, ()):
            if target not in came:
                came[target] = node, edge
                queue.append(target)
    return None


def _path(came: dict[int, tuple[int, Edge] | None], node: int) -> list[Edge]:
    found: list[Edge] = []
    while (step := came[node]) is not None:
        node, edge = step
        found.append(edge)
    return found[::-1]
