"""A solver's relations as terms."""

from functools import reduce
from typing import assert_never

from seriatim.arithmetic.solvers.horn import Term as Answer
from seriatim.arithmetic.terms import (
    FALSE,
    TRUE,
    Name,
    Term,
    add,
    at_most,
    both,
    choose,
    either,
    equal,
    implies,
    less,
    modulo,
    negate,
    number,
    product,
    subtract,
    times,
)


class UnknownTerm(Exception):
    """Raised for a solver's term that is not among ours."""


def to_term(answer: Answer, names: list[Name]) -> Term:
    """A solver's answer as a term, with these names for the arguments `!0`, `!1`, …"""
    match answer:
        case bool():
            return TRUE if answer else FALSE
        case int():
            return number(answer)
        case str():
            return names[int(answer[1:])]
        case (operator, arguments):
            return _combine(operator, [to_term(each, names) for each in arguments])
        case _:
            assert_never(answer)


def _combine(operator: str, operands: list[Term]) -> Term:  # noqa: C901 - an arm a case
    match operator, operands:
        case "and", _:
            return both(*operands)
        case "or", _:
            return either(*operands)
        case "not", [operand]:
            return negate(operand)
        case "=>", [left, right]:
            return implies(left, right)
        case "=", [left, right]:
            return equal(left, right)
        case "distinct", [left, right]:
            return negate(equal(left, right))
        case "<=", [left, right]:
            return at_most(left, right)
        case ">=", [left, right]:
            return at_most(right, left)
        case "<", [left, right]:
            return less(left, right)
        case ">", [left, right]:
            return less(right, left)
        case "+", _:
            return add(*operands)
        case "-", [operand]:
            return times(-1, operand)
        case "-", [left, *rest]:
            return reduce(subtract, rest, left)
        case "*", [left, *rest]:
            return reduce(product, rest, left)
        case "mod", [left, right]:
            return modulo(left, right)
        case (("if" | "ite"), [condition, one, other]):
            return choose(condition, one, other)
        case _:
            raise UnknownTerm(f"the solver answers with `{operator}`")
