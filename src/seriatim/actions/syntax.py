"""Asynchronous programs: sizes, globals, actions, and how a proof orders them."""

from dataclasses import dataclass, field
from enum import StrEnum

from seriatim.actions.expressions import Between, Cell, Domain, Expression, Target
from seriatim.source import Span
from seriatim.terms.expressions import NOWHERE

MAIN = "main"
"""The only action that is pending at the start."""


@dataclass(frozen=True, slots=True)
class IntType:
    pass


@dataclass(frozen=True, slots=True)
class BoolType:
    pass


@dataclass(frozen=True, slots=True)
class EnumType:
    name: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MajorityType:
    """The type of sets with more than half of the members of a family's range."""

    family: str


ValueType = IntType | BoolType | EnumType | MajorityType


class CollectionKind(StrEnum):
    SET = "set"
    BAG = "bag"
    QUEUE = "queue"


@dataclass(frozen=True, slots=True)
class Collection:
    kind: CollectionKind
    message: tuple[ValueType, ...]


@dataclass(frozen=True, slots=True)
class Size:
    """A parameter of the program: any integer from `least` on."""

    name: str
    least: int
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Family:
    """The sets with more than half of the members of a range."""

    name: str
    members: Between
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Global:
    name: str
    ranges: tuple[Between, ...]
    type: ValueType | Collection
    initial: Expression | None
    """The initial value; None means any value. Collections begin empty."""
    span: Span = field(default=NOWHERE, compare=False)


# --- statements ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assign:
    target: Cell | str
    """A cell of a global, or the name of a local."""
    value: Expression
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Receive:
    """Takes any message of a set or bag, or the oldest one of a queue; waits for one."""

    names: tuple[str, ...]
    target: Target
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Take:
    """Takes one copy of this message out of a set or bag; waits for it."""

    target: Target
    message: tuple[Expression, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Send:
    target: Target
    message: tuple[Expression, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Havoc:
    """Chooses any value of a domain that meets a condition; waits if no value does."""

    target: Cell | str
    domain: Domain
    condition: Expression | None
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Await:
    condition: Expression
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Assert:
    condition: Expression
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Async:
    action: str
    arguments: tuple[Expression, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class For:
    name: str
    range: Between
    body: tuple["Statement", ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class If:
    condition: Expression
    then: tuple["Statement", ...]
    otherwise: tuple["Statement", ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Either:
    blocks: tuple[tuple["Statement", ...], ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Skip:
    span: Span = field(default=NOWHERE, compare=False)


Statement = Assign | Receive | Take | Send | Havoc | Await | Assert | Async | For | If | Either | Skip
Block = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Argument:
    name: str
    type: ValueType


@dataclass(frozen=True, slots=True)
class Action:
    name: str
    arguments: tuple[Argument, ...]
    body: Block
    span: Span = field(default=NOWHERE, compare=False)


# --- proofs -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Order:
    """The order of actions. Its place is `NOWHERE` if the program does not say one."""

    names: tuple[str, ...]
    by_index: bool = False
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Key:
    """The place of an action's instances in the order, as a tuple."""

    action: str
    arguments: tuple[str, ...]
    parts: tuple[Expression, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class When:
    """A condition that holds whenever an instance of `action` comes next; if that is None, at the end."""

    action: str | None
    arguments: tuple[str, ...]
    condition: Expression
    span: Span = field(default=NOWHERE, compare=False)


class GateKind(StrEnum):
    EARLIEST = "earliest"
    """No instance is pending that comes earlier in the order."""
    ENABLED = "enabled"
    """Some branch of the action can be taken."""
    WAITS = "waits"
    """No other pending instance of a named action can do a step."""


@dataclass(frozen=True, slots=True)
class Gate:
    """One conjunct of the condition under which an action may be moved to the front."""

    action: str
    kind: GateKind
    other: str | None = None
    """The action whose instances wait; None for the other kinds."""


@dataclass(frozen=True, slots=True)
class Term:
    """A component of a measure: pending instances of an action, or messages in a global."""

    name: str
    is_action: bool


@dataclass(frozen=True, slots=True)
class Fact:
    """A condition of a program or proof, with its place in the text."""

    condition: Expression
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Proof:
    """A block `sequential`: which actions are ordered, how, and why that covers all runs."""

    actions: tuple[str, ...]
    order: Order
    keys: tuple[Key, ...] = ()
    always: tuple[Fact, ...] = ()
    when: tuple[When, ...] = ()
    abstractions: tuple[Action, ...] = ()
    gates: tuple[Gate, ...] | None = None
    """The gates; None if Seriatim has to find them."""
    measure: tuple[Term, ...] | None = None
    """The measure; None if Seriatim has to find one."""
    ensures: tuple[Fact, ...] = ()
    invariants: tuple[Fact, ...] = ()
    """What the program claims of every state that a run reaches after `main`."""
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def lasting(self) -> tuple[Fact, ...]:
        """The facts that every step keeps: those of the proof, and those that the program claims."""
        return (*self.always, *self.invariants)

    def abstraction(self, name: str) -> Action | None:
        return next((each for each in self.abstractions if each.name == name), None)

    def rank(self, name: str) -> int:
        return self.order.names.index(name)


@dataclass(frozen=True, slots=True)
class ActionProgram:
    sizes: tuple[Size, ...]
    enums: tuple[EnumType, ...]
    families: tuple[Family, ...]
    variables: tuple[Global, ...]
    initially: tuple[Fact, ...]
    actions: tuple[Action, ...]
    proof: Proof | None = None

    def action(self, name: str) -> Action:
        return next(each for each in self.actions if each.name == name)

    def variable(self, name: str) -> Global:
        return next(each for each in self.variables if each.name == name)

    def family(self, name: str) -> Family:
        return next(each for each in self.families if each.name == name)
