"""How texts look: how wide they may be, in which characters, in colour or not."""

from dataclasses import dataclass
from enum import StrEnum

MARGIN = "  "


class Style(StrEnum):
    """Terminal attributes, named by their meaning."""

    PLAIN = ""
    STRONG = "1"
    FAINT = "2"
    BAD = "1;31"
    GOOD = "1;32"
    CHANGE = "33"


@dataclass(frozen=True, slots=True)
class Symbols:
    """The characters that some terminals cannot show."""

    arrow: str
    times: str
    bar: str
    rule: str
    crossing: str
    ellipsis: str
    holds: str
    fails: str


UNICODE = Symbols("➜", "×", "│", "─", "┼", "…", "✓", "✗")
ASCII = Symbols("->", "x", "|", "-", "+", "...", "ok", "FAILS")


@dataclass(frozen=True, slots=True)
class TextLook:
    """The width, characters and colours that a text may use."""

    width: int = 80
    symbols: Symbols = UNICODE
    color: bool = False

    def paint(self, text: str, style: Style) -> str:
        if not self.color or style is Style.PLAIN or not text:
            return text
        return f"\033[{style}m{text}\033[0m"


def symbols_for(encoding: str) -> Symbols:
    """The nicest symbols that an encoding has."""
    try:
        "".join(getattr(UNICODE, name) for name in Symbols.__match_args__).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE
