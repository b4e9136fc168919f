"""Straight code as functions: parts of a program that always come to one end, executed many times.

An expression is *straight* if it neither pauses, leaves the handler, chooses, loops nor fails: values,
assignments, conditionals and sequences of these. It is *direct* if it comes to one end, which may be a pause
or an answer: straight code, `yield`, `return`, conditionals and sequences of these, and loops whose body is
never done, as those that wait. `StraightCode` makes a function of each such part of a text, from the stores
before it to what it comes to.

Claim: the function's result is the one outcome of `seriatim.program.execution`. Why: by induction over the
expression; each arm below does what the reference semantics does, and a loop whose body is never done has at
most one round in a step. The two are compared on random programs.

The interpreter remains for all other parts: choices and loops have several outcomes, for which functions
would have to return lists, and that costs the speed for which these functions exist.
"""

from collections.abc import Callable
from typing import assert_never

from seriatim.program.semantics import Store, apply, lookup, update
from seriatim.program.syntax import (
    Assign,
    AssignCell,
    Binary,
    Cell,
    Choice,
    Connective,
    Expression,
    Fault,
    If,
    Logical,
    Number,
    Operator,
    Prefix,
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
    children,
    is_global,
    sequence,
)
from seriatim.source import Span

Value = Callable[[Store, Store], int]
"""A function from locals and globals to a value, without effects."""

End = tuple[int, Store, Store]
"""A value, locals and globals."""

Straight = Callable[[Store, Store], End]

DONE, PAUSED, LEFT = range(3)

Outcome = tuple[int, int | Expression | None, Store, Store]
"""(DONE, value, …), (PAUSED, what is left or None for 0, …) or (LEFT, the answer or a `return` that has
paused, …), with locals and globals."""

Direct = Callable[[Store, Store], Outcome]


class StraightCode:
    """Functions for the straight parts of all code seen so far."""

    def __init__(self) -> None:
        self._values: dict[int, Value | None] = {}
        self._functions: dict[int, Straight | None] = {}
        self._direct: dict[int, Direct | None] = {}
        self._kept: list[Expression] = []
        """Keeps parts alive, because they are looked up by identity."""

    def of(self, part: Expression) -> Straight | None:
        """The function of a known part if it is straight; otherwise None."""
        return self._functions.get(id(part))

    def direct(self, part: Expression) -> Direct | None:
        """The function of a known part if it is direct; otherwise None."""
        return self._direct.get(id(part))

    def meet(self, code: Expression) -> None:
        """Makes functions for all parts. Recurses: see `seriatim.program.recursion`."""
        if id(code) in self._functions:
            return
        for part in children(code):
            self.meet(part)
        self._kept.append(code)
        pure = self._values[id(code)] = self._value(code)
        straight = self._function(code) if pure is None else without_effects(pure)
        self._functions[id(code)] = straight
        self._direct[id(code)] = self._directly(code) if straight is None else done(straight)

    def _value(self, code: Expression) -> Value | None:
        match code:
            case Number(value=number):
                return lambda _rho, _g: number
            case Read(name=name):
                return reading(name)
            case Binary(operator=operator, left=left, right=right):
                one, other = self._values[id(left)], self._values[id(right)]
                return None if one is None or other is None else binary(operator, one, other)
            case Logical(connective=connective, left=left, right=right):
                one, other = self._values[id(left)], self._values[id(right)]
                return None if one is None or other is None else logical(connective, one, other)
            case Unary(operator=prefix, operand=operand):
                one = self._values[id(operand)]
                return None if one is None else unary(prefix, one)
            case _:
                return None

    def _function(self, code: Expression) -> Straight | None:
        match code:
            case Assign(name=name, value=value):
                inner, pure = self._functions[id(value)], self._values[id(value)]
                if pure is not None:
                    return assigning_value(name, pure)
                return None if inner is None else assigning(name, inner)
            case If(condition=condition, then=then, otherwise=otherwise):
                parts = [self._functions[id(part)] for part in (condition, then)]
                parts.append(NOTHING if otherwise is None else self._functions[id(otherwise)])
                test, yes, no = parts
                return None if test is None or yes is None or no is None else branching(test, yes, no)
            case Sequence(items=items):
                steps = [step for item in items if (step := self._functions[id(item)]) is not None]
                return in_order(tuple(steps)) if len(steps) == len(items) else None
            case Unary() | Binary() | Logical() | Cell() | AssignCell():
                return None  # An operand has effects: this is rare, so the interpreter does it.
            case While() | Return() | Yield() | Choice() | Fault() | Number() | Read():
                return None
            case _:
                assert_never(code)

    def _directly(self, code: Expression) -> Direct | None:
        match code:
            case Yield():
                return lambda rho, g: (PAUSED, None, rho, g)
            case Return(value=value, span=span):
                inner = self._direct[id(value)]
                return None if inner is None else leaving(inner, span)
            case If(condition=condition, then=then, otherwise=otherwise):
                test, yes = self._functions[id(condition)], self._direct[id(then)]
                no = done(NOTHING) if otherwise is None else self._direct[id(otherwise)]
                return None if test is None or yes is None or no is None else choosing(test, yes, no)
            case Sequence(items=items):
                steps = [step for item in items if (step := self._direct[id(item)]) is not None]
                return one_by_one(tuple(steps), items) if len(steps) == len(items) else None
            case While(condition=condition, body=body):
                test, round_ = self._functions[id(condition)], self._direct[id(body)]
                if test is None or round_ is None or not is_never_done(body):
                    return None
                return waiting(test, round_, code)
            case _:
                return None


def value(expression: Expression, rho: Store, g: Store) -> int | None:
    """The value of an expression without effects, pauses and choices; None for others."""
    match expression:
        case Number(value=number):
            return number
        case Read(name=name):
            return lookup(g if is_global(name) else rho, name)
        case Binary(operator=operator, left=left, right=right):
            first = value(left, rho, g)
            if first is None:
                return None
            second = value(right, rho, g)
            return None if second is None else apply(operator, first, second)
        case Logical(connective=connective, left=left, right=right):
            first = value(left, rho, g)
            if first is None:
                return None
            if (first == 0) == (connective is Connective.AND):
                return int(first != 0)
            second = value(right, rho, g)
            return None if second is None else int(second != 0)
        case Unary(operator=prefix, operand=operand):
            only = value(operand, rho, g)
            return None if only is None else -only if prefix is Prefix.MINUS else int(only == 0)
        case _:
            return None


def is_never_done(code: Expression) -> bool:
    """Whether direct code always pauses or leaves."""
    match code:
        case Yield() | Return():
            return True
        case Sequence(items=items):
            return any(map(is_never_done, items))
        case If(then=then, otherwise=otherwise):
            return otherwise is not None and is_never_done(then) and is_never_done(otherwise)
        case _:
            return False


def NOTHING(rho: Store, g: Store) -> End:  # noqa: N802 - a constant that is called
    """An absent `else`."""
    return 0, rho, g


def without_effects(value: Value) -> Straight:
    return lambda rho, g: (value(rho, g), rho, g)


def reading(name: str) -> Value:
    if is_global(name):
        return lambda _, g: lookup(g, name)
    return lambda rho, _: lookup(rho, name)


def binary(operator: Operator, left: Value, right: Value) -> Value:
    return lambda rho, g: apply(operator, left(rho, g), right(rho, g))


def logical(connective: Connective, left: Value, right: Value) -> Value:
    if connective is Connective.AND:
        return lambda rho, g: int(left(rho, g) != 0 and right(rho, g) != 0)
    return lambda rho, g: int(left(rho, g) != 0 or right(rho, g) != 0)


def unary(prefix: Prefix, operand: Value) -> Value:
    if prefix is Prefix.MINUS:
        return lambda rho, g: -operand(rho, g)
    return lambda rho, g: int(operand(rho, g) == 0)


def assigning_value(name: str, value: Value) -> Straight:
    def to_global(rho: Store, g: Store) -> End:
        number = value(rho, g)
        return number, rho, update(g, name, number)

    def to_local(rho: Store, g: Store) -> End:
        number = value(rho, g)
        return number, update(rho, name, number), g

    return to_global if is_global(name) else to_local


def assigning(name: str, value: Straight) -> Straight:
    def assign(rho: Store, g: Store) -> End:
        number, rho, g = value(rho, g)
        if is_global(name):
            return number, rho, update(g, name, number)
        return number, update(rho, name, number), g

    return assign


def branching(test: Straight, yes: Straight, no: Straight) -> Straight:
    def branch(rho: Store, g: Store) -> End:
        number, rho, g = test(rho, g)
        return yes(rho, g) if number else no(rho, g)

    return branch


def in_order(steps: tuple[Straight, ...]) -> Straight:
    def run(rho: Store, g: Store) -> End:
        number = 0
        for step in steps:
            number, rho, g = step(rho, g)
        return number, rho, g

    return run


def done(straight: Straight) -> Direct:
    return lambda rho, g: (DONE, *straight(rho, g))


def leaving(inner: Direct, span: Span) -> Direct:
    def leave(rho: Store, g: Store) -> Outcome:
        kind, value, rho, g = inner(rho, g)
        if kind == DONE:
            assert isinstance(value, int), "what is done has a value"
            return LEFT, Number(value), rho, g
        if kind == PAUSED:
            assert not isinstance(value, int), "what pauses has none"
            return LEFT, Return(value or Number(0), span), rho, g
        return kind, value, rho, g

    return leave


def choosing(test: Straight, yes: Direct, no: Direct) -> Direct:
    def choose(rho: Store, g: Store) -> Outcome:
        number, rho, g = test(rho, g)
        return yes(rho, g) if number else no(rho, g)

    return choose


def one_by_one(steps: tuple[Direct, ...], items: tuple[Expression, ...]) -> Direct:
    later = [sequence(*items[place:]) if place < len(items) else None for place in range(1, len(items) + 1)]

    def run(rho: Store, g: Store) -> Outcome:
        outcome: Outcome = (DONE, 0, rho, g)
        for step, rest in zip(steps, later, strict=True):
            outcome = step(outcome[2], outcome[3])
            if outcome[0] != DONE:
                return outcome if outcome[0] == LEFT else pause_before(outcome, rest)
        return outcome

    return run


def waiting(test: Straight, body: Direct, loop: While[Expression]) -> Direct:
    def wait(rho: Store, g: Store) -> Outcome:
        number, after, then = test(rho, g)
        if number == 0:
            return DONE, 0, after, then
        outcome = body(after, then)
        return outcome if outcome[0] == LEFT else pause_before(outcome, loop)

    return wait


def pause_before(outcome: Outcome, rest: Expression | None) -> Outcome:
    """The outcome of a part that pauses, followed by the code after it."""
    _, own, rho, g = outcome
    assert not isinstance(own, int), "what pauses has no value"
    if own is None or rest is None:
        return PAUSED, own or rest, rho, g
    return PAUSED, sequence(own, rest), rho, g
