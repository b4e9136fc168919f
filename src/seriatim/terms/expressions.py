"""Expressions of threads and of asynchronous programs: data, walks, and what operators mean.

Operators (`seriatim.terms.operators`) that combine conditions evaluate their right operand only where it
matters, so `b != 0 && a / b > 1` divides by nothing but numbers other than 0.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from seriatim.source import Span
from seriatim.terms.operators import DIVISIONS, DividesByZero, Op, compute

NOWHERE = Span(0, 0, 0, 0)

Value = int | bool
Part = TypeVar("Part", covariant=True)


@dataclass(frozen=True, slots=True)
class Constant:
    """A number or a truth value; `true` is not equal to 1."""

    value: Value
    span: Span = field(default=NOWHERE, compare=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[type, Value]:
        return type(self.value), self.value


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a thread; of an action a local, an argument, or a bound variable."""

    name: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Apply(Generic[Part]):
    """An operator and its operands; `?` is `one if condition else other`, condition first."""

    op: Op
    arguments: tuple[Part, ...]
    span: Span = field(default=NOWHERE, compare=False)


Expression = Constant | Variable | Apply["Expression"]
"""Those of threads; actions have more."""

TRUE, FALSE = Constant(True), Constant(False)


def apply(op: Op, *operands: Expression) -> Apply[Expression]:
    return Apply(op, operands)


class Unknown(Exception):
    """An expression reads a variable that the environment does not contain."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def negation(expression: Expression) -> Expression:
    match expression:
        case Apply(op="!", arguments=(operand,)):
            return operand
        case _:
            return apply("!", expression)


def children(expression: Expression) -> tuple[Expression, ...]:
    return expression.arguments if isinstance(expression, Apply) else ()


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


def substitute(expression: Expression, values: Mapping[str, Expression]) -> Expression:
    """Nothing is simplified: what can fail stays."""
    match expression:
        case Variable(name=name):
            return values[name]
        case Apply(op=op, arguments=arguments):
            return Apply(op, tuple(substitute(each, values) for each in arguments))
        case _:
            return expression


def can_divide_by_zero(expression: Expression) -> bool:
    """Whether some division in it has a divisor other than a constant that is not 0."""
    return any(
        isinstance(each, Apply)
        and each.op in DIVISIONS
        and not (isinstance(each.arguments[1], Constant) and each.arguments[1].value != 0)
        for each in subexpressions(expression)
    )


Meaning = Callable[[Any], Any]
"""From an environment to a value."""


def operation(op: Op, first: Meaning, *others: Meaning) -> Meaning:
    """Applies an operator to its operands; connectives and `?` evaluate only what they need."""
    match op, others:
        case "&&", (second,):
            return lambda env: bool(first(env)) and bool(second(env))
        case "||", (second,):
            return lambda env: bool(first(env)) or bool(second(env))
        case "==>", (second,):
            return lambda env: not first(env) or bool(second(env))
        case "?", (then, otherwise):
            return lambda env: then(env) if first(env) else otherwise(env)
        case _, (second,):
            strict = compute(op)
            return lambda env: strict(first(env), second(env))
        case _:
            strict = compute(op)
            return lambda env: strict(first(env))


def compile_expression(expression: Expression) -> Meaning:
    match expression:
        case Constant(value=value):
            return lambda _: value
        case Variable(name=name):
            return lambda env: env[name]
        case Apply(op=op, arguments=arguments):
            return operation(op, *map(compile_expression, arguments))
    raise AssertionError(expression)


_COMPILED: dict[int, tuple[Expression, Meaning]] = {}
"""Expressions that were evaluated, by identity, with what they mean."""

MOST_COMPILED = 20_000


def evaluate(expression: Expression, environment: Mapping[str, Value]) -> Value:
    """Raises `DividesByZero`, or `Unknown` if a variable that matters is not in the environment."""
    known = _COMPILED.get(id(expression))
    if known is None:
        if len(_COMPILED) >= MOST_COMPILED:
            _COMPILED.clear()
        known = _COMPILED[id(expression)] = expression, compile_expression(expression)
    try:
        value: Value = known[1](environment)
    except KeyError as error:
        raise Unknown(str(error.args[0])) from None
    return value


def fold(expression: Expression) -> Expression:
    """The same value everywhere, with constants computed; a division by the constant 0 stays."""
    if not isinstance(expression, Apply):
        return expression
    folded = Apply(expression.op, tuple(map(fold, expression.arguments)))
    if all(isinstance(each, Constant) for each in folded.arguments):
        try:
            return Constant(evaluate(folded, {}))
        except DividesByZero:
            return folded
    return folded
