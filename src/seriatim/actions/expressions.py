"""Expressions of asynchronous programs and of their proofs, with all names resolved."""

from dataclasses import dataclass, field
from enum import StrEnum

from seriatim.source import Span

NOWHERE = Span(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Number:
    value: int
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A member of an enumeration; the first one has index 0."""

    enum: str
    name: str
    index: int
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Variable:
    """A local, an argument of an action, or a variable of a quantifier."""

    name: str
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


class Operator(StrEnum):
    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    EQUAL = "=="
    UNEQUAL = "!="
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="
    AND = "and"
    OR = "or"
    IMPLIES = "=>"


COMPARISONS = frozenset(["==", "!=", "<", "<=", ">", ">="])
CONNECTIVES = frozenset(("and", "or", "=>"))


@dataclass(frozen=True, slots=True)
class Binary:
    operator: Operator
    left: "Expression"
    right: "Expression"
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Not:
    operand: "Expression"
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Negative:
    operand: "Expression"
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Conditional:
    """`one if condition else other`."""

    condition: "Expression"
    one: "Expression"
    other: "Expression"
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Extreme:
    """The smaller or the larger one of two numbers."""

    largest: bool
    left: "Expression"
    right: "Expression"
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
    Number
    | Truth
    | Symbol
    | Variable
    | Parameter
    | Cell
    | Binary
    | Not
    | Negative
    | Conditional
    | Extreme
    | Quantified
    | Aggregate
    | Size
    | Copies
    | First
    | InMajority
    | Pending
)
