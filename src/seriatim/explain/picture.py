"""Graphs to draw: nodes and edges, and their meaning."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """The meaning of a node."""

    START = "start"
    REQUEST = "request"
    RESPONSE = "response"
    LOCAL = "local"
    STATE = "state"
    GLOBAL = "global"
    IN_FLIGHT = "in_flight"
    ANSWERED = "answered"
    TRANSITION = "transition"
    MORE = "more"
    """Represents everything that is not drawn."""


@dataclass(frozen=True, slots=True)
class DrawnNode:
    role: Role
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """An edge between two nodes, given by number."""

    source: int
    target: int
    lines: tuple[str, ...] = ()
    both_ways: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    nodes: tuple[DrawnNode, ...]
    edges: tuple[DrawnEdge, ...]


MAX_LABEL_LINES = 8
"""Longer labels of edges are cut, to keep pictures readable."""


def merge_edges(edges: Iterable[tuple[int, int, str]]) -> list[DrawnEdge]:
    """Merges edges between the same two nodes into one with all their labels."""
    labels: dict[tuple[int, int], list[str]] = {}
    for source, target, label in edges:
        labels.setdefault((source, target), []).append(label)
    return [DrawnEdge(source, target, _cut(lines)) for (source, target), lines in labels.items()]


def _cut(lines: list[str]) -> tuple[str, ...]:
    if len(lines) <= MAX_LABEL_LINES:
        return tuple(lines)
    return (*lines[: MAX_LABEL_LINES - 1], f"… {len(lines) - MAX_LABEL_LINES + 1} more")


MAX_NODES = 60
"""The most nodes in a picture; a larger one is not readable."""


def summarise(picture: Picture, limit: int = MAX_NODES) -> Picture:
    """The part of a picture nearest to its beginning, and one node for the rest."""
    if len(picture.nodes) <= limit:
        return picture
    near: dict[int, list[int]] = {}
    for edge in picture.edges:
        near.setdefault(edge.source, []).append(edge.target)
        if edge.both_ways:
            near.setdefault(edge.target, []).append(edge.source)
    entered = {edge.target for edge in picture.edges if edge.source != edge.target}
    roots = [node for node in range(len(picture.nodes)) if node not in entered] or [0]
    order = dict.fromkeys(roots)
    pending = list(order)
    for node in pending:
        new = [target for target in near.get(node, ()) if target not in order]
        order.update(dict.fromkeys(new))
        pending += dict.fromkeys(new)
    kept = {node: number for number, node in enumerate(list(order)[:limit])}
    rest = len(kept)
    more = DrawnNode(Role.MORE, (f"… {len(picture.nodes) - rest} more",))
    edges: dict[tuple[int, int], DrawnEdge] = {}
    for edge in picture.edges:
        source, target = kept.get(edge.source, rest), kept.get(edge.target, rest)
        if source == target == rest:
            continue
        lines = edge.lines if rest not in (source, target) else ()
        edges.setdefault((source, target), DrawnEdge(source, target, lines, edge.both_ways))
    return Picture((*(picture.nodes[node] for node in kept), more), tuple(edges.values()))
