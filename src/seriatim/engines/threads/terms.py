"""Terms of a solver as expressions."""

from functools import reduce
from typing import assert_never

from seriatim.arithmetic.solvers.horn import Term
from seriatim.program.threads.expressions import (
    FALSE,
    TRUE,
    Binary,
    Conditional,
    Constant,
    Expression,
    Operator,
    Unary,
    Variable,
    negation,
)

BINARY: dict[str, Operator] = {
    "=": "==",
    "<=": "<=",
    ">=": ">=",
    "<": "<",
    ">": ">",
    "div": "/",
    "mod": "%",
    "=>": "==>",
}
CHAINS: dict[str, Operator] = {"and": "&&", "or": "||", "+": "+", "*": "*", "-": "-"}


class UnknownTerm(Exception):
    """A solver's term that is no expression."""


def to_expression(term: Term, names: list[str]) -> Expression:
    """With these names for the arguments `!0`, `!1`, …"""
    match term:
        case bool():
            return TRUE if term else FALSE
        case int():
            return Constant(term)
        case str():
            return Variable(names[int(term[1:])])
        case (operator, arguments):
            return _combine(operator, [to_expression(each, names) for each in arguments])
        case _:
            assert_never(term)


def _combine(operator: str, operands: list[Expression]) -> Expression:
    match operator, operands:
        case "not", [operand]:
            return negation(operand)
        case "-", [operand]:
            return Unary("-", operand)
        case (("if" | "ite"), [condition, then, otherwise]):
            return Conditional(condition, then, otherwise)
        case "distinct", [left, right]:
            return Binary("!=", left, right)
        case _, [left, right] if operator in BINARY:
            return Binary(BINARY[operator], left, right)
        case _, [_, *_] if operator in CHAINS:
            named = CHAINS[operator]
            return reduce(lambda left, right: Binary(named, left, right), operands)
        case _:
            raise UnknownTerm(operator)
