"""Tokens, one after the other: what comes next, and what should have come."""

from seriatim.frontends.actions.lexer import Kind, Token, wrong
from seriatim.frontends.actions.scope import PLAIN, Rights, Scope
from seriatim.source import InputError, quote


class TokenReader:
    """Reads tokens one after the other."""

    def __init__(self, tokens: list[Token], scope: Scope) -> None:
        self.tokens = tokens
        self.position = 0
        self.scope = scope
        self.rights: Rights = PLAIN
        self._depth = 0

    # --- tokens -------------------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def kind(self) -> Kind:
        """The kind of the next token; a method, because each call may find another one."""
        return self.token.kind

    def at(self, *texts: str) -> bool:
        return self.token.text in texts and self.token.kind in (Kind.SYMBOL, Kind.KEYWORD)

    def follows(self, text: str) -> bool:
        return self.tokens[min(self.position + 1, len(self.tokens) - 1)].text == text

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

    def expect(self, text: str) -> Token:
        if not self.at(text):
            raise self.unexpected(f"`{text}`")
        return self.next()

    def name(self, what: str) -> Token:
        if self.token.kind is not Kind.NAME:
            raise self.unexpected(what)
        return self.next()

    def unexpected(self, wanted: str) -> InputError:
        token = self.token
        match token.kind:
            case Kind.LINE_END | Kind.END:
                found = "the end of the line"
            case Kind.INDENT | Kind.DEDENT:
                found = "another indentation"
            case _:
                found = quote(token.text)
        hint = "this word is a keyword; choose another name" if token.kind is Kind.KEYWORD else None
        if token.text == "#":
            hint = "comments begin with `//`; `#a` counts pending instances, in a measure"
        return wrong("SER551", f"expected {wanted}, but found {found}", token.span, hint)
