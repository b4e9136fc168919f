"""Splits a script into pieces before parsing: statements, backslash commands, comments on lines of their own.

A semicolon in a string, quoted name, dollar quote or comment ends no statement.
"""

import re
from dataclasses import dataclass
from enum import Enum, auto

from seriatim.source import Span


class Kind(Enum):
    STATEMENT = auto()
    COMMAND = auto()
    """A line that starts with a backslash."""
    COMMENT = auto()
    """A line that starts with two hyphens, between statements."""
    STRAY = auto()
    """The header of a transaction, inside a statement that has not ended."""


@dataclass(frozen=True, slots=True)
class Piece:
    kind: Kind
    text: str
    span: Span
    gset: str | None = None
    """The prefix after the `\\gset` that ends the statement; None without `\\gset`."""


_QUOTED = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$).*?\1|--[^\n]*|/\*.*?\*/""",
    re.DOTALL,
)


_HEADER = re.compile(r"--\s*transaction\s*:", re.IGNORECASE)


_GSET = re.compile(r"\\gset\b[ \t]*(\w*)[ \t]*(?:--[^\n]*)?")


def split(text: str, name: str) -> list[Piece]:
    """Splits a script into its statements and comments, in order."""
    return _Splitter(text, name).split()


class _Splitter:
    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.found: list[Piece] = []
        self.open: list[str] = []
        """The parts of the statement that is open; comments are blanks."""
        self.start: int | None = None

    def split(self) -> list[Piece]:
        position = 0
        while position < len(self.text):
            position = self._step(position)
        self._close(None)
        return self.found

    def _step(self, position: int) -> int:
        """Reads the token at a position, and returns the position after it."""
        text = self.text
        if self.start is None and text[position].isspace():
            return position + 1
        if self.start is None and text.startswith(("--", "\\"), position):
            end = text.find("\n", position)
            end = len(text) if end < 0 else end
            is_comment = text[position] == "-"
            body = text[position:end].removeprefix("--").strip()
            kind = Kind.COMMENT if is_comment else Kind.COMMAND
            self.found.append(Piece(kind, body, self._span(position, end)))
            return end
        quoted = _QUOTED.match(text, position)
        if quoted is not None:
            is_comment = text.startswith(("--", "/*"), position)
            alone = not text[text.rfind("\n", 0, position) + 1 : position].strip()
            if alone and self.start is not None and _HEADER.match(quoted.group()):
                self._close(None)
                span = self._span(position, quoted.end())
                body = quoted.group().removeprefix("--").strip()
                self.found += [Piece(Kind.STRAY, body, span), Piece(Kind.COMMENT, body, span)]
                return quoted.end()
            if not is_comment and self.start is None:
                self.start = position
            if self.start is not None:
                self.open.append(_blank(quoted.group()) if is_comment else quoted.group())
            return quoted.end()
        gset = _GSET.match(text, position)
        if gset is not None:
            self._close(gset.group(1))
            return gset.end()
        if text[position] == ";":
            self._close(None)
            return position + 1
        if self.start is None:
            self.start = position
        self.open.append(text[position])
        return position + 1

    def _close(self, gset: str | None) -> None:
        """Ends the open statement, if there is one."""
        body = "".join(self.open)
        if self.start is not None and body.strip():
            self.found.append(
                Piece(
                    Kind.STATEMENT,
                    body.strip(),
                    self._span(self.start, self.start + len(body.rstrip())),
                    gset,
                )
            )
        self.open = []
        self.start = None

    def _span(self, start: int, end: int) -> Span:
        return Span(*self._place(start), *self._place(end), self.name)

    def _place(self, position: int) -> tuple[int, int]:
        before = self.text.count("\n", 0, position)
        return before + 1, position - (self.text.rfind("\n", 0, position) + 1) + 1


def _blank(comment: str) -> str:
    """Replaces a comment by blanks, so that places in the text stay the same."""
    return "".join("\n" if c == "\n" else " " for c in comment)
