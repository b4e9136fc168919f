"""The grammar of expressions: operators, and operands such as numbers, elements, calls and brackets.

All recursion passes through a bracket or through `if`, `while` or `for`, and both are counted; chains of
prefixes, of operators and of `elif` are loops. So the parser's stack is bounded, whatever the input.
"""

from typing import Protocol

from seriatim.frontends.ser.layout import Cursor, StatementLost, describe
from seriatim.frontends.ser.lexer import Kind, Token, report_no_operator
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
from seriatim.program.expression_printer import LEVELS, Level
from seriatim.program.syntax import (
    Binary,
    Choice,
    Connective,
    Logical,
    Number,
    Operator,
    Prefix,
    Read,
    Unary,
    Yield,
)
from seriatim.source import Span, quote

OPERAND_HINT = "write an operator between two expressions, and `;` between two statements"

_OPERATORS: dict[str, Operator | Connective] = {operator.value: operator for operator in LEVELS} | {
    "or": Connective.OR,
    "and": Connective.AND,
    "=": Operator.EQUAL,
}


class Nested(Protocol):
    """Reads what contains statements, although it may stand where an expression does."""

    def read_parentheses(self) -> Surface: ...

    def read_braces(self) -> Surface: ...

    def read_construct(self) -> Surface:
        """Reads an `if`, a `while` or a `for`."""


class Expressions:
    """Reads expressions from a cursor."""

    def __init__(self, cursor: Cursor, nested: Nested) -> None:
        self.cursor = cursor
        self.findings = cursor.findings
        self.nested = nested

    # Operators

    def read_operators(self, lowest: int) -> Surface:
        """Operands and binary operators that bind at least as tightly as a level."""
        start = self.cursor.current.span
        left = (
            self._negation() if self.cursor.current.text == "not" and lowest <= Level.NOT else self._operand()
        )
        compared = False
        while operator := _OPERATORS.get(self.cursor.current.text):
            level = LEVELS[operator]
            if level < lowest:
                break
            if compared and level is Level.COMPARISON:
                self.findings.report(
                    "SER011",
                    "comparisons cannot be chained",
                    self.cursor.current.span,
                    "put parentheses around one of them, or join two with `&&`",
                )
            compared = level is Level.COMPARISON
            self.cursor.advance()
            right = self.read_operators(level + 1)
            span = start.to(self.cursor.previous.span)
            if isinstance(operator, Connective):
                left = Logical(operator, left, right, span)
            else:
                left = Binary(operator, left, right, span)
        return left

    def _negation(self) -> Surface:
        words: list[Token] = []
        while self.cursor.current.text == "not":
            words.append(self.cursor.advance())
        return self._apply_prefixes(words, self.read_operators(Level.COMPARISON))

    def _operand(self) -> Surface:
        before = self.cursor.previous
        signs: list[Token] = []
        while self.cursor.current.text in ("!", "-"):
            signs.append(self.cursor.advance())
        if len(signs) == 1 and self.cursor.at_statement_end and _is_decrement(before, signs[0]):
            span = before.span.to(signs[0].span)
            report_no_operator("--", span, "write `x := x - 1`", self.findings)
            raise StatementLost
        return self._apply_prefixes(signs, self.read_primary())

    def _apply_prefixes(self, signs: list[Token], operand: Surface) -> Surface:
        for sign in reversed(signs):
            operator = Prefix.MINUS if sign.text == "-" else Prefix.NOT
            operand = Unary(operator, operand, sign.span.to(self.cursor.previous.span))
        return operand

    # Operands

    def read_primary(self) -> Surface:
        token = self.cursor.current
        match token.kind, token.text:
            case Kind.NUMBER, digits:
                return Number(int(digits), self.cursor.advance().span)
            case Kind.NAME, "for" if self.cursor.following.kind is Kind.NAME:
                return self.nested.read_construct()
            case Kind.NAME, _:
                return self._parse_named(self.cursor.advance())
            case Kind.SYMBOL, "?":
                return Choice(self.cursor.advance().span)
            case Kind.KEYWORD, "yield":
                return Yield(self.cursor.advance().span)
            case Kind.SYMBOL, "(":
                return self.nested.read_parentheses()
            case Kind.SYMBOL, "{":
                return self.nested.read_braces()
            case Kind.KEYWORD, "if" | "while":
                return self.nested.read_construct()
            case Kind.KEYWORD, "not" | "return":
                raise self.cursor.lost(
                    "SER012", f"`{token.text}` needs parentheses here", f"write `({token.text} …)`"
                )
            case _:
                hint = "reserved words cannot name variables" if token.kind is Kind.KEYWORD else OPERAND_HINT
                raise self.cursor.lost("SER005", f"expected an expression, found {describe(token)}", hint)

    def _parse_named(self, name: Token) -> Surface:
        """A variable, an element of an array, or a call; the words of calls are no reserved ones."""
        if self.cursor.current.text == "[":
            return Element(name.text, self.read_index(), name.span.to(self.cursor.previous.span))
        if self.cursor.current.text != "(":
            return Read(name.text, name.span)
        match name.text:
            case "choose":
                values = self.cursor.read_bracketed(self._range_in_brackets)
                return Choose(values, name.span.to(self.cursor.previous.span))
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
                arguments = tuple(self.cursor.read_bracketed(self._arguments))
                return Call(name.text, arguments, name.span.to(self.cursor.previous.span))

    def _tell_parentheses(self, word: Token) -> None:
        message, hint = f"`{word.text}` needs parentheses here", f"write `({word.text} …)`"
        self.findings.report("SER012", message, word.span, hint)

    def _lock(self, word: Token) -> Surface:
        arguments = self.cursor.read_bracketed(self._arguments)
        span = word.span.to(self.cursor.previous.span)
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
        items = self.cursor.read_bracketed(self._arguments)
        if len(items) == 1:
            return items[0]
        if items:
            message, hint = "an array has one index", "write `A[i]`; there are no arrays of arrays"
            self.findings.report("SER005", message, self.cursor.previous.span, hint)
        return Number(0, self.cursor.previous.span)

    def _arguments(self) -> list[Surface]:
        """Expressions with `,` between them, up to the closing bracket."""
        items: list[Surface] = []
        if self.cursor.current.text == ")":
            return items
        try:
            items.append(self.read_operators(Level.OR))
            while self.cursor.take(","):
                items.append(self.read_operators(Level.OR))
            if not self.cursor.at_statement_end:
                raise self.cursor.lost(
                    "SER005",
                    f"{describe(self.cursor.current)} cannot follow an argument",
                    "write `,` between two",
                )
        except StatementLost:
            self.cursor.skip()
        return items

    # Ranges

    def _range_in_brackets(self) -> Range:
        try:
            return self.read_range()
        except StatementLost:
            self.cursor.skip()
            return Interval(Number(0), Number(0), self.cursor.end)

    def read_range(self) -> Range:
        """`low..high`, or the name of an `enum`."""
        start = self.cursor.here
        low = self.read_operators(Level.SUM)
        if self.cursor.take(".."):
            high = self.read_operators(Level.SUM)
            return Interval(low, high, start.to(self.cursor.previous.span))
        if isinstance(low, Read):
            return NamedRange(low.name, low.span)
        raise self.cursor.lost(
            "SER040",
            f"expected `..` after the first value of a range, found {describe(self.cursor.current)}",
            "a range is written `0..3`, or is the name of an `enum`",
        )


def side_by_side(first: Span, second: Span) -> bool:
    """Whether nothing stands between two stretches."""
    return (first.end_line, first.end_column) == (second.line, second.column)


def _is_decrement(first: Token, second: Token) -> bool:
    """Whether two signs look like `--`. The lexer cannot tell: before an operand, they mean something."""
    return first.text == second.text == "-" and side_by_side(first.span, second.span)
