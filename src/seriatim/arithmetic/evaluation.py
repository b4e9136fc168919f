"""The value of a term without quantifiers and functions, for given values of names; other names are 0."""

from collections.abc import Mapping
from typing import assert_never

from seriatim.arithmetic.terms import Apply, Compound, Constant, Name, Op, Quantifier, Term


def evaluate(term: Term, values: Mapping[Name, int]) -> int:
    """A truth value is 0 or 1."""
    match term:
        case Constant(value=value):
            return value
        case Name():
            return values.get(term, 0)
        case Compound(op=op, arguments=arguments):
            return _operate(op, arguments, values)
        case Apply() | Quantifier():
            raise ValueError("functions and quantifiers have no value")
        case _:
            assert_never(term)


def _operate(op: Op, arguments: tuple[Term, ...], values: Mapping[Name, int]) -> int:
    match op:
        case Op.AND:
            return all(evaluate(each, values) for each in arguments)
        case Op.OR:
            return any(evaluate(each, values) for each in arguments)
        case Op.NOT:
            return not evaluate(arguments[0], values)
        case Op.IF:
            return evaluate(arguments[1] if evaluate(arguments[0], values) else arguments[2], values)
        case Op.ADD:
            return sum(evaluate(each, values) for each in arguments)
        case Op.SELECT | Op.STORE:
            raise ValueError("arrays have no value")
    left, right = (evaluate(each, values) for each in arguments)
    match op:
        case Op.TIMES:
            return left * right
        case Op.MODULO:
            return left % right
        case Op.EQUAL:
            return left == right
        case Op.AT_MOST:
            return left <= right
        case _:
            assert_never(op)
