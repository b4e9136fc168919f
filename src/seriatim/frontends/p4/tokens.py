"""Splits text into tokens; keeps only the comments for `ser`, and marks lines that begin with `#`."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from seriatim.frontends.p4.refusal import SYNTAX, refuse
from seriatim.frontends.p4.syntax import Mark
from seriatim.source import InputError, Span, quote

MAX_TOKENS = 500_000

KEYWORDS = frozenset(
    (
        "abstract",
        "action",
        "bit",
        "bool",
        "const",
        "control",
        "default",
        "else",
        "enum",
        "error",
        "exit",
        "extern",
        "false",
        "header",
        "header_union",
        "if",
        "in",
        "inout",
        "int",
        "match_kind",
        "out",
        "package",
        "parser",
        "return",
        "select",
        "string",
        "struct",
        "switch",
        "table",
        "transition",
        "true",
        "tuple",
        "typedef",
        "varbit",
        "void",
        "_",
    )
)
"""Words that cannot be names. Others, such as `key`, are keywords only in some places."""


class Kind(Enum):
    NAME = auto()
    NUMBER = auto()
    STRING = auto()
    SYMBOL = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str
    span: Span
    is_glued: bool = False
    """Whether the token follows another one without a blank: `>` `>` is a shift only then."""


@dataclass(frozen=True, slots=True)
class Line:
    """The tokens of a line; if it is a directive, those after `#`."""

    tokens: tuple[Token, ...]
    is_directive: bool
    text: str
    number: int


_TOKEN = re.compile(
    r"""(?P<blank>   [ \t\r\f]+ | \\[ \t\r]*\n )
      | (?P<newline> \n )
      | (?P<comment> //[^\n]* | /\*.*?\*/ )
      | (?P<open>    /\* )
      | (?P<string>  "(?:\\.|[^"\\])*" )
      | (?P<number>  [0-9][0-9A-Za-z_]* )
      | (?P<name>    [A-Za-z_][A-Za-z0-9_]* )
      | (?P<symbol>  \|\+\| | \|-\| | &&& | \.\. | == | != | <= | >= | && | \|\| | << | \+\+
                   | \+= | -= | \*= | \|= | &= | \^= | [][(){}<>.,:;=+*/%&|^~!?@\#-] )
      | (?P<odd>     . )
    """,
    re.VERBOSE | re.DOTALL,
)

_MARK = re.compile(r"(?://|/\*)\s*ser:(?P<text>.*?)(?:\*/)?$", re.DOTALL)

_NUMBER = re.compile(
    r"(?:(?P<width>[0-9]+)(?P<sign>[ws]))?"
    r"(?:0[xX](?P<hex>[0-9a-fA-F_]+)|0[bB](?P<bin>[01_]+)|0[oO](?P<oct>[0-7_]+)|(?:0[dD])?(?P<dec>[0-9_]+))"
)


class Lexer:
    """Splits one text; `marks` are its comments for `ser`."""

    def __init__(self, text: str, file: str) -> None:
        self._text = text
        self._file = file
        self.marks: list[Mark] = []
        self._lines: list[Line] = []
        self._tokens: list[Token] = []
        self._line = 1
        self._line_start = 0
        self._first_line = 1
        self._first = 0

    def lines(self) -> list[Line]:
        """All lines that have tokens; raises `InputError`. A backslash at the end continues a line."""
        for count, match in enumerate(_TOKEN.finditer(self._text)):
            self._take(match)
            if count > MAX_TOKENS:
                raise refuse(SYNTAX, f"the program has more than {MAX_TOKENS:,} words", self._span(match))
        self._end_line(len(self._text))
        return self._lines

    def end(self) -> Token:
        """The token for the end of the text."""
        column = len(self._text) - self._line_start + 1
        return Token(Kind.END, "", Span(self._line, column, self._line, column, self._file))

    def _span(self, match: re.Match[str]) -> Span:
        start = match.start() - self._line_start + 1
        text = match.group()
        breaks = text.count("\n")
        if not breaks:
            return Span(self._line, start, self._line, start + len(text), self._file)
        return Span(self._line, start, self._line + breaks, len(text) - text.rfind("\n"), self._file)

    def _take(self, match: re.Match[str]) -> None:
        text, span = match.group(), self._span(match)
        match match.lastgroup:
            case "newline":
                self._end_line(match.start())
                self._break(match)
                self._first_line, self._first = self._line, match.end()
            case "blank" | "comment":
                mark = _MARK.match(text)
                if mark is not None:
                    self.marks.append(Mark(mark["text"].strip(), span))
                self._break(match)
            case "open":
                raise refuse(SYNTAX, "this comment does not end", span.first(2), "close it with `*/`")
            case "odd":
                raise refuse(SYNTAX, f"unexpected character {quote(text)}", span, _hint(text))
            case group:
                kind = {"name": Kind.NAME, "number": Kind.NUMBER, "string": Kind.STRING}
                if group == "number":
                    number_of(text, span)
                before = self._tokens[-1].span if self._tokens else None
                is_glued = before is not None and before.after() == span.first(0)
                self._tokens.append(Token(kind.get(group or "", Kind.SYMBOL), text, span, is_glued))
                self._break(match)

    def _break(self, match: re.Match[str]) -> None:
        """Counts the lines that end in a match."""
        text = match.group()
        breaks = text.count("\n")
        if breaks:
            self._line += breaks
            self._line_start = match.start() + text.rfind("\n") + 1

    def _end_line(self, position: int) -> None:
        if self._tokens:
            is_directive = self._tokens[0].text == "#"
            tokens = tuple(self._tokens[is_directive:])
            text = self._text[self._first : position]
            self._lines.append(Line(tokens, is_directive, text, self._first_line))
            self._tokens = []


def _hint(text: str) -> str | None:
    if text == '"':
        return "this string does not end"
    return "text in P4 is ASCII, except in comments" if not text.isascii() else None


def number_of(text: str, span: Span) -> tuple[int, int | None, bool]:
    """Value, width and sign of a number; raises `InputError`."""
    match = _NUMBER.fullmatch(text)
    digits = "" if match is None else next(filter(None, match.group("hex", "bin", "oct", "dec"))).strip("_")
    if match is None or not digits:
        hint = "numbers look like 10, 0xff, 0b101, 8w10 (8 bits) or 8s10 (8 bits, signed)"
        raise refuse(SYNTAX, f"{quote(text)} is not a number", span, hint)
    if len(digits) > 1000:
        raise _too_long(span)
    base = 16 if match["hex"] else 2 if match["bin"] else 8 if match["oct"] else 10
    width = None if match["width"] is None else int(match["width"][:6])
    value = int(digits.replace("_", ""), base)
    signed = match["sign"] == "s"
    if width is not None:
        value &= (1 << width) - 1
        if signed and width and value >> (width - 1):
            value -= 1 << width
    return value, width, signed


def _too_long(span: Span) -> InputError:
    return refuse(SYNTAX, "this number has more than 1,000 digits", span)
