"""Blocks within a line: kept where the user wrote them, if they fit and contain no comment."""

from collections.abc import Sequence

from seriatim.frontends.ser.surface import Definition, For, Surface
from seriatim.frontends.ser.surface_printer import (
    Printer,
    Statement,
    definition_lines,
    loosest_condition,
    put_head,
    surface_printer,
)
from seriatim.frontends.ser.trivia import Trivia, end, start
from seriatim.program.expression_printer import Level, Spelling
from seriatim.program.printer import StatementPrinter
from seriatim.program.syntax import If, Number, While
from seriatim.source import Span

WIDTH = 100
"""The longest line with a block in it."""

Construct = If[Surface] | While[Surface] | For
"""A statement with blocks."""


def compact_definition(definition: Definition, spelling: Spelling, trivia: Trivia) -> str | None:
    """A definition on one line; None if it takes more."""
    items = definition_lines(definition)
    last = trivia.block(items[0].span).closing or items[-1].span
    printer = _CompactPrinter(spelling, trivia)
    if trivia.has_comment(start(definition.span), end(last)) or not printer.can_hold(definition.span, items):
        return None
    put_head(definition, printer.expressions)
    printer.block(items, "")
    return printer.text() if len(printer.text()) <= WIDTH else None


def compact_construct(
    construct: Construct, indentation: str, spelling: Spelling, trivia: Trivia
) -> str | None:
    """A construct with each block on the line of its header; None if that is impossible."""
    printer = _CompactPrinter(spelling, trivia)
    has_comment = trivia.has_comment(start(construct.span), end(construct.span))
    if has_comment or not all(
        printer.can_hold(head, printer.statements(body)) for head, body in _arms(construct)
    ):
        return None
    printer.construct(construct, indentation)
    width = max(map(len, printer.text().split("\n")))
    return printer.text() if len(indentation) + width <= WIDTH else None


def text_printer(spelling: Spelling, trivia: Trivia) -> Printer:
    """A printer of nothing where the text has nothing: in an empty block, after a bare `return`."""

    def is_written(part: Statement) -> bool:
        return not (isinstance(part, Number) and trivia.is_empty(part.span))

    return surface_printer(spelling, is_written)


def strip_zero(items: Sequence[Statement], printer: Printer) -> Sequence[Statement]:
    """The lines of a block, without the 0 that an empty one means, where one can be written."""
    can_be_empty = bool(printer.spelling.block_closing) or len(items) > 1
    match items:
        case [*others, Number() as last] if can_be_empty and not printer.is_written(last):
            return others
        case _:
            return items


class _CompactPrinter(StatementPrinter[Statement]):
    """Prints each block on the line of its header."""

    def __init__(self, spelling: Spelling, trivia: Trivia) -> None:
        super().__init__(text_printer(spelling, trivia), loosest_condition(spelling))
        self._trivia = trivia

    def can_hold(self, head: Span | None, items: Sequence[Statement]) -> bool:
        """Whether a header and its block stand on one line of the text, and may do so here."""
        opening = self._trivia.block(items[0].span).opening
        head, last = head or opening, items[-1].span
        has_blocks = any(isinstance(item, If | While | For) for item in items)
        return (
            head.line == opening.line == last.end_line
            and last.end_column - head.column <= WIDTH
            and bool(self.spelling.block_closing or not has_blocks)
        )

    def block(self, items: Sequence[Statement], indentation: str) -> None:  # noqa: ARG002 - no line begins
        self.put(self.spelling.block_opening, " ")
        for place, item in enumerate(written := strip_zero(items, self.expressions)):
            self.put("; " if place > 0 else "")
            self.expressions.inline(item, Level.STATEMENT)
        if self.spelling.block_closing:
            self.put(" " if written else "", self.spelling.block_closing)


def _arms(construct: Construct) -> list[tuple[Span | None, Surface]]:
    """The blocks of a construct, each with where its header begins, unless that is an `else`."""
    if isinstance(construct, While | For):
        return [(construct.span, construct.body)]
    found: list[tuple[Span | None, Surface]] = []
    rest: Surface | None = construct
    while isinstance(rest, If):
        found.append((rest.span, rest.then))
        rest = rest.otherwise
    return found if rest is None else [*found, (None, rest)]
