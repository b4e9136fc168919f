"""The abstract syntax of SER programs (paper, section 2.2, with the arithmetic that its tool supports).

Both surface styles, braces and layout, parse to these values. Spans take no part in equality, so that
a program equals its reformatted self. Everything is an expression: a handler's body is one, and its
value is the response.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, Protocol, TypeVar, assert_never

from seriatim.program.state import Names, name_value
from seriatim.source import Diagnostic, Span

NOWHERE = Span(0, 0, 0, 0)
"""The span of a node without a text."""

MAX_DEPTH = 1000
"""How deeply a program may nest; the parser refuses more, so that every walk of a tree can recurse."""


Part = TypeVar("Part", covariant=True)
"""The type of an expression's parts: core expressions, or surface expressions."""

Inner = TypeVar("Inner")


class HasPlace(Protocol):
    @property
    def span(self) -> Span: ...


Placed = TypeVar("Placed", bound=HasPlace)


class Operator(StrEnum):
    """Binary operators that evaluate both operands, left first."""

    EQUAL = "=="
    UNEQUAL = "!="
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="
    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    MODULO = "%"


class Connective(StrEnum):
    """Binary operators that evaluate the right operand only if the left one does not decide the result."""

    AND = "&&"
    OR = "||"


class Prefix(StrEnum):
    NOT = "!"
    MINUS = "-"


@dataclass(frozen=True, slots=True)
class Number:
    """A numeric constant."""

    value: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """`?`: either 0 or 1."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Read:
    """The value of a variable."""

    name: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Assign(Generic[Part]):
    """`x := e`; its value is the value assigned."""

    name: str
    value: Part
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Cell(Generic[Part]):
    """The value of a cell of an array that has a cell for each integer."""

    name: str
    index: Part
    initial: int
    """The initial value of all cells of the array."""
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class AssignCell(Generic[Part]):
    """Assigns to one of these cells; the index is evaluated first."""

    name: str
    index: Part
    initial: int
    value: Part
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Unary(Generic[Part]):
    operator: Prefix
    operand: Part
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Binary(Generic[Part]):
    operator: Operator
    left: Part
    right: Part
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Logical(Generic[Part]):
    """`a && b`, `a || b`: 0 or 1, the right operand evaluated only if needed."""

    connective: Connective
    left: Part
    right: Part
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class If(Generic[Part]):
    """A conditional; without `else` its value is 0 when the condition fails."""

    condition: Part
    then: Part
    otherwise: Part | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class While(Generic[Part]):
    """A loop; its value is 0."""

    condition: Part
    body: Part
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Yield:
    """Hands over to other requests; its value is 0."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Return(Generic[Part]):
    """Ends the handler with a response."""

    value: Part
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Sequence(Generic[Part]):
    """`a; b; …`: two or more expressions, none of them a sequence; its value is the last one's."""

    items: tuple[Part, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Fault:
    """A failure of the program at this point. It has no text of its own: it comes from declarations.

    It never completes, like a loop that neither yields nor ends. That no run comes to one is a claim of its
    own (`docs/theory/desugaring.md`).
    """

    code: str
    message: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Node = (
    Number
    | Choice
    | Read
    | Assign[Inner]
    | Cell[Inner]
    | AssignCell[Inner]
    | Unary[Inner]
    | Binary[Inner]
    | Logical[Inner]
    | If[Inner]
    | While[Inner]
    | Yield
    | Return[Inner]
    | Sequence[Inner]
    | Fault
)
"""An expression with parts of some kind."""

Expression = Node["Expression"]


@dataclass(frozen=True, slots=True)
class InitialValue:
    """`X := 3` before the first request: the value of a global at the start."""

    name: str
    value: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Handler:
    """`request name { body }`: what a request of this name does."""

    name: str
    body: Expression
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class UnboundedHandler:
    """`request name(v: int) { body }`: a handler for any integers as arguments."""

    name: str
    parameters: tuple[str, ...]
    """The locals that contain the arguments at the start."""
    body: Expression


@dataclass(frozen=True, slots=True)
class OpenArray:
    """`A[account: int] := 3`: an array with a cell for each integer."""

    name: str
    index: str
    """The name of the index in the text."""
    initial: int
    """The initial value of all cells."""


LEFT_OUT: While[Expression] = While(Number(1), Number(0))
"""What an example does at a cell that it leaves out: it stops, so it is part of no complete run."""


@dataclass(frozen=True, slots=True)
class Program:
    initial_values: tuple[InitialValue, ...]
    handlers: tuple[Handler, ...]
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)
    """Warnings about the text that it was read from (`seriatim.frontends.ser.warnings`)."""
    value_names: Names = field(default_factory=dict, compare=False, repr=False)
    """Names of values of certain variables in the text."""
    answer_names: Names = field(default_factory=dict, compare=False, repr=False)
    """Names of answers of certain handlers in the text."""
    unbounded_handlers: tuple[UnboundedHandler, ...] = ()
    """All requests, if some have parameters that may be any integers. Then `handlers` are only examples: a
    violation there is a violation, but a proof has to be about the unbounded handlers."""
    open_arrays: tuple[OpenArray, ...] = ()
    """Arrays with a cell for each integer. The examples have a few of these cells."""

    @property
    def requests(self) -> tuple[str, ...]:
        """The names of the requests, in the order of the text."""
        return tuple(handler.name for handler in self.handlers)

    @property
    def noun(self) -> str:
        """The word for it in messages."""
        return "program"

    @property
    def bodies(self) -> "tuple[Expression, ...]":
        """What requests do, also with arguments that no example has."""
        return tuple(each.body for each in (*self.handlers, *self.unbounded_handlers))

    @property
    def can_fail(self) -> bool:
        """Whether it has assertions, ranges or indices, so that a step might fail."""
        return any(isinstance(part, Fault) for body in self.bodies for part in walk(body))

    @property
    def leaves_cells_out(self) -> bool:
        """Whether requests of the examples may reach cells that the examples do not have."""
        if not self.open_arrays:
            return False
        return any(leaves_out(handler.body) for handler in self.handlers)

    @property
    def is_marked(self) -> bool:
        """Whether `@lp` stands anywhere in it."""
        parts = (part for handler in self.handlers for part in walk(handler.body))
        return any(isinstance(part, Assign) and part.name == POINT for part in parts)

    @property
    def never_yields(self) -> bool:
        """Whatever arguments requests have."""
        return not any(map(yields, self.bodies))

    @property
    def may_wait(self) -> bool:
        """Whether a request may have to wait: in a loop, which includes `await` and `lock`."""
        return any(isinstance(part, While) for body in self.bodies for part in walk(body))

    @property
    def has_arrays(self) -> bool:
        return any("[" in name for name in global_names(self))

    @property
    def variables(self) -> tuple[str, ...]:
        """The globals, sorted."""
        return global_names(self)

    @property
    def spans(self) -> tuple[Span, ...]:
        """The place of each request in the text."""
        return tuple(handler.span for handler in self.handlers)

    def show_value(self, name: str, value: int) -> str:
        """A value of a variable, by its name in the text."""
        return name_value(self.value_names, name, value)


def is_global(name: str) -> bool:
    """Whether a name is a global: it begins with an uppercase letter, or has a dot, as in `self.seats`."""
    return name[0].isupper() or "." in name


def is_generated(name: str) -> bool:
    """Whether a variable is a generated temporary, not one of the text."""
    return name.startswith("#")


POINT = "#lp"
"""A local that is assigned at each `@lp` and never read."""


def sequence(*parts: Placed) -> Placed | Sequence[Placed]:
    """The parts one after the other, nested sequences flattened."""
    items: list[Placed] = []
    for part in parts:
        items.extend(part.items if isinstance(part, Sequence) else (part,))
    if len(items) == 1:
        return items[0]
    return Sequence(tuple(items), items[0].span.to(items[-1].span))


def children(expression: Node[Inner]) -> tuple[Inner, ...]:
    """The immediate subexpressions, in the order of evaluation."""
    match expression:
        case Number() | Choice() | Read() | Yield() | Fault():
            return ()
        case Assign(value=value) | Return(value=value):
            return (value,)
        case Unary(operand=operand) | Cell(index=operand):
            return (operand,)
        case AssignCell(index=index, value=value):
            return (index, value)
        case Binary(left=left, right=right) | Logical(left=left, right=right):
            return (left, right)
        case If(condition=condition, then=then, otherwise=otherwise):
            return (condition, then) if otherwise is None else (condition, then, otherwise)
        case While(condition=condition, body=body):
            return (condition, body)
        case Sequence(items=items):
            return items
        case _:
            assert_never(expression)


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and all its subexpressions, parents first, in the order of the text."""
    pending = [expression]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(children(current)))


def leaves_out(code: Expression) -> bool:
    """Whether an example may reach a cell that it leaves out."""
    return any(part == LEFT_OUT for part in walk(code))


def yields(expression: Expression) -> bool:
    """Whether a `yield` stands anywhere in it."""
    return any(isinstance(part, Yield) for part in walk(expression))


def mentioned_globals(expression: Expression) -> set[str]:
    """The globals that it may read or write."""
    return {
        part.name for part in walk(expression) if isinstance(part, Read | Assign) and is_global(part.name)
    }


def global_names(program: Program) -> tuple[str, ...]:
    """All globals that the program names, sorted."""
    names = {initial.name for initial in program.initial_values}
    return tuple(sorted(names.union(*map(mentioned_globals, program.bodies))))


def initial_globals(program: Program) -> dict[str, int]:
    """The initial value of every global, 0 where none is given; sorted by name."""
    given = {initial.name: initial.value for initial in program.initial_values}
    return {name: given.get(name, 0) for name in global_names(program)}
