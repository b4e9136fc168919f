"""A cursor over tokens: what comes next, what should have come, and where to go on after a mistake."""

from collections.abc import Callable
from typing import TypeVar

from seriatim.frontends.actions.lexer import Kind, Token, wrong
from seriatim.source import Diagnostic, InputError, quote

Part = TypeVar("Part")

MAX_FINDINGS = 20


class Cursor:
    """Tokens, one after the other, and all that was found wrong with them."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.position = 0
        self.findings: list[Diagnostic] = []

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    @property
    def previous(self) -> Token:
        return self.tokens[self.position - 1]

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

    def recover(self, error: InputError) -> None:
        """Keeps what is wrong and skips the rest of the line, with the lines that are indented below it."""
        self.findings += error.diagnostics
        if len(self.findings) >= MAX_FINDINGS:
            raise InputError(self.findings)
        while self.kind() not in (Kind.LINE_END, Kind.END, Kind.DEDENT):
            self.next()
        if self.kind() is Kind.LINE_END:
            self.next()
        if self.kind() is Kind.INDENT:
            depth = 0
            while True:
                depth += (self.kind() is Kind.INDENT) - (self.kind() is Kind.DEDENT)
                self.next()
                if not depth or self.kind() is Kind.END:
                    break

    def indented(self, read: Callable[[], Part], hint: str) -> list[Part]:
        """Reads all parts of an indented block; after a mistake, it goes on with the next line."""
        self.next()
        if self.kind() is not Kind.INDENT:
            raise wrong("SER551", "expected an indented block", self.token.span, hint)
        self.next()
        found: list[Part] = []
        while self.kind() not in (Kind.DEDENT, Kind.END):
            try:
                found.append(read())
            except InputError as error:
                self.recover(error)
        if self.kind() is Kind.DEDENT:
            self.next()
        return found

    def end_line(self) -> None:
        if self.kind() is not Kind.LINE_END:
            raise self.unexpected("the end of the line")
        self.next()
