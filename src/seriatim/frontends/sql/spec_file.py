"""Reads PostgreSQL's isolation specs: `setup`, `session`, `step` and `permutation`.

A session is a client that runs at most once. The permutations say which of its steps it takes, and in which
order: each way is a request of its own, and a session runs one of them. Without permutations a session takes
all its steps. How the permutations mix the sessions does not matter: all interleavings count.
"""

import re
from dataclasses import dataclass, field

from seriatim.frontends.sql.language import Script
from seriatim.frontends.sql.pieces import Kind, Piece, split
from seriatim.frontends.sql.refusal import SYNTAX
from seriatim.frontends.sql.script import ScriptReader
from seriatim.source import Diagnostic, InputError, SourceText, Span

_TOKEN = re.compile(r"""\s+|\#[^\n]*|(?P<word>[A-Za-z_][\w-]*|"[^"]*"|[(){},*!]|\d+)""")


_KEYWORDS = frozenset({"setup", "teardown", "session", "step", "permutation"})


@dataclass
class Session:
    name: str
    span: Span
    setup: list[Piece] = field(default_factory=list)
    steps: dict[str, list[Piece]] = field(default_factory=dict)
    teardown: list[Piece] = field(default_factory=list)

    def ways(self, permutations: list[list[str]]) -> list[tuple[str, ...]]:
        """The different sequences of steps that the session may take."""
        if not permutations:
            return [tuple(self.steps)]
        ways = (tuple(step for step in steps if step in self.steps) for steps in permutations)
        return [way for way in dict.fromkeys(ways) if way]

    def requests(self, permutations: list[list[str]]) -> dict[tuple[str, ...], str]:
        """The name of the session's request for each way."""
        name = re.sub(r"[^0-9A-Za-z_]", "_", self.name)
        ways = self.ways(permutations)
        return {way: name if len(ways) == 1 else f"{name}_{number}" for number, way in enumerate(ways, 1)}

    def pieces(self, way: tuple[str, ...]) -> list[Piece]:
        return [*self.setup, *(piece for step in way for piece in self.steps[step]), *self.teardown]


@dataclass
class Spec:
    setups: list[Piece] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    permutations: list[list[str]] = field(default_factory=list)


def read_spec(source: SourceText) -> Script:
    """Reads a spec; raises `InputError` with all problems."""
    spec = parse_spec(source)
    reader = ScriptReader()
    for piece in spec.setups:
        reader.take(piece)
    for session in spec.sessions:
        for way, name in session.requests(spec.permutations).items():
            reader.take(Piece(Kind.COMMENT, f"transaction: {name} once", session.span))
            reader.group = session.name
            for piece in session.pieces(way):
                reader.take(piece)
    return reader.finish()


def parse_spec(source: SourceText) -> Spec:
    """Parses setups, sessions, steps and permutations; raises `InputError`."""
    return _SpecReader(source).read()


class _SpecReader:
    """Reads a spec word by word."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.position = 0
        self.spec = Spec()

    def read(self) -> Spec:
        """Reads the file; raises `InputError`."""
        while (word := self._word()) is not None:
            match word:
                case "setup" | "teardown":
                    self._setup_or_teardown(word)
                case "session":
                    place = self.position
                    self.spec.sessions.append(Session(self._name(), _span(self.source, place)))
                case "step" if self.spec.sessions:
                    name = self._name()
                    self.spec.sessions[-1].steps[name] = self._block()
                case "permutation":
                    self.spec.permutations.append(self._steps())
                case _:
                    raise self._problem()
        return self.spec

    def _setup_or_teardown(self, word: str) -> None:
        pieces = self._block()
        if self.spec.sessions:
            session = self.spec.sessions[-1]
            (session.setup if word == "setup" else session.teardown).extend(pieces)
        elif word == "setup":
            self.spec.setups.extend(pieces)

    def _word(self) -> str | None:
        while self.position < len(self.source.text):
            token = _TOKEN.match(self.source.text, self.position)
            if token is None:
                raise self._problem()
            self.position = token.end()
            if token["word"] is not None:
                return token["word"]
        return None

    def _name(self) -> str:
        word = self._word()
        if word is None or word in _KEYWORDS:
            raise self._problem()
        return word.strip('"')

    def _steps(self) -> list[str]:
        """The steps of a permutation, without the markers in parentheses, which only concern timing."""
        found: list[str] = []
        depth = 0
        while True:
            before = self.position
            word = self._word()
            if word is None or word in _KEYWORDS:
                self.position = before if word is not None else self.position
                return found
            depth += {"(": 1, ")": -1}.get(word, 0)
            if depth == 0 and word != ")":
                found.append(word.strip('"'))

    def _block(self) -> list[Piece]:
        """The statements between braces, with their places in the file."""
        if self._word() != "{":
            raise self._problem()
        start = self.position
        end = _closing(self.source.text, start - 1)
        if end < 0:
            raise self._problem()
        self.position = end + 1
        blank = re.sub(r"[^\n]", " ", self.source.text[:start])
        pieces = split(blank + self.source.text[start:end], self.source.name)
        return [piece for piece in pieces if piece.kind is not Kind.COMMENT]

    def _problem(self) -> InputError:
        return InputError([Diagnostic(SYNTAX, "not an isolation spec", _span(self.source, self.position))])


def _closing(text: str, start: int) -> int:
    """The position where the block that starts at a brace ends; -1 if it does not end."""
    depth = 0
    for position in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return -1


def _span(source: SourceText, position: int) -> Span:
    line = source.text.count("\n", 0, position) + 1
    column = position - (source.text.rfind("\n", 0, position) + 1) + 1
    return Span(line, column, line, column + 1, source.name)
