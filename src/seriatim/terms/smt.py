"""Expressions as SMT-LIB text, and the terms that solvers answer with as expressions."""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TypeVar, assert_never

from seriatim.arithmetic.solvers.horn import Term as Answer
from seriatim.terms.expressions import Apply, Constant, Expression, Value, Variable
from seriatim.terms.operators import TABLE, NoTerm, Op

Made = TypeVar("Made")

_NAMED: dict[tuple[str, int], Op] = {(each.smt, each.arity): op for op, each in TABLE.items() if each.smt}
_NAMED["if", 3] = "?"
_CHAINS = ("and", "or", "+", "*", "-")


def smt(expression: Expression) -> str:
    match expression:
        case Constant(value=bool() as value):
            return "true" if value else "false"
        case Constant(value=value):
            return str(value) if value >= 0 else f"(- {-value})"
        case Variable(name=name):
            return quote(name)
        case Apply(op="!=", arguments=(left, right)):
            return f"(not (= {smt(left)} {smt(right)}))"
        case Apply(op=op, arguments=arguments):
            return f"({TABLE[op].smt} {' '.join(map(smt, arguments))})"
        case _:
            assert_never(expression)


def quote(name: str) -> str:
    return f"|{name}|"


def read_answer(
    answer: Answer,
    arguments: Sequence[Made],
    constant: Callable[[Value], Made],
    make: Callable[[Op, Sequence[Made]], Made],
) -> Made:
    """Makes something of a solver's term, with these for the arguments `!0`, `!1`, …

    Raises `NoTerm` for what expressions cannot say."""
    match answer:
        case bool() | int():
            return constant(answer)
        case str():
            return arguments[int(answer[1:])]
        case (name, parts):
            operands = [read_answer(each, arguments, constant, make) for each in parts]
            op = _NAMED.get((name, len(operands)))
            if op is not None:
                return make(op, operands)
            if name in _CHAINS and operands:
                chained = _NAMED[name, 2]
                return reduce(lambda left, right: make(chained, (left, right)), operands)
            raise NoTerm(f"the solver answers with `{name}`")
        case _:
            assert_never(answer)
