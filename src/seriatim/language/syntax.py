"""The abstract syntax of SER programs (paper, section 2.2, with the arithmetic that its tool supports).

Both surface styles, braces and layout, parse to these values. Spans take no part in equality, so that
a program equals its reformatted self. Everything is an expression: a handler's body is one, and its
value is the response.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from seriatim.source import Span

NOWHERE = Span(0, 0, 0, 0)
"""The span of a node that no text was written for."""

MAX_DEPTH = 1000
"""How deeply a program may nest; the parser refuses more, so that every walk of a tree can recurse."""


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
    """Binary operators that evaluate the right operand only if the left one leaves the question open."""

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
class Assign:
    """`x := e`; its value is the value assigned."""

    name: str
    value: "Expression"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Unary:
    operator: Prefix
    operand: "Expression"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Binary:
    operator: Operator
    left: "Expression"
    right: "Expression"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Logical:
    """`a && b`, `a || b`: 0 or 1, the right operand evaluated only if needed."""

    connective: Connective
    left: "Expression"
    right: "Expression"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class If:
    """A conditional; without `else` its value is 0 when the condition fails."""

    condition: "Expression"
    then: "Expression"
    otherwise: "Expression | None" = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class While:
    """A loop; its value is 0."""

    condition: "Expression"
    body: "Expression"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Yield:
    """Hands over to other requests; its value is 0."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Return:
    """Ends the handler with a response."""

    value: "Expression"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Sequence:
    """`a; b; …`: two or more expressions, none of them a sequence; its value is the last one's."""

    items: tuple["Expression", ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Expression = (
    Number | Choice | Read | Assign | Unary | Binary | Logical | If | While | Yield | Return | Sequence
)


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
class Program:
    initial_values: tuple[InitialValue, ...]
    handlers: tuple[Handler, ...]


def is_global(name: str) -> bool:
    """Globals begin with an uppercase letter, locals with anything else that begins a name."""
    return name[0].isupper()


def name_span(variable: Read | Assign) -> Span:
    """The place of its name, with which it begins."""
    start = variable.span
    return Span(start.line, start.column, start.line, start.column + len(variable.name))


def sequence(*parts: Expression) -> Expression:
    """The parts one after the other, nested sequences flattened."""
    items: list[Expression] = []
    for part in parts:
        items.extend(part.items if isinstance(part, Sequence) else (part,))
    if len(items) == 1:
        return items[0]
    return Sequence(tuple(items), items[0].span.to(items[-1].span))


def children(expression: Expression) -> tuple[Expression, ...]:
    """The immediate subexpressions, in the order of evaluation."""
    match expression:
        case Number() | Choice() | Read() | Yield():
            return ()
        case Assign(value=value) | Return(value=value):
            return (value,)
        case Unary(operand=operand):
            return (operand,)
        case Binary(left=left, right=right) | Logical(left=left, right=right):
            return (left, right)
        case If(condition=condition, then=then, otherwise=otherwise):
            return (condition, then) if otherwise is None else (condition, then, otherwise)
        case While(condition=condition, body=body):
            return (condition, body)
        case Sequence(items=items):
            return items


def transformed(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with `change` applied to every subexpression, innermost first, itself last."""

    def inner(part: Expression) -> Expression:
        return transformed(part, change)

    match expression:
        case Number() | Choice() | Read() | Yield():
            return change(expression)
        case Assign(value=value) | Return(value=value):
            return change(replace(expression, value=inner(value)))
        case Unary(operand=operand):
            return change(replace(expression, operand=inner(operand)))
        case Binary(left=left, right=right) | Logical(left=left, right=right):
            return change(replace(expression, left=inner(left), right=inner(right)))
        case If(condition=condition, then=then, otherwise=otherwise):
            rest = None if otherwise is None else inner(otherwise)
            return change(replace(expression, condition=inner(condition), then=inner(then), otherwise=rest))
        case While(condition=condition, body=body):
            return change(replace(expression, condition=inner(condition), body=inner(body)))
        case Sequence(items=items):
            return change(replace(expression, items=tuple(inner(item) for item in items)))


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and all its subexpressions, parents first, in the order of the text."""
    pending = [expression]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(children(current)))


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
    return tuple(sorted(names.union(*(mentioned_globals(handler.body) for handler in program.handlers))))


def initial_globals(program: Program) -> dict[str, int]:
    """The initial value of every global, 0 where none is given; sorted by name."""
    given = {initial.name: initial.value for initial in program.initial_values}
    return {name: given.get(name, 0) for name in global_names(program)}
