"""The grammar of blocks, in brackets or by indentation; subclasses read their contents."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeVar

from seriatim.frontends.ser.layout import CLOSING, SAME_LINE, Cursor, Place, describe, place
from seriatim.frontends.ser.lexer import Kind, Token
from seriatim.frontends.ser.surface import For, Parameter, Range, Surface
from seriatim.program.expression_printer import LEVELS
from seriatim.program.syntax import MAX_DEPTH, If, Number, While, sequence
from seriatim.source import Findings, InputError, Span, quote

Content = TypeVar("Content")

_OPERATORS = frozenset(operator.value for operator in LEVELS)


class StatementLost(Exception):
    """The rest of a statement cannot be read; the mistake has been reported."""


class BlockParser(Cursor, ABC):
    """Reads brackets, indented lines, and the two constructs that have blocks."""

    def __init__(self, tokens: list[Token], findings: Findings) -> None:
        super().__init__(tokens, findings)
        self.open: list[Token] = []
        """The brackets around, outermost first."""
        self.block_may_follow = False
        """Whether the innermost bracket is the parenthesis of a condition."""
        self._constructs = 0
        self._unclosed_told_at = -1

    @abstractmethod
    def read_line(self) -> list[Surface]:
        """Statements up to the end of the line, or of the bracket where lines do not matter."""

    @abstractmethod
    def read_condition(self) -> Surface: ...

    @abstractmethod
    def read_range(self) -> Range: ...

    def lost(self, code: str, message: str, hint: str) -> StatementLost:
        """Reports a mistake at the current token, unless the lexer has done so; to be raised."""
        if self.current.kind is not Kind.WRONG:
            self.findings.report(code, message, self.here, hint)
        return StatementLost()

    # Brackets

    def read_parentheses(self) -> Surface:
        block_may_follow = self.previous.text in ("if", "elif", "while")
        opening = self.ahead
        found = len(self.findings)
        items = self.read_bracketed(self.read_line, block_may_follow)
        if not items and len(self.findings) == found:
            self.findings.report(
                "SER005",
                "expected an expression between `(` and `)`",
                self.previous.span,
                "write what is meant, or remove the parentheses",
            )
        return _join(items, opening.span.to(self.previous.span))

    def read_braces(self) -> Surface:
        opening = self.ahead
        items = self.read_bracketed(self.read_line)
        return _join(items, opening.span.to(self.previous.span))

    def read_bracketed(self, read: Callable[[], Content], block_may_follow: bool = False) -> Content:
        """What `read` finds between the bracket ahead and the one that closes it.

        Lines do not matter in it: what follows still belongs to the line on which the statement began.
        """
        opening = self.advance()
        indentation = self.line_indentation
        if len(self.open) == MAX_DEPTH:
            raise self._too_deep(opening)
        self.open.append(opening)
        around = self.block, self.block_may_follow
        self.block, self.block_may_follow = None, block_may_follow
        content = read()
        self.block, self.block_may_follow = around
        self.open.pop()
        if self.ahead.text == CLOSING[opening.text]:
            self.advance()
        elif self._unclosed_told_at != self.position:
            self._unclosed_told_at = self.position
            self.findings.report(
                "SER007",
                f"this {quote(opening.text)} is never closed",
                opening.span,
                f"write {quote(CLOSING[opening.text])} where it ends",
            )
        self.line_indentation = indentation
        return content

    def _too_deep(self, token: Token) -> InputError:
        report_depth(token.span, self.findings)
        return self.findings.error()

    # Constructs

    def read_construct(self) -> Surface:
        """An `if`, a `while` or a `for`."""
        keyword = self.advance()
        if self._constructs == MAX_DEPTH:
            raise self._too_deep(keyword)
        self._constructs += 1
        try:
            match keyword.text:
                case "if":
                    return self._conditional(keyword)
                case "for":
                    return self._for_each(keyword)
                case _:
                    return self._loop(keyword)
        finally:
            self._constructs -= 1

    def _loop(self, keyword: Token) -> While[Surface]:
        condition = self.read_condition()
        body = self.read_block("the condition", begins_line=keyword.indentation is not None)
        return While(condition, body, keyword.span.to(self.previous.span))

    def _for_each(self, keyword: Token) -> For:
        name = self.advance()
        if not self.take("in"):
            found = describe(self.current)
            hint = "a loop is written `for i in 0..2 { … }`"
            raise self.lost(
                "SER058", f"expected `in` and a range after `for {name.text}`, found {found}", hint
            )
        variable = Parameter(name.text, self.read_range(), name.span.to(self.previous.span))
        body = self.read_block("the range", begins_line=keyword.indentation is not None)
        return For(variable, body, keyword.span.to(self.previous.span))

    def _conditional(self, keyword: Token) -> If[Surface]:
        begins_line = keyword.indentation is not None
        indentation = self.line_indentation
        arms: list[tuple[Token, Surface, Surface]] = []
        otherwise: Surface | None = None
        word = keyword
        while True:
            condition = self.read_condition()
            arms.append((word, condition, self.read_block("the condition", begins_line)))
            if not self._else_follows(indentation):
                break
            word = self.advance()
            if word.text == "else" and not self.take("if"):
                otherwise = self.read_block("`else`", begins_line)
                break
        word, condition, then = arms.pop()
        conditional = If(condition, then, otherwise, word.span.to(self.previous.span))
        for word, condition, then in reversed(arms):
            conditional = If(condition, then, conditional, word.span.to(self.previous.span))
        return conditional

    def _else_follows(self, indentation: str) -> bool:
        token = self.ahead
        if token.text not in ("else", "elif") or self.following.text in (":=", "="):
            return False
        if self.block is None or token.indentation is None:
            return True
        if self.block == SAME_LINE or token.indentation != indentation:
            return False
        self.begin_line()
        return True

    # Blocks

    def read_block(self, after: str, begins_line: bool) -> Surface:
        """`{ … }`, or `:` and the rest of the line or deeper lines, where the header begins its line."""
        outer = self.line_indentation
        if self.ahead.text == "{":
            return self.read_braces()
        if self.current.text == ":":
            self._allow_colon(begins_line)
            self.advance()
            return self._rest_of_line() if self.ahead.indentation is None else self._parse_indented(outer)
        if self.block is not None and begins_line:
            usual, expected, hint = "`:`", "`{` or `:`", "a block is `{ … }`, or `:` and an indented block"
        else:
            usual, expected, hint = "`{`", "`{`", "a block is `{ … }` here"
        if self._deeper_line_follows(outer):
            self.findings.report("SER013", f"expected {usual} after {after}", self.end, hint)
            return self._parse_indented(outer)
        raise self.lost("SER013", f"expected {expected} after {after}, found {describe(self.current)}", hint)

    def _allow_colon(self, begins_line: bool) -> None:
        if self.block is None:
            raise self.lost("SER015", "a block after `:` cannot be inside brackets", "write `{ … }`")
        if not begins_line:
            raise self.lost(
                "SER015",
                "a block after `:` belongs to a word that begins its line",
                "begin a new line before that word, or write `{ … }`",
            )

    def _rest_of_line(self) -> Surface:
        around, self.block = self.block, SAME_LINE
        items = self.read_line()
        self.block = around
        return _join(items, self.end)

    def _deeper_line_follows(self, outer: str) -> bool:
        if self.current.kind is not Kind.LINE_END or self.at_handler_end():
            return False
        return place(self.ahead.indentation or "", outer, outer) is Place.DEEPER

    def _parse_indented(self, outer: str) -> Surface:
        first = self.ahead
        inner = first.indentation or ""
        if self.at_handler_end() or outer.startswith(inner):
            self.findings.report(
                "SER016",
                "expected an indented block after `:`",
                self.end,
                "indent its statements deeper than the line before; a block that does nothing is `0`",
            )
            return Number(0, self.end)
        told = {Place.INSIDE}
        if not inner.startswith(outer):
            self._tell_place(Place.MIXED, first)
            told.add(Place.MIXED)
        around, self.block = self.block, inner
        items: list[Surface] = []
        while (found := self._next_line(outer, inner)) is not Place.OUTSIDE:
            # A misaligned `else` belongs to no `if`; this is reported where it is read.
            if found not in told and self.ahead.text not in ("else", "elif"):
                self._tell_place(found, first)
                told.add(found)
            self.begin_line()
            if found is Place.DEEPER and self.ahead.text in _OPERATORS:
                self.skip()  # Meant to continue the expression of the line before; already reported.
                self.take(";")
            items += self.read_line()
        self.block = around
        return _join(items, self.end)

    def _next_line(self, outer: str, inner: str) -> Place:
        if self.at_handler_end():
            return Place.OUTSIDE
        return place(self.ahead.indentation or "", outer, inner)

    def _tell_place(self, found: Place, first: Token) -> None:
        """Reports that the next line is not aligned with the first line of the block."""
        line = self.ahead.span
        if found is Place.MIXED:
            self.findings.report(
                "SER018",
                "the tabs and spaces before this line do not match those of the lines around it",
                Span(line.line, 1, line.line, line.column, line.file),
                "indent all lines of a block with the same characters",
            )
        else:
            what = "is indented deeper than" if found is Place.DEEPER else "is not aligned with"
            self.findings.report(
                "SER017",
                f"this line {what} its block",
                line,
                f"align it with line {first.span.line}; to continue an expression, use parentheses",
            )


def report_depth(span: Span, findings: Findings) -> None:
    findings.report(
        "SER028",
        f"the program nests more than {MAX_DEPTH:,} levels deep",
        span,
        "store parts of the expression in variables",
    )


def _join(items: list[Surface], span: Span) -> Surface:
    return sequence(*items) if items else Number(0, span)
