"""The surface of the language: programs as they are written, before `seriatim.frontends.ser.desugar`.

An expression of the core is one of the surface, too, and the printer extends that of the core. Like in the
core, spans take no part in equality. Ranges, sizes and initial values are kept as they were
written: `N - 1` is not yet 2.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from seriatim.program.syntax import NOWHERE, Node, Read, children
from seriatim.source import Span

# Expressions


@dataclass(frozen=True, slots=True)
class Element:
    """`A[i]`: the value of an element of an array."""

    name: str
    index: "Surface"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class AssignElement:
    """`A[i] := e`; the index is evaluated first."""

    name: str
    index: "Surface"
    value: "Surface"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Choose:
    """`choose(0..3)`: any value of a range."""

    values: "Range"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Await:
    """`await e`: yields until e holds."""

    condition: "Surface"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Assert:
    """`assert e`: fails unless e holds."""

    condition: "Surface"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Lock:
    """`lock(L)`: waits until L is 0, then makes it 1."""

    target: "Read | Element"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Unlock:
    """`unlock(L)`: makes L 0."""

    target: "Read | Element"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """`f(a, b)`: the value of a `fun`."""

    name: str
    arguments: tuple["Surface", ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Marked:
    """`@lp e`: e, in a step that is the linearization point of its request."""

    statement: "Surface"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class For:
    """`for i in 0..2 { e }`: e for each value of a range, one after the other; its value is 0."""

    variable: "Parameter"
    body: "Surface"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Sugar = Element | AssignElement | Choose | Await | Assert | Lock | Unlock | Call | Marked | For

Surface = Node["Surface"] | Sugar

# Declarations


@dataclass(frozen=True, slots=True)
class Interval:
    """`0..3`: all values from the first to the last."""

    low: Surface
    high: Surface
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NamedRange:
    """The values of an `enum`, by its name."""

    name: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Range = Interval | NamedRange


class Policy(StrEnum):
    """What becomes of a value outside the range of its variable."""

    REFUSE = "refuse"
    WRAP = "wrap"
    SATURATE = "saturate"


@dataclass(frozen=True, slots=True)
class Constant:
    """`const N := 3`."""

    name: str
    value: Surface
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Member:
    """A name for a value in an `enum`; the first one is 0."""

    name: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Enumeration:
    """`enum Light { RED, GREEN }`; the name of the whole may be left out."""

    name: str | None
    members: tuple[Member, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Variable:
    """`X := 3`, `X in 0..3 wrap := 0`, `A[4] := 0`: a global, or a local at the start of its handler; or
    `A[account: int] := 0`, a global with a cell for each integer."""

    name: str
    size: Surface | None
    values: Range | None
    policy: Policy
    initial: Surface
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    index: str | None = None
    """What an index is called, if there is a cell for each integer."""


Declaration = Constant | Enumeration | Variable


@dataclass(frozen=True, slots=True)
class Parameter:
    """`v in 0..2`, of a request or of a `for`; `v: int` or `a: account`, of a request. Those of a `fun` need
    no range."""

    name: str
    values: Range | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    kind: str | None = None
    """`int`, or what an index of some array is called: then it may be any integer."""

    @property
    def is_any_integer(self) -> bool:
        return self.kind is not None


@dataclass(frozen=True, slots=True)
class Request:
    """`request set(v in 0..2) { … }`: a handler for each choice of arguments."""

    name: str
    parameters: tuple[Parameter, ...]
    locals: tuple[Variable, ...]
    body: Surface
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Function:
    """`fun f(a, b) { … }`: code that handlers share."""

    name: str
    parameters: tuple[Parameter, ...]
    locals: tuple[Variable, ...]
    body: Surface
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Definition = Request | Function


@dataclass(frozen=True, slots=True)
class SurfaceProgram:
    declarations: tuple[Declaration, ...]
    definitions: tuple[Definition, ...]


def parts(expression: Surface) -> tuple[Surface, ...]:
    """The immediate subexpressions, in the order of evaluation; those of ranges are left out."""
    match expression:
        case Choose():
            return ()
        case Element(index=index):
            return (index,)
        case AssignElement(index=index, value=value):
            return (index, value)
        case Await(condition=condition) | Assert(condition=condition):
            return (condition,)
        case Marked(statement=statement):
            return (statement,)
        case Lock(target=target) | Unlock(target=target):
            return (target,)
        case Call(arguments=arguments):
            return arguments
        case For(body=body):
            return (body,)
        case _:
            return children(expression)


def walk(expression: Surface) -> Iterator[Surface]:
    """The expression and all its subexpressions, parents first, in the order of the text."""
    pending = [expression]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(parts(current)))
