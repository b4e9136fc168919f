"""Where the nodes and edges of a graph go: layers from left to right, in a few passes over a small graph.

Edges that close a cycle are laid out backwards, so that layers follow the others. An edge passes through all
layers between its ends by waypoints; labels are waypoints with a size, so that they overlap nothing. Within
layers, the order follows the neighbours' mean position; then positions are as near to that mean as the order
and the sizes allow.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

SWEEPS = 12
GAP = 18.0
"""The distance between neighbours in a layer."""
LAYER_GAP = 26.0


@dataclass(frozen=True, slots=True)
class BoxSize:
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Link:
    """An edge between two nodes, by number, and the size of its label."""

    source: int
    target: int
    label: BoxSize | None = None


@dataclass(frozen=True, slots=True)
class DrawnPoint:
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Route:
    """Where an edge goes, and the centre of its label."""

    points: tuple[DrawnPoint, ...]
    label: DrawnPoint | None


@dataclass(frozen=True, slots=True)
class Layout:
    width: float
    height: float
    centres: tuple[DrawnPoint, ...]
    """The centres of the nodes."""
    routes: tuple[Route, ...]
    """The routes of the edges; empty for edges from a node to itself."""


@dataclass(slots=True)
class _Stop:
    """A node or a waypoint in its layer."""

    size: BoxSize
    layer: int
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    rank: float = 0.0
    y: float = 0.0


@dataclass(frozen=True, slots=True)
class _Crossing:
    """Where an edge passes a layer: at a stop, whose layer may be wider than the stop itself."""

    centre: DrawnPoint
    size: BoxSize
    layer_width: float

    @property
    def left(self) -> DrawnPoint:
        return DrawnPoint(self.centre.x - self.layer_width / 2, self.centre.y)

    @property
    def right(self) -> DrawnPoint:
        return DrawnPoint(self.centre.x + self.layer_width / 2, self.centre.y)

    def lower(self, by: float) -> "_Crossing":
        return replace(self, centre=DrawnPoint(self.centre.x, self.centre.y + by))


def lay_out(sizes: Sequence[BoxSize], links: Sequence[Link]) -> Layout:
    """A layout of nodes with these sizes; nodes that nothing leads to are at the left."""
    backwards = _backwards(len(sizes), links)
    layer = _layers(len(sizes), links, backwards)
    stops = [_Stop(size, 2 * layer[node]) for node, size in enumerate(sizes)]
    ways = [_way(link, index in backwards, stops) for index, link in enumerate(links)]
    columns = _columns(stops)
    _order(columns, stops)
    _place(columns, stops)
    lefts, widths = _across(columns, stops)
    top = min((stop.y - stop.size.height / 2 for stop in stops), default=0.0)
    bottom = max((stop.y + stop.size.height / 2 for stop in stops), default=0.0)

    def centre(number: int) -> DrawnPoint:
        stop = stops[number]
        return DrawnPoint(lefts[stop.layer] + widths[stop.layer] / 2, stop.y - top)

    return Layout(
        lefts[-1] + widths[-1] if columns else 0.0,
        bottom - top,
        tuple(centre(node) for node in range(len(sizes))),
        tuple(
            _route(
                link,
                index in backwards,
                [_Crossing(centre(n), stops[n].size, widths[stops[n].layer]) for n in way],
            )
            for index, (link, way) in enumerate(zip(links, ways, strict=True))
        ),
    )


def _backwards(count: int, links: Sequence[Link]) -> set[int]:
    """Edges whose removal leaves no cycle: those that lead back to a node still being visited."""
    outgoing: list[list[int]] = [[] for _ in range(count)]
    has_incoming = [False] * count
    for index, link in enumerate(links):
        outgoing[link.source].append(index)
        has_incoming[link.target] |= link.source != link.target
    found: set[int] = set()
    state = ["new"] * count
    for root in sorted(range(count), key=lambda node: has_incoming[node]):
        if state[root] != "new":
            continue
        state[root] = "open"
        pending = [(root, iter(outgoing[root]))]
        while pending:
            node, rest = pending[-1]
            edge = next(rest, None)
            if edge is None:
                state[node] = "done"
                pending.pop()
                continue
            target = links[edge].target
            if state[target] == "open":
                found.add(edge)
            elif state[target] == "new":
                state[target] = "open"
                pending.append((target, iter(outgoing[target])))
    return found


def _layers(count: int, links: Sequence[Link], backwards: set[int]) -> list[int]:
    """Longest paths; a node that only leads somewhere is next to the first of its targets."""
    forward = [
        (link.target, link.source) if index in backwards else (link.source, link.target)
        for index, link in enumerate(links)
        if link.source != link.target
    ]
    layer = [0] * count
    for _ in range(count):
        changed = False
        for source, target in forward:
            if layer[target] <= layer[source]:
                layer[target] = layer[source] + 1
                changed = True
        if not changed:
            break
    targets = {target for _, target in forward}
    for node in range(count):
        after = [layer[target] for source, target in forward if source == node]
        if node not in targets and after:
            layer[node] = min(after) - 1
    return layer


def _way(link: Link, is_backwards: bool, stops: list[_Stop]) -> list[int]:
    """The ends of an edge with new waypoints between them, from left to right."""
    if link.source == link.target:
        return []
    start, end = (link.target, link.source) if is_backwards else (link.source, link.target)
    first, last = stops[start].layer, stops[end].layer
    labelled = (first + last) // 2 | 1  # An odd layer: nodes are in the even ones.
    way = [start]
    for layer in range(first + 1, last):
        size = link.label if link.label is not None and layer == labelled else BoxSize(0.0, 4.0)
        stops.append(_Stop(size, layer))
        way.append(len(stops) - 1)
    way.append(end)
    for one, other in pairwise(way):
        stops[one].after.append(other)
        stops[other].before.append(one)
    return way


def _columns(stops: Sequence[_Stop]) -> list[list[int]]:
    columns: list[list[int]] = [[] for _ in range(max((stop.layer for stop in stops), default=-1) + 1)]
    for number, stop in enumerate(stops):
        stop.rank = len(columns[stop.layer])
        columns[stop.layer].append(number)
    return columns


def _order(columns: list[list[int]], stops: list[_Stop]) -> None:
    """Sorts each layer by the mean position of its neighbours, to and fro."""
    for sweep in range(SWEEPS):
        for column in columns if sweep % 2 == 0 else reversed(columns):
            means = {}
            for number in column:
                stop = stops[number]
                near = stop.before if sweep % 2 == 0 else stop.after
                means[number] = sum(stops[other].rank for other in near) / len(near) if near else stop.rank
            column.sort(key=means.__getitem__)
            for position, number in enumerate(column):
                stops[number].rank = position


def _place(columns: list[list[int]], stops: list[_Stop]) -> None:
    for column in columns:
        _settle(column, stops, [0.0] * len(column))
    for sweep in range(SWEEPS):
        for column in columns if sweep % 2 == 0 else reversed(columns):
            wanted = []
            for number in column:
                near = [*stops[number].before, *stops[number].after]
                wanted.append(sum(stops[other].y for other in near) / len(near) if near else stops[number].y)
            _settle(column, stops, wanted)


def _settle(column: Sequence[int], stops: list[_Stop], wanted: Sequence[float]) -> None:
    """Positions nearest to the wanted ones, in the sum of squares, that keep the order and overlap nothing.

    Without the least distances, they have to be monotone: neighbours that are not share their mean.
    """
    offsets: list[float] = []
    offset = 0.0
    for position, number in enumerate(column):
        if position:
            offset += (stops[column[position - 1]].size.height + stops[number].size.height) / 2 + GAP
        offsets.append(offset)
    blocks: list[tuple[float, int]] = []
    for want, shift in zip(wanted, offsets, strict=True):
        mean, count = want - shift, 1
        while blocks and blocks[-1][0] > mean:
            earlier, size = blocks.pop()
            mean, count = (earlier * size + mean * count) / (size + count), size + count
        blocks.append((mean, count))
    bases = [mean for mean, count in blocks for _ in range(count)]
    for number, base, shift in zip(column, bases, offsets, strict=True):
        stops[number].y = base + shift


def _across(columns: Sequence[Iterable[int]], stops: Sequence[_Stop]) -> tuple[list[float], list[float]]:
    """The left border and the width of each layer."""
    lefts: list[float] = []
    widths: list[float] = []
    x = 0.0
    for column in columns:
        width = max((stops[number].size.width for number in column), default=0.0)
        lefts.append(x)
        widths.append(width)
        x += width + LAYER_GAP
    return lefts, widths


def _route(link: Link, is_backwards: bool, passages: Sequence[_Crossing]) -> Route:
    """From the side of one node to the side of another, straight through each layer: its stops are there."""
    if not passages:
        return Route((), None)
    start, *between, end = passages
    points = [DrawnPoint(start.centre.x + start.size.width / 2, start.centre.y), start.right]
    label = None
    for passage in between:
        if passage.size == link.label:
            label = passage.centre
            passage = passage.lower(passage.size.height / 2)
        points += [passage.left, passage.right]
    points += [end.left, DrawnPoint(end.centre.x - end.size.width / 2, end.centre.y)]
    return Route(tuple(reversed(points)) if is_backwards else tuple(points), label)
