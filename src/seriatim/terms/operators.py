"""The operators of all languages of expressions: what they take and give, compute, and are for solvers.

*Values* are what interpreters compute; where a division has the divisor 0, they raise `DividesByZero`. Terms
of logic are made in `seriatim.terms.logic`. Division and remainder are those of SMT-LIB:
`a == b * (a / b) + a % b` with `0 <= a % b < |b|`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import add, eq, ge, gt, le, lt, mul, ne, neg, not_, sub
from typing import Any, Literal

Op = Literal[
    "neg", "!", "?", "min", "max",
    "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "==>",
]  # fmt: skip


class DividesByZero(Exception):
    """A division or a remainder has the divisor 0."""


class NoTerm(Exception):
    """Logic has no term for this operation."""


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator as a value."""

    smt: str | None
    """The name in SMT-LIB; None if it has none."""
    takes: type | None
    """`int` or `bool`: what operands are; None: either, but all the same (of `?`, what is chosen)."""
    gives: type | None
    """What the value is; None: what operands are."""
    value: Callable[..., Any] | None
    """Computes a value of values; None if not all operands are evaluated."""
    level: int
    """How tightly an infix operator binds; larger numbers bind more tightly."""
    arity: int = 2


def divide(dividend: int, divisor: int) -> int:
    if divisor == 0:
        raise DividesByZero
    return dividend // divisor if divisor > 0 else -(dividend // -divisor)


def remainder(dividend: int, divisor: int) -> int:
    if divisor == 0:
        raise DividesByZero
    return dividend % abs(divisor)


CONDITIONAL, IMPLICATION, DISJUNCTION, CONJUNCTION, NEGATION, COMPARISON, SUM, PRODUCT, SIGN, ATOM = range(10)
"""Levels. Implications group to the right, comparisons not at all, other infix operators to the left. Some
languages write negations as signs, others with a word that binds more loosely.
"""

TABLE: Mapping[Op, Operator] = {
    "neg": Operator("-", int, int, neg, SIGN, 1),
    "!": Operator("not", bool, bool, not_, SIGN, 1),
    "?": Operator("ite", None, None, None, CONDITIONAL, 3),
    "min": Operator(None, int, int, min, ATOM),
    "max": Operator(None, int, int, max, ATOM),
    "+": Operator("+", int, int, add, SUM),
    "-": Operator("-", int, int, sub, SUM),
    "*": Operator("*", int, int, mul, PRODUCT),
    "/": Operator("div", int, int, divide, PRODUCT),
    "%": Operator("mod", int, int, remainder, PRODUCT),
    "==": Operator("=", None, bool, eq, COMPARISON),
    "!=": Operator("distinct", None, bool, ne, COMPARISON),
    "<": Operator("<", int, bool, lt, COMPARISON),
    "<=": Operator("<=", int, bool, le, COMPARISON),
    ">": Operator(">", int, bool, gt, COMPARISON),
    ">=": Operator(">=", int, bool, ge, COMPARISON),
    "&&": Operator("and", bool, bool, None, CONJUNCTION),
    "||": Operator("or", bool, bool, None, DISJUNCTION),
    "==>": Operator("=>", bool, bool, None, IMPLICATION),
}
DIVISIONS: tuple[Op, ...] = ("/", "%")
COMPARISONS = tuple(op for op, each in TABLE.items() if each.level == COMPARISON)
CONNECTIVES = tuple(op for op, each in TABLE.items() if IMPLICATION <= each.level <= CONJUNCTION)
ARITHMETIC = tuple(op for op, each in TABLE.items() if each.level in (SUM, PRODUCT))
INFIX: Mapping[str, Op] = {op: op for op in (*CONNECTIVES, *COMPARISONS, *ARITHMETIC)}


def compute(op: Op) -> Callable[..., Any]:
    """The meaning of an operator that evaluates all operands."""
    value = TABLE[op].value
    assert value is not None, "connectives and conditionals are lazy"
    return value
