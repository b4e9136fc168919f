"""The operators of all languages of expressions: what they take and give, compute, and are for solvers.

*Values* are what interpreters compute; where a division has the divisor 0, they raise `DividesByZero`.
*Terms* are total and are simplified when they are made, so that what can fail has to be found before.
Division and remainder are those of SMT-LIB: `a == b * (a / b) + a % b` with `0 <= a % b < |b|`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import add, eq, ge, gt, le, lt, mul, ne, neg, not_, sub
from typing import Any, Literal

from seriatim.arithmetic import terms
from seriatim.arithmetic.terms import Constant, Sort, Term

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
    takes: Sort | None
    """The sort of operands; None: any, but of all the same (of `?`, of what is chosen)."""
    gives: Sort | None
    """The sort of the value; None: that of operands."""
    term: Callable[..., Term]
    """Makes a term of terms; raises `NoTerm`."""
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


def _no_quotient(_: Term, __: Term) -> Term:
    raise NoTerm("logic has no quotients")


def _remainder(dividend: Term, divisor: Term) -> Term:
    if isinstance(divisor, Constant) and divisor.value > 0:
        return terms.modulo(dividend, divisor)
    raise NoTerm("a remainder by something else than a positive number")


def _opposite(term: Term) -> Term:
    return terms.times(-1, term)


def _unequal(left: Term, right: Term) -> Term:
    return terms.negate(terms.equal(left, right))


def _least(left: Term, right: Term) -> Term:
    return terms.choose(terms.at_most(left, right), left, right)


def _largest(left: Term, right: Term) -> Term:
    return terms.choose(terms.at_most(left, right), right, left)


def _greater(left: Term, right: Term) -> Term:
    return terms.less(right, left)


def _at_least(left: Term, right: Term) -> Term:
    return terms.at_most(right, left)


CONDITIONAL, IMPLICATION, DISJUNCTION, CONJUNCTION, NEGATION, COMPARISON, SUM, PRODUCT, SIGN, ATOM = range(10)
"""Levels. Implications group to the right, comparisons not at all, other infix operators to the left. Some
languages write negations as signs, others with a word that binds more loosely.
"""

_INT, _BOOL = Sort.INT, Sort.BOOL
TABLE: Mapping[Op, Operator] = {
    "neg": Operator("-", _INT, _INT, _opposite, neg, SIGN, 1),
    "!": Operator("not", _BOOL, _BOOL, terms.negate, not_, SIGN, 1),
    "?": Operator("ite", None, None, terms.choose, None, CONDITIONAL, 3),
    "min": Operator(None, _INT, _INT, _least, min, ATOM),
    "max": Operator(None, _INT, _INT, _largest, max, ATOM),
    "+": Operator("+", _INT, _INT, terms.add, add, SUM),
    "-": Operator("-", _INT, _INT, terms.subtract, sub, SUM),
    "*": Operator("*", _INT, _INT, terms.product, mul, PRODUCT),
    "/": Operator("div", _INT, _INT, _no_quotient, divide, PRODUCT),
    "%": Operator("mod", _INT, _INT, _remainder, remainder, PRODUCT),
    "==": Operator("=", None, _BOOL, terms.equal, eq, COMPARISON),
    "!=": Operator("distinct", None, _BOOL, _unequal, ne, COMPARISON),
    "<": Operator("<", _INT, _BOOL, terms.less, lt, COMPARISON),
    "<=": Operator("<=", _INT, _BOOL, terms.at_most, le, COMPARISON),
    ">": Operator(">", _INT, _BOOL, _greater, gt, COMPARISON),
    ">=": Operator(">=", _INT, _BOOL, _at_least, ge, COMPARISON),
    "&&": Operator("and", _BOOL, _BOOL, terms.both, None, CONJUNCTION),
    "||": Operator("or", _BOOL, _BOOL, terms.either, None, DISJUNCTION),
    "==>": Operator("=>", _BOOL, _BOOL, terms.implies, None, IMPLICATION),
}
DIVISIONS: tuple[Op, ...] = ("/", "%")
COMPARISONS = tuple(op for op, each in TABLE.items() if each.level == COMPARISON)
CONNECTIVES = tuple(op for op, each in TABLE.items() if IMPLICATION <= each.level <= CONJUNCTION)
ARITHMETIC = tuple(op for op, each in TABLE.items() if each.level in (SUM, PRODUCT))
INFIX: Mapping[str, Op] = {op: op for op in (*CONNECTIVES, *COMPARISONS, *ARITHMETIC)}


def constant(value: int | bool) -> Term:
    return Constant(value, Sort.BOOL if isinstance(value, bool) else Sort.INT)


def make(op: Op, operands: Iterable[Term]) -> Term:
    """Makes a term of logic; raises `NoTerm`."""
    return TABLE[op].term(*operands)


def compute(op: Op) -> Callable[..., Any]:
    """The meaning of an operator that evaluates all operands."""
    value = TABLE[op].value
    assert value is not None, "connectives and conditionals are lazy"
    return value
