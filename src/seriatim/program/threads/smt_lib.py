"""Expressions as SMT-LIB text, for solvers."""

from typing import assert_never

from seriatim.program.threads.expressions import Binary, Conditional, Constant, Expression, Unary, Variable
from seriatim.program.threads.syntax import Type, is_boolean

OPERATORS = {"/": "div", "%": "mod", "==": "=", "&&": "and", "||": "or", "==>": "=>"}


def smt(expression: Expression) -> str:
    match expression:
        case Constant(value=bool() as value):
            return "true" if value else "false"
        case Constant(value=value):
            return str(value) if value >= 0 else f"(- {-value})"
        case Variable(name=name):
            return quote(name)
        case Unary(sign=sign, operand=operand):
            return f"({'not' if sign == '!' else '-'} {smt(operand)})"
        case Binary(operator="!=", left=left, right=right):
            return f"(not (= {smt(left)} {smt(right)}))"
        case Binary(operator=operator, left=left, right=right):
            return f"({OPERATORS.get(operator, operator)} {smt(left)} {smt(right)})"
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return f"(ite {smt(condition)} {smt(then)} {smt(otherwise)})"
        case _:
            assert_never(expression)


def quote(name: str) -> str:
    return f"|{name}|"


def sort(type_: Type) -> str:
    return "Bool" if is_boolean(type_) else "Int"
