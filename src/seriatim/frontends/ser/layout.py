"""A cursor over tokens that knows where lines matter: outside brackets, a new line ends a statement."""

from enum import Enum, auto

from seriatim.frontends.ser.lexer import Kind, Token
from seriatim.program.syntax import NOWHERE
from seriatim.source import Findings, Span, quote

SAME_LINE = "\n"
"""The indentation of a block that ends with its line; no real line has it."""

CLOSING = {"(": ")", "{": "}", "[": "]"}

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
