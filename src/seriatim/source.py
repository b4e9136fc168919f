"""Places in a text and diagnostics about them: `Span`, `Diagnostic`, `Findings`, `InputError`."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open stretch of a text; lines and columns count from 1, columns in characters."""

    line: int
    column: int
    end_line: int
    end_column: int
    file: str = ""
    """The name of the text; empty where it is not known."""

    def to(self, other: "Span") -> "Span":
        """The stretch from the start of this one to the end of the other."""
        return Span(self.line, self.column, other.end_line, other.end_column, self.file)

    def first(self, characters: int) -> "Span":
        """Its first characters, which have to be on one line."""
        return Span(self.line, self.column, self.line, self.column + characters, self.file)

    def after(self) -> "Span":
        """The place directly after it."""
        return Span(self.end_line, self.end_column, self.end_line, self.end_column, self.file)


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about an input: a code that `docs/errors.md` explains, a message, a place, a hint."""

    code: str
    message: str
    span: Span | None = None
    hint: str | None = None
    severity: Severity = Severity.ERROR


def warning(code: str, message: str, span: Span | None, hint: str) -> Diagnostic:
    return Diagnostic(code, message, span, hint, Severity.WARNING)


@dataclass(frozen=True, slots=True)
class SourceText:
    """An input and the name by which its reader knows it."""

    name: str
    text: str

    def line(self, number: int) -> str:
        """The text of one line, counted from 1, without its line break; empty past the end."""
        lines = self.text.split("\n")
        return lines[number - 1].rstrip("\r") if 0 < number <= len(lines) else ""


class InputError(Exception):
    """The input cannot be used; the diagnostics say why."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("; ".join(d.message for d in diagnostics))
        self.diagnostics = tuple(diagnostics)


def quote(text: str) -> str:
    """A piece of the input for a message: short, and without characters that a terminal would obey."""
    shown = text if len(text) <= 20 else text[:20] + "…"
    escaped = (c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in shown)
    return f"`{''.join(escaped)}`"


MAX_DIAGNOSTICS = 20
"""A text with more mistakes than this is probably not a program at all."""

_START = Span(1, 1, 1, 1)


class Findings:
    """Collects diagnostics; the parse ends with an `InputError` when there are enough."""

    def __init__(self) -> None:
        self._diagnostics: list[Diagnostic] = []

    def __len__(self) -> int:
        return len(self._diagnostics)

    def report(self, code: str, message: str, span: Span, hint: str) -> None:
        self.add(Diagnostic(code, message, span, hint))

    def add(self, diagnostic: Diagnostic) -> None:
        self._diagnostics.append(diagnostic)
        if len(self._diagnostics) == MAX_DIAGNOSTICS:
            raise self.error()

    def error(self) -> InputError:
        """An error with all diagnostics, in the order of the text."""
        return InputError(sorted(self._diagnostics, key=lambda found: found.span or _START))
