"""Programs in one fixed form: the text that the printer gives, with the comments and blank lines of the user.

Things are printed in the order of the text, each on a line of its own, and comments are taken along in that
order, each of them once: before a line begins, all comments come that stand before its end in the text. One
that follows the line before, on the same line, stays there. So no comment is lost and no two are swapped; and
since comments mean nothing to the parser, the result means what the printer's text means.

Formatting twice changes nothing, because every rule yields something that it leaves alone: what the text has
on one line stays there or is broken up, what is broken up is never joined, and comments and blank lines stand
between the same things as before.
"""

from collections import deque
from collections.abc import Sequence
from enum import Enum, auto

from seriatim.frontends.ser.compact import (
    compact_construct,
    compact_definition,
    strip_zero,
    text_printer,
)
from seriatim.frontends.ser.parser import parse, parse_surface
from seriatim.frontends.ser.surface import Declaration, Definition, For, SurfaceProgram
from seriatim.frontends.ser.surface_printer import (
    Statement,
    definition_lines,
    loosest_condition,
    put_declaration,
    put_head,
)
from seriatim.frontends.ser.trivia import Position, Trivia, end, start
from seriatim.program.expression_printer import SPELLINGS, Spelling, Style
from seriatim.program.printer import INDENTATION, StatementPrinter
from seriatim.program.recursion import deep_recursion
from seriatim.program.syntax import If, While


def format_text(text: str, style: Style | None = None) -> str:
    """The program in its fixed form, in a style or in its own; raises `InputError` if it has mistakes."""
    parse(text)
    program = parse_surface(text)
    trivia = Trivia(text)
    formatter = _Formatter(SPELLINGS[style or _style(program, trivia)], trivia)
    with deep_recursion():
        formatter.program(program)
    formatted = formatter.text()
    return formatted.replace("\n", "\r\n") if "\r\n" in text else formatted


def _style(program: SurfaceProgram, trivia: Trivia) -> Style:
    """The style of a text, braces or layout, as its first block shows it."""
    first = definition_lines(program.definitions[0])[0]
    return Style.LAYOUT if trivia.block(first.span).closing is None else Style.BRACES


class _Gap(Enum):
    """Whether a blank line comes before a line."""

    NEVER = auto()
    AS_WRITTEN = auto()
    ALWAYS = auto()


class _Formatter(StatementPrinter[Statement]):
    """Prints a program and takes its comments along."""

    def __init__(self, spelling: Spelling, trivia: Trivia) -> None:
        super().__init__(text_printer(spelling, trivia), loosest_condition(spelling))
        self._trivia = trivia
        self._comments = deque(trivia.comments)
        self._printed: Position = (0, 0)
        """The end, in the text, of the part that was printed last."""
        self._line = 0
        """The line of the text that was printed last, code or comment."""
        self._may_trail = False
        """Whether a comment may follow on the line that has been printed last."""
        self._gap = _Gap.AS_WRITTEN
        """Whether a blank line comes before the next line."""

    # The program

    def program(self, program: SurfaceProgram) -> None:
        before: Declaration | None = None
        for declaration in program.declarations:
            if before is not None and self._shares_line(before, declaration):
                self.put(", ")
                self._reach(end(declaration.span))
            else:
                self._next_line(start(declaration.span), end(declaration.span), "")
            put_declaration(declaration, self.expressions)
            before = declaration
        was_compact = False
        for definition in program.definitions:
            compact = compact_definition(definition, self.spelling, self._trivia)
            is_compact = compact is not None
            self._gap = _Gap.AS_WRITTEN if was_compact and is_compact else _Gap.ALWAYS
            self._definition(definition, compact)
            was_compact = is_compact
        self._flush(self._trivia.end, "")
        self.put("\n")

    def _shares_line(self, before: Declaration, declaration: Declaration) -> bool:
        span = declaration.span
        return before.span.end_line == span.line and not self._trivia.has_comment(start(span), end(span))

    def _definition(self, definition: Definition, compact: str | None) -> None:
        items = definition_lines(definition)
        place = self._trivia.block(items[0].span)
        if compact is None:
            self._next_line(start(definition.span), end(place.opening), "")
            put_head(definition, self.expressions)
            self.block(items, "")
        else:
            self._next_line(start(definition.span), end(place.closing or items[-1].span), "")
            self.put(compact)

    # Blocks over several lines

    def block(self, items: Sequence[Statement], indentation: str) -> None:
        place = self._trivia.block(items[0].span)
        inner = indentation + INDENTATION
        self.put(self.spelling.block_opening)
        opened = len(self.expressions.pieces)
        self._reach(end(place.opening))
        self._gap = _Gap.NEVER
        self.lines(strip_zero(items, self.expressions), inner)
        if place.closing is None:
            self._flush(self._trivia.next_line(self._printed), inner, place.margin)
        else:
            self._flush(start(place.closing), inner)
            self._reach(end(place.closing))
        is_empty = len(self.expressions.pieces) == opened
        self._gap = _Gap.AS_WRITTEN
        if self.spelling.block_closing:
            self.put(" " if is_empty else f"\n{indentation}", self.spelling.block_closing)
        self._may_trail = bool(self.spelling.block_closing) and place.closing is not None

    def statement(self, statement: Statement, indentation: str) -> None:
        compact = None
        if isinstance(statement, If | While | For):
            compact = compact_construct(statement, indentation, self.spelling, self._trivia)
        if compact is None:
            super().statement(statement, indentation)
        else:
            self._next_line(start(statement.span), end(statement.span), indentation)
            self.put(compact)

    def begin(self, statement: Statement, indentation: str) -> None:
        match statement:
            case If(then=body) | While(body=body) | For(body=body):
                last = end(self._trivia.block(self.statements(body)[0].span).opening)
            case _:
                last = end(statement.span)
        self._next_line(start(statement.span), last, indentation)

    def begin_else(self, body: Statement, indentation: str) -> None:
        # Where `else` follows a `}` on the line, comments before it come into its block: only there is room.
        if not self.spelling.else_follows_closing:
            opening = self._trivia.block(self.statements(body)[0].span).opening
            self._gap = _Gap.NEVER
            self._flush(end(opening), indentation)
        super().begin_else(body, indentation)

    # Lines and comments

    def _next_line(self, first: Position, last: Position, indentation: str) -> None:
        """Begins a line for what stands between two positions of the text, after the comments up to there."""
        self._flush(first, indentation)
        # Comments inside of it come before it.
        while self._comments and start(self._comments[0].span) < last:
            self._break(first[0], indentation)
            self.put(self._comments.popleft().text)
        self._break(first[0], indentation)
        self._reach(last)

    def _flush(self, limit: Position, indentation: str, margin: int = 0) -> None:
        """Prints comments before a position, as far as they stand to the right of a margin."""
        if self._comments and self._may_trail:
            place = self._comments[0].span
            if place.line == self._printed[0] and self._printed <= start(place) < limit:
                self.put("  ", self._comments.popleft().text)
                self._may_trail = False
        while self._comments:
            place = self._comments[0].span
            if start(place) >= limit or place.column <= margin:
                break
            self._break(place.line, indentation)
            self.put(self._comments.popleft().text)

    def _break(self, line: int, indentation: str) -> None:
        """A line break, and a blank line if one is due before a line of the text."""
        is_due = self._gap is _Gap.AS_WRITTEN and self._trivia.has_blank_line(self._line, line)
        if self.expressions.pieces:
            self.put("\n\n" if is_due or self._gap is _Gap.ALWAYS else "\n")
        self.put(indentation)
        self._gap = _Gap.AS_WRITTEN
        self._line = max(self._line, line)
        self._may_trail = False

    def _reach(self, position: Position) -> None:
        """Notes up to where the text has been printed."""
        self._printed = position
        self._line = max(self._line, position[0])
        self._may_trail = True
