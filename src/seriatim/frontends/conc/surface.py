"""Thread programs as they are written: statements, before they become steps."""

from seriatim.frozen import frozen
from seriatim.program.threads.expressions import Expression, Value
from seriatim.program.threads.syntax import Action, Type
from seriatim.source import Diagnostic, Span


@frozen
class Simple:
    """Actions that are one step."""

    actions: tuple[Action, ...]
    span: Span


@frozen
class Return:
    span: Span


@frozen
class Atomic:
    body: tuple["Statement", ...]
    span: Span


@frozen
class If:
    condition: Expression | None
    """None chooses freely."""
    then: tuple["Statement", ...]
    otherwise: tuple["Statement", ...]
    span: Span
    """Of what stands before the first block."""


@frozen
class While:
    condition: Expression | None
    body: tuple["Statement", ...]
    span: Span


Statement = Simple | Return | Atomic | If | While


@frozen
class ThreadText:
    """A template."""

    name: str
    parameters: tuple[str, ...]
    results: tuple[str, ...]
    types: dict[str, Type]
    body: tuple[Statement, ...]
    span: Span
    """Of its name."""


@frozen
class ProgramText:
    types: dict[str, Type]
    initial: dict[str, Value]
    threads: tuple[ThreadText, ...]
    warnings: tuple[Diagnostic, ...]
