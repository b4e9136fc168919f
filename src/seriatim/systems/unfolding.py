"""Systems that unfold as they are explored: small integers for states, steps on demand.

An `Unfolding` is a network system (paper, section 2.3) seen through its macro steps. Spawning a request
touches no state, so it is fused with the request's first step; responding touches no state, so it is fused
with the last one. What is left are moves (ℓ, g) → (ℓ', g') or (ℓ, g) → (response, g'). Integers stand for
states:

- globals 0, 1, …, with 0 the initial one;
- locals 0, 1, …, each one the pair of a request and its local state; `starts` are those of fresh requests,
  of which there are always as many as anyone wants;
- completions 0, 1, …, each one a pair of a request and its response. As the target of a move, completion c is
  written ~c, so that targets below 0 are answered requests.

Moves that change neither the local nor the global state are left out: they matter to no run.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from seriatim.budget import Deadline
from seriatim.program.state import GlobalState
from seriatim.program.syntax import Fault, Number, Program, initial_globals, walk
from seriatim.systems.idling import Idling
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.step_functions import ANSWERS, FAILS, PAUSES, StepFunctions, Values, goes_beyond

if TYPE_CHECKING:
    from seriatim.systems.run import Run

Move = tuple[int, int]
"""(local or ~completion, global)."""

INITIAL_GLOBAL = 0

MANY_MOVES = 10_000
"""Pairs of a local and a global state: from so many on, it pays to remember who waits for what."""


class Unfolding(Protocol):
    """What engines and closures ask of a system."""

    @property
    def requests(self) -> tuple[str, ...]: ...

    @property
    def starts(self) -> tuple[int, ...]:
        """The locals of fresh requests."""

    @property
    def completions(self) -> list[tuple[int, str]]:
        """(request, response), found so far."""

    @property
    def global_values(self) -> list[tuple[int, ...]]:
        """The values of the variables in each global state found so far; () where states have no
        structure."""

    def request_of(self, local: int) -> int: ...

    def moves(self, local: int, global_: int) -> tuple[Move, ...]:
        """Returns what a request at this local can do when the global state is this one."""


def constants(program: Program) -> set[int]:
    """The absolute values that the text of a program names; 0 is always among them."""
    values = {0} | {abs(initial.value) for initial in program.initial_values}
    for handler in program.handlers:
        values |= {part.value for part in walk(handler.body) if isinstance(part, Number)}
    return values


class ProgramUnfolding:
    """A program, executed as far as anyone asks."""

    def __init__(self, program: Program, limits: Limits, deadline: Deadline | None = None) -> None:
        self.program = program
        self.limits = replace(limits, max_value=max(limits.max_value, *constants(program)))
        self.steps = StepFunctions(program, self.limits, deadline or Deadline())
        self.requests = program.requests
        self.global_names = self.steps.global_names
        self.global_values: list[Values] = []
        self.local_states: list[tuple[int, Values]] = []
        """(point, values of its live locals)."""
        self.completions: list[tuple[int, str]] = []
        self.known_moves: dict[tuple[int, int], tuple[Move, ...]] = {}
        self.faults: dict[tuple[int, int], Fault] = {}
        """A mistake that the next step can make, for (local, global) whose moves are known."""
        self.printed_code: dict[tuple[int, Values], str] = {}
        """The code that is left to do at a point with some held operands, printed."""
        self._too_far: dict[tuple[int, int], LimitReached] = {}
        """(local, global) whose moves go beyond the limits."""
        self._globals: dict[Values, int] = {}
        self._locals: dict[tuple[int, Values], int] = {}
        self._completions: dict[tuple[int, int], int] = {}
        self._idling: Idling | None = None
        """Who waits for what, as soon as there is much to remember."""
        self.global_number(tuple(initial_globals(program).values()))
        self.starts = tuple(
            self.local_number(point, (0,) * len(self.steps.points[point].live)) for point in self.steps.starts
        )

    @property
    def content(self) -> Program:
        """What is unfolded."""
        return self.program

    @property
    def origin(self) -> "ProgramUnfolding":
        """Itself: it is not derived from another."""
        return self

    @property
    def observer(self) -> None:
        """Nobody looks at final values."""

    def way_back(self, run: "Run") -> "tuple[Run, tuple[int, ...]]":
        """The same run: this is the input."""
        return run, ()

    def stores(self) -> Iterator[tuple[tuple[str, ...], Values]]:
        """Variables and their values, in all states that have been met."""
        yield from ((self.global_names, values) for values in self.global_values)
        yield from ((self.steps.points[point].live, values) for point, values in self.local_states)

    def request_of(self, local: int) -> int:
        return self.steps.points[self.local_states[local][0]].handler

    def can_answer(self, _: int) -> bool:
        """A request answers in a step of its own."""
        return False

    def global_state(self, global_: int) -> GlobalState:
        """As the program knows it."""
        return tuple(zip(self.global_names, self.global_values[global_], strict=True))

    def moves(self, local: int, global_: int) -> tuple[Move, ...]:
        key = (local, global_)
        known = self.known_moves.get(key)
        if known is None:
            if key in self._too_far:
                raise self._too_far[key]
            try:
                known = self.known_moves[key] = self._moves(local, global_)
            except LimitReached as reached:
                self._too_far[key] = reached
                raise
        return known

    def _moves(self, local: int, global_: int) -> tuple[Move, ...]:
        point, locals_ = self.local_states[local]
        found: dict[Move, None] = {}
        for kind, target, globals_, values, _ in self.steps.outcomes(
            point, locals_, self.global_values[global_]
        ):
            if kind == FAILS:
                self.faults[local, global_] = self.steps.faults[target]
                continue
            after = self.global_number(globals_)
            if kind == PAUSES:
                found[self.local_number(target, values), after] = None
            else:
                assert kind == ANSWERS
                found[~self._completion(self.request_of(local), target), after] = None
        found.pop((local, global_), None)
        if not found and len(self.known_moves) >= MANY_MOVES and (local, global_) not in self.faults:
            self._note_idle(local, point, global_)
        return tuple(found)

    def _note_idle(self, local: int, point: int, global_: int) -> None:
        if self._idling is None:
            self._idling = Idling(self.steps)
        self._idling.note(local, point, self.global_values[global_])

    def awake(self, locals_: int, global_: int) -> int:
        """Those of a set of locals that may have moves in a global state, or make mistakes there."""
        if self._idling is None:
            return locals_
        return self._idling.awake(locals_, self.global_values[global_])

    def global_number(self, values: Values) -> int:
        index = self._globals.get(values)
        if index is None:
            self._check(values)
            index = self._globals[values] = len(self.global_values)
            self.global_values.append(values)
        return index

    def local_number(self, point: int, values: Values) -> int:
        index = self._locals.get((point, values))
        if index is None:
            self._check(values)
            index = self._locals[point, values] = len(self.local_states)
            self.local_states.append((point, values))
        return index

    def _completion(self, request: int, value: int) -> int:
        index = self._completions.get((request, value))
        if index is None:
            self._check((value,))
            index = self._completions[request, value] = len(self.completions)
            self.completions.append((request, str(value)))
        return index

    def _check(self, values: Values) -> None:
        if goes_beyond(values, self.limits.max_value):
            raise LimitReached("--max-value", self.limits.max_value)


def awake(unfolding: Unfolding, locals_: int, global_: int) -> int:
    """Those of a set of locals that may have moves in a global state: all of them, unless more is known."""
    return unfolding.awake(locals_, global_) if isinstance(unfolding, ProgramUnfolding) else locals_
