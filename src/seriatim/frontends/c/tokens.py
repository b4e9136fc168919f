"""The words of a C text, with their places: comments are gone, lines that end in `\\` continue."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.frontends.c.refusing import refuse
from seriatim.source import Span

ASSERTION = "__seriatim_assert"
"""What the comment `//@ assert e;` calls."""

_TOKEN = re.compile(
    r"""(?P<splice>\\[ \t]*\r?\n)
      | (?P<newline>\r?\n)
      | (?P<blank>[ \t\f\v\r]+)
      | //@\s*assert\b(?P<claim>[^\n]*)
      | (?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?\*/)
      | (?P<string>(?:u8|[LuU])?"(?:\\.|[^"\\\n])*")
      | (?P<character>[LuU]?'(?:\\.|[^'\\\n])*')
      | (?P<name>[A-Za-z_$][\w$]*)
      | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
      | (?P<sign>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|.)""",
    re.DOTALL | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    """`name`, `number`, `character`, `string` or `sign`."""
    text: str
    line: int
    column: int
    is_spaced: bool = False
    """Whether something blank precedes it."""
    hidden: frozenset[str] = frozenset()
    """Macros that do not replace it: it comes from their own text."""


def tokenize(text: str, file: str) -> Iterator[list[Token]]:
    """The lines of a text; one that continues is one line."""
    line, start = 1, 0
    found: list[Token] = []
    is_blank = True
    was_splice = False
    for match in _TOKEN.finditer(text):
        kind, column = match.lastgroup or "sign", match.start() - start + 1
        written = match.group()
        if kind == "newline":
            yield found
            found = []
        elif kind == "claim":
            found += _claim(match.group("claim"), line, column, file)
        elif kind in ("comment", "blank", "splice"):
            pass
        else:
            if was_splice and kind in ("name", "number") and found and not is_blank:
                refuse("a word on two lines", Span(line, 1, line, 2, file), "write it on one line")
            found.append(Token(kind, written, line, column, is_blank))
        was_splice = kind == "splice"
        is_blank = kind in ("comment", "blank", "newline") or (is_blank and was_splice)
        line += written.count("\n")
        if "\n" in written:
            start = match.start() + written.rfind("\n") + 1
    yield found


def _claim(text: str, line: int, column: int, file: str) -> Iterator[Token]:
    """`assert e;` in a comment, as a call."""
    condition = text.strip().rstrip(";").replace("\\true", "1").replace("\\false", "0")
    yield Token("name", ASSERTION, line, column)
    yield Token("sign", "(", line, column)
    for tokens in tokenize(condition, file):
        for each in tokens:
            yield Token(each.kind, each.text, line, column, each.is_spaced)
    yield Token("sign", ")", line, column)
    yield Token("sign", ";", line, column)
