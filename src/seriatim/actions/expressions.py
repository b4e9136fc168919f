"""Expressions of asynchronous programs and of their proofs, with all names resolved."""

from enum import StrEnum

from seriatim.frozen import field, frozen
from seriatim.source import Span

NOWHERE = Span(0, 0, 0, 0)


@frozen
class Number:
    value: int
    span: Span = field(default=NOWHERE, compare=False)


@frozen
class Truth:
    value: bool
    span: Span = field(default=NOWHERE, compare=False)


@frozen
class Symbol:
    """A member of an enumeration; the first one has index 0."""

    enum: str
    name: str
    index: int
    span: Span = field(default=NOWHERE, compare=False)


@frozen
class Variable:
    """A local, an argument of an action, or a variable of a quantifier."""

    name: str
    span: Span = field(default=NOWHERE, compare=False)


@frozen
class Parameter:
    """A size that is fixed before the program starts."""

    name: str
    span: Span = field(default=NOWHERE, compare=False)


@frozen
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


@frozen
class Binary:
    operator: Operator
    left: "Expression"
    right: "Expression"
    span: Span = field(default=NOWHERE, compare=False)


@frozen
class Not:
    operand: "Expression"
    span: Span = field(default=NOWHERE, compare=False)


@frozen
class Negative:
    operand: "Expression"
    span: Span = field(default=NOWHERE, compare=False)


@frozen
class Conditional:
    """`one if condition else other`."""

    condition: "Expression"
    one: "Expression"
    other: "Expression"
    span: Span = field(default=NOWHERE, compare=False)


@frozen
class Extreme:
    """The smaller or the larger one of two numbers."""

    largest: bool
    left: "Expression"
    right: "Expression"
    span: Span = field(default=NOWHERE, compare=False)


@frozen
class Between:
    """The integers from one to another."""

    low: "Expression"
    high: "Expression"


@frozen
class Members:
    """All members of an enumeration."""

    enum: str
    size: int


@frozen
class Majorities:
    """All sets with more than half of the members of a family's range."""

    family: str


@frozen
class Booleans:
    """False and true."""


@frozen
class Integers:
    """All integers; in finite mode those that --values names."""


Domain = Between | Members | Majorities | Booleans | Integers


@frozen
class Binder:
    name: str
    domain: Domain


@frozen
class Quantified:
    for_all: bool
    binders: tuple[Binder, ...]
    body: "Expression"
    span: Span = field(default=NOWHERE, compare=False)


class Fold(StrEnum):
    SUM = "sum"
    COUNT = "count"
    MAX = "max"


@frozen
class Aggregate:
    """A sum, a count of true cases, or a maximum over a range; 0 over an empty one."""

    fold: Fold
    body: "Expression"
    binder: Binder
    span: Span = field(default=NOWHERE, compare=False)


@frozen
class Target:
    """A set, bag or queue: a global, or an element of a global array."""

    name: str
    indices: tuple["Expression", ...] = ()
    old: bool = False
    span: Span = field(default=NOWHERE, compare=False)


@frozen
class Size:
    """How many messages a set, bag or queue has."""

    target: Target
    span: Span = field(default=NOWHERE, compare=False)


@frozen
class Copies:
    """How often a set or bag contains a message."""

    message: tuple["Expression", ...]
    target: Target
    span: Span = field(default=NOWHERE, compare=False)


@frozen
class First:
    """The oldest message of a queue; fails if the queue is empty."""

    target: Target
    span: Span = field(default=NOWHERE, compare=False)


@frozen
class InMajority:
    member: "Expression"
    majority: "Expression"
    span: Span = field(default=NOWHERE, compare=False)


@frozen
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
