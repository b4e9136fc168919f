"""Expressions of thread programs: data, and their value in an environment.
 Division and remainder are those of SMT-LIB: `a == b * (a / b) + a % b` with `0 <= a % b < |b|`. Operators
that combine conditions evaluate their right operand only where it matters, so `b != 0 && a / b > 1` divides
by nothing but numbers other than 0.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from operator import add, eq, ge, gt, le, lt, mul, ne, sub
from typing import Literal, assert_never

Value = int | bool

Sign = Literal["-", "!"]
Operator = Literal["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "==>"]


@dataclass(frozen=True, slots=True)
class Constant:
    value: Value


@dataclass(frozen=True, slots=True)
class Variable:
    name: str


@dataclass(frozen=True, slots=True)
class Unary:
    sign: Sign
    operand: "Expression"


@dataclass(frozen=True, slots=True)
class Binary:
    operator: Operator
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class Conditional:
    condition: "Expression"
    then: "Expression"
    otherwise: "Expression"


Expression = Constant | Variable | Unary | Binary | Conditional

TRUE = Constant(True)
FALSE = Constant(False)

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
ARITHMETIC = ("+", "-", "*", "/", "%")


class DividesByZero(Exception):
    """A division or a remainder has the divisor 0."""


class Unknown(Exception):
    """An expression reads a variable that the environment does not contain."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def negation(expression: Expression) -> Expression:
    if isinstance(expression, Unary) and expression.sign == "!":
        return expression.operand
    return Unary("!", expression)


def children(expression: Expression) -> tuple[Expression, ...]:
    match expression:
        case Constant() | Variable():
            return ()
        case Unary(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
        case _:
            assert_never(expression)


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """The expression and all within it."""
    pending = [expression]
    while pending:
        each = pending.pop()
        yield each
        pending.extend(children(each))


def variables(expression: Expression) -> frozenset[str]:
    """The names that it mentions."""
    return frozenset(each.name for each in subexpressions(expression) if isinstance(each, Variable))


def can_divide_by_zero(expression: Expression) -> bool:
    """Whether some division in it has a divisor other than a constant that is not 0."""
    return any(
        isinstance(each, Binary)
        and each.operator in ("/", "%")
        and not (isinstance(each.right, Constant) and each.right.value != 0)
        for each in subexpressions(expression)
    )


def divide(dividend: int, divisor: int) -> int:
    if divisor == 0:
        raise DividesByZero
    return dividend // divisor if divisor > 0 else -(dividend // -divisor)


def remainder(dividend: int, divisor: int) -> int:
    if divisor == 0:
        raise DividesByZero
    return dividend % abs(divisor)


def evaluate(expression: Expression, environment: Mapping[str, Value]) -> Value:
    """Raises `DividesByZero`, or `Unknown` if a variable that matters is not in the environment."""
    match expression:
        case Constant(value=value):
            return value
        case Variable(name=name):
            if name not in environment:
                raise Unknown(name)
            return environment[name]
        case Unary(sign="-", operand=operand):
            return -evaluate(operand, environment)
        case Unary(sign="!", operand=operand):
            return not evaluate(operand, environment)
        case Binary(operator="&&", left=left, right=right):
            return bool(evaluate(left, environment)) and bool(evaluate(right, environment))
        case Binary(operator="||", left=left, right=right):
            return bool(evaluate(left, environment)) or bool(evaluate(right, environment))
        case Binary(operator="==>", left=left, right=right):
            return not evaluate(left, environment) or bool(evaluate(right, environment))
        case Binary(operator=operator, left=left, right=right):
            return combine(operator, evaluate(left, environment), evaluate(right, environment))
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return evaluate(then if evaluate(condition, environment) else otherwise, environment)
        case _:
            raise AssertionError(expression)


_MEANINGS: dict[Operator, Callable[[int, int], Value]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "/": divide,
    "%": remainder,
    "==": eq,
    "!=": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}
"""Of operators that evaluate both sides."""


def combine(operator: Operator, left: Value, right: Value) -> Value:
    return _MEANINGS[operator](left, right)


def fold(expression: Expression) -> Expression:
    """The same value everywhere, with constants computed; a division by the constant 0 stays."""
    match expression:
        case Constant() | Variable():
            return expression
        case Unary(sign=sign, operand=operand):
            folded: Expression = Unary(sign, fold(operand))
        case Binary(operator=operator, left=left, right=right):
            folded = Binary(operator, fold(left), fold(right))
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            folded = Conditional(fold(condition), fold(then), fold(otherwise))
        case _:
            assert_never(expression)
    if all(isinstance(each, Constant) for each in children(folded)):
        try:
            return Constant(evaluate(folded, {}))
        except DividesByZero:
            return folded
    return folded
