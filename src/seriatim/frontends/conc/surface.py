"""Thread programs as they are written: statements, before they become steps."""

from dataclasses import dataclass

from seriatim.program.threads.syntax import Action, Type
from seriatim.source import Diagnostic, Span
from seriatim.terms.expressions import Expression, Value


@dataclass(frozen=True, slots=True)
class Simple:
    """Actions that are one step."""

    actions: tuple[Action, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Return:
    span: Span


@dataclass(frozen=True, slots=True)
class Atomic:
    body: tuple["Statement", ...]
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    condition: Expression | None
    """None chooses freely."""
    then: tuple["Statement", ...]
    otherwise: tuple["Statement", ...]
    span: Span
    """Of what stands before the first block."""


@dataclass(frozen=True, slots=True)
class While:
    condition: Expression | None
    body: tuple["Statement", ...]
    span: Span


Statement = Simple | Return | Atomic | If | While


@dataclass(frozen=True, slots=True)
class ThreadText:
    """A template."""

    name: str
    parameters: tuple[str, ...]
    results: tuple[str, ...]
    types: dict[str, Type]
    body: tuple[Statement, ...]
    span: Span
    """Of its name."""


@dataclass(frozen=True, slots=True)
class ProgramText:
    types: dict[str, Type]
    initial: dict[str, Value]
    threads: tuple[ThreadText, ...]
    warnings: tuple[Diagnostic, ...]
