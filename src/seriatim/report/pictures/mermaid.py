"""Pictures for Mermaid, as flowcharts."""

import re

from seriatim.explain.picture import DrawnEdge, Picture, Role
from seriatim.report.pictures.colours import COLOURS
from seriatim.text_width import printable

_BRACKETS = {
    Role.START: ("((", "))"),
    Role.REQUEST: ("{", "}"),
    Role.RESPONSE: ("{", "}"),
    Role.LOCAL: ("(", ")"),
    Role.STATE: ("([", "])"),
    Role.GLOBAL: ("([", "])"),
    Role.IN_FLIGHT: ("([", "])"),
    Role.ANSWERED: ("([", "])"),
    Role.TRANSITION: ("[", "]"),
    Role.MORE: ("(", ")"),
}

_MARKUP = re.compile(r"[^0-9A-Za-z ,:=/!?\u0080-\U0010ffff]")
"""What is not plain text in a label; Mermaid reads some of it as markup, depending on its version."""


def mermaid(picture: Picture) -> str:
    lines = ["flowchart LR"]
    for number, node in enumerate(picture.nodes):
        opening, closing = _BRACKETS[node.role]
        lines.append(f"    n{number}{opening}{_quote(node.lines)}{closing}:::{node.role}")
    lines += [f"    n{edge.source} {_arrow(edge)} n{edge.target}" for edge in picture.edges]
    for role in dict.fromkeys(node.role for node in picture.nodes):
        colour = COLOURS[role]
        # Mermaid's own colour of text depends on the theme of the page; the fill does not.
        looks = f"fill:{colour.fill},stroke:{colour.line},color:#000000"
        alignment = ",text-align:left" if role is Role.LOCAL else ""
        lines.append(f"    classDef {role} {looks}{alignment}")
    return "".join(line + "\n" for line in lines)


def _arrow(edge: DrawnEdge) -> str:
    arrow = "<-->" if edge.both_ways else "-->"
    return f"{arrow}|{_quote(edge.lines)}|" if edge.lines else arrow


def _quote(lines: tuple[str, ...]) -> str:
    return '"' + ("<br/>".join(map(escape_line, lines)) or " ") + '"'


def escape_line(line: str) -> str:
    return _MARKUP.sub(lambda found: f"#{ord(found.group())};", printable(line))
