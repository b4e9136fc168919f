"""A cursor over tokens that knows where lines matter: outside brackets, a new line ends a statement."""

from collections.abc import Callable
from enum import Enum, auto
from typing import TypeVar

from seriatim.frontends.ser.lexer import MARK, Kind, Token
from seriatim.program.syntax import MAX_DEPTH, NOWHERE
from seriatim.source import Findings, InputError, Span, quote

SAME_LINE = "\n"
"""The indentation of a block that ends with its line; no real line has it."""

CLOSING = {"(": ")", "{": "}", "[": "]"}

ASSIGNMENT = (":=", "=")
"""The signs of an assignment, right and wrong; the lexer has reported the wrong one."""

Content = TypeVar("Content")

_BEGINS_EXPRESSION = frozenset(("?", "(", "{", "!", "if", "while", "yield", "return", "not"))
_LINE_END = Token(Kind.LINE_END, "", NOWHERE, None)


class Place(Enum):
    """Where a line stands, as its indentation tells."""

    INSIDE = auto()
    OUTSIDE = auto()
    DEEPER = auto()
    BETWEEN = auto()
    MIXED = auto()


def place(indentation: str, outer: str, inner: str) -> Place:
    """Where a line stands that follows the lines of a block; `outer` is the indentation of its header."""
    if indentation == inner:
        return Place.INSIDE
    if indentation.startswith(inner):
        return Place.DEEPER
    if inner.startswith(indentation):
        return Place.BETWEEN if len(indentation) > len(outer) else Place.OUTSIDE
    return Place.MIXED if _width(indentation) > _width(outer) else Place.OUTSIDE


def _width(indentation: str) -> int:
    """The width of an indentation on many screens: a guess at what was meant."""
    return len(indentation.expandtabs(8))


class StatementLost(Exception):
    """The rest of a statement cannot be read; the mistake has been reported."""


class Cursor:
    """A cursor over tokens, which respects lines or ignores them."""

    def __init__(self, tokens: list[Token], findings: Findings) -> None:
        self.findings = findings
        self._tokens = tokens
        self._position = 0
        self._begun = -1
        self.block: str | None = SAME_LINE
        """The indentation of the block being read; None inside brackets, where lines do not matter."""
        self.line_indentation = ""
        """The indentation of the line of the last token."""
        self.previous = _LINE_END
        self.open: list[Token] = []
        """The brackets around, outermost first."""
        self.block_may_follow = False
        """Whether the innermost bracket is the parenthesis of a condition."""
        self._unclosed_told_at = -1

    @property
    def position(self) -> int:
        return self._position

    @property
    def ahead(self) -> Token:
        """The next token, also on a later line."""
        return self._tokens[self._position]

    @property
    def current(self) -> Token:
        """The next token of this statement; a line end where a later line does not belong to it."""
        token = self._tokens[self._position]
        if token.indentation is None or self.block is None or self._position == self._begun:
            return token
        return _LINE_END

    @property
    def following(self) -> Token:
        """The token after the current one."""
        if self.ahead.kind is Kind.END:
            return self.ahead
        token = self._tokens[self._position + 1]
        return token if token.indentation is None or self.block is None else _LINE_END

    def begin_line(self) -> None:
        """Makes the next token's line the current one."""
        self._begun = self._position

    def advance(self) -> Token:
        token = self.ahead
        if token.indentation is not None:
            self.line_indentation = token.indentation
        if token.kind is not Kind.END:
            self._position += 1
        self.previous = token
        return token

    def take(self, text: str) -> bool:
        """Moves past the current token if it is the given one."""
        if self.current.text != text:
            return False
        self.advance()
        return True

    def at_handler_end(self) -> bool:
        """Whether another definition begins here, even a faulty one, or the text ends."""
        token = self.ahead
        if token.text == "fun":
            return self._at_function()
        if token.text != "request":
            return token.kind is Kind.END
        after = self._tokens[self._position + 1]
        if after.text in (":=", "="):
            return False
        return (
            token.indentation is not None
            or after.kind in (Kind.NAME, Kind.KEYWORD)
            or after.text in ("{", ":")
        )

    def _at_function(self) -> bool:
        """Whether `fun` begins a definition; elsewhere it is a name like others."""
        name, opening = (self._tokens[min(self._position + n, len(self._tokens) - 1)] for n in (1, 2))
        return name.kind in (Kind.NAME, Kind.KEYWORD) and opening.text in ("(", "{", ":")

    @property
    def at_open_index(self) -> bool:
        """Whether `[name:` stands here."""
        ahead = self._tokens[self._position : self._position + 3]
        return [each.text for each in ahead[::2]] == ["[", ":"] and ahead[1].kind is Kind.NAME

    def after_index(self) -> Token:
        """The token after the current name and its brackets; the name itself if it has no brackets."""
        position = self._position + 1
        opened = 0
        while position < len(self._tokens) - 1:
            text = self._tokens[position].text
            opened += (text in CLOSING) - (text in CLOSING.values())
            if opened <= 0:
                break
            position += 1
        if self._tokens[position].text != "]":
            return self.ahead
        token = self._tokens[position + 1]
        return token if token.indentation is None or self.block is None else _LINE_END

    @property
    def at_statement_end(self) -> bool:
        token = self.current
        return token.kind is Kind.LINE_END or token.text in (";", *CLOSING.values()) or self.at_handler_end()

    def skip(self, *also: str) -> None:
        """Moves to the end of the statement, or to one of the given symbols outside brackets."""
        opened: list[str] = []
        while not self.at_handler_end():
            token = self.ahead if opened else self.current
            if not opened and (self.at_statement_end or token.text in also):
                return
            if token.text in CLOSING:
                opened.append(CLOSING[token.text])
            elif token.text in opened:
                while opened.pop() != token.text:
                    pass
            elif token.text in CLOSING.values():
                return
            self.advance()

    def skip_to_request(self) -> None:
        while not self.at_handler_end():
            self.advance()

    @property
    def end(self) -> Span:
        """The place just after the last token."""
        return self.previous.span.after()

    @property
    def here(self) -> Span:
        """The place of the current token; where the line ends, just after the last one."""
        return self.end if self.current.kind is Kind.LINE_END else self.current.span

    def lost(self, code: str, message: str, hint: str) -> StatementLost:
        """Reports a mistake at the current token, unless the lexer has done so; to be raised."""
        if self.current.kind is not Kind.WRONG:
            self.findings.report(code, message, self.here, hint)
        return StatementLost()

    # Brackets

    def read_bracketed(self, read: Callable[[], Content], block_may_follow: bool = False) -> Content:
        """Returns what `read` finds between the bracket ahead and the one that closes it.

        Lines do not matter in it: what follows still belongs to the line on which the statement began.
        """
        opening = self.advance()
        indentation = self.line_indentation
        if len(self.open) == MAX_DEPTH:
            raise self.too_deep(opening)
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

    def too_deep(self, token: Token) -> InputError:
        report_depth(token.span, self.findings)
        return self.findings.error()

    # What follows

    @property
    def at_assignment(self) -> bool:
        return self.current.kind in (Kind.NAME, Kind.KEYWORD) and self.following.text in ASSIGNMENT

    @property
    def at_element_assignment(self) -> bool:
        is_element = self.current.kind is Kind.NAME and self.following.text == "["
        return is_element and self.after_index().text in ASSIGNMENT

    def at_expression(self) -> bool:
        token = self.current
        return token.kind in (Kind.NAME, Kind.NUMBER) or token.text in (*_BEGINS_EXPRESSION, MARK)

    @property
    def at_word(self) -> bool:
        """Whether `await` or `assert` is meant as one: something follows that could not follow a variable."""
        after = self.following
        return self.current.text in ("await", "assert") and (
            after.kind in (Kind.NAME, Kind.NUMBER) or after.text in _BEGINS_EXPRESSION
        )

    def read_target(self) -> Token:
        """The variable and the sign of an assignment."""
        name = self.advance()
        if name.kind is Kind.KEYWORD:
            self.findings.report(
                "SER009",
                f"`{name.text}` is a reserved word and cannot name a variable",
                name.span,
                f"choose another name, such as `{name.text}_`",
            )
        self.advance()
        return name

    def tell_stray_bracket(self, bracket: Token) -> None:
        self.findings.report(
            "SER008",
            f"this {quote(bracket.text)} closes nothing",
            bracket.span,
            "remove it, or write what it is to close",
        )


def describe(token: Token) -> str:
    match token.kind:
        case Kind.END:
            return "the end of the file"
        case Kind.LINE_END:
            return "the end of the line"
        case Kind.KEYWORD:
            return f"the reserved word {quote(token.text)}"
        case _:
            return quote(token.text)


def report_depth(span: Span, findings: Findings) -> None:
    findings.report(
        "SER028",
        f"the program nests more than {MAX_DEPTH:,} levels deep",
        span,
        "store parts of the expression in variables",
    )
