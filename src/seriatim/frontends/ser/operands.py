"""The grammar of operands: numbers, names, elements, calls, brackets and constructs."""

from abc import abstractmethod

from seriatim.frontends.ser.blocks import BlockParser, StatementLost
from seriatim.frontends.ser.layout import describe
from seriatim.frontends.ser.lexer import Kind, Token
from seriatim.frontends.ser.surface import (
    Call,
    Choose,
    Element,
    Interval,
    Lock,
    NamedRange,
    Range,
    Surface,
    Unlock,
)
from seriatim.program.expression_printer import Level
from seriatim.program.syntax import Choice, Number, Read, Yield
from seriatim.source import Span, quote

OPERAND_HINT = "write an operator between two expressions, and `;` between two statements"


class OperandParser(BlockParser):
    """Reads operands, the parts between operators."""

    @abstractmethod
    def read_operators(self, lowest: int) -> Surface:
        """Operands and binary operators that bind at least as tightly as a level."""

    def read_primary(self) -> Surface:
        token = self.current
        match token.kind, token.text:
            case Kind.NUMBER, digits:
                return Number(int(digits), self.advance().span)
            case Kind.NAME, "for" if self.following.kind is Kind.NAME:
                return self.read_construct()
            case Kind.NAME, _:
                return self._parse_named(self.advance())
            case Kind.SYMBOL, "?":
                return Choice(self.advance().span)
            case Kind.KEYWORD, "yield":
                return Yield(self.advance().span)
            case Kind.SYMBOL, "(":
                return self.read_parentheses()
            case Kind.SYMBOL, "{":
                return self.read_braces()
            case Kind.KEYWORD, "if" | "while":
                return self.read_construct()
            case Kind.KEYWORD, "not" | "return":
                raise self.lost(
                    "SER012", f"`{token.text}` needs parentheses here", f"write `({token.text} …)`"
                )
            case _:
                hint = "reserved words cannot name variables" if token.kind is Kind.KEYWORD else OPERAND_HINT
                raise self.lost("SER005", f"expected an expression, found {describe(token)}", hint)

    def _parse_named(self, name: Token) -> Surface:
        """A variable, an element of an array, or a call; the words of calls are no reserved ones."""
        if self.current.text == "[":
            return Element(name.text, self.read_index(), name.span.to(self.previous.span))
        if self.current.text != "(":
            return Read(name.text, name.span)
        match name.text:
            case "choose":
                values = self.read_bracketed(self._range_in_brackets)
                return Choose(values, name.span.to(self.previous.span))
            case "lock" | "unlock":
                return self._lock(name)
            case "await" | "assert":
                self._tell_parentheses(name)
                raise StatementLost
            case "for":
                hint = "a loop is written `for i in 0..2 { … }`"
                self.findings.report("SER058", "`for` takes no parentheses", name.span, hint)
                raise StatementLost
            case _:
                arguments = tuple(self.read_bracketed(self._arguments))
                return Call(name.text, arguments, name.span.to(self.previous.span))

    def _tell_parentheses(self, word: Token) -> None:
        message, hint = f"`{word.text}` needs parentheses here", f"write `({word.text} …)`"
        self.findings.report("SER012", message, word.span, hint)

    def _lock(self, word: Token) -> Surface:
        arguments = self.read_bracketed(self._arguments)
        span = word.span.to(self.previous.span)
        match arguments:
            case [Read() | Element() as target]:
                return Lock(target, span) if word.text == "lock" else Unlock(target, span)
        self.findings.report(
            "SER045",
            f"{quote(word.text)} is not about one variable",
            span,
            f"write `{word.text}(L)` or `{word.text}(L[i])`; any variable can be a lock, and 0 means free",
        )
        return Number(0, span)

    def read_index(self) -> Surface:
        """The expression between `[` and `]`."""
        items = self.read_bracketed(self._arguments)
        if len(items) == 1:
            return items[0]
        if items:
            message, hint = "an array has one index", "write `A[i]`; there are no arrays of arrays"
            self.findings.report("SER005", message, self.previous.span, hint)
        return Number(0, self.previous.span)

    def _arguments(self) -> list[Surface]:
        """Expressions with `,` between them, up to the closing bracket."""
        items: list[Surface] = []
        if self.current.text == ")":
            return items
        try:
            items.append(self.read_operators(Level.OR))
            while self.take(","):
                items.append(self.read_operators(Level.OR))
            if not self.at_statement_end:
                raise self.lost(
                    "SER005", f"{describe(self.current)} cannot follow an argument", "write `,` between two"
                )
        except StatementLost:
            self.skip()
        return items

    # Ranges

    def _range_in_brackets(self) -> Range:
        try:
            return self.read_range()
        except StatementLost:
            self.skip()
            return Interval(Number(0), Number(0), self.end)

    def read_range(self) -> Range:
        """`low..high`, or the name of an `enum`."""
        start = self.here
        low = self.read_operators(Level.SUM)
        if self.take(".."):
            high = self.read_operators(Level.SUM)
            return Interval(low, high, start.to(self.previous.span))
        if isinstance(low, Read):
            return NamedRange(low.name, low.span)
        raise self.lost(
            "SER040",
            f"expected `..` after the first value of a range, found {describe(self.current)}",
            "a range is written `0..3`, or is the name of an `enum`",
        )


def side_by_side(first: Span, second: Span) -> bool:
    """Whether nothing stands between two stretches."""
    return (first.end_line, first.end_column) == (second.line, second.column)
