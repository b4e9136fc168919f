"""A program as formulas: the points where requests rest, steps between them, and requests that run alone.

Names in formulas: `g.X` is a global, `s.X` its copy in the serial state, `l.x` a local of the request that
moves, `a.v` an argument that it was called with. A global that nobody assigns is a number.

A request that rests with as much left to do as a fresh one, and without locals that matter but arguments as
they were, is one: it is not told from requests that are yet to come.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from seriatim.arithmetic.substitution import substitute
from seriatim.arithmetic.terms import FALSE, ZERO, Name, Sort, Term, both, equal, negate, number, same_cells
from seriatim.program.liveness import live_locals
from seriatim.program.state import is_array
from seriatim.program.symbolic.execution import (
    Answers,
    End,
    Fails,
    Loops,
    Rests,
    TooManyPaths,
    execute,
)
from seriatim.program.symbolic.pauses import with_pauses
from seriatim.program.symbolic.state import SymbolicState, start
from seriatim.program.syntax import (
    Assign,
    AssignCell,
    Cell,
    Choice,
    Expression,
    Program,
    initial_globals,
    walk,
)

MAX_POINTS = 60
MAX_VISITS = 3
"""How often a request that runs alone may visit a point. Longer runs are left out; proofs may be missed."""
MAX_ALONE = 64
"""How many ways to run alone are explored."""


@dataclass(frozen=True, slots=True)
class Routine:
    """A handler with its parameters, which may be any integers."""

    name: str
    code: Expression
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SymbolicPoint:
    """A point where requests rest: all requests of a handler with the same code left."""

    handler: int
    code: Expression
    live: tuple[str, ...]
    """The locals that may still be read, sorted."""


@dataclass(frozen=True, slots=True)
class Step:
    """One way in which a step can go: possible if the guard holds."""

    guard: Term
    globals: Mapping[str, Term]
    end: End
    target: int | None
    """The point where the request rests afterwards; None if it has answered, failed or is as if fresh."""
    locals: Mapping[str, Term]
    """The live locals at the target."""


@dataclass(frozen=True, slots=True)
class Alone:
    """One way in which a request can run alone: possible if the guard holds of the state before."""

    guard: Term
    globals: Mapping[str, Term]
    answer: Term


def global_name(name: str) -> Name:
    return Name(f"g.{name}", _sort(name))


def serial_name(name: str) -> Name:
    return Name(f"s.{name}", _sort(name))


def _sort(name: str) -> Sort:
    return Sort.CELLS if is_array(name) else Sort.INT


def local_name(name: str) -> Name:
    return Name(f"l.{name}", Sort.INT)


def other_name(place: int, name: str) -> Name:
    """A local of one of several requests at rest."""
    return Name(f"{place}.{name}", Sort.INT)


def argument_name(name: str) -> Name:
    return Name(f"a.{name}", Sort.INT)


class Model:
    """A program as formulas, built on demand. Its methods raise `TooManyPaths`."""

    def __init__(self, routines: tuple[Routine, ...], initial: Mapping[str, int]) -> None:
        self.routines = routines
        assigned = {
            part.name for routine in routines for part in walk(routine.code) if isinstance(part, Assign)
        }
        arrays = {
            part.name: part.initial
            for routine in routines
            for part in walk(routine.code)
            if isinstance(part, Cell | AssignCell)
        }
        self.variables = tuple(sorted({name for name in initial if name in assigned} | set(arrays)))
        """The globals that some request assigns, and arrays with a cell for each integer."""
        self.initial: dict[str, Term] = {name: number(value) for name, value in sorted(initial.items())}
        self.initial |= {name: same_cells(value) for name, value in arrays.items()}
        self.points: list[SymbolicPoint] = []
        self._numbers: dict[tuple[int, Expression], int] = {}
        self._steps: dict[int, tuple[Step, ...]] = {}
        self._starts: dict[int, tuple[Step, ...]] = {}
        self._exact: dict[tuple[int, int | None], tuple[Step, ...]] = {}
        self._alone: dict[int, tuple[Alone, ...]] = {}
        self._explore()

    def _explore(self) -> None:
        for handler in range(len(self.routines)):
            self.first_steps(handler)
        done = 0
        while done < len(self.points):
            self.steps(done)
            done += 1

    def global_terms(self, names: Mapping[str, Term]) -> dict[str, Term]:
        """Terms for all globals; constant ones are numbers."""
        return {name: names.get(name, value) for name, value in self.initial.items()}

    @cached_property
    def own(self) -> dict[str, Term]:
        return self.global_terms({name: global_name(name) for name in self.variables})

    # Steps

    def first_steps(self, handler: int) -> tuple[Step, ...]:
        """The first steps of a request with the arguments `a.v`."""
        if handler not in self._starts:
            routine = self.routines[handler]
            given: dict[str, Term] = {name: argument_name(name) for name in routine.parameters}
            self._starts[handler] = self._execute(handler, routine.code, given, Loops.SUM_UP)
        return self._starts[handler]

    def steps(self, point: int) -> tuple[Step, ...]:
        """The steps of a request that rests at a point, with the locals `l.x`."""
        if point not in self._steps:
            here = self.points[point]
            values: dict[str, Term] = {name: local_name(name) for name in here.live}
            self._steps[point] = self._execute(here.handler, here.code, values, Loops.SUM_UP)
        return self._steps[point]

    def surely_possible(self, handler: int, point: int | None) -> tuple[Step, ...]:
        """Steps of a request at a point, or of one that begins; perhaps not all, but no others."""
        key = (handler, point)
        if key not in self._exact:
            if point is None:
                routine = self.routines[handler]
                code, names = routine.code, {name: argument_name(name) for name in routine.parameters}
            else:
                here = self.points[point]
                code, names = here.code, {name: local_name(name) for name in here.live}
            self._exact[key] = self._execute(handler, code, names, Loops.CUT_OFF)
        return self._exact[key]

    def _execute(
        self, handler: int, code: Expression, values: Mapping[str, Term], loops: Loops
    ) -> tuple[Step, ...]:
        ends = execute(code, start(self.own, values), loops)
        return tuple(self._step(handler, end) for end in ends if end.state.guard != FALSE)

    def _step(self, handler: int, end: End) -> Step:
        state = end.state
        changed = {name: state.globals[name] for name in self.variables}
        match end:
            case Rests(code=code):
                number_ = None if self._is_fresh(handler, end) else self._number(handler, code)
                live = () if number_ is None else self.points[number_].live
                locals_ = {name: state.value(name) for name in live}
                return Step(state.guard, changed, end, number_, locals_)
            case Answers() | Fails():
                return Step(state.guard, changed, end, None, {})

    def _is_fresh(self, handler: int, end: Rests) -> bool:
        """Whether the same code is left as at the start, and the live locals are as they were: unassigned
        arguments, which are any integers as at the start, or 0."""
        parameters = self.routines[handler].parameters
        return end.code == self.routines[handler].code and all(
            self.kept_name(handler, name) == name if name in parameters else end.state.value(name) == ZERO
            for name in live_locals(end.code)
        )

    def _number(self, handler: int, code: Expression) -> int:
        """The number of a point."""
        key = (handler, code)
        if key not in self._numbers:
            live = tuple(sorted(live_locals(code)))
            if len(self.points) == MAX_POINTS:
                raise TooManyPaths(f"requests rest at more than {MAX_POINTS} points")
            self._numbers[key] = len(self.points)
            self.points.append(SymbolicPoint(handler, code, live))
        return self._numbers[key]

    # Requests that run alone

    def alone(self, handler: int) -> tuple[Alone, ...]:
        """Ways to run alone from the serial state `s.X` with the arguments `a.v`; perhaps not all."""
        if handler not in self._alone:
            routine = self.routines[handler]
            before = self.global_terms({name: serial_name(name) for name in self.variables})
            given: dict[str, Term] = {name: argument_name(name) for name in routine.parameters}
            runs = self._runs(routine.code, start(before, given), {})
            found: list[Alone] = []
            for run in runs:
                found.append(run)
                if len(found) == MAX_ALONE:
                    break
            self._alone[handler] = tuple(found)
        return self._alone[handler]

    def _runs(
        self, code: Expression, state: SymbolicState, visits: Mapping[Expression, tuple[SymbolicState, ...]]
    ) -> Iterator[Alone]:
        earlier = visits.get(code, ())
        if len(earlier) == MAX_VISITS or any(state.has_values_of(each) for each in earlier):
            return
        for end in execute(code, state, Loops.CUT_OFF):
            if end.state.guard == FALSE:
                continue
            match end:
                case Answers(value=value, state=last):
                    yield Alone(last.guard, {name: last.globals[name] for name in self.variables}, value)
                case Rests(code=rest, state=now):
                    live = {name: now.value(name) for name in sorted(live_locals(rest))}
                    kept = replace(now, locals=live)
                    yield from self._runs(rest, kept, {**visits, code: (*earlier, state)})
                case Fails():
                    pass

    def kept_name(self, handler: int, parameter: str) -> str:
        """The local that keeps an argument as long as a run alone needs it."""
        code = self.routines[handler].code
        is_assigned = any(isinstance(part, Assign) and part.name == parameter for part in walk(code))
        return f"@{parameter}" if is_assigned else parameter

    def is_deterministic(self, handler: int) -> bool:
        return not any(isinstance(part, Choice) for part in walk(self.routines[handler].code))

    def commits(
        self, handler: int, serial: Mapping[str, Term], arguments: Mapping[str, Term], answer: Term | None
    ) -> list[Alone]:
        """The next serial state where a request commits: a function, given by cases of which at most one
        holds. If the answer is known, the serial one has to be the same."""
        given_names = {serial_name(name): value for name, value in serial.items()}
        given_names |= {argument_name(name): value for name, value in arguments.items()}
        values = {name: value for name, value in given_names.items() if name != value}
        found: list[Alone] = []
        earlier: list[Term] = []
        for each in self.alone(handler):
            guard = substitute(each.guard, values)
            given = substitute(each.answer, values)
            if answer is not None:
                guard = both(guard, equal(given, answer))
            case = both(guard, *(negate(other) for other in earlier))
            if case != FALSE:
                after = {name: substitute(value, values) for name, value in each.globals.items()}
                found.append(Alone(case, after, given))
            if not self.is_deterministic(handler):
                earlier.append(guard)
        return found


def from_program(program: Program, pauses: bool = False) -> Model:
    """The model of a program, with more pauses or as written (`seriatim.program.symbolic.pauses`). Recurses:
    see `seriatim.program.recursion`."""
    if program.unbounded_handlers:
        routines = tuple(
            Routine(each.name, each.body, each.parameters) for each in program.unbounded_handlers
        )
    else:
        routines = tuple(Routine(handler.name, handler.body) for handler in program.handlers)
    if pauses:
        routines = tuple(replace(each, code=with_pauses(each.code)) for each in routines)
    return Model(routines, initial_globals(program))
