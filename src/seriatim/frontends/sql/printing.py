"""Expressions as SQL text, for proposed changes."""

from seriatim.frontends.sql.requests import value_text
from seriatim.frontends.sql.terms import (
    Among,
    Call,
    Column,
    Constant,
    Expression,
    Function,
    Operation,
    Operator,
    Variable,
)

_BINDING = {Operator.OR: 1, Operator.AND: 2, Operator.ADD: 5, Operator.SUBTRACT: 5, Operator.JOINED: 5}


_TESTS = {Function.IS_NULL: "IS NULL", Function.IS_TRUE: "IS TRUE", Function.IS_FALSE: "IS FALSE"}


def expression_text(expression: Expression) -> str | None:
    """The SQL text of an expression about one table; None if it has subqueries or aggregates."""
    match expression:
        case Constant(value=value):
            return value_text(value)
        case Variable(name=name):
            return f":{name}"
        case Column(name=name):
            return name
        case Operation(operator=operator, left=left, right=right):
            sides = [_side(operator, each) for each in (left, right)]
            return None if None in sides else f"{sides[0]} {operator} {sides[1]}"
        case Call(function=function, arguments=arguments):
            return _call(function, [expression_text(each) for each in arguments])
        case Among(value=value, items=items):
            parts = [expression_text(each) for each in (value, *items)]
            return None if None in parts else f"{parts[0]} IN ({', '.join(map(str, parts[1:]))})"
        case _:
            return None


def _side(operator: Operator, expression: Expression) -> str | None:
    text = expression_text(expression)
    if text is None or not isinstance(expression, Operation):
        return text
    inner, outer = _BINDING.get(expression.operator, 4), _BINDING.get(operator, 4)
    return text if inner > outer or operator is expression.operator is Operator.AND else f"({text})"


def _call(function: Function, arguments: list[str | None]) -> str | None:
    if None in arguments:
        return None
    match function:
        case Function.NOT:
            return f"NOT ({arguments[0]})"
        case Function.NEGATE:
            return f"-({arguments[0]})"
        case Function.TO_INTEGER:
            return f"({arguments[0]})::integer"
        case Function.SAME:
            return f"{arguments[0]} IS NOT DISTINCT FROM {arguments[1]}"
        case _ if function in _TESTS:
            return f"({arguments[0]}) {_TESTS[function]}"
        case _:
            return f"{function}({', '.join(map(str, arguments))})"
