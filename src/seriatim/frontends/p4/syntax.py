"""The syntax tree of P4-16 programs; each node has its place in the text.

Nodes are frozen; `span` takes no part in equality. Names are not resolved yet, and widths are expressions.
Calls of externs, tables and actions are all `Call`. `walk` goes over the parts of any node. Expressions and
types are those of `terms.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from typing import TypeVar

from seriatim.frontends.p4.terms import NOWHERE, Argument, Call, Expression, Type
from seriatim.source import Span

# --- annotations and statements -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Annotation:
    """`@name`, `@name(…)` or `@name[…]`; `body` is the text in brackets, with single blanks."""

    name: str
    body: str = ""
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Annotations = tuple[Annotation, ...]


@dataclass(frozen=True, slots=True)
class Assignment:
    """`x = e;` — `x += e;` is read as `x = x + e;`."""

    target: Expression
    value: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class CallStatement:
    call: Call
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class If:
    condition: Expression
    then: "Statement"
    otherwise: "Statement | None" = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SwitchCase:
    """The labels of a case and its body; several labels may share one body."""

    labels: tuple[Expression, ...]
    body: "Block"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Switch:
    """`switch (t.apply().action_run) { a: { … } default: { … } }`, or a switch on a value."""

    subject: Expression
    cases: tuple[SwitchCase, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Return:
    value: Expression | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Exit:
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Block:
    statements: tuple["Statement", ...]
    annotations: Annotations = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    @property
    def is_atomic(self) -> bool:
        return any(each.name == "atomic" for each in self.annotations)


@dataclass(frozen=True, slots=True)
class Variable:
    """`bit<8> x = 3;`: a local of a control, a parser, an action or a block."""

    type: Type
    name: str
    initial: Expression | None = None
    annotations: Annotations = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Constant:
    type: Type
    name: str
    value: Expression
    annotations: Annotations = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Statement = Assignment | CallStatement | If | Switch | Return | Exit | Block | Variable | Constant


# --- declarations -------------------------------------------------------------------------------------------


class Direction(StrEnum):
    NONE = ""
    IN = "in"
    OUT = "out"
    INOUT = "inout"


@dataclass(frozen=True, slots=True)
class Parameter:
    type: Type
    name: str
    direction: Direction = Direction.NONE
    default: Expression | None = None
    annotations: Annotations = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Field:
    type: Type
    name: str
    annotations: Annotations = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


class Record(StrEnum):
    HEADER = "header"
    STRUCT = "struct"
    UNION = "header_union"


@dataclass(frozen=True, slots=True)
class RecordType:
    kind: Record
    name: str
    fields: tuple[Field, ...]
    annotations: Annotations = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Alias:
    """`typedef bit<9> port_t;`, or `type …` if it is a new type."""

    type: Type
    name: str
    is_new: bool = False
    annotations: Annotations = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class EnumMember:
    name: str
    value: Expression | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class EnumType:
    """`enum E { A, B }`, or `enum bit<8> E { A = 1 }`; `error { … }` has the name `error`."""

    name: str
    members: tuple[EnumMember, ...]
    underlying: Type | None = None
    annotations: Annotations = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Instance:
    """`register<bit<32>>(1024) seen;`, `V1Switch(…) main;`"""

    type: Type
    arguments: tuple[Argument, ...]
    name: str
    annotations: Annotations = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Action:
    name: str
    parameters: tuple[Parameter, ...]
    body: Block
    annotations: Annotations = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Function:
    returns: Type
    name: str
    parameters: tuple[Parameter, ...]
    body: Block
    annotations: Annotations = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Key:
    """`hdr.ipv4.dst : lpm;`"""

    expression: Expression
    match: str
    annotations: Annotations = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ActionRef:
    """An action of a table, perhaps with arguments for its directed parameters."""

    name: str
    arguments: tuple[Argument, ...] | None = None
    annotations: Annotations = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Entry:
    """`(0x0a, _) : forward(1);` in `entries`; `priority` is the n of `priority = n :`."""

    keys: tuple[Expression, ...]
    action: ActionRef
    priority: Expression | None = None
    annotations: Annotations = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TableProperty:
    """A property other than keys, actions, default action and entries, such as `size = 1024;`."""

    name: str
    value: Expression
    is_constant: bool = False
    annotations: Annotations = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    keys: tuple[Key, ...]
    actions: tuple[ActionRef, ...]
    default: ActionRef | None
    default_is_constant: bool
    entries: tuple[Entry, ...] | None
    """The entries in the program; None if the control plane fills the table."""
    entries_are_constant: bool
    properties: tuple[TableProperty, ...]
    annotations: Annotations = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Local = Variable | Constant | Instance | Action | Table


@dataclass(frozen=True, slots=True)
class Control:
    """A control; the deparser is also a control."""

    name: str
    parameters: tuple[Parameter, ...]
    locals: tuple[Local, ...]
    apply: Block
    annotations: Annotations = ()
    constructor: tuple[Parameter, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SelectCase:
    keys: tuple[Expression, ...]
    state: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Select:
    """`transition select(a, b) { … }`."""

    subjects: tuple[Expression, ...]
    cases: tuple[SelectCase, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class State:
    """A state of a parser; its transition is a state, a `select`, or None for `reject`."""

    name: str
    statements: tuple[Statement, ...]
    transition: str | Select | None
    annotations: Annotations = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Parser:
    name: str
    parameters: tuple[Parameter, ...]
    locals: tuple[Variable | Constant | Instance, ...]
    states: tuple[State, ...]
    annotations: Annotations = ()
    constructor: tuple[Parameter, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Declaration = (
    RecordType | Alias | EnumType | Constant | Variable | Instance | Action | Function | Control | Parser
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A comment `// ser: …`."""

    text: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Program:
    declarations: tuple[Declaration, ...]
    marks: tuple[Mark, ...] = ()
    included: tuple[str, ...] = ()
    """The texts of the files that the program includes."""


Kind = TypeVar("Kind")


def children(node: object) -> Iterator[object]:
    """The parts of a node, in the order of the text; none of anything but a node."""
    if is_dataclass(node) and not isinstance(node, Span):
        yield from (getattr(node, each.name) for each in fields(node))


def walk(node: object) -> Iterator[object]:
    """A node and all nodes in it, parents first, in the order of the text."""
    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, tuple):
            pending.extend(reversed(current))
        elif is_dataclass(current) and not isinstance(current, Span):
            yield current
            pending.extend(getattr(current, each.name) for each in reversed(fields(current)))


def all_of(node: object, kind: type[Kind]) -> Iterator[Kind]:
    """All parts of a node that are of one kind."""
    return (part for part in walk(node) if isinstance(part, kind))
