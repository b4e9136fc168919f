"""Text to tokens; indentation becomes tokens of its own, and lines inside brackets are joined."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from seriatim.actions.words import KEYWORDS
from seriatim.source import Diagnostic, InputError, Span, quote

MAX_DIGITS = 30
MAX_TOKENS = 200_000


class Kind(Enum):
    NAME = auto()
    NUMBER = auto()
    KEYWORD = auto()
    SYMBOL = auto()
    LINE_END = auto()
    INDENT = auto()
    DEDENT = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Comment:
    """From `//` to the end of its line."""

    text: str
    line: int
    column: int
    alone: bool
    """Whether nothing else stands on its line."""


_TOKEN = re.compile(
    r"""(?P<blank>   [ \t]+ )
      | (?P<comment> //[^\n]* )
      | (?P<newline> \r?\n )
      | (?P<word>    \w+ )
      | (?P<symbol>  := | == | != | <= | >= | => | \.\. | [][():,<>+*\#-] )
      | (?P<odd>     . )
    """,
    re.VERBOSE,
)

_HINTS = {
    "=": "use `:=` to assign and `==` to compare",
    "%": "there is no remainder; write a comparison, such as `i + 1 if i < N else 1`",
    "/": "there is no division; comments begin with `//`",
    "&": "write `and`",
    "|": "write `or`",
    "!": "write `not`",
    "{": "blocks are made by a colon and indentation",
    "}": "blocks are made by a colon and indentation",
    ";": "write each statement on its own line",
}


def wrong(code: str, message: str, span: Span, hint: str | None = None) -> InputError:
    return InputError([Diagnostic(code, message, span, hint)])


def comments(text: str) -> list[Comment]:
    """All comments of a text, in order."""
    found: list[Comment] = []
    for number, line in enumerate(text.split("\n"), 1):
        before, mark, after = line.partition("//")
        if mark:
            found.append(Comment(f"//{after}".rstrip(), number, len(before) + 1, not before.strip()))
    return found


class Lexer:
    """Reads a text once."""

    def __init__(self, text: str, file: str) -> None:
        self._text = text
        self._file = file
        self._tokens: list[Token] = []
        self._levels = [0]
        self._depth = 0
        self._line = 1
        self._line_start = 0
        self._fresh = True

    def tokens(self) -> list[Token]:
        """All of them, the last one of kind `END`; raises `InputError`."""
        for match in _TOKEN.finditer(self._text):
            self._match(match)
            if len(self._tokens) > MAX_TOKENS:
                raise wrong("SER550", f"the program is longer than {MAX_TOKENS:,} words", self._span(match))
        end = len(self._text)
        here = Span(
            self._line, end - self._line_start + 1, self._line, end - self._line_start + 1, self._file
        )
        if not self._fresh:
            self._tokens.append(Token(Kind.LINE_END, "", here))
        self._tokens += [Token(Kind.DEDENT, "", here) for _ in self._levels[1:]]
        return [*self._tokens, Token(Kind.END, "", here)]

    def _span(self, match: re.Match[str]) -> Span:
        start, end = (position - self._line_start + 1 for position in match.span())
        return Span(self._line, start, self._line, end, self._file)

    def _match(self, match: re.Match[str]) -> None:
        kind, text, span = match.lastgroup, match.group(), self._span(match)
        match kind:
            case "blank" | "comment":
                return
            case "newline":
                if not self._fresh and not self._depth:
                    self._tokens.append(Token(Kind.LINE_END, "", span))
                    self._fresh = True
                self._line, self._line_start = self._line + 1, match.end()
                return
            case "odd":
                hint = _HINTS.get(text, "names consist of letters, digits and `_`")
                raise wrong("SER550", f"unexpected character {quote(text)}", span, hint)
        if self._fresh:
            self._indent(match, span)
            self._fresh = False
        self._tokens.append(Token(_kind(text, span), text, span))
        self._depth = max(0, self._depth + (text in "([") - (text in ")]"))

    def _indent(self, match: re.Match[str], span: Span) -> None:
        before = self._text[self._line_start : match.start()]
        if "\t" in before:
            raise wrong("SER550", "a tab in the indentation", span, "indent with spaces")
        width, here = len(before), Span(span.line, span.column, span.line, span.column, self._file)
        if width > self._levels[-1]:
            self._levels.append(width)
            self._tokens.append(Token(Kind.INDENT, "", here))
        while width < self._levels[-1]:
            self._levels.pop()
            self._tokens.append(Token(Kind.DEDENT, "", here))
        if width != self._levels[-1]:
            raise wrong("SER550", "this line is indented like no block around it", span, "align it with one")


def _kind(text: str, span: Span) -> Kind:
    if text in KEYWORDS:
        return Kind.KEYWORD
    if text.isascii() and text.isdigit():
        if len(text) > MAX_DIGITS:
            raise wrong("SER550", f"this number has {len(text):,} digits", span, f"use at most {MAX_DIGITS}")
        return Kind.NUMBER
    if text.isidentifier():
        return Kind.NAME
    if text[0].isalnum() or text[0] == "_":
        raise wrong("SER550", f"{quote(text)} is neither a number nor a name", span)
    return Kind.SYMBOL
