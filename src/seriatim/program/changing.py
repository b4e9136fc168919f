"""Replaces parts of expressions: `map_children` changes the immediate ones, `transform` all of them."""

from collections.abc import Callable
from typing import TypeVar, assert_never

from seriatim.program.syntax import (
    Assign,
    AssignCell,
    Binary,
    Cell,
    Choice,
    Expression,
    Fault,
    If,
    Inner,
    Logical,
    Node,
    Number,
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
)

Changed = TypeVar("Changed")


def map_children(expression: Node[Inner], change: Callable[[Inner], Changed]) -> Node[Changed]:
    """The expression with `change` applied to its immediate subexpressions, in the order of `children`."""
    match expression:
        case Number() | Choice() | Read() | Yield() | Fault():
            return expression
        case Assign(name=name, value=value, span=span):
            return Assign(name, change(value), span)
        case Cell(name=name, index=index, initial=initial, span=span):
            return Cell(name, change(index), initial, span)
        case AssignCell(name=name, index=index, initial=initial, value=value, span=span):
            return AssignCell(name, change(index), initial, change(value), span)
        case Return(value=value, span=span):
            return Return(change(value), span)
        case Unary(operator=prefix, operand=operand, span=span):
            return Unary(prefix, change(operand), span)
        case Binary(operator=operator, left=left, right=right, span=span):
            return Binary(operator, change(left), change(right), span)
        case Logical(connective=connective, left=left, right=right, span=span):
            return Logical(connective, change(left), change(right), span)
        case If(condition=condition, then=then, otherwise=otherwise, span=span):
            first, second = change(condition), change(then)
            return If(first, second, None if otherwise is None else change(otherwise), span)
        case While(condition=condition, body=body, span=span):
            return While(change(condition), change(body), span)
        case Sequence(items=items, span=span):
            return Sequence(tuple(change(item) for item in items), span)
        case _:
            assert_never(expression)


def transform(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with `change` applied to every subexpression, innermost first, itself last."""
    return change(map_children(expression, lambda part: transform(part, change)))
