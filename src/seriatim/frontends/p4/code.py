"""The code of a packet, with names resolved and calls expanded; it is sliced and executed.

A *path* names a field or variable, which has a value for each packet: `hdr.ipv4.ttl`, `MyIngress.count`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from seriatim.frontends.p4.kinds import Bits, Simple
from seriatim.frontends.p4.terms import Operator, Prefix
from seriatim.source import Span

NOWHERE = Span(0, 0, 0, 0)

KEYED = "~key "


def keyed(name: str, keys: Iterable[int | str]) -> str:
    """The name of what a table without known entries does with these keys: each key has an outcome, and data,
    of its own."""
    return f"{name}{KEYED}{', '.join(map(str, keys))}"


def without_key(name: str) -> str:
    return name.partition(KEYED)[0]


# --- values -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Const:
    value: int
    kind: Simple


@dataclass(frozen=True, slots=True)
class Get:
    """The value of a path."""

    path: str
    kind: Simple
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Prefixed:
    operator: Prefix
    operand: "Value"
    kind: Simple


@dataclass(frozen=True, slots=True)
class Applied:
    """A binary operator; both operands have the kind of the result, except in comparisons and shifts."""

    operator: Operator
    left: "Value"
    right: "Value"
    kind: Simple
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Either:
    """`condition ? then : otherwise`."""

    condition: "Value"
    then: "Value"
    otherwise: "Value"
    kind: Simple


@dataclass(frozen=True, slots=True)
class Converted:
    """A cast."""

    operand: "Value"
    kind: Simple


@dataclass(frozen=True, slots=True)
class Sliced:
    operand: "Value"
    high: int
    low: int
    kind: Bits


Value = Const | Get | Prefixed | Applied | Either | Converted | Sliced


def parts(value: Value) -> Iterator[Value]:
    """A value and all values in it."""
    pending = [value]
    while pending:
        current = pending.pop()
        yield current
        match current:
            case Prefixed(operand=operand) | Converted(operand=operand) | Sliced(operand=operand):
                pending.append(operand)
            case Applied(left=left, right=right):
                pending += (left, right)
            case Either(condition=condition, then=then, otherwise=otherwise):
                pending += (condition, then, otherwise)
            case _:
                pass


def reads(value: Value) -> frozenset[str]:
    """The paths that a value depends on."""
    return frozenset(part.path for part in parts(value) if isinstance(part, Get))


# --- steps --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Register:
    name: str
    kind: Bits
    size: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Put:
    """An assignment; with `high` and `low`, only to these bits."""

    path: str
    kind: Simple
    value: Value
    high: int | None = None
    low: int | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Forget:
    """The declaration of a local without a value."""

    path: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ReadCell:
    register: Register
    index: Value
    path: str
    kind: Simple
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class WriteCell:
    register: Register
    index: Value
    value: Value
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Hash:
    """`hash(path, algorithm, base, inputs, size)`."""

    path: str
    kind: Simple
    algorithm: str
    base: Value
    inputs: tuple[Value, ...]
    size: Value
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Random:
    """`random(path, low, high)`."""

    path: str
    kind: Simple
    low: Value
    high: Value
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Branch:
    condition: Value
    then: "Code"
    otherwise: "Code"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


class Unit(Enum):
    """The kind of source text that a frame comes from."""

    ATOMIC = auto()
    ACTION = auto()
    CONTROL = auto()
    FUNCTION = auto()


@dataclass(frozen=True, slots=True)
class Frame:
    """Code that may be one step, depending on the model; `return` leaves all but atomic blocks."""

    unit: Unit
    name: str
    body: "Code"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A condition for one key: equal under a mask, or between two values; by default, any value."""

    value: int = 0
    mask: int | None = None
    low: int | None = None
    high: int | None = None
    prefix: int = 0
    """The length of the prefix, for `lpm`."""

    def matches(self, key: int) -> bool:
        if self.low is not None and self.high is not None:
            return self.low <= key <= self.high
        return self.mask is None or key & self.mask == self.value & self.mask


@dataclass(frozen=True, slots=True)
class Choice:
    """An action that a table can choose, with its data and its code."""

    action: str
    number: int
    """The number of the action in the list of the table."""
    data: tuple[tuple[str, Simple], ...]
    """The paths and kinds of the parameters that entries fill."""
    body: Frame
    default_only: bool = False
    table_only: bool = False


@dataclass(frozen=True, slots=True)
class TableEntry:
    patterns: tuple[Pattern, ...]
    action: str
    data: tuple[int, ...]
    priority: int
    """The priority; the matching entry with the least number wins."""
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    keys: tuple[Value, ...]
    matches: tuple[str, ...]
    choices: tuple[Choice, ...]
    entries: tuple[TableEntry, ...] | None
    """The known entries; None if the control plane fills the table."""
    default: tuple[str, tuple[int, ...] | None]
    """The action of a miss, and its data, if they are known."""
    default_is_constant: bool
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def choice(self, action: str) -> Choice:
        return next(each for each in self.choices if each.action == action)


@dataclass(frozen=True, slots=True)
class Apply:
    """`t.apply()`; the path `hit` tells whether an entry matched, the path `ran` the number of the action."""

    table: Table
    label: str
    """The name of the table; with a number if the table is applied several times."""
    hit: str
    ran: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Leave:
    """`return`, or `exit` if it leaves everything."""

    everything: bool
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Step = Put | Forget | ReadCell | WriteCell | Hash | Random | Branch | Frame | Apply | Leave

Code = tuple[Step, ...]


def nested(step: Step) -> tuple[Code, ...]:
    """The code inside a step."""
    match step:
        case Branch(then=then, otherwise=otherwise):
            return then, otherwise
        case Frame(body=body):
            return (body,)
        case Apply(table=table):
            return tuple((each.body,) for each in table.choices)
        case _:
            return ()


def steps(code: Code) -> Iterator[Step]:
    """All steps, including those inside others, in the order of the text."""
    for step in code:
        yield step
        for inner in nested(step):
            yield from steps(inner)


def writes(step: Step) -> tuple[str, ...]:
    """The paths that a step itself gives a value to, or whose value it deletes."""
    match step:
        case Put(path=path) | ReadCell(path=path) | Hash(path=path) | Random(path=path) | Forget(path=path):
            return (path,)
        case Apply(hit=hit, ran=ran):
            return hit, ran
        case _:
            return ()


def values_of(step: Step) -> tuple[Value, ...]:
    """The values that a step itself uses."""
    match step:
        case Put(value=value):
            return (value,)
        case ReadCell(index=index):
            return (index,)
        case WriteCell(index=index, value=value):
            return (index, value)
        case Hash(base=base, size=size, inputs=inputs):
            return (base, size, *inputs)
        case Random(low=low, high=high):
            return (low, high)
        case Branch(condition=condition):
            return (condition,)
        case Apply(table=table):
            return table.keys
        case _:
            return ()
