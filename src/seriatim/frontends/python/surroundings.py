"""What surrounds a statement: blocks to leave properly, loops, calls, and where jumps lead to."""

from collections.abc import Callable

from seriatim.frontends.python.module import Function
from seriatim.frontends.python.values import Value
from seriatim.frozen import frozen
from seriatim.source import Span


class Target:
    """Where a jump leads to, and how often it is used."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.is_used = False
        self.assigned: set[str] | None = None
        """The locals that have a value wherever a jump starts."""


@frozen
class Finalizer:
    """What is executed on the way out of a block."""

    run: Callable[[], None]


@frozen
class Loop:
    after: Target
    again: Target


@frozen
class Catching:
    """A `try` with the exceptions that it catches: names, or None for all."""

    clauses: tuple[tuple[tuple[str, ...] | None, Target], ...]
    exception: str
    """The local that keeps which one it is."""


class Calling:
    """A function that is executed in the place of its call."""

    def __init__(self, function: Function, after: Target, result: str) -> None:
        self.function = function
        self.after = after
        self.result = result
        self.value: Value | None = None
        """The shape of what it returns, with its parts in locals."""


Surrounding = Finalizer | Loop | Catching | Calling


@frozen
class Gate:
    """A call that stands for something outside."""

    span: Span
    slot: str
    """The local that gets the answer; empty if nobody looks at it."""
    answers: tuple[str, ...]
    """What it can answer, as Python writes it."""
