"""The colours of graphs; shapes are each format's own."""

from dataclasses import dataclass

from seriatim.explain.picture import Role


@dataclass(frozen=True, slots=True)
class Colour:
    line: str
    fill: str


_BLACK = Colour("#000000", "#000000")
_GREEN = Colour("#2e7d32", "#dff2df")
_RED = Colour("#b03a2e", "#fae0dd")
_YELLOW = Colour("#a88a10", "#fff8d6")
_BLUE = Colour("#2c6fad", "#dceaf8")
_GREY = Colour("#555555", "#eeeeee")

COLOURS = {
    Role.START: _BLACK,
    Role.REQUEST: _GREEN,
    Role.RESPONSE: _RED,
    Role.LOCAL: _YELLOW,
    Role.STATE: _BLUE,
    Role.GLOBAL: _BLUE,
    Role.IN_FLIGHT: _YELLOW,
    Role.ANSWERED: _RED,
    Role.TRANSITION: _GREY,
    Role.MORE: Colour("#999999", "#ffffff"),
}
"""The colours of the paper's figures."""
