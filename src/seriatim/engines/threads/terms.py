"""Terms of a solver as expressions."""

from functools import reduce
from typing import assert_never

from seriatim.arithmetic.solvers.horn import Term
from seriatim.terms.expressions import FALSE, TRUE, Constant, Expression, Op, Variable, apply, negation

BINARY: dict[str, Op] = {
    "=": "==",
    "<=": "<=",
    ">=": ">=",
    "<": "<",
    ">": ">",
    "div": "/",
    "mod": "%",
    "=>": "==>",
}
CHAINS: dict[str, Op] = {"and": "&&", "or": "||", "+": "+", "*": "*", "-": "-"}


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
            return apply("neg", operand)
        case (("if" | "ite"), [condition, then, otherwise]):
            return apply("?", condition, then, otherwise)
        case "distinct", [left, right]:
            return apply("!=", left, right)
        case _, [left, right] if operator in BINARY:
            return apply(BINARY[operator], left, right)
        case _, [_, *_] if operator in CHAINS:
            named = CHAINS[operator]
            return reduce(lambda left, right: apply(named, left, right), operands)
        case _:
            raise UnknownTerm(operator)
