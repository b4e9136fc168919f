"""Statements about outcomes as problems for engines: whose outcomes, and which automaton allows them.

Each statement is a reduction to "every outcome of this system is one of that automaton"; the modules of the
derived systems say why. For proofs by commit points there is a second form, which does without derived
systems:

Claim. Take requests to be in the order of their commits (`seriatim.engines.commits`), and let the words of
these commits be ones that the specification allows. Then the system is linearizable, for any number of
barriers: a request commits between its first and its last step, so if p was answered before q began, p
comes before q. If this holds in all runs, not only in complete ones, then also with pending requests: those
who have committed count as answered, and the others as not having begun.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never

from seriatim.budget import Deadline
from seriatim.program.state import GlobalState
from seriatim.program.syntax import Program
from seriatim.properties.statement import FinalValues, Outcomes, Time
from seriatim.systems.automaton import Automaton, SerialAutomaton
from seriatim.systems.from_input import Origin, unfold
from seriatim.systems.intervals import IntervalAutomaton, IntervalSystem
from seriatim.systems.limits import Limits
from seriatim.systems.observation import ObservedSystem
from seriatim.systems.run import Run
from seriatim.systems.unfolding import ProgramUnfolding, Unfolding
from seriatim.systems.words import SerialRuns, WordAutomaton, WrittenWords

if TYPE_CHECKING:  # Most problems do not need these.
    from seriatim.program.specification import Specification
    from seriatim.systems.actions import ProgramActions, SystemActions
    from seriatim.systems.derived import Committing, Derived
    from seriatim.systems.words import Words


@dataclass(frozen=True, slots=True)
class OutcomeProblem:
    """Is every outcome of a system allowed?"""

    statement: Outcomes
    """The statement to decide."""
    origin: Origin
    """The input."""
    derived: "Derived"
    """The system whose outcomes are asked about."""
    system: Unfolding
    """What to explore: the derived system, or a reduction of it with the same outcomes."""
    allowed: Automaton
    """The allowed outcomes, over the completions of the system."""
    state_name: Callable[[int], GlobalState]
    """The names of that automaton's states in certificates."""
    committing: "Committing"
    """The system in which requests commit."""
    effects: Automaton
    """The allowed orders of commits, over the completions of `committing`."""
    is_serial: bool
    """Whether serial runs of the origin are allowed, so that requests without interruption, in the order of
    their steps, are an explanation."""
    runs: Literal["complete", "all"] = "complete"
    """Which runs count; if all do, engines must not use anything that keeps complete runs only."""

    @property
    def observer(self) -> int | None:
        """The request of the system that looks at final values, if there is one."""
        return self.derived.observer

    def is_observed(self, outcome: Iterable[int]) -> bool:
        """Whether the outcome contains final values, or never does. Of two outcomes with as many requests,
        the one with final values has fewer requests of the input."""
        observer = self.observer
        if observer is None:
            return True
        return any(self.system.completions[completion][0] == observer for completion in outcome)

    def way_back(self, run: Run) -> tuple[Run, tuple[int, ...]]:
        """The run of the input for a run of the derived system, and the turns before each barrier."""
        return self.derived.way_back(run)


@dataclass(frozen=True, slots=True)
class ConflictProblem:
    """Does any run have a cycle of conflicts?"""

    origin: Origin
    actions: "ProgramActions | SystemActions"


@dataclass(frozen=True, slots=True)
class PointsProblem:
    """Do requests pass the points that a program marks in an order that is allowed?"""

    origin: ProgramUnfolding
    effects: Automaton
    """The allowed orders of points, over the completions of the origin."""


@dataclass(frozen=True, slots=True)
class SafetyProblem:
    """Can a step of any run fail? All runs count, so nothing that keeps complete runs only may be used."""

    origin: Origin


@dataclass(frozen=True, slots=True)
class StuckProblem:
    """Can requests be in flight that never complete? All runs count, so nothing that keeps complete runs only
    may be used, and the origin has its dead ends."""

    origin: Origin


def pose(statement: Outcomes, origin: Origin, limits: Limits, deadline: Deadline) -> OutcomeProblem:
    is_serial = statement.allowed is None
    match statement.seen:
        case Time(barriers=barriers, pending=pending):
            timed = IntervalSystem(origin, barriers, pending)
            if statement.allowed is None:
                serial = SerialAutomaton(origin, limits.max_states, deadline)
                effects: Automaton = serial
                words: Words = SerialRuns(origin, serial)
            else:
                words = specify_words(statement.allowed, limits, deadline)
                effects = WordAutomaton(words, origin, limits.max_states)
            allowed = IntervalAutomaton(words, timed, limits.max_states, deadline)
            runs: Literal["complete", "all"] = "all" if pending else "complete"
            return OutcomeProblem(
                statement, origin, timed, timed, allowed, allowed.state_name, origin, effects, is_serial, runs
            )
        case FinalValues() | None as seen:
            system = origin if seen is None else observe(origin, seen)
            serial = SerialAutomaton(system, limits.max_states, deadline)
            return OutcomeProblem(
                statement, origin, system, system, serial, system.global_state, system, serial, is_serial
            )
        case _:
            assert_never(statement.seen)


def observe(origin: Origin, seen: FinalValues) -> "Committing":
    return ObservedSystem(origin, seen.observed)


def specify_words(specification: "Specification", limits: Limits, deadline: Deadline) -> "Words":
    meaning = specification.meaning
    if not isinstance(meaning, Program):
        return WrittenWords(meaning)
    reference = unfold(meaning, limits, deadline)
    return SerialRuns(reference, SerialAutomaton(reference, limits.max_states, deadline))
