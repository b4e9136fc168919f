"""Pictures for Graphviz."""

from seriatim.explain.picture import DrawnEdge, DrawnNode, Picture, Role
from seriatim.report.pictures.colours import COLOURS
from seriatim.text_width import printable

_SHAPES = {
    Role.START: "shape=point width=0.12",
    Role.REQUEST: "shape=diamond",
    Role.RESPONSE: "shape=diamond",
    Role.LOCAL: 'shape=box style="rounded,filled" fontname="Courier" fontsize=11',
    Role.STATE: "shape=ellipse",
    Role.GLOBAL: "shape=ellipse",
    Role.IN_FLIGHT: "shape=ellipse",
    Role.ANSWERED: "shape=ellipse",
    Role.TRANSITION: "shape=box height=0.3 fontsize=10",
    Role.MORE: "shape=plain",
}


def dot(picture: Picture) -> str:
    lines = [
        "digraph {",
        "  rankdir=LR",
        '  node [style=filled fontname="Helvetica" fontsize=12]',
        '  edge [fontname="Helvetica" fontsize=10 color="#444444"]',
        *(f"  n{number} [{_looks(node)}]" for number, node in enumerate(picture.nodes)),
        *(f"  n{edge.source} -> n{edge.target}{_attributes(edge)}" for edge in picture.edges),
        "}",
    ]
    return "".join(line + "\n" for line in lines)


def _looks(node: DrawnNode) -> str:
    colour = COLOURS[node.role]
    label = left_aligned(node.lines) if node.role is Role.LOCAL else centre(node.lines)
    return f'{_SHAPES[node.role]} color="{colour.line}" fillcolor="{colour.fill}" label={label}'


def _attributes(edge: DrawnEdge) -> str:
    attributes = []
    if edge.lines:
        attributes.append(f"label={centre(edge.lines)}")
    if edge.both_ways:
        attributes.append("dir=both")
    return f" [{' '.join(attributes)}]" if attributes else ""


def centre(lines: tuple[str, ...]) -> str:
    return '"' + r"\n".join(map(_escape, lines)) + '"'


def left_aligned(lines: tuple[str, ...]) -> str:
    return '"' + "".join(_escape(line) + r"\l" for line in lines) + '"'


def _escape(line: str) -> str:
    """Part of a label: Graphviz resolves backslashes and HTML entities in it."""
    return printable(line).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
