"""One atomic step with terms for values: the paths that it can take, each with its condition.

Claim. Give terms to globals and locals. For any integers that the names in these terms stand for, the ends
of the reference interpreter's step from there (`seriatim.program.execution`) are among the ends of the paths
whose guards hold, with their terms evaluated; and each such end is one of the interpreter, unless the path
has passed a loop that was summed up. Why: each case below is the case of the interpreter, with terms instead
of numbers; where that one looks at a number, there is a path for zero and a path for the rest. A loop without
a pause inside is unrolled for some rounds; a round that begins as an earlier one did adds nothing.

What is left of a loop after these rounds is *summed up* for steps of runs that are to be excluded: whatever
the loop assigns may have any value when its last round begins, which includes what it really has. For runs
that have to exist, it is *cut off*: such paths are lost, and no others are added.

The interpreter with numbers is a module of its own: it finds all rounds of a loop as a fixpoint over
states, for any number of rounds, and a check of a run does not rely on the arithmetic of terms.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import assert_never

from seriatim.arithmetic.terms import FALSE, Term, fresh, negate, number, select, store
from seriatim.program.symbolic.state import SymbolicState, apply_prefix, holds, operate, pure_value
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
    sequence,
    walk,
)
from seriatim.source import Span

MAX_ROUNDS = 12
"""The most rounds of a loop inside a step, before it is summed up or cut off."""

MAX_PATHS = 3_000
"""The most paths of one step."""


class Loops(Enum):
    """What to do with a loop inside a step that has too many rounds."""

    SUM_UP = auto()
    """Allows more ends than there are; for steps of runs that are to be excluded."""
    CUT_OFF = auto()
    """Allows fewer ends than there are; for runs that have to exist."""


class TooManyPaths(Exception):
    """A step has too many paths."""


@dataclass(frozen=True, slots=True)
class Rests:
    """The step pauses with this much left to do. Values that it holds are kept in extra locals."""

    code: Expression
    state: SymbolicState


@dataclass(frozen=True, slots=True)
class Answers:
    value: Term
    state: SymbolicState


@dataclass(frozen=True, slots=True)
class Fails:
    fault: Fault
    state: SymbolicState


End = Rests | Answers | Fails


@dataclass(frozen=True, slots=True)
class _Done:
    value: Term
    state: SymbolicState


@dataclass(frozen=True, slots=True)
class _Paused:
    rest: Expression | None
    state: SymbolicState


@dataclass(frozen=True, slots=True)
class _Left:
    end: Rests | Answers
    state: SymbolicState


_Outcome = _Done | _Paused | _Left | Fails


def execute(code: Expression, state: SymbolicState, loops: Loops) -> list[End]:
    """The ends of all paths of a step. Recurses: see `seriatim.program.recursion`."""
    return [_end(outcome) for outcome in _Execution(loops).outcomes(code, state)]


def _end(outcome: _Outcome) -> End:
    match outcome:
        case _Done(value=value, state=state):
            return Answers(value, state)
        case _Paused(rest=rest, state=state):
            return _rests(rest or Number(0), state)
        case _Left(end=end):
            return end
        case Fails():
            return outcome
        case _:
            assert_never(outcome)


def _rests(code: Expression, state: SymbolicState) -> Rests | Answers:
    """A request with only a number left has answered."""
    match code:
        case Number(value=value) | Return(value=Number(value=value)):
            return Answers(number(value), state)
        case _:
            return Rests(code, state)


class _Execution:
    def __init__(self, loops: Loops) -> None:
        self.loops = loops
        self.left = MAX_PATHS

    def outcomes(self, code: Expression, state: SymbolicState) -> list[_Outcome]:  # noqa: C901 - an arm a case
        known = pure_value(code, state)
        if known is not None:
            return [_Done(known, state)]
        match code:
            case Sequence(items=items):
                return self.in_order(items, state)
            case Assign(name=name, value=inner, span=span):
                return self.after(
                    self.outcomes(inner, state),
                    lambda done: [_Done(done.value, done.state.assign(name, done.value))],
                    lambda rest: Assign(name, rest, span),
                )
            case If(condition=condition, then=then, otherwise=otherwise, span=span):
                return self.after(
                    self.outcomes(condition, state),
                    lambda done: self.branch(done, then, otherwise or Number(0)),
                    lambda rest: If(rest, then, otherwise, span),
                )
            case While():
                return self.rounds(code, state)
            case Fault():
                return [Fails(code, state)]
            case Yield():
                return [_Paused(None, state)]
            case Choice():
                return [_Done(number(0), state), _Done(number(1), state)]
            case Return(value=inner, span=span):
                return [_left(outcome, span) for outcome in self.outcomes(inner, state)]
            case Unary(operator=prefix, operand=operand, span=span):
                return self.after(
                    self.outcomes(operand, state),
                    lambda done: [_Done(apply_prefix(prefix, done.value), done.state)],
                    lambda rest: Unary(prefix, rest, span),
                )
            case Binary(operator=operator, left=left, right=right, span=span):
                return self.after(
                    self.outcomes(left, state),
                    lambda done: self.right_operand(operator, done, right, span),
                    lambda rest: Binary(operator, rest, right, span),
                )
            case Logical(connective=connective, left=left, right=right, span=span):
                return self.after(
                    self.outcomes(left, state),
                    lambda done: self.logical(connective, done, right),
                    lambda rest: Logical(connective, rest, right, span),
                )
            case Cell() | AssignCell():
                return self.after(
                    self.outcomes(code.index, state),
                    lambda done: self.cell(code, done),
                    lambda rest: replace(code, index=rest),
                )
            case Number() | Read():
                raise AssertionError("numbers and variables always have a value")
            case _:
                assert_never(code)

    def after(
        self,
        first: list[_Outcome],
        then: Callable[[_Done], list[_Outcome]],
        around: Callable[[Expression], Expression],
    ) -> list[_Outcome]:
        """Continues after a subexpression: `then`, if it is done; if it pauses, `around` what is left."""
        found: list[_Outcome] = []
        for outcome in first:
            match outcome:
                case _Done():
                    found.extend(then(outcome))
                case _Paused(rest=rest, state=state):
                    found.append(_Paused(around(rest or Number(0)), state))
                case _Left() | Fails():
                    found.append(outcome)
                case _:
                    assert_never(outcome)
        self.spend(len(found))
        return found

    def branch(self, done: _Done, yes: Expression, no: Expression) -> list[_Outcome]:
        found: list[_Outcome] = []
        condition = holds(done.value)
        for code, test in ((yes, condition), (no, negate(condition))):
            if (state := done.state.assume(test)).guard != FALSE:
                found.extend(self.outcomes(code, state))
        return found

    def logical(self, connective: Connective, done: _Done, right: Expression) -> list[_Outcome]:
        decided = Number(0 if connective is Connective.AND else 1)
        rest = Binary(Operator.UNEQUAL, right, Number(0), right.span)
        if connective is Connective.AND:
            return self.branch(done, rest, decided)
        return self.branch(done, decided, rest)

    def cell(self, code: Cell[Expression] | AssignCell[Expression], index: _Done) -> list[_Outcome]:
        """Reads a cell or assigns to it, once its index is known."""
        if isinstance(code, AssignCell):
            return self.assign_cell(code, index)
        return [_Done(select(index.state.value(code.name), index.value), index.state)]

    def assign_cell(self, code: AssignCell[Expression], at: _Done) -> list[_Outcome]:
        """An index that waits for its value is a number, or a local that keeps it."""

        def write(done: _Done) -> list[_Outcome]:
            cells = store(done.state.value(code.name), at.value, done.value)
            return [_Done(done.value, done.state.assign(code.name, cells))]

        paused = self.outcomes(code.value, at.state)
        return self.after(paused, write, lambda rest: replace(code, value=rest))

    def right_operand(self, operator: Operator, left: _Done, right: Expression, span: Span) -> list[_Outcome]:
        """The value of the left operand waits in a local of its own while the right one pauses."""
        found: list[_Outcome] = []
        for outcome in self.outcomes(right, left.state):
            match outcome:
                case _Done(value=value, state=state):
                    found.append(_Done(operate(operator, left.value, value), state))
                case _Paused(rest=rest, state=state):
                    inner = rest or Number(0)
                    held = held_name(inner)
                    waiting = Binary(operator, Read(held), inner, span)
                    found.append(_Paused(waiting, state.assign(held, left.value)))
                case _Left() | Fails():
                    found.append(outcome)
                case _:
                    assert_never(outcome)
        return found

    def in_order(self, items: tuple[Expression, ...], state: SymbolicState) -> list[_Outcome]:
        found: list[_Outcome] = []
        under_way = [_Done(number(0), state)]
        for place, item in enumerate(items, 1):
            reached = [outcome for done in under_way for outcome in self.outcomes(item, done.state)]
            under_way = []
            for outcome in reached:
                match outcome:
                    case _Done():
                        under_way.append(outcome)
                    case _Paused(rest=rest, state=paused):
                        found.append(_Paused(_before(rest, *items[place:]), paused))
                    case _Left() | Fails():
                        found.append(outcome)
                    case _:
                        assert_never(outcome)
            self.spend(len(under_way))
        return [*found, *under_way]

    def rounds(self, loop: While[Expression], state: SymbolicState) -> list[_Outcome]:
        """Executes rounds in order; one that begins like an earlier one of its path adds nothing."""
        found: list[_Outcome] = []
        pending: list[tuple[SymbolicState, tuple[SymbolicState, ...]]] = [(state, ())]
        while pending:
            now, before = pending.pop()
            if any(now.has_values_of(each) for each in before):
                continue
            if len(before) == MAX_ROUNDS:
                if self.loops is Loops.SUM_UP:
                    ends, _ = self.one_round(loop, self.sum_up(loop, now))
                    found.extend(ends)
                continue
            ends, again = self.one_round(loop, now)
            found.extend(ends)
            pending.extend((each, (*before, now)) for each in again)
            self.spend(len(again))
        return found

    def sum_up(self, loop: While[Expression], state: SymbolicState) -> SymbolicState:
        """Whatever the loop assigns may have any value."""
        for name in sorted({part.name for part in walk(loop) if isinstance(part, Assign)}):
            state = state.assign(name, fresh(name))
        for name in sorted({part.name for part in walk(loop) if isinstance(part, AssignCell)}):
            raise TooManyPaths(f"a loop assigns to cells of `{name.removesuffix('[]')}` in one step")
        return state

    def one_round(
        self, loop: While[Expression], state: SymbolicState
    ) -> tuple[list[_Outcome], list[SymbolicState]]:
        """Executes one round: the paths that leave the loop, and those that reach the next round."""
        found: list[_Outcome] = []
        again: list[SymbolicState] = []
        for condition in self.outcomes(loop.condition, state):
            match condition:
                case _Done(value=value, state=now):
                    goes_on = holds(value)
                    if (over := now.assume(negate(goes_on))).guard != FALSE:
                        found.append(_Done(number(0), over))
                    if (inside := now.assume(goes_on)).guard != FALSE:
                        for outcome in self.outcomes(loop.body, inside):
                            self.in_body(loop, outcome, found, again)
                case _Paused(rest=rest, state=now):
                    code = If(rest or Number(0), sequence(loop.body, loop), Number(0), loop.span)
                    found.append(_Paused(code, now))
                case _Left() | Fails():
                    found.append(condition)
                case _:
                    assert_never(condition)
        return found, again

    def in_body(
        self, loop: While[Expression], outcome: _Outcome, found: list[_Outcome], again: list[SymbolicState]
    ) -> None:
        match outcome:
            case _Done(state=state):
                again.append(state)
            case _Paused(rest=rest, state=state):
                found.append(_Paused(_before(rest, loop), state))
            case _Left() | Fails():
                found.append(outcome)
            case _:
                assert_never(outcome)

    def spend(self, paths: int) -> None:
        self.left -= paths
        if self.left < 0:
            raise TooManyPaths("a step can go on in too many ways")


def _left(outcome: _Outcome, span: Span) -> _Outcome:
    """The outcome of a `return`, from the outcome of its operand."""
    match outcome:
        case _Done(value=value, state=state):
            return _Left(Answers(value, state), state)
        case _Paused(rest=rest, state=state):
            return _Left(_rests(Return(rest or Number(0), span), state), state)
        case _Left() | Fails():
            return outcome
        case _:
            assert_never(outcome)


def _before(rest: Expression | None, *later: Expression) -> Expression | None:
    parts = later if rest is None else (rest, *later)
    return sequence(*parts) if parts else None


def held_name(code: Expression) -> str:
    """The name of a local that keeps a value during a pause; nested ones have other names."""
    used = {part.name for part in walk(code) if isinstance(part, Read)}
    place = 1
    while f"%{place}" in used:
        place += 1
    return f"%{place}"
