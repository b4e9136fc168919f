"""The parts of a text that its tree lacks: comments, blank lines, and the places of blocks."""

from bisect import bisect_left
from dataclasses import dataclass

from seriatim.frontends.ser.layout import CLOSING
from seriatim.frontends.ser.lexer import comments, tokenize
from seriatim.source import Findings, Span

Position = tuple[int, int]
"""A line and a column."""


def start(span: Span) -> Position:
    return span.line, span.column


def end(span: Span) -> Position:
    return span.end_line, span.end_column


@dataclass(frozen=True, slots=True)
class BlockPlace:
    """Where a block stands in the text."""

    opening: Span
    """Its `{` or `:`."""
    closing: Span | None
    """Its `}`; None if it is an indented one."""
    margin: int
    """The column in which the line of its header begins."""


class Trivia:
    """The text of a program without mistakes, as far as its tree does not tell."""

    def __init__(self, text: str) -> None:
        self.comments = comments(text)
        self._comment_starts = [start(comment.span) for comment in self.comments]
        self._tokens = tokenize(text, Findings())
        self._token_starts = [start(token.span) for token in self._tokens]
        self._margins = {
            token.span.line: token.span.column for token in self._tokens if token.indentation is not None
        }
        self._closing = self._matching_brackets()
        lines = text.split("\n")
        self.end: Position = (len(lines) + 1, 0)
        """A position after everything."""
        self._blank_lines = [number for number, line in enumerate(lines, start=1) if not line.strip()]

    def _matching_brackets(self) -> dict[int, int]:
        """The closing bracket of each opening one, both by token number."""
        closing: dict[int, int] = {}
        opened: list[int] = []
        for place, token in enumerate(self._tokens):
            if token.text in CLOSING:
                opened.append(place)
            elif token.text in CLOSING.values():
                closing[opened.pop()] = place
        return closing

    def has_comment(self, first: Position, last: Position) -> bool:
        """Whether there is a comment between two positions."""
        return bisect_left(self._comment_starts, first) < bisect_left(self._comment_starts, last)

    def has_blank_line(self, first: int, last: int) -> bool:
        """Whether there is a blank line after a line and before another one."""
        return bisect_left(self._blank_lines, first + 1) < bisect_left(self._blank_lines, last)

    def next_line(self, position: Position) -> Position:
        """Where the next line begins that is neither blank nor a comment; or else the end of the text."""
        after = bisect_left(self._token_starts, (position[0] + 1, 0))
        return self._token_starts[min(after, len(self._tokens) - 1)]

    def block(self, first: Span) -> BlockPlace:
        """The block that begins with something: only brackets stand between its opening and that."""
        place = bisect_left(self._token_starts, start(first))
        while self._tokens[place - 1].text in ("(", "{", ":"):
            place -= 1
        opening = self._tokens[place]
        closing = self._closing.get(place)
        closing_span = None if closing is None else self._tokens[closing].span
        return BlockPlace(opening.span, closing_span, self._margins[opening.span.line])

    def is_empty(self, span: Span) -> bool:
        """Whether a number is not written there: the span is that of nothing, or of a block."""
        place = bisect_left(self._token_starts, start(span))
        return start(span) == end(span) or self._tokens[place].text == "{"
