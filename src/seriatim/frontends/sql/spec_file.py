"""Reads PostgreSQL's isolation specs: `setup`, `session` and `step` blocks; each session is a request of
its own.

What a permutation says does not matter here: all interleavings count. A session runs at most once.
"""

import re

from seriatim.frontends.sql.language import Script
from seriatim.frontends.sql.pieces import Kind, Piece, split
from seriatim.frontends.sql.refusal import SYNTAX
from seriatim.frontends.sql.script import ScriptReader
from seriatim.source import Diagnostic, InputError, SourceText, Span

_WORD = re.compile(r"""\s+|\#[^\n]*|(?P<word>[A-Za-z_][\w-]*|"[^"]*"|[(){},*!]|\d+)""")


def read_spec(source: SourceText) -> Script:
    """Raises `InputError` with everything that is wrong."""
    reader = ScriptReader()
    setups: list[list[Piece]] = []
    sessions: list[tuple[str, Span, list[Piece]]] = []
    for kind, name, span, pieces in _blocks(source):
        if kind == "setup" and not sessions:
            setups.append(pieces)
        elif kind == "session":
            sessions.append((name.strip('"'), span, []))
        elif kind in ("setup", "step") and sessions:
            sessions[-1][2].extend(pieces)
    for pieces in setups:
        for piece in pieces:
            reader.take(piece)
    for name, span, pieces in sessions:
        header = f"transaction: {re.sub(r'[^0-9A-Za-z_]', '_', name)} once"
        reader.take(Piece(Kind.COMMENT, header, span))
        for piece in pieces:
            reader.take(piece)
    return reader.finished()


def _blocks(source: SourceText) -> list[tuple[str, str, Span, list[Piece]]]:
    """(keyword, name, place, statements) of each block; permutations and teardowns are passed over."""
    text, found = source.text, list[tuple[str, str, Span, list[Piece]]]()
    position, words, start = 0, list[str](), 0
    while position < len(text):
        token = _WORD.match(text, position)
        if token is None:
            raise InputError([_problem(source, position)])
        word = token["word"]
        if word == "{":
            end = _closing(text, position)
            if end < 0:
                raise InputError([_problem(source, position)])
            keyword = (
                words[-2]
                if len(words) >= 2 and words[-1] not in ("setup", "teardown")
                else words[-1]
                if words
                else ""
            )
            pieces = _inside(source, position + 1, end)
            found.append((keyword, words[-1] if words else "", _span(source, start), pieces))
            words, position = [], end + 1
            continue
        if word == "session":
            words = []
        if word is not None:
            if not words:
                start = token.start()
            words.append(word)
            if len(words) == 2 and words[0] == "session":
                found.append(("session", word, _span(source, start), []))
                words = []
        position = token.end()
    return found


def _closing(text: str, start: int) -> int:
    """Where the block that starts at a brace ends; -1 if it does not."""
    depth = 0
    for position in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return -1


def _inside(source: SourceText, start: int, end: int) -> list[Piece]:
    """The statements of a block, with their places in the file."""
    blank = re.sub(r"[^\n]", " ", source.text[:start])
    return [
        piece
        for piece in split(blank + source.text[start:end], source.name)
        if piece.kind is not Kind.COMMENT
    ]


def _span(source: SourceText, position: int) -> Span:
    line = source.text.count("\n", 0, position) + 1
    column = position - (source.text.rfind("\n", 0, position) + 1) + 1
    return Span(line, column, line, column + 1, source.name)


def _problem(source: SourceText, position: int) -> Diagnostic:
    return Diagnostic(SYNTAX, "not an isolation spec", _span(source, position))
