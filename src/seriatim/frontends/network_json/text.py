"""JSON texts as values, and the place of any value in its text."""

import json
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from seriatim.source import Diagnostic, InputError, SourceText, Span, quote

Value: TypeAlias = "str | float | bool | list[Value] | Members | None"

Path = tuple[int, ...]
"""The numbers of the members and items on the way from the root to a value."""

NAME = -1
"""The last number of a path that means the name of a member, not its value."""


@dataclass(frozen=True, slots=True)
class Members:
    """A JSON object; unlike a dictionary it keeps a name that is given twice."""

    pairs: list[tuple[str, Value]]


_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+')
_TRAILING_COMMA = re.compile(r",\s*[\]}]")
_HINTS = {
    "'": "put strings in double quotes",
    "/": "JSON has no comments",
    "#": "JSON has no comments",
}


def parse(source: SourceText, depth: int) -> Value:
    """The value of a text; raises `InputError` if the text is not JSON or nests too deeply for Python.

    Where the second happens, the error shows the first value that is nested deeper than `depth`.
    """

    text = source.text

    def refuse(constant: str) -> float:
        place = next(token for token in _TOKEN.finditer(text) if token.group() == constant)
        raise _error(source, f"`{constant}` is not JSON", *place.span())

    try:
        # Integers as floats: Python refuses to read very long ones as integers.
        value: Value = json.loads(text, object_pairs_hook=Members, parse_int=float, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise _unexpected(source, error) from None
    except RecursionError:
        start = _first_deeper(text, depth)
        raise _error(source, "lists and objects are nested too deeply", start, start + 1) from None
    return value


def _unexpected(source: SourceText, error: json.JSONDecodeError) -> InputError:
    text = source.text
    if error.msg.startswith("Unterminated string"):
        return _error(source, "this string does not end", error.pos, error.pos + 1)
    if not text[error.pos :].strip():
        end = len(text.rstrip())
        return _error(source, "the text ends where more JSON should follow", end, end)
    place, hint = error.pos, _HINTS.get(text[error.pos])
    comma = _TRAILING_COMMA.match(text, max(0, text.rfind(",", 0, place + 1)))
    if comma is not None and comma.end() > place:
        # Some versions of Python complain about the comma, some about the bracket.
        place, hint = comma.start(), "remove the comma after the last entry"
    return _error(source, f"not JSON: unexpected {quote(text[place])}", place, place + 1, hint)


def _error(source: SourceText, message: str, start: int, end: int, hint: str | None = None) -> InputError:
    return InputError([Diagnostic("SER101", message, Lines(source).span(start, end), hint)])


def _first_deeper(text: str, depth: int) -> int:
    """Where the first list or object begins that is nested deeper than this."""
    opened = 0
    for token in _TOKEN.finditer(text):
        if token.group() in "[{":
            opened += 1
            if opened > depth:
                return token.start()
        elif token.group() in "]}":
            opened -= 1
    return 0  # Nothing is: the caller has left Python no room.


class Lines:
    """Offsets of a text as lines and columns."""

    def __init__(self, source: SourceText) -> None:
        self._starts = [0, *(found.end() for found in re.finditer("\n", source.text))]
        self._file = source.name

    def span(self, start: int, end: int) -> Span:
        return Span(*self._place(start), *self._place(end), self._file)

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def locate(source: SourceText, wanted: Collection[Path]) -> dict[Path, Span]:
    """The places of some values in a text that is JSON."""
    lines = Lines(source)
    depth = max(map(len, wanted), default=0)
    return {
        path: lines.span(start, end) for path, start, end in _stretches(source.text, depth) if path in wanted
    }


def _stretches(text: str, depth: int) -> Iterator[tuple[Path, int, int]]:
    """Where each value and each name of a member begins and ends, down to a depth.

    A name comes twice, the first time at the path of its value; the value itself comes later.
    """
    path: list[int] = []
    opened: list[int] = []
    start = end = 0
    for token in _TOKEN.finditer(text):
        match token.group():
            case "[" | "{":
                opened.append(token.start())
                path.append(0)
                continue
            case ",":
                path[-1] += 1
                continue
            case ":":
                if len(path) < depth:
                    yield (*path, NAME), start, end
                continue
            case "]" | "}":
                path.pop()
                start, end = opened.pop(), token.end()
            case _:
                start, end = token.span()
        if len(path) <= depth:
            yield tuple(path), start, end
