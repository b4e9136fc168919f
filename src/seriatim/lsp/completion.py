"""What can be written at a place: words of the language, and names that mean something there."""

from collections.abc import Iterator

from lsprotocol import types

from seriatim.actions.words import KEYWORDS as ACTION_WORDS
from seriatim.frontends.conc.lexer import KEYWORDS as THREAD_WORDS
from seriatim.frontends.languages import ACTIONS
from seriatim.frontends.ser import keywords
from seriatim.lsp.findings import DocumentText
from seriatim.lsp.names import DocumentNames, Sort

KINDS = {
    Sort.REQUEST: types.CompletionItemKind.Method,
    Sort.FUNCTION: types.CompletionItemKind.Function,
    Sort.CONSTANT: types.CompletionItemKind.Constant,
    Sort.VALUE: types.CompletionItemKind.EnumMember,
    Sort.SHARED: types.CompletionItemKind.Variable,
    Sort.LOCAL: types.CompletionItemKind.Variable,
}

FRAMES = {
    "request": "request ${1:name}:\n    ${2:x} := ${3:X}\n    yield\n    ${3:X} := $2 + 1\n    return $2",
    "while": "while ${1:X > 0}:\n    yield",
    "lock": "lock(${1:LOCK})\n$0\nunlock(${1:LOCK})",
}
"""Words that bring their frame along, with places to fill in."""


def complete(text: DocumentText, names: DocumentNames, line: int, column: int) -> list[types.CompletionItem]:
    """Completions in a program of the language `.ser`; none inside a comment."""
    if is_in_comment(text.lines[line - 1][: column - 1] if line <= len(text.lines) else ""):
        return []
    return [*_names(names, line, column), *_words(keywords.ALL)]


def complete_words(name: str, text: DocumentText, line: int, column: int) -> list[types.CompletionItem]:
    """Completions in the other languages of our own, whose names editors find by themselves."""
    if is_in_comment(text.lines[line - 1][: column - 1] if line <= len(text.lines) else ""):
        return []
    words = ACTION_WORDS if ACTIONS.reads(name) else THREAD_WORDS
    return [types.CompletionItem(word, kind=types.CompletionItemKind.Keyword) for word in sorted(words)]


def is_in_comment(before: str) -> bool:
    return "//" in before or before.lstrip().startswith("#")


def _names(names: DocumentNames, line: int, column: int) -> Iterator[types.CompletionItem]:
    """Each name once: those of the whole program, and the locals of the handler around the place."""
    around = [each for each in names.definitions if (each.span.line, each.span.column) <= (line, column)]
    owner = around[-1].symbol.name if around else ""
    told: set[str] = set()
    for each in names.occurrences:
        symbol = each.symbol
        is_typed_now = each.span.line == line and each.span.column <= column <= each.span.end_column
        if symbol.owner not in ("", owner) or symbol.sort is Sort.REQUEST or symbol.name in told:
            continue
        if is_typed_now and not each.is_definition:
            continue
        told.add(symbol.name)
        yield types.CompletionItem(symbol.name, kind=KINDS[symbol.sort], detail=str(symbol.sort))


def _words(words: frozenset[str]) -> Iterator[types.CompletionItem]:
    keyword = types.CompletionItemKind.Keyword
    for word in sorted(words):
        frame = FRAMES.get(word)
        if frame is None:
            yield types.CompletionItem(word, kind=keyword)
        else:
            form = types.InsertTextFormat.Snippet
            yield types.CompletionItem(word, kind=keyword, insert_text=frame, insert_text_format=form)
