"""The grammar of expressions and blocks, by recursive descent over a `Cursor`.

All recursion passes through a bracket or through `if` or `while`, and both are counted; chains of prefixes,
of operators and of `elif` are loops. So the parser's stack is bounded, whatever the input.
"""

from typing import NoReturn

from seriatim.language.findings import Findings
from seriatim.language.layout import CLOSING, SAME_LINE, Cursor, Place, describe, place, width
from seriatim.language.lexer import Kind, Token, quote
from seriatim.language.syntax import (
    MAX_DEPTH,
    Assign,
    Binary,
    Choice,
    Connective,
    Expression,
    If,
    Logical,
    Number,
    Operator,
    Prefix,
    Read,
    Return,
    Unary,
    While,
    Yield,
    sequence,
)
from seriatim.source import Span

LOWEST, NOT, COMPARISON, SUM = 0, 2, 3, 4

LEVELS = {
    **dict.fromkeys(("||", "or"), LOWEST),
    **dict.fromkeys(("&&", "and"), 1),
    **dict.fromkeys(("==", "=", "!=", "<", "<=", ">", ">="), COMPARISON),
    **dict.fromkeys(("+", "-"), SUM),
    **dict.fromkeys(("*", "%"), 5),
}
"""How tightly each binary operator binds; `not` stands at level 2, above the connectives."""

_CONNECTIVES = {
    "||": Connective.OR,
    "or": Connective.OR,
    "&&": Connective.AND,
    "and": Connective.AND,
}
_COMPARISON_MEANT = {"=": Operator.EQUAL}
_BEGINS_EXPRESSION = frozenset(("?", "(", "{", "!", "if", "while", "yield", "return", "not"))


class StatementLost(Exception):
    """The rest of a statement cannot be read; the mistake has been reported."""


class ExpressionParser(Cursor):
    """Reads statements, expressions and blocks; reports mistakes and goes on with the next statement."""

    def __init__(self, tokens: list[Token], findings: Findings) -> None:
        super().__init__(tokens, findings)
        self._open: list[Token] = []
        self._constructs = 0
        self._unclosed_told_at = -1
        self.mixed_told = False
        """Whether a mixture of tabs and spaces has been reported in this handler; once is enough."""

    # Statements

    def line(self) -> list[Expression]:
        """`statement; statement; …` up to the end of the line, or of the bracket where lines do not matter."""
        items: list[Expression] = []
        separator_told = False
        while not self._at_line_end():
            if self.current.text in CLOSING.values():
                self._stray_bracket()
                continue
            try:
                items.append(self._statement())
                if self.at_statement_end:
                    separator_told = False
                elif not separator_told or not self._begins_expression():
                    self._missing_separator()
                    separator_told = True
            except StatementLost:
                self.skip()
            self.take(";")
        return items

    def _at_line_end(self) -> bool:
        token = self.current
        if token.kind in (Kind.LINE_END, Kind.END) or self.at_request:
            return True
        return token.text in CLOSING.values() and any(
            CLOSING[opening.text] == token.text for opening in reversed(self._open)
        )

    def _stray_bracket(self) -> None:
        bracket = self.advance()
        self.findings.report("SER008", f"this {quote(bracket.text)} closes nothing", bracket.span)
        self.skip()
        self.take(";")

    def _begins_expression(self) -> bool:
        token = self.current
        return token.kind in (Kind.NAME, Kind.NUMBER) or token.text in _BEGINS_EXPRESSION

    def _missing_separator(self) -> None:
        token = self.current
        if token.text == "{" and self._open and self._open[-1].text == "(":
            return  # The parenthesis before this block was not closed; that will be said instead.
        if token.text == ":=":
            self._lose(
                "SER010",
                "only a variable can stand on the left of `:=`",
                "put parentheses around an assignment that is part of an expression",
            )
        if token.text in ("else", "elif"):
            self._lose("SER014", f"`{token.text}` does not follow the block of an `if`", _else_hint(token))
        if not self._begins_expression():
            self._lose("SER005", f"{describe(token)} cannot follow an expression")
        hint = "write `;` between two statements" + (
            ", also after a block's `}`" if self.previous.text == "}" else ""
        )
        if self.block is not None:
            hint += ", or begin a new line"
        self.findings.report("SER006", f"expected `;` before {describe(token)}", self.end, hint)

    def _statement(self) -> Expression:
        token = self.current
        if token.text in ("else", "elif") and self.following.text not in (":=", "="):
            return self._stray_else()
        return self._expression()

    def _stray_else(self) -> Expression:
        word = self.advance()
        hint = "remove the `;` before it" if self._follows_semicolon else _else_hint(word)
        self.findings.report("SER014", f"`{word.text}` does not follow the block of an `if`", word.span, hint)
        if word.text == "elif" or self.take("if"):
            self._condition()
        return self.read_block(f"`{word.text}`", begins_line=word.indentation is not None)

    def _lose(self, code: str, message: str, hint: str | None = None) -> NoReturn:
        """Reports a mistake at the current token, unless the lexer has done so, and gives up the statement."""
        if self.current.kind is not Kind.WRONG:
            self.findings.report(code, message, self.here, hint)
        raise StatementLost

    # Expressions

    def _expression(self) -> Expression:
        """An assignment, a `return`, or an expression of operators."""
        prefixes: list[Token] = []
        while True:
            token = self.current
            if token.kind in (Kind.NAME, Kind.KEYWORD) and self.following.text in (":=", "="):
                self.variable()
                self.advance()
            elif token.text == "return":
                self.advance()
            else:
                break
            prefixes.append(token)
        if prefixes and prefixes[-1].text == "return" and self.at_statement_end:
            value: Expression = Number(0, self.end)
        else:
            value = self._operators(LOWEST)
        for prefix in reversed(prefixes):
            span = prefix.span.to(self.previous.span)
            is_return = prefix.text == "return" and prefix.kind is Kind.KEYWORD
            value = Return(value, span) if is_return else Assign(prefix.text, value, span)
        return value

    def variable(self) -> Token:
        """The name of a variable that is assigned to."""
        token = self.advance()
        if token.kind is Kind.KEYWORD:
            self.findings.report(
                "SER009",
                f"`{token.text}` is a reserved word and cannot name a variable",
                token.span,
                f"choose another name, such as `{token.text}_`",
            )
        return token

    def _operators(self, lowest: int) -> Expression:
        """Operands and binary operators that bind at least as tightly as a level."""
        start = self.current.span
        left = self._negation() if self.current.text == "not" and lowest <= NOT else self._operand()
        compared = False
        while (level := LEVELS.get(self.current.text, -1)) >= lowest:
            if level == COMPARISON and compared:
                self.findings.report(
                    "SER011",
                    "comparisons cannot be chained",
                    self.here,
                    "put parentheses around one of them, or join two with `&&`",
                )
            compared = level == COMPARISON
            operator = self.advance().text
            right = self._operators(level + 1)
            span = start.to(self.previous.span)
            if operator in _CONNECTIVES:
                left = Logical(_CONNECTIVES[operator], left, right, span)
            else:
                left = Binary(_COMPARISON_MEANT.get(operator) or Operator(operator), left, right, span)
        return left

    def _negation(self) -> Expression:
        words: list[Token] = []
        while self.current.text == "not":
            words.append(self.advance())
        return self._prefixed(words, self._operators(COMPARISON))

    def _operand(self) -> Expression:
        signs: list[Token] = []
        while self.current.text in ("!", "-"):
            signs.append(self.advance())
        return self._prefixed(signs, self._primary())

    def _prefixed(self, signs: list[Token], operand: Expression) -> Expression:
        for sign in reversed(signs):
            operator = Prefix.MINUS if sign.text == "-" else Prefix.NOT
            operand = Unary(operator, operand, sign.span.to(self.previous.span))
        return operand

    def _primary(self) -> Expression:
        token = self.current
        match token.kind, token.text:
            case Kind.NUMBER, _:
                return Number(int(self.advance().text), token.span)
            case Kind.NAME, _:
                return Read(self.advance().text, token.span)
            case _, "?":
                return Choice(self.advance().span)
            case _, "yield":
                return Yield(self.advance().span)
            case _, "(":
                return self._parenthesised()
            case _, "{":
                return self._braces()
            case _, "if" | "while":
                return self._construct()
            case _, "not" | "return":
                self._lose("SER012", f"`{token.text}` needs parentheses here", f"write `({token.text} …)`")
            case Kind.KEYWORD, _:
                hint: str | None = "reserved words cannot name variables"
            case _:
                hint = None
        self._lose("SER005", f"expected an expression, found {describe(token)}", hint)

    # Blocks

    def _parenthesised(self) -> Expression:
        opening = self.advance()
        found = len(self.findings)
        items = self._bracketed(opening)
        if not items and len(self.findings) == found:
            self.findings.report("SER005", "expected an expression between `(` and `)`", self.previous.span)
        return _joined(items, opening.span.to(self.previous.span))

    def _braces(self) -> Expression:
        opening = self.advance()
        items = self._bracketed(opening)
        return _joined(items, opening.span.to(self.previous.span))

    def _bracketed(self, opening: Token) -> list[Expression]:
        if len(self._open) == MAX_DEPTH:
            self._too_deep(opening)
        self._open.append(opening)
        around, self.block = self.block, None
        items = self.line()
        self.block = around
        self._open.pop()
        if self.ahead.text == CLOSING[opening.text]:
            self.advance()
        elif self._unclosed_told_at != self.position:
            self._unclosed_told_at = self.position
            self.findings.report("SER007", f"this {quote(opening.text)} is never closed", opening.span)
        return items

    def _too_deep(self, token: Token) -> NoReturn:
        report_depth(token.span, self.findings)
        self.findings.give_up()

    def _construct(self) -> Expression:
        """An `if` or a `while`."""
        keyword = self.advance()
        if self._constructs == MAX_DEPTH:
            self._too_deep(keyword)
        self._constructs += 1
        try:
            return self._conditional(keyword) if keyword.text == "if" else self._loop(keyword)
        finally:
            self._constructs -= 1

    def _loop(self, keyword: Token) -> While:
        condition = self._condition()
        body = self.read_block("the condition", begins_line=keyword.indentation is not None)
        return While(condition, body, keyword.span.to(self.previous.span))

    def _conditional(self, keyword: Token) -> Expression:
        begins_line = keyword.indentation is not None
        indentation = self.line_indentation
        arms: list[tuple[Token, Expression, Expression]] = []
        otherwise: Expression | None = None
        word = keyword
        while True:
            condition = self._condition()
            arms.append((word, condition, self.read_block("the condition", begins_line)))
            if not self._else_follows(indentation):
                break
            word = self.advance()
            if word.text == "else" and not self.take("if"):
                otherwise = self.read_block("`else`", begins_line)
                break
        for word, condition, then in reversed(arms):
            otherwise = If(condition, then, otherwise, word.span.to(self.previous.span))
        assert otherwise is not None
        return otherwise

    def _else_follows(self, indentation: str) -> bool:
        token = self.ahead
        if token.text not in ("else", "elif") or self.block == SAME_LINE and token.indentation is not None:
            return False
        if self.block is not None and token.indentation is not None:
            if token.indentation != indentation:
                return False
            self.begin_line()
        return self.following.text not in (":=", "=")

    def _condition(self) -> Expression:
        try:
            return self._operators(LOWEST)
        except StatementLost:
            self.skip(":", "{")
            if self.current.text not in (":", "{"):
                raise
            return Number(0, self.end)

    def read_block(self, after: str, begins_line: bool) -> Expression:
        """`{ … }`, or `:` and the rest of the line or deeper lines, where the header begins its line."""
        outer = self.line_indentation
        if self.ahead.text == "{":
            return self._braces()
        if self.current.text == ":":
            if self.block is None or not begins_line:
                self._lose(
                    "SER015",
                    "a block after `:` cannot stand here",
                    "write `{ … }`, as always inside brackets"
                    if self.block is None
                    else "begin a new line before its first word, or write `{ … }`",
                )
            self.advance()
            return self._rest_of_line() if self.ahead.indentation is None else self._indented(outer)
        found = describe(self.current)
        if self.current.kind is Kind.WRONG or not self._deeper_line_follows(outer):
            self._lose("SER013", f"expected `{{` or `:` after {after}, found {found}")
        self.findings.report("SER013", f"expected `:` after {after}", self.end)
        return self._indented(outer)

    def _rest_of_line(self) -> Expression:
        around, self.block = self.block, SAME_LINE
        items = self.line()
        self.block = around
        return _joined(items, self.end)

    def _deeper_line_follows(self, outer: str) -> bool:
        indentation = self.ahead.indentation
        return (
            self.current.kind is Kind.LINE_END
            and indentation is not None
            and indentation != outer
            and indentation.startswith(outer)
        )

    def _indented(self, outer: str) -> Expression:
        first = self.ahead
        inner = first.indentation or ""
        mixed = not inner.startswith(outer) and not outer.startswith(inner)
        if first.kind is Kind.END or self.at_request or width(inner) <= width(outer):
            self.findings.report(
                "SER016",
                "expected an indented block after `:`",
                self.end,
                "indent the statements of the block deeper than its first line; an empty block is `0`",
            )
            return Number(0, self.end)
        if mixed:
            self._tell_mixed(first)
        around, self.block = self.block, inner
        items: list[Expression] = []
        misplaced_told = False
        while self.ahead.kind is not Kind.END and not self.at_request:
            token = self.ahead
            match place(token.indentation or "", outer, inner):
                case Place.OUTSIDE:
                    break
                case Place.TOO_DEEP | Place.BETWEEN as found:
                    if not misplaced_told:
                        self._tell_misplaced(token, found, first)
                    misplaced_told = True
                case Place.MIXED:
                    if width(token.indentation or "") <= width(outer):
                        break
                    self._tell_mixed(token)
                case Place.INSIDE:
                    misplaced_told = False
            self.begin_line()
            items += self.line()
        self.block = around
        return _joined(items, self.end)

    def _tell_misplaced(self, token: Token, found: Place, first: Token) -> None:
        what = "is indented deeper than" if found is Place.TOO_DEEP else "is not aligned with"
        self.findings.report(
            "SER017",
            f"this line {what} the block that it stands in",
            token.span,
            f"align it with line {first.span.line}; an expression goes on in the next line only in parentheses",
        )

    def _tell_mixed(self, token: Token) -> None:
        if not self.mixed_told:
            self.findings.report(
                "SER018",
                "tabs and spaces do not match those of the lines around",
                Span(token.span.line, 1, token.span.line, token.span.column),
                "indent all lines of a block with the same characters",
            )
        self.mixed_told = True


def report_depth(span: Span, findings: Findings) -> None:
    findings.report(
        "SER028",
        f"the program nests more than {MAX_DEPTH:,} levels deep",
        span,
        "store parts of the expression in variables",
    )


def _else_hint(word: Token) -> str:
    return f"`{word.text}` stands after the `}}` of an `if`, or on a line of its own, aligned with the `if`"


def _joined(items: list[Expression], span: Span) -> Expression:
    return sequence(*items) if items else Number(0, span)
