"""Pictures for Graphviz."""

from seriatim.report.show.pictures import COLOURS, Edge, Node, Picture, Role
from seriatim.report.text_width import printable

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

_LEFT_ALIGNED = r"\l"
_CENTRED = r"\n"


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


def _looks(node: Node) -> str:
    colour = COLOURS[node.role]
    label = _quoted(node.lines, _LEFT_ALIGNED if node.role is Role.LOCAL else _CENTRED)
    return f'{_SHAPES[node.role]} color="{colour.line}" fillcolor="{colour.fill}" label={label}'


def _attributes(edge: Edge) -> str:
    attributes = []
    if edge.lines:
        attributes.append(f"label={_quoted(edge.lines, _CENTRED)}")
    if edge.both_ways:
        attributes.append("dir=both")
    return f" [{' '.join(attributes)}]" if attributes else ""


def _quoted(lines: tuple[str, ...], line_end: str) -> str:
    """A label, with each line's end; Graphviz resolves backslashes and HTML entities in it."""
    end = line_end if line_end == _LEFT_ALIGNED else ""
    return '"' + line_end.join(_escaped(line) for line in lines) + end + '"'


def _escaped(line: str) -> str:
    return printable(line).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
