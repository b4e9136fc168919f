"""Expressions of asynchronous programs and of their proofs, with all names resolved."""

from dataclasses import dataclass, field
from enum import StrEnum

from seriatim.source import Span
from seriatim.terms.expressions import NOWHERE, Apply, Constant, Variable


@dataclass(frozen=True, slots=True)
class Symbol:
    """A member of an enumeration; the first one has index 0."""

    enum: str
    name: str
    index: int
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A size that is fixed before the program starts."""

    name: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Cell:
    """A global, or an element of a global array; `old` is its value before the program started."""

    name: str
    indices: tuple["Expression", ...] = ()
    old: bool = False
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Between:
    """The integers from one to another."""

    low: "Expression"
    high: "Expression"


@dataclass(frozen=True, slots=True)
class Members:
    """All members of an enumeration."""

    enum: str
    size: int


@dataclass(frozen=True, slots=True)
class Majorities:
    """All sets with more than half of the members of a family's range."""

    family: str


@dataclass(frozen=True, slots=True)
class Booleans:
    """False and true."""


@dataclass(frozen=True, slots=True)
class Integers:
    """All integers; in finite mode those that --values names."""


Domain = Between | Members | Majorities | Booleans | Integers


@dataclass(frozen=True, slots=True)
class Binder:
    name: str
    domain: Domain


@dataclass(frozen=True, slots=True)
class Quantified:
    for_all: bool
    binders: tuple[Binder, ...]
    body: "Expression"
    span: Span = field(default=NOWHERE, compare=False)


class Fold(StrEnum):
    SUM = "sum"
    COUNT = "count"
    MAX = "max"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A sum, a count of true cases, or a maximum over a range; 0 over an empty one."""

    fold: Fold
    body: "Expression"
    binder: Binder
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Target:
    """A set, bag or queue: a global, or an element of a global array."""

    name: str
    indices: tuple["Expression", ...] = ()
    old: bool = False
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Size:
    """How many messages a set, bag or queue has."""

    target: Target
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Copies:
    """How often a set or bag contains a message."""

    message: tuple["Expression", ...]
    target: Target
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class First:
    """The oldest message of a queue; fails if the queue is empty."""

    target: Target
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class InMajority:
    member: "Expression"
    majority: "Expression"
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Pending:
    """How many instances of an action wait to be executed; in proofs only."""

    action: str
    arguments: tuple["Expression", ...]
    span: Span = field(default=NOWHERE, compare=False)


Expression = (
    Constant
    | Variable
    | Apply["Expression"]
    | Symbol
    | Parameter
    | Cell
    | Quantified
    | Aggregate
    | Size
    | Copies
    | First
    | InMajority
    | Pending
)
