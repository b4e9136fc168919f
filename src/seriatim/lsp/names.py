"""Finds names in a program and their meaning, by its words alone, so that it works for broken programs.

A name that begins with a capital letter, or that is declared before the first handler, belongs to the whole
program. Any other name belongs to the handler or `fun` in whose text it stands. Names of handlers and `fun`s
are a kind of their own.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from seriatim.frontends.ser.keywords import CONTEXTUAL
from seriatim.frontends.ser.lexer import Kind, Token, tokenize
from seriatim.program.syntax import is_global
from seriatim.source import Findings, InputError, Span

ASSIGNMENT = (":=", "=")


class Sort(StrEnum):
    REQUEST = "request"
    FUNCTION = "fun"
    CONSTANT = "constant"
    VALUE = "value of an enum"
    SHARED = "shared variable"
    LOCAL = "local variable"


@dataclass(frozen=True, slots=True)
class NamedSymbol:
    """The meaning of a name; `owner` is the handler or `fun` of a local."""

    sort: Sort
    name: str
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place where a symbol occurs."""

    symbol: NamedSymbol
    span: Span
    is_definition: bool = False
    is_write: bool = False


@dataclass(frozen=True, slots=True)
class NameDefinition:
    """A handler or a `fun`, from its first word to the last one before the next."""

    symbol: NamedSymbol
    span: Span


@dataclass(frozen=True, slots=True)
class DocumentNames:
    occurrences: tuple[Occurrence, ...]
    definitions: tuple[NameDefinition, ...]
    pauses: tuple[Span, ...]
    """Where others may run: `yield`, and what waits."""

    def at(self, line: int, column: int) -> Occurrence | None:
        """The occurrence at a place; a cursor directly after a name means that name."""
        for each in self.occurrences:
            if each.span.line == line and each.span.column <= column <= each.span.end_column:
                return each
        return None

    def of(self, symbol: NamedSymbol) -> tuple[Occurrence, ...]:
        return tuple(each for each in self.occurrences if each.symbol == symbol)

    def definition(self, symbol: NamedSymbol) -> Occurrence | None:
        """Where a symbol is declared, or where it occurs first."""
        found = self.of(symbol)
        declared = (each for each in found if each.is_definition)
        return next(declared, found[0] if found else None)


def read_names(text: str) -> DocumentNames:
    """All names of a text, whether or not it is a program."""
    try:
        tokens = tokenize(text, Findings())
    except InputError:  # The text is longer than any program may be.
        tokens = []
    definitions = tuple(_definitions(tokens))
    pauses = tuple(
        token.span
        for token, after in pairwise(tokens)
        if token.text == "yield" or (token.text in ("await", "lock") and after.text != ":=")
    )
    return DocumentNames(tuple(_occurrences(tokens, definitions)), definitions, pauses)


def _definitions(tokens: list[Token]) -> Iterator[NameDefinition]:
    starts = [
        number
        for number, (token, after) in enumerate(pairwise(tokens))
        if after.kind is Kind.NAME
        and (token.text == "request" or (token.text == "fun" and _begins(tokens, number)))
    ]
    for start, end in pairwise((*starts, len(tokens) - 1)):
        sort = Sort.REQUEST if tokens[start].text == "request" else Sort.FUNCTION
        symbol = NamedSymbol(sort, tokens[start + 1].text)
        yield NameDefinition(symbol, tokens[start].span.to(tokens[max(start, end - 1)].span))


def _begins(tokens: list[Token], number: int) -> bool:
    """Whether a token is the first of its line, or follows a brace."""
    return tokens[number].indentation is not None or (number > 0 and tokens[number - 1].text == "}")


def _occurrences(tokens: list[Token], definitions: tuple[NameDefinition, ...]) -> Iterator[Occurrence]:
    starts = [each.span for each in definitions]
    first = starts[0] if starts else Span(10**9, 1, 10**9, 1)
    declared = {each.symbol.name: each.symbol for each in _find_declared(tokens, first)}
    places = {each.span for each in _find_declared(tokens, first)}
    functions = {each.symbol.name for each in definitions if each.symbol.sort is Sort.FUNCTION}
    for number, token in enumerate(tokens):
        if token.kind is not Kind.NAME or token.text in CONTEXTUAL:
            continue
        before = tokens[number - 1].text if number else ""
        after = tokens[number + 1].text
        own = bisect_right(starts, token.span) - 1
        if before in ("request", "fun") and own >= 0 and token.text == definitions[own].symbol.name:
            yield Occurrence(definitions[own].symbol, token.span, is_definition=True)
        elif after == "(" and token.text in functions:
            yield Occurrence(NamedSymbol(Sort.FUNCTION, token.text), token.span)
        else:
            symbol = declared.get(token.text) or _variable(token.text, own, definitions)
            is_write = _is_written(tokens, number)
            yield Occurrence(symbol, token.span, token.span in places, is_write)


def _variable(name: str, own: int, definitions: tuple[NameDefinition, ...]) -> NamedSymbol:
    if is_global(name) or own < 0:
        return NamedSymbol(Sort.SHARED, name)
    return NamedSymbol(Sort.LOCAL, name, definitions[own].symbol.name)


def _find_declared(tokens: list[Token], first: Span) -> Iterator[Occurrence]:
    """The names declared before the first handler."""
    in_enum = False
    for number, token in enumerate(tokens):
        if token.span >= first:
            return
        before = tokens[number - 1].text if number else ""
        if token.text == "enum":
            in_enum = True
        elif token.text == "}":
            in_enum = False
        if token.kind is not Kind.NAME or token.text in CONTEXTUAL:
            continue
        if before == "const" or before == "enum":
            yield Occurrence(NamedSymbol(Sort.CONSTANT, token.text), token.span, is_definition=True)
        elif in_enum:
            yield Occurrence(NamedSymbol(Sort.VALUE, token.text), token.span, is_definition=True)
        elif token.indentation is not None or before in (";", "}"):
            yield Occurrence(NamedSymbol(Sort.SHARED, token.text), token.span, is_definition=True)


def _is_written(tokens: list[Token], number: int) -> bool:
    """Whether an assignment follows: to a variable, or to an element of an array."""
    here = number + 1
    if tokens[here].text == "[":
        depth = 0
        while here < len(tokens) - 1:
            depth += {"[": 1, "]": -1}.get(tokens[here].text, 0)
            here += 1
            if depth == 0:
                break
    return tokens[here].text == ":="
