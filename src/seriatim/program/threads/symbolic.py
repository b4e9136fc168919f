"""A step as formulas: what it needs, what it does, and how it fails, over the values before it.
 The same as `seriatim.program.threads.semantics.run_edge`, for all values at once. An edge is a straight
line, so one pass suffices: every variable has an expression over the values before the step and over *fresh*
variables, which stand for what `havoc` chooses and for the results of a thread that is joined.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from seriatim.program.threads.syntax import (
    Action,
    Assert,
    Assign,
    Assume,
    Edge,
    Fork,
    Havoc,
    Join,
    Range,
    Template,
    ThreadProgram,
    Type,
    is_boolean,
)
from seriatim.source import Span
from seriatim.terms.expressions import (
    TRUE,
    Apply,
    Constant,
    Expression,
    Variable,
    apply,
    negation,
    substitute,
)

Environment = dict[str, Expression]


@dataclass(frozen=True, slots=True)
class Started:
    template: str
    id: Expression
    arguments: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """A thread that is joined."""

    id: Expression
    results: tuple[Variable, ...]
    """Fresh variables for its results, in their order; none if they do not matter."""
    join: Join


@dataclass(frozen=True, slots=True)
class Failing:
    """A condition under which a step fails."""

    condition: Expression
    after_join: bool
    """Whether there is a thread to be joined before."""
    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class SymbolicStep:
    guard: tuple[Expression, ...]
    """All hold if the step is taken, and does not fail."""
    values: Mapping[str, Expression]
    """Of globals and the thread's locals afterwards."""
    started: Started | None
    taken: Taken | None
    failures: tuple[Failing, ...]
    fresh: Mapping[str, Type]
    """The types of the fresh variables."""


def symbolic_step(
    program: ThreadProgram, template: Template, edge: Edge, before: Mapping[str, Expression], prefix: str
) -> SymbolicStep:
    """Executes an edge on expressions; fresh variables get names that begin with a prefix."""
    execution = _Execution(program, template, dict(before), prefix)
    for action in edge.actions:
        execution.act(action)
    return SymbolicStep(
        tuple(execution.guard),
        execution.values,
        execution.started,
        execution.taken,
        tuple(execution.failures),
        execution.fresh,
    )


class _Execution:
    def __init__(self, program: ThreadProgram, template: Template, values: Environment, prefix: str) -> None:
        self.program = program
        self.template = template
        self.values = values
        self.prefix = prefix
        self.guard: list[Expression] = []
        self.failures: list[Failing] = []
        self.started: Started | None = None
        self.taken: Taken | None = None
        self.fresh: dict[str, Type] = {}

    def act(self, action: Action) -> None:
        match action:
            case Assign(targets=targets, values=values):
                computed = [self.evaluate(value, action.span) for value in values]
                for target, value in zip(targets, computed, strict=True):
                    self.store(target, value, action.span)
            case Havoc(target=target):
                self.values[target] = self.choose(self.program.type_of(self.template, target))
            case Assume(condition=condition):
                self.guard.append(self.evaluate(condition, action.span))
            case Assert(condition=condition):
                self.require(self.evaluate(condition, action.span), action.says, action.span)
            case Fork(id=identity, template=name, arguments=arguments):
                number = self.evaluate(identity, action.span)
                started = self.program.by_name[name]
                given = [self.evaluate(each, action.span) for each in arguments]
                named = tuple(zip(started.parameters, given, strict=True))
                for parameter, value in named:
                    self.check_range(parameter, started.types[parameter], value, action.span)
                self.started = Started(name, number, named)
            case Join(id=identity, targets=targets):
                number = self.evaluate(identity, action.span)
                types = [self.program.type_of(self.template, target) for target in targets]
                results = tuple(self.new(type_) for type_ in types)
                self.taken = Taken(number, results, action)
                for target, result in zip(targets, results, strict=True):
                    self.store(target, result, action.span)
            case _:
                assert_never(action)

    def choose(self, type_: Type) -> Expression:
        """Any value of a type."""
        variable = self.new(type_)
        self.guard.extend(within(variable, type_))
        return variable

    def new(self, type_: Type) -> Variable:
        """A fresh variable; its name tells its kind."""
        name = f"{self.prefix}{len(self.fresh)}:{'B' if is_boolean(type_) else 'I'}"
        self.fresh[name] = type_
        return Variable(name)

    def evaluate(self, expression: Expression, span: Span) -> Expression:
        """An expression over the values before; that no division in it has the divisor 0 is required."""
        value = substitute(expression, self.values)
        for condition in divisors(value, ()):
            self.require(condition, "division by 0", span)
        return value

    def store(self, name: str, value: Expression, span: Span) -> None:
        self.check_range(name, self.program.type_of(self.template, name), value, span)
        self.values[name] = value

    def check_range(self, name: str, type_: Type, value: Expression, span: Span) -> None:
        for condition in within(value, type_):
            self.require(condition, f"`{name}` leaves its range", span)

    def require(self, condition: Expression, message: str, span: Span) -> None:
        """Fails unless the condition holds; what follows can rely on it."""
        if condition == TRUE:
            return
        broken = conjunction((*self.guard, negation(condition)))
        self.failures.append(Failing(broken, self.taken is not None, message, span))
        self.guard.append(condition)


def within(value: Expression, type_: Type) -> tuple[Expression, ...]:
    """States that a value is one of a type of its kind."""
    if not isinstance(type_, Range):
        return ()
    if isinstance(value, Constant):
        return (Constant(type_.low <= value.value <= type_.high),)
    return (apply("<=", Constant(type_.low), value), apply("<=", value, Constant(type_.high)))


def conjunction(parts: tuple[Expression, ...]) -> Expression:
    found: Expression = TRUE
    for part in parts:
        if part != TRUE:
            found = part if found == TRUE else apply("&&", found, part)
    return found


def divisors(expression: Expression, path: tuple[Expression, ...]) -> Iterator[Expression]:
    """The conditions under which the expression divides by nothing but numbers other than 0: each one says
    that, if evaluation comes to a division, its divisor is not 0. `path` is what has to hold to come
    there.
    """
    match expression:
        case Constant() | Variable():
            return
        case Apply(op="&&" | "==>", arguments=(left, right)):
            yield from divisors(left, path)
            yield from divisors(right, (*path, left))
        case Apply(op="||", arguments=(left, right)):
            yield from divisors(left, path)
            yield from divisors(right, (*path, negation(left)))
        case Apply(op="?", arguments=(test, then, otherwise)):
            yield from divisors(test, path)
            yield from divisors(then, (*path, test))
            yield from divisors(otherwise, (*path, negation(test)))
        case Apply(op=operator, arguments=operands):
            for each in operands:
                yield from divisors(each, path)
            divisor = operands[-1]
            is_safe = isinstance(divisor, Constant) and divisor.value != 0
            if operator in ("/", "%") and not is_safe:
                condition: Expression = apply("!=", divisor, Constant(0))
                yield apply("==>", conjunction(path), condition) if path else condition
        case _:
            assert_never(expression)
