"""Positions as values: which variables and answers hold one, and what renaming makes of code with them.

A symmetry permutes positions (`seriatim.program.symmetry`). A variable or an answer may *hold* a position, as
in `OWNER := 3` or `return 3`. Its values are permuted as well, and so are the numbers in the code that get
there. Each part of the code has a kind: what becomes of its value. Numbers of the kind `INDEX` are renamed;
numbers of the kind `DATA` stay.

- `x := e` wants an index of e if x holds one; `return e`, and the value of a body, if the answer is one.
- `if` and `;` hand on what is wanted of them. Values that nobody looks at are `DROPPED`.
- `x == y` and `x != y` compare two variables that hold indices: only whether they are the same matters.
- Everything else computes with data. A part that has no effects and reads one variable, which holds an index,
  is a *test*: a table from the index to data. Renaming permutes the table.

Data never become an index: code in which they would is `Mixed`. So a variable that holds an index has, at any
time, one of finitely many values, the *domain*: its initial value, or a number of the kind `INDEX` in the
text.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import assert_never

from seriatim.program.changing import map_children
from seriatim.program.semantics import Unbounded, apply
from seriatim.program.syntax import (
    Assign,
    AssignCell,
    Binary,
    Cell,
    Choice,
    Connective,
    Expression,
    Fault,
    If,
    Logical,
    Number,
    Operator,
    Prefix,
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
    children,
)


class IndexKind(Enum):
    """What becomes of a value."""

    DATA = "data"
    INDEX = "index"
    DROPPED = "dropped"


class Mixed(Exception):
    """Data would become an index."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """What a permutation of positions calls variables and indices; others keep their names."""

    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[int, int] = field(default_factory=dict)


SAME = Renaming()


@dataclass(frozen=True, slots=True)
class Indices:
    """What holds a position, and the numbers that can be there."""

    variables: frozenset[str] = frozenset()
    answers: frozenset[str] = frozenset()
    """Requests whose answer is a position."""
    domain: tuple[int, ...] = ()

    def kind(self, name: str) -> IndexKind:
        return IndexKind.INDEX if name in self.variables else IndexKind.DATA

    def answer(self, request: str) -> IndexKind:
        return IndexKind.INDEX if request in self.answers else IndexKind.DATA


NO_INDICES = Indices()


def part_kinds(
    expression: Expression, kind: IndexKind, indices: Indices, answer: IndexKind
) -> tuple[IndexKind, ...]:
    """Returns what is wanted of the parts, where `kind` is wanted of the whole. Raises `Mixed`."""
    match expression:
        case Number() | Fault():
            return ()
        case Read(name=name):
            if kind is IndexKind.INDEX and name not in indices.variables:
                raise Mixed
            return ()
        case Assign(name=name):
            own = indices.kind(name)
            if kind not in (own, IndexKind.DROPPED):
                raise Mixed
            return (own,)
        case Return():
            return (answer,)
        case If():
            return (IndexKind.DATA, kind, kind)
        case Sequence(items=items):
            return (*[IndexKind.DROPPED] * (len(items) - 1), kind)
        case Choice() | Yield() | Unary() | Binary() | Logical() | While() | Cell() | AssignCell():
            if kind is IndexKind.INDEX:
                raise Mixed
            return _computed_kinds(expression, indices)
        case _:
            assert_never(expression)


def _computed_kinds(expression: Expression, indices: Indices) -> tuple[IndexKind, IndexKind]:
    """Returns what is wanted of the parts of an expression whose value is never an index."""
    if isinstance(expression, While):
        return (IndexKind.DATA, IndexKind.DROPPED)
    own = IndexKind.INDEX if compares_indices(expression, indices) else IndexKind.DATA
    return (own, own)


def compares_indices(expression: Expression, indices: Indices) -> bool:
    """Whether this is `x == y` or `x != y`, of two variables that hold indices."""
    match expression:
        case Binary(operator=Operator.EQUAL | Operator.UNEQUAL, left=Read(name=one), right=Read(name=other)):
            return one != other and one in indices.variables and other in indices.variables
        case _:
            return False


def index_numbers(
    expression: Expression, kind: IndexKind, indices: Indices, answer: IndexKind
) -> Iterator[int]:
    """The numbers in the text that become an index. Raises `Mixed`; recurses."""
    if kind is IndexKind.INDEX:
        if isinstance(expression, Number):
            yield expression.value
        if isinstance(expression, If) and expression.otherwise is None:
            yield 0
    kinds = part_kinds(expression, kind, indices, answer)
    for part, own in zip(children(expression), kinds, strict=False):
        yield from index_numbers(part, own, indices, answer)


def find_tested(expression: Expression, indices: Indices) -> str | None:
    """The variable that a test reads; None if the expression is no test."""
    names = set[str]()
    pending: list[Expression] = [expression]
    while pending:
        part = pending.pop()
        match part:
            case Read(name=name):
                names.add(name)
            case Binary(operator=Operator.MODULO, right=right) if not is_divisor(right):
                return None
            case Number() | Unary() | Binary() | Logical():
                pending.extend(children(part))
            case _:
                return None
    return names.pop() if len(names) == 1 and names <= indices.variables else None


def is_divisor(expression: Expression) -> bool:
    return isinstance(expression, Number) and expression.value != 0


def table(test: Expression, domain: tuple[int, ...]) -> dict[int, int]:
    """The value of a test for each index. Raises `Mixed` where numbers get too long."""
    try:
        return {index: evaluate(test, index) for index in domain}
    except Unbounded:
        raise Mixed from None


def evaluate(test: Expression, index: int) -> int:
    """The value of a test, where the variable that it reads has this value."""
    match test:
        case Number(value=value):
            return value
        case Read():
            return index
        case Unary(operator=Prefix.NOT, operand=operand):
            return int(evaluate(operand, index) == 0)
        case Unary(operand=operand):
            return -evaluate(operand, index)
        case Binary(operator=operator, left=left, right=right):
            return apply(operator, evaluate(left, index), evaluate(right, index))
        case Logical(connective=connective, left=left, right=right):
            first = evaluate(left, index) != 0
            if first is (connective is Connective.OR):
                return int(first)
            return int(evaluate(right, index) != 0)
        case _:
            raise AssertionError("a test has no effects")


def rename(
    expression: Expression, renaming: Renaming, indices: Indices, kind: IndexKind, answer: IndexKind
) -> Expression:
    """The image of code: variables and indices have their new names, tables of tests are permuted."""
    if kind is IndexKind.DATA and indices.variables:
        name = find_tested(expression, indices)
        if name is not None:
            return _rename_test(expression, name, renaming, indices)
    kinds = iter(part_kinds(expression, kind, indices, answer))
    image = map_children(expression, lambda part: rename(part, renaming, indices, next(kinds), answer))
    match image:
        case Number(value=value, span=span) if kind is IndexKind.INDEX:
            return Number(renaming.values.get(value, value), span)
        case If(condition=condition, then=then, otherwise=None, span=span) if kind is IndexKind.INDEX:
            return If(condition, then, Number(renaming.values.get(0, 0), span), span)
        case Read(name=name, span=span):
            return Read(renaming.names.get(name, name), span)
        case Assign(name=name, value=assigned, span=span):
            return Assign(renaming.names.get(name, name), assigned, span)
        case _:
            return image


def _rename_test(test: Expression, name: str, renaming: Renaming, indices: Indices) -> Expression:
    """The test as it is, if renaming does not change its table; or a sum over the indices."""
    values = table(test, indices.domain)
    image = {renaming.values.get(index, index): value for index, value in values.items()}
    if image == values:
        return test
    found: Expression = Number(0, test.span)
    for index, value in image.items():
        is_here: Expression = Binary(
            Operator.EQUAL, Read(name, test.span), Number(index, test.span), test.span
        )
        weighed: Expression = Binary(Operator.MULTIPLY, is_here, Number(value, test.span), test.span)
        found = Binary(Operator.ADD, found, weighed, test.span)
    return found
