"""What a request can do in one step, to the globals and to a serial state that only whole requests change.

A *policy* says at which points requests have committed. A request commits in the step that leads it there, or
in the step in which it answers, if it has not before: then the serial state moves by one whole run of its
handler alone, with its own arguments. From then on it holds the answer of that run. It is a *mistake* if no
such run exists, if the answer becomes another one, if a request would have to commit twice, or if a step
fails.

In formulas a request that rests has its live locals, its arguments as long as it has not committed (`@v` if
the handler assigns to `v`, else `v` itself), and `=` for the answer that it has committed to. Without a
policy there is no serial state: then only steps that fail are mistakes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

from seriatim.arithmetic.terms import FALSE, TRUE, Name, Term, both, either, equal, negate
from seriatim.program.symbolic.execution import Answers, Fails, Rests
from seriatim.program.symbolic.model import (
    Alone,
    Model,
    Step,
    argument_name,
    global_name,
    local_name,
    serial_name,
)

ANSWER = "="


@dataclass(frozen=True, slots=True)
class Resting:
    """A request at a point, with terms for the values that formulas mention."""

    point: int
    values: Mapping[str, Term]


@dataclass(frozen=True, slots=True)
class Move:
    """A move, possible if the condition holds."""

    condition: Term
    globals: Mapping[str, Term]
    serial: Mapping[str, Term]
    after: Resting | None
    """The request after the move; None if it has answered or is as if fresh."""

    @property
    def changes(self) -> bool:
        """Whether other requests can see an effect."""
        return any(value != global_name(name) for name, value in self.globals.items()) or any(
            value != serial_name(name) for name, value in self.serial.items()
        )


@dataclass(frozen=True, slots=True)
class Mistake:
    """What the proof has to exclude: the step is possible, and what it needs does not hold."""

    step: Term
    needs: Term
    why: str

    @property
    def condition(self) -> Term:
        return both(self.step, negate(self.needs))


@dataclass(frozen=True, slots=True)
class Doings:
    moves: tuple[Move, ...]
    mistakes: tuple[Mistake, ...]


class Policy:
    """Where requests have committed; raises `TooManyPaths` if requests that run alone have too many ways."""

    def __init__(self, model: Model, committed: frozenset[int] | None) -> None:
        self.model = model
        self.committed = committed
        self.variables = () if committed is None else model.variables
        """The variables of the serial state."""
        self._known: dict[tuple[bool, int], Doings] = {}

    def has_committed(self, point: int) -> bool:
        return self.committed is not None and point in self.committed

    def names(self, point: int) -> tuple[str, ...]:
        """The names that formulas may use for a request at a point."""
        here = self.model.points[point]
        if self.committed is None:
            return here.live
        if self.has_committed(point):
            return (*here.live, ANSWER)
        kept = (self.model.kept_name(here.handler, each) for each in self._parameters(here.handler))
        return tuple(dict.fromkeys((*here.live, *kept)))

    def _parameters(self, handler: int) -> tuple[str, ...]:
        return self.model.routines[handler].parameters

    def begin(self, handler: int) -> Doings:
        """The moves of a request that begins, with any arguments `a.v`."""
        key = (True, handler)
        if key not in self._known:
            given = {name: argument_name(name) for name in self._parameters(handler)}
            steps = self.model.first_steps(handler)
            self._known[key] = self._doings(steps, _Mover(handler, given, None))
        return self._known[key]

    def go_on(self, point: int) -> Doings:
        """The moves of a request that rests at a point, with values `l.x`."""
        key = (False, point)
        if key not in self._known:
            handler = self.model.points[point].handler
            kept = {name: self.model.kept_name(handler, name) for name in self._parameters(handler)}
            given = {name: local_name(each) for name, each in kept.items()}
            answer = local_name(ANSWER) if self.has_committed(point) else None
            self._known[key] = self._doings(self.model.steps(point), _Mover(handler, given, answer))
        return self._known[key]

    def _doings(self, steps: tuple[Step, ...], mover: "_Mover") -> Doings:
        moves: list[Move] = []
        mistakes: list[Mistake] = []
        for step in steps:
            if isinstance(step.end, Fails):
                fault = step.end.fault
                mistakes.append(Mistake(step.guard, FALSE, f"{fault.message} (line {fault.span.line})"))
            elif self.committed is None:
                moves.append(self._move(step, TRUE, {}, {}))
            elif mover.answer is not None:
                self._go_on_committed(step, mover, mover.answer, moves, mistakes)
            else:
                self._go_on_uncommitted(step, mover, moves, mistakes)
        return Doings(
            tuple(each for each in moves if each.condition != FALSE),
            tuple(each for each in mistakes if each.condition != FALSE),
        )

    @cached_property
    def serial(self) -> dict[str, Term]:
        return {name: serial_name(name) for name in self.variables}

    def _move(
        self, step: Step, condition: Term, serial: Mapping[str, Term], more: Mapping[str, Term]
    ) -> Move:
        after = None if step.target is None else Resting(step.target, {**step.locals, **more})
        return Move(both(step.guard, condition), step.globals, serial, after)

    def _go_on_committed(
        self, step: Step, mover: "_Mover", answer: Term, moves: list[Move], mistakes: list[Mistake]
    ) -> None:
        name = self.model.routines[mover.handler].name
        match step.end:
            case Answers(value=value):
                same = equal(value, answer)
                moves.append(self._move(step, same, self.serial, {}))
                why = f"`{name}` may answer something else than it has committed to"
                mistakes.append(Mistake(step.guard, same, why))
            case Rests() if step.target is not None and self.has_committed(step.target):
                moves.append(self._move(step, TRUE, self.serial, {ANSWER: answer}))
            case Rests():
                mistakes.append(Mistake(step.guard, FALSE, f"`{name}` may commit twice"))
            case Fails():
                raise AssertionError("failing steps are mistakes")
            case _:
                assert_never(step.end)

    def _go_on_uncommitted(
        self, step: Step, mover: "_Mover", moves: list[Move], mistakes: list[Mistake]
    ) -> None:
        match step.end:
            case Answers(value=value):
                cases = self._commits(mover, value)
                moves.extend(self._move(step, case.guard, case.globals, {}) for case in cases)
            case Rests() if step.target is not None and self.has_committed(step.target):
                cases = self._commits(mover, None)
                moves.extend(
                    self._move(step, case.guard, case.globals, {ANSWER: case.answer}) for case in cases
                )
            case Rests():
                kept = {
                    self.model.kept_name(mover.handler, name): value
                    for name, value in mover.arguments.items()
                }
                moves.append(self._move(step, TRUE, self.serial, kept))
                return
            case Fails():
                raise AssertionError("failing steps are mistakes")
            case _:
                assert_never(step.end)
        fits = either(*(case.guard for case in cases))
        name = self.model.routines[mover.handler].name
        why = f"`{name}` may commit where it could not run alone with the same answer"
        mistakes.append(Mistake(step.guard, fits, why))

    def _commits(self, mover: "_Mover", answer: Term | None) -> list[Alone]:
        return self.model.commits(mover.handler, self.serial, mover.arguments, answer)


@dataclass(frozen=True, slots=True)
class _Mover:
    handler: int
    arguments: Mapping[str, Name]
    answer: Name | None
    """The answer that it has committed to."""
