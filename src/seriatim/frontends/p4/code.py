"""What a packet does, with names resolved and calls expanded: the code that is sliced and executed.

A *path* names something that has a value for each packet: `hdr.ipv4.ttl`, `meta.x`, `MyIngress.count`.
"""

from collections.abc import Iterator
from enum import Enum, auto

from seriatim.frontends.p4.kinds import Bits, Simple
from seriatim.frontends.p4.terms import Operator, Prefix
from seriatim.frozen import field, frozen
from seriatim.source import Span

NOWHERE = Span(0, 0, 0, 0)


# --- values -------------------------------------------------------------------------------------------------


@frozen
class Const:
    value: int
    kind: Simple


@frozen
class Get:
    path: str
    kind: Simple
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Prefixed:
    operator: Prefix
    operand: "Value"
    kind: Simple


@frozen
class Applied:
    """A binary operator; both operands have the kind of the result, except in comparisons and shifts."""

    operator: Operator
    left: "Value"
    right: "Value"
    kind: Simple
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Either:
    condition: "Value"
    then: "Value"
    otherwise: "Value"
    kind: Simple


@frozen
class Converted:
    """A cast."""

    operand: "Value"
    kind: Simple


@frozen
class Sliced:
    operand: "Value"
    high: int
    low: int
    kind: Bits


Value = Const | Get | Prefixed | Applied | Either | Converted | Sliced


def parts(value: Value) -> Iterator[Value]:
    """A value and everything in it."""
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


@frozen
class Register:
    name: str
    kind: Bits
    size: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Put:
    """An assignment; with `high` and `low`, of these bits alone."""

    path: str
    kind: Simple
    value: Value
    high: int | None = None
    low: int | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Forget:
    """A local is declared: it has no value yet."""

    path: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class ReadCell:
    register: Register
    index: Value
    path: str
    kind: Simple
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class WriteCell:
    register: Register
    index: Value
    value: Value
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Hash:
    """`hash(path, algorithm, base, inputs, size)`."""

    path: str
    kind: Simple
    algorithm: str
    base: Value
    inputs: tuple[Value, ...]
    size: Value
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Random:
    """`random(path, low, high)`."""

    path: str
    kind: Simple
    low: Value
    high: Value
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Branch:
    condition: Value
    then: "Code"
    otherwise: "Code"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


class Unit(Enum):
    """What a frame is in the source."""

    ATOMIC = auto()
    ACTION = auto()
    CONTROL = auto()
    FUNCTION = auto()


@frozen
class Frame:
    """Code that may be one step, depending on the model; `return` leaves all but atomic blocks."""

    unit: Unit
    name: str
    body: "Code"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Pattern:
    """What the value of one key has to be: masked equal, or between; both None is anything."""

    value: int = 0
    mask: int | None = None
    low: int | None = None
    high: int | None = None
    prefix: int = 0
    """The length of the prefix, of `lpm`."""

    def matches(self, key: int) -> bool:
        if self.low is not None and self.high is not None:
            return self.low <= key <= self.high
        return self.mask is None or key & self.mask == self.value & self.mask


@frozen
class Choice:
    """One way that a table can go: an action with the values of its data, and the code."""

    action: str
    number: int
    """The number of the action in the list of the table."""
    data: tuple[tuple[str, Simple], ...]
    """The paths of the parameters that entries fill."""
    body: Frame
    default_only: bool = False
    table_only: bool = False


@frozen
class TableEntry:
    patterns: tuple[Pattern, ...]
    action: str
    data: tuple[int, ...]
    priority: int
    """The entry with the least number wins."""
    span: Span | None = field(default=None, compare=False, repr=False)


@frozen
class Table:
    name: str
    keys: tuple[Value, ...]
    matches: tuple[str, ...]
    choices: tuple[Choice, ...]
    entries: tuple[TableEntry, ...] | None
    """None if the control plane fills the table."""
    default: tuple[str, tuple[int, ...] | None]
    """The action of a miss, and its data, if they are known."""
    default_is_constant: bool
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def choice(self, action: str) -> Choice:
        return next(each for each in self.choices if each.action == action)


@frozen
class Apply:
    """`t.apply()`; whether it was a hit, and the number of the action, go to these paths."""

    table: Table
    label: str
    """The name of the table; where it is applied a second time, with a number."""
    hit: str
    ran: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
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
    """All steps, those inside others, too, in the order of the text."""
    for step in code:
        yield step
        for inner in nested(step):
            yield from steps(inner)


def written(step: Step) -> tuple[str, ...]:
    """The paths that a step itself gives a value to, or takes it from."""
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
