"""The meanings of expressions at given sizes: functions from an environment to a value."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, assert_never

from seriatim.actions.expressions import (
    Aggregate,
    Between,
    Binder,
    Cell,
    Copies,
    Domain,
    Expression,
    First,
    Fold,
    InMajority,
    Parameter,
    Pending,
    Quantified,
    Size,
    Symbol,
    Target,
)
from seriatim.actions.values import GlobalState, Instance, Layout, plain_domain
from seriatim.source import Span
from seriatim.terms.expressions import Apply, Constant, Variable, operation


class Failed(Exception):
    """Raised when an assertion does not hold, an index is out of range, or a queue has no first message."""

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span


class Environment:
    """What an expression can read: globals and their old values, locals, pending instances."""

    __slots__ = ("locals", "old", "pending", "state")

    def __init__(
        self,
        state: GlobalState,
        locals_: Mapping[str, Any],
        pending: Mapping[Instance, int] | None = None,
        old: GlobalState | None = None,
    ) -> None:
        self.state = state
        self.locals = locals_
        self.pending = pending
        self.old = old


Meaning = Callable[[Environment], Any]


class Meanings:
    """Compiles expressions to functions, at given sizes; each one once."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._known: dict[int, tuple[Expression, Meaning]] = {}

    def of(self, expression: Expression) -> Meaning:
        known = self._known.get(id(expression))
        if known is None:
            known = self._known[id(expression)] = expression, self._make(expression)
        return known[1]

    def _make(self, expression: Expression) -> Meaning:
        match expression:
            case Constant(value=value) | Symbol(index=value):
                return lambda _: value
            case Variable(name=name):
                return lambda environment: environment.locals[name]
            case Parameter(name=name):
                size = self.layout.sizes.parameters[name]
                return lambda _: size
            case Cell():
                return self._cell(expression)
            case Apply(op=op, arguments=arguments):
                return operation(op, *map(self.of, arguments))
            case _:
                return self._collective(expression)

    def _collective(self, expression: Expression) -> Meaning:
        match expression:
            case Quantified():
                return self._quantified(expression)
            case Aggregate():
                return self._aggregate(expression)
            case Size(target=target):
                contents = self.contents(target)
                return lambda env: len(contents(env))
            case Copies(message=message, target=target):
                contents, parts = self.contents(target), self.tuple_of(message)
                return lambda env: contents(env).count(parts(env))
            case First(target=target, span=span):
                return self._first(target, span)
            case InMajority(member=member, majority=majority):
                inside, sets = self.of(member), self.of(majority)
                return lambda env: inside(env) in sets(env)
            case Pending(action=action, arguments=arguments):
                given = self.tuple_of(arguments)
                return lambda env: (env.pending or {}).get((action, given(env)), 0)
            case _:
                raise AssertionError(expression)

    def tuple_of(self, expressions: tuple[Expression, ...]) -> Meaning:
        parts = tuple(map(self.of, expressions))
        if len(parts) == 1:
            only = parts[0]
            return lambda env: (only(env),)
        return lambda env: tuple([part(env) for part in parts])

    def _cell(self, cell: Cell) -> Meaning:
        number, shape, span = self.layout.numbers[cell.name], self.layout.shapes[cell.name], cell.span
        name, old = cell.name, cell.old
        if not cell.indices:
            return (lambda env: (env.old or ())[number]) if old else (lambda env: env.state[number])
        indices = self.tuple_of(cell.indices)

        def element(env: Environment) -> Any:
            position = shape.position(indices(env))
            if position is None:
                raise Failed(f"an index of {name} is out of range", span)
            whole: Any = (env.old or () if old else env.state)[number]
            return whole[position]

        return element

    def contents(self, target: Target) -> Meaning:
        """The messages of a set, bag or queue."""
        return self._cell(Cell(target.name, target.indices, target.old, target.span))

    def _first(self, target: Target, span: Span) -> Meaning:
        contents = self.contents(target)

        def first(env: Environment) -> Any:
            messages = contents(env)
            if not messages:
                raise Failed(f"{target.name} has no first message", span)
            return messages[0][0]

        return first

    def domain(self, domain: Domain) -> Callable[[Environment], Any]:
        """The values of a domain."""
        if isinstance(domain, Between):
            low, high = self.of(domain.low), self.of(domain.high)
            return lambda env: range(low(env), high(env) + 1)
        fixed = plain_domain(domain, self.layout)
        return lambda _: fixed

    def _bind(self, binders: tuple[Binder, ...]) -> Callable[[Environment], Iterator[Environment]]:
        """Extends an environment by each combination of values of the bound variables."""
        first, *others = binders
        values, name = self.domain(first.domain), first.name
        inner = self._bind(tuple(others)) if others else None

        def environments(env: Environment) -> Iterator[Environment]:
            for value in values(env):
                extended = Environment(env.state, {**env.locals, name: value}, env.pending, env.old)
                if inner is None:
                    yield extended
                else:
                    yield from inner(extended)

        return environments

    def _quantified(self, expression: Quantified) -> Meaning:
        body, environments = self.of(expression.body), self._bind(expression.binders)
        if expression.for_all:
            return lambda env: all(body(each) for each in environments(env))
        return lambda env: any(body(each) for each in environments(env))

    def _aggregate(self, expression: Aggregate) -> Meaning:
        body, environments = self.of(expression.body), self._bind((expression.binder,))
        match expression.fold:
            case Fold.SUM:
                return lambda env: sum(body(each) for each in environments(env))
            case Fold.COUNT:
                return lambda env: sum(1 for each in environments(env) if body(each))
            case Fold.MAX:
                return lambda env: max((body(each) for each in environments(env)), default=0)
            case fold:
                assert_never(fold)
