"""Executes one atomic step with numbers, faster than small steps: natural semantics.

`seriatim.program.semantics.big_steps` rewrites the whole expression at each small step. Here one walk over
an expression yields all that can come of it: it is *done* with a value, it *pauses* with something left to
do, or it *leaves* the handler by `return`. Each case below sums up the rules of Appendix C for one kind of
expression: what a subexpression can come to, then what follows. Whatever does not end contributes nothing.

The two are compared on random programs; what is left to do is the same expression in both.

Two other modules execute steps. `straight_code` makes functions of the parts that have one outcome: the
first steps of the example programs take less than half the time that way. `symbolic.execution` has terms
instead of numbers, so it splits a path where this module looks at a number, and has to give up after some
rounds of a loop. Evidence about finitely many values is checked without it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from seriatim.program.semantics import (
    MAX_BITS,
    STEPS_PER_CHECK,
    Configuration,
    StopCheck,
    Store,
    Unbounded,
    apply,
    lookup,
    never_stop,
    truth,
    update,
)
from seriatim.program.state import cell_name
from seriatim.program.straight_code import StraightCode, value
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
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
    is_global,
    sequence,
)
from seriatim.source import Span


@dataclass(frozen=True, slots=True)
class Done:
    value: int
    locals: Store
    globals: Store


@dataclass(frozen=True, slots=True)
class Paused:
    rest: Expression | None
    """The code left. None at a plain `yield`: a sequence goes on with its next item, other code with 0."""
    locals: Store
    globals: Store


@dataclass(frozen=True, slots=True)
class Left:
    rest: Expression
    """All that is left of the handler: its answer, or a `return` that has paused."""
    locals: Store
    globals: Store


Outcome = Done | Paused | Left


@dataclass(frozen=True, slots=True)
class NextRound:
    locals: Store
    globals: Store


def big_steps(
    configuration: Configuration, limit: int = 100_000, check_stop: StopCheck = never_stop
) -> frozenset[Configuration]:
    """All ⟨e', ρ', g'⟩ with ⟨e, ρ, g⟩ ⇒ ⟨e', ρ', g'⟩, as `seriatim.program.semantics.big_steps` finds them.

    Raises `Unbounded` after `limit` rounds of loops and choices. Recurses: see
    `seriatim.program.recursion`.
    """
    return frozenset(ends(configuration, limit, check_stop))


def ends(
    configuration: Configuration, limit: int = 100_000, check_stop: StopCheck = never_stop
) -> list[Configuration]:
    """The same as a list, which may contain duplicates: hashing the remaining code takes as long as executing
    a step."""
    return StepExecution(limit, check_stop).ends(configuration)


def faults(
    configuration: Configuration, limit: int = 100_000, check_stop: StopCheck = never_stop
) -> frozenset[Fault]:
    """The mistakes that the next atomic step can make, as `seriatim.program.semantics.faults` finds them."""
    execution = StepExecution(limit, check_stop)
    execution.ends(configuration)
    return frozenset(execution.faults)


class Interpreter:
    """An interpreter for code that is executed many times: it turns straight parts into functions."""

    def __init__(self, limit: int = 100_000) -> None:
        self.limit = limit
        self.straight = StraightCode()

    def ends(
        self, configuration: Configuration, *, check_stop: StopCheck = never_stop
    ) -> list[Configuration]:
        self.straight.meet(configuration.expression)
        return StepExecution(self.limit, check_stop, self.straight).ends(configuration)

    def faults(self, configuration: Configuration, *, check_stop: StopCheck = never_stop) -> frozenset[Fault]:
        self.straight.meet(configuration.expression)
        execution = StepExecution(self.limit, check_stop, self.straight)
        execution.ends(configuration)
        return frozenset(execution.faults)


NO_STRAIGHT_CODE = StraightCode()
"""Straight code without any functions."""


class StepExecution:
    """The execution of one atomic step, with its remaining budget."""

    def __init__(
        self, limit: int, check_stop: StopCheck = never_stop, straight: StraightCode = NO_STRAIGHT_CODE
    ) -> None:
        self.left = limit
        self.check_stop = check_stop
        self.straight = straight.of
        self.direct = straight.direct
        self.faults: set[Fault] = set()
        """The mistakes that the step can make; they contribute no outcome."""

    def ends(self, configuration: Configuration) -> list[Configuration]:
        direct = self.direct(configuration.expression)
        if direct is not None:
            _, end, rho, g = direct(configuration.locals, configuration.globals)
            rest = Number(end) if isinstance(end, int) else end or Number(0)
            return [Configuration(rest, rho, g)]
        found = self.outcomes(configuration.expression, configuration.locals, configuration.globals)
        return [
            Configuration(
                Number(o.value) if isinstance(o, Done) else o.rest or Number(0), o.locals, o.globals
            )
            for o in found
        ]

    def outcomes(self, expression: Expression, rho: Store, g: Store) -> list[Outcome]:  # noqa: C901 - an arm a case
        """All that an expression can come to."""
        only = self.only_outcome(expression, rho, g)
        if only is not None:
            return [only]
        match expression:
            case Sequence(items=items):
                return self.in_order(items, rho, g)
            case Assign(name=name, value=inner, span=span):
                return after(
                    self.outcomes(inner, rho, g),
                    lambda done: [write(name, done)],
                    lambda rest: Assign(name, rest, span),
                )
            case If(condition=condition, then=then, otherwise=otherwise, span=span):
                return after(
                    self.outcomes(condition, rho, g),
                    lambda done: self.continue_with(then if done.value else otherwise or Number(0), done),
                    lambda rest: If(rest, then, otherwise, span),
                )
            case While():
                return self.rounds(expression, rho, g)
            case Fault():
                self.faults.add(expression)
                return []
            case Yield():
                return [Paused(None, rho, g)]
            case Choice():
                self.spend(rho, g)
                return [Done(0, rho, g), Done(1, rho, g)]
            case Return(value=inner, span=span):
                return [left_by(outcome, span) for outcome in self.outcomes(inner, rho, g)]
            case Unary() | Binary() | Logical():
                return self.operation(expression, rho, g)
            case Cell(name=name, index=index, initial=initial, span=span):
                return after(
                    self.outcomes(index, rho, g),
                    lambda done: [cell_value(name, initial, done)],
                    lambda rest: Cell(name, rest, initial, span),
                )
            case AssignCell(index=index):
                return after(
                    self.outcomes(index, rho, g),
                    lambda done: self.assign_cell(expression, done),
                    lambda rest: replace(expression, index=rest),
                )
            case Number() | Read():
                raise AssertionError("numbers and variables always have a value")
            case _:
                assert_never(expression)

    def operation(
        self,
        expression: Unary[Expression] | Binary[Expression] | Logical[Expression],
        rho: Store,
        g: Store,
    ) -> list[Outcome]:
        match expression:
            case Unary(operator=prefix, operand=operand, span=span):
                return after(
                    self.outcomes(operand, rho, g),
                    lambda done: self.continue_with(Unary(prefix, Number(done.value)), done),
                    lambda rest: Unary(prefix, rest, span),
                )
            case Binary(operator=operator, left=left, right=right, span=span):
                return after(
                    self.outcomes(left, rho, g),
                    lambda done: self.right_operand(operator, done, right, span),
                    lambda rest: Binary(operator, rest, right, span),
                )
            case Logical(connective=connective, left=left, right=right, span=span):
                return after(
                    self.outcomes(left, rho, g),
                    lambda done: (
                        [Done(int(done.value != 0), done.locals, done.globals)]
                        if (done.value == 0) == (connective is Connective.AND)
                        else self.continue_with(truth(right), done)
                    ),
                    lambda rest: Logical(connective, rest, right, span),
                )

    def only_outcome(self, expression: Expression, rho: Store, g: Store) -> Done | None:
        """Returns what straight code or a value comes to; None for anything else."""
        straight = self.straight(expression)
        if straight is not None:
            return Done(*straight(rho, g))
        known = value(expression, rho, g)
        return None if known is None else Done(known, rho, g)

    def continue_with(self, expression: Expression, before: Done) -> list[Outcome]:
        return self.outcomes(expression, before.locals, before.globals)

    def assign_cell(self, assignment: AssignCell[Expression], index: Done) -> list[Outcome]:
        name, initial = cell_name(assignment.name, index.value), assignment.initial
        return after(
            self.continue_with(assignment.value, index),
            lambda done: [replace(done, globals=update(done.globals, name, done.value - initial))],
            lambda rest: replace(assignment, index=Number(index.value), value=rest),
        )

    def right_operand(self, operator: Operator, left: Done, right: Expression, span: Span) -> list[Outcome]:
        return after(
            self.continue_with(right, left),
            lambda done: [Done(apply(operator, left.value, done.value), done.locals, done.globals)],
            lambda rest: Binary(operator, Number(left.value), rest, span),
        )

    def in_order(self, items: tuple[Expression, ...], rho: Store, g: Store) -> list[Outcome]:
        """Executes items one after the other; paths of different choices may meet again."""
        found: list[Outcome] = []
        under_way: list[Done] = [Done(0, rho, g)]
        for place, item in enumerate(items, 1):
            straight = self.straight(item)
            if straight is not None and len(under_way) == 1:
                under_way = [Done(*straight(under_way[0].locals, under_way[0].globals))]
                continue
            reached = [outcome for done in under_way for outcome in self.continue_with(item, done)]
            under_way = []
            for outcome in distinct(reached):
                match outcome:
                    case Done():
                        under_way.append(outcome)
                    case Paused(rest=rest, locals=rho, globals=g):
                        found.append(Paused(before(rest, *items[place:]), rho, g))
                    case Left():
                        found.append(outcome)
                    case _:
                        assert_never(outcome)
        return [*found, *under_way]

    def rounds(self, loop: While[Expression], rho: Store, g: Store) -> list[Outcome]:
        """Executes all rounds, to a fixpoint: a round that begins like an earlier one adds nothing."""
        straight = self.straight(loop.condition)
        if straight is not None:
            first = Done(*straight(rho, g))
            if first.value == 0:
                return [first]  # There is no round.
        found: list[Outcome] = []
        pending = [(rho, g)]
        seen = set(pending)
        while pending:
            self.spend(*pending[-1])
            for outcome in self.one_round(loop, *pending.pop()):
                if isinstance(outcome, NextRound):
                    state = (outcome.locals, outcome.globals)
                    if state not in seen:
                        seen.add(state)
                        pending.append(state)
                else:
                    found.append(outcome)
        return distinct(found)

    def one_round(self, loop: While[Expression], rho: Store, g: Store) -> Iterator[Outcome | NextRound]:
        for condition in self.outcomes(loop.condition, rho, g):
            match condition:
                case Done(value=0) | Left():
                    yield condition
                case Paused(rest=rest, locals=rho, globals=g):
                    again = If(rest or Number(0), sequence(loop.body, loop), Number(0), loop.span)
                    yield Paused(again, rho, g)
                case Done():
                    for outcome in self.continue_with(loop.body, condition):
                        match outcome:
                            case Done(locals=rho, globals=g):
                                yield NextRound(rho, g)
                            case Paused(rest=rest, locals=rho, globals=g):
                                yield Paused(before(rest, loop), rho, g)
                            case Left():
                                yield outcome
                            case _:
                                assert_never(outcome)
                case _:
                    assert_never(condition)

    def spend(self, rho: Store, g: Store) -> None:
        self.left -= 1
        if self.left % STEPS_PER_CHECK == 0:
            self.check_stop()
        if self.left < 0 or any(number.bit_length() > MAX_BITS for _, number in (*rho, *g)):
            raise Unbounded


def write(name: str, done: Done) -> Done:
    """The state after the value has been assigned."""
    if is_global(name):
        return Done(done.value, done.locals, update(done.globals, name, done.value))
    return Done(done.value, update(done.locals, name, done.value), done.globals)


def cell_value(array: str, initial: int, index: Done) -> Done:
    """The value of a cell; stores contain the difference to its initial value."""
    return replace(index, value=initial + lookup(index.globals, cell_name(array, index.value)))


def left_by(outcome: Outcome, span: Span) -> Left:
    """The outcome of a `return`, from the outcome of its operand."""
    match outcome:
        case Done(value=number):
            return Left(Number(number), outcome.locals, outcome.globals)
        case Paused(rest=rest):
            return Left(Return(rest or Number(0), span), outcome.locals, outcome.globals)
        case Left():
            return outcome
        case _:
            assert_never(outcome)


def after(
    first: list[Outcome],
    then: Callable[[Done], list[Outcome]],
    around: Callable[[Expression], Expression],
) -> list[Outcome]:
    """Continues after a subexpression: `then`, if it is done; if it pauses, `around` what is left of it."""
    found: list[Outcome] = []
    for outcome in first:
        match outcome:
            case Done():
                found.extend(then(outcome))
            case Paused(rest=rest, locals=rho, globals=g):
                found.append(Paused(around(rest or Number(0)), rho, g))
            case Left():
                found.append(outcome)
            case _:
                assert_never(outcome)
    return distinct(found)


def before(rest: Expression | None, *later: Expression) -> Expression | None:
    """Returns what is left of an item of a sequence, then the items after it."""
    parts = later if rest is None else (rest, *later)
    return sequence(*parts) if parts else None


def distinct(outcomes: list[Outcome]) -> list[Outcome]:
    return outcomes if len(outcomes) < 2 else list(dict.fromkeys(outcomes))
