"""Expressions as SMT-LIB text, for solvers."""

from typing import assert_never

from seriatim.program.threads.syntax import Type, is_boolean
from seriatim.terms.expressions import Apply, Constant, Expression, Variable

OPERATORS = {
    "neg": "-",
    "!": "not",
    "?": "ite",
    "/": "div",
    "%": "mod",
    "==": "=",
    "&&": "and",
    "||": "or",
    "==>": "=>",
}


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
            return f"({OPERATORS.get(op, op)} {' '.join(map(smt, arguments))})"
        case _:
            assert_never(expression)


def quote(name: str) -> str:
    return f"|{name}|"


def sort(type_: Type) -> str:
    return "Bool" if is_boolean(type_) else "Int"
