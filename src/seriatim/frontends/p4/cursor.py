"""A cursor over tokens: what comes next, and what should have come."""

from seriatim.frontends.p4.refusal import SYNTAX, refuse
from seriatim.frontends.p4.tokens import KEYWORDS, Kind, Token
from seriatim.source import InputError, Span, quote

MAX_DEPTH = 200
"""How deeply expressions and blocks may nest."""


class Cursor:
    """Reads tokens one after the other."""

    def __init__(self, tokens: list[Token], end: Token) -> None:
        self.tokens = [*tokens, end]
        self.position = 0
        self._depth = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def ahead(self, count: int = 1) -> Token:
        return self.tokens[min(self.position + count, len(self.tokens) - 1)]

    def at(self, *texts: str) -> bool:
        return self.token.text in texts and self.token.kind in (Kind.SYMBOL, Kind.NAME)

    def next(self) -> Token:
        token = self.token
        if token.kind is not Kind.END:
            self.position += 1
        return token

    def accept(self, text: str) -> bool:
        if self.at(text):
            self.next()
            return True
        return False

    def expect(self, text: str, hint: str | None = None) -> Token:
        if not self.at(text):
            raise self.unexpected(f"`{text}`", hint)
        return self.next()

    def name(self, what: str) -> Token:
        if self.token.kind is not Kind.NAME or self.token.text in KEYWORDS:
            raise self.unexpected(what)
        return self.next()

    def unexpected(self, wanted: str, hint: str | None = None) -> InputError:
        token = self.token
        found = "the end of the file" if token.kind is Kind.END else quote(token.text)
        is_keyword = token.text in KEYWORDS and wanted.startswith(("a name", "the name"))
        hint = hint or ("this is a keyword; choose another name" if is_keyword else None)
        return refuse(SYNTAX, f"expected {wanted}, but found {found}", token.span, hint)

    def since(self, start: Span) -> Span:
        """The span from a token to the last one that was read."""
        return start.to(self.tokens[max(self.position - 1, 0)].span)

    def enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise refuse(SYNTAX, "the program nests too deeply", self.token.span)

    def leave(self) -> None:
        self._depth -= 1
