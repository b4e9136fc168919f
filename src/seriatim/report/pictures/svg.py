"""Pictures as SVG, laid out here: nothing needs to be installed, and pages can hold them.

Colours are attributes, which any style sheet overrides, so that a dark page can have its own.
"""

from collections.abc import Iterator
from html import escape
from itertools import pairwise

from seriatim.explain.picture import DrawnEdge, DrawnNode, Picture, Role, summarise
from seriatim.report.pictures.colours import COLOURS
from seriatim.report.pictures.layout import BoxSize, DrawnPoint, Layout, Link, Route, lay_out
from seriatim.text_width import columns, printable

CHARACTER = 7.25
"""The width of a character; the fonts are monospaced, so that no measuring is needed."""
LABEL_CHARACTER = 6.05
LINE = 16.0
LABEL_LINE = 13.0
PADDING = 10.0
MARGIN = 12.0
HEAD = 7.0
"""The size of arrow heads."""
LOOP = 22.0
"""How far a loop rises above its node."""

_FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
_INK = "#333333"


def svg(picture: Picture, title: str) -> str:
    """The picture as an SVG document; of a large picture, only the part nearest to its beginning."""
    shown = summarise(picture)
    loops = {edge.source: edge for edge in shown.edges if edge.source == edge.target}
    sizes = [_size(node) for node in shown.nodes]
    roomy = [_with_loop(size, loops.get(number)) for number, size in enumerate(sizes)]
    links = [Link(edge.source, edge.target, _label_size(edge)) for edge in shown.edges]
    layout = lay_out(roomy, links)
    width, height = layout.width + 2 * MARGIN, layout.height + 2 * MARGIN
    body = "\n".join(_parts(shown, layout, sizes, roomy))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="graph" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="{-MARGIN:g} {-MARGIN:g} {width:.0f} {height:.0f}" role="img" font-family="{_FONT}">\n'
        f"<title>{escape(printable(title))}</title>\n"
        f"{body}\n</svg>\n"
    )


def _parts(picture: Picture, layout: Layout, sizes: list[BoxSize], roomy: list[BoxSize]) -> Iterator[str]:
    # A node with a loop sits at the bottom of its space.
    centres = [
        DrawnPoint(centre.x, centre.y + (room.height - size.height) / 2)
        for centre, size, room in zip(layout.centres, sizes, roomy, strict=True)
    ]
    moved = {centre: below for centre, below in zip(layout.centres, centres, strict=True) if centre != below}
    for edge, route in zip(picture.edges, layout.routes, strict=True):
        if edge.source == edge.target:
            yield from _loop(edge, centres[edge.source], sizes[edge.source])
        else:
            yield from _edge(edge, route, moved, layout)
    for node, centre, size in zip(picture.nodes, centres, sizes, strict=True):
        yield from _node(node, centre, size)


def _edge(
    edge: DrawnEdge, route: Route, moved: dict[DrawnPoint, DrawnPoint], layout: Layout
) -> Iterator[str]:
    first, beside_first, *between, beside_last, last = route.points
    start = moved.get(layout.centres[edge.source], first).y
    end = moved.get(layout.centres[edge.target], last).y
    points = [
        DrawnPoint(first.x, start),
        DrawnPoint(beside_first.x, start),
        *between,
        DrawnPoint(beside_last.x, end),
        DrawnPoint(last.x, end),
    ]
    path = f"M{points[0].x:.1f} {points[0].y:.1f}"
    for one, other in pairwise(points):
        middle = (one.x + other.x) / 2
        path += (
            f"C{middle:.1f} {one.y:.1f} {middle:.1f} {other.y:.1f} {other.x:.1f} {other.y:.1f}"
            if one.y != other.y
            else f"L{other.x:.1f} {other.y:.1f}"
        )
    yield _line(path)
    forwards = first.x < last.x
    yield _head(points[-1], DrawnPoint(last.x - 1 if forwards else last.x + 1, end))
    if edge.both_ways:
        yield _head(points[0], DrawnPoint(first.x + 1 if forwards else first.x - 1, start))
    if route.label is not None:
        yield from _label(edge, route.label)


def _loop(edge: DrawnEdge, centre: DrawnPoint, size: BoxSize) -> Iterator[str]:
    top = centre.y - size.height / 2
    left, right = centre.x - 12, centre.x + 12
    rise = top - LOOP
    yield _line(
        f"M{left:.1f} {top:.1f}C{left - 8:.1f} {rise:.1f} {right + 8:.1f} {rise:.1f} {right:.1f} {top:.1f}"
    )
    yield _head(DrawnPoint(right, top), DrawnPoint(right, rise))
    label = _label_size(edge)
    if label is not None:
        yield from _label(edge, DrawnPoint(centre.x, rise - label.height / 2 + 4))


def _line(path: str) -> str:
    return f'<path class="edge" d="{path}" fill="none" stroke="{_INK}"/>'


def _head(tip: DrawnPoint, source: DrawnPoint) -> str:
    """The head of an arrow that comes from somewhere beside or above its tip."""
    if tip.x == source.x:
        base = tip.y - HEAD
        corners = f"{tip.x - HEAD / 2:.1f},{base:.1f} {tip.x + HEAD / 2:.1f},{base:.1f}"
    else:
        base = tip.x - (HEAD if source.x < tip.x else -HEAD)
        corners = f"{base:.1f},{tip.y - HEAD / 2:.1f} {base:.1f},{tip.y + HEAD / 2:.1f}"
    return f'<polygon class="head" points="{tip.x:.1f},{tip.y:.1f} {corners}" fill="{_INK}"/>'


def _label(edge: DrawnEdge, centre: DrawnPoint) -> Iterator[str]:
    first = centre.y - (len(edge.lines) - 1) * LABEL_LINE / 2 + 3
    for number, line in enumerate(edge.lines):
        yield _text(line, centre.x, first + number * LABEL_LINE, 10, "middle", "label")


def _node(node: DrawnNode, centre: DrawnPoint, size: BoxSize) -> Iterator[str]:
    colour = COLOURS[node.role]
    looks = f'class="{node.role}" fill="{colour.fill}" stroke="{colour.line}"'
    left, top = centre.x - size.width / 2, centre.y - size.height / 2
    match node.role:
        case Role.START:
            yield f'<circle {looks} cx="{centre.x:.1f}" cy="{centre.y:.1f}" r="4"/>'
        case Role.REQUEST | Role.RESPONSE:
            right, bottom, tip = left + size.width, top + size.height, size.height / 2
            corners = [
                (left, centre.y),
                (left + tip, top),
                (right - tip, top),
                (right, centre.y),
                (right - tip, bottom),
                (left + tip, bottom),
            ]
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
            yield f'<polygon {looks} points="{points}"/>'
        case _:
            radius = _radius(node.role, size)
            yield (
                f'<rect {looks} x="{left:.1f}" y="{top:.1f}" width="{size.width:.1f}"'
                f' height="{size.height:.1f}" rx="{radius:.1f}"/>'
            )
    first = centre.y - (len(node.lines) - 1) * LINE / 2 + 4
    is_code = node.role is Role.LOCAL
    for number, line in enumerate(node.lines):
        x, anchor = (left + PADDING, "start") if is_code else (centre.x, "middle")
        yield _text(line, x, first + number * LINE, 12, anchor, "name")


def _radius(role: Role, size: BoxSize) -> float:
    """Places and states are round, transitions are boxes."""
    match role:
        case Role.TRANSITION:
            return 0.0
        case Role.LOCAL | Role.MORE:
            return 6.0
        case _:
            return min(size.height / 2, 20.0)


def _text(line: str, x: float, y: float, size: int, anchor: str, kind: str) -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
        f' fill="#111111" xml:space="preserve">{escape(printable(line))}</text>'
    )


def _size(node: DrawnNode) -> BoxSize:
    if node.role is Role.START:
        return BoxSize(8.0, 8.0)
    pointed = LINE if node.role in (Role.REQUEST, Role.RESPONSE) else 0.0
    width = max(map(columns, node.lines), default=0) * CHARACTER + 2 * PADDING + pointed
    return BoxSize(width, len(node.lines) * LINE + PADDING)


def _label_size(edge: DrawnEdge) -> BoxSize | None:
    if not edge.lines:
        return None
    width = max(map(columns, edge.lines)) * LABEL_CHARACTER + 8
    return BoxSize(width, len(edge.lines) * LABEL_LINE + 4)


def _with_loop(size: BoxSize, loop: DrawnEdge | None) -> BoxSize:
    if loop is None:
        return size
    label = _label_size(loop) or BoxSize(0.0, 0.0)
    return BoxSize(max(size.width, label.width), size.height + LOOP + label.height)
