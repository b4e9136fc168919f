"""Programs as they are written, for the kernel: the core language with arrays, ranges and locks.

`proofs/Program.v` has the same constructs, and says there what they mean. The kernel reads and executes such
trees itself, so nobody has to believe how Seriatim writes these constructs out in the core language.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from seriatim.frontends.ser.surface import Policy
from seriatim.program.syntax import (
    NOWHERE,
    Assign,
    Choice,
    Fault,
    Node,
    Number,
    Read,
    Yield,
    children,
    is_global,
)
from seriatim.source import Span


@dataclass(frozen=True, slots=True)
class GetCell:
    """An element of an array, which is the names of its elements."""

    cells: tuple[str, ...]
    index: "Written"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SetCell:
    cells: tuple[str, ...]
    index: "Written"
    value: "Written"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Fit:
    """A value for a variable that has a range."""

    low: int
    high: int
    policy: Policy
    value: "Written"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Take:
    """Waits until the variable is 0, then makes it 1."""

    name: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TakeCell:
    """The same for an element of an array; the index is evaluated once, before waiting."""

    cells: tuple[str, ...]
    index: "Written"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Wait:
    """Yields until the condition holds."""

    condition: "Written"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Claimed:
    """Fails unless the condition holds."""

    condition: "Written"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Any value of a range."""

    low: int
    high: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Sugar = GetCell | SetCell | Fit | Take | TakeCell | Wait | Claimed | AnyOf
"""What the core language does not have."""

Written = Node["Written"] | Sugar


def parts(code: Written) -> tuple[Written, ...]:
    """The immediate subexpressions."""
    match code:
        case GetCell(index=inner) | TakeCell(index=inner) | Fit(value=inner):
            return (inner,)
        case SetCell(index=index, value=value):
            return (index, value)
        case Wait(condition=condition) | Claimed(condition=condition):
            return (condition,)
        case Take() | AnyOf() | Number() | Choice() | Read() | Yield() | Fault():
            return ()
        case _:
            return children(code)


def walk(code: Written) -> Iterator[Written]:
    """The code and all its parts, parents first."""
    pending = [code]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(parts(current)))


def variables(code: Written) -> Iterator[str]:
    """All variables that it mentions."""
    for part in walk(code):
        match part:
            case Read(name=name) | Assign(name=name) | Take(name=name):
                yield name
            case GetCell(cells=cells) | SetCell(cells=cells) | TakeCell(cells=cells):
                yield from cells


def mentioned_globals(code: Written) -> set[str]:
    return {name for name in variables(code) if is_global(name)}


def may_yield(code: Written) -> bool:
    return any(isinstance(part, Yield | Take | TakeCell | Wait) for part in walk(code))
