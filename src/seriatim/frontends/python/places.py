"""Places in a Python text, and what is refused there."""

import ast
from collections.abc import Iterable

from seriatim.source import Diagnostic, InputError, SourceText, Span


class Refused(Exception):
    """Something that is not translated; says where, why, and what would help."""

    def __init__(
        self, code: str, message: str, node: ast.AST | int, hint: str, follows: bool = False
    ) -> None:
        super().__init__(message)
        self.follows = follows
        """Whether it follows from something else that is refused."""
        self.code = code
        self.message = message
        self.node = node
        self.hint = hint


class Places:
    """The places of the nodes of one text."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.lines = source.text.split("\n")

    def span(self, node: ast.AST) -> Span:
        line = getattr(node, "lineno", 0)
        if line == 0:
            return Span(1, 1, 1, 1, self.source.name)
        end_line = getattr(node, "end_lineno", line) or line
        start, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", 0) or 0
        return Span(line, self._column(line, start), end_line, self._column(end_line, end), self.source.name)

    def line_span(self, line: int) -> Span:
        """A whole line, without what indents it."""
        text = self.lines[line - 1].rstrip()
        first = len(text) - len(text.lstrip()) + 1
        return Span(line, first, line, len(text) + 1, self.source.name)

    def _column(self, line: int, offset: int) -> int:
        """From 1, in characters; Python counts bytes of UTF-8."""
        encoded = self.lines[line - 1].encode()
        return len(encoded[:offset].decode(errors="replace")) + 1

    def diagnostic(self, refused: Refused) -> Diagnostic:
        node = refused.node
        span = self.line_span(node) if isinstance(node, int) else self.span(node)
        if span.line != span.end_line:  # The first line says enough.
            span = self.line_span(span.line)
        return Diagnostic(refused.code, refused.message, span, refused.hint)

    def error(self, refusals: Iterable[Refused]) -> InputError:
        """All of them, in the order of the text, each once."""
        found: dict[tuple[str, Span | None, str], Diagnostic] = {}
        for each in map(
            self.diagnostic, refusals
        ):  # An object may be state in two places, `self` and a variable.
            found.setdefault((each.code, each.span, each.hint or each.message), each)
        return InputError(
            sorted(found.values(), key=lambda each: (each.span or Span(0, 0, 0, 0), each.message))
        )


def quote_code(node: ast.AST) -> str:
    """A piece of the text for a message: short, on one line."""
    text = " ".join(ast.unparse(node).split())
    return f"`{text if len(text) <= 50 else text[:49] + '…'}`"
