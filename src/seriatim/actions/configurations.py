"""Configurations: a global state with pending instances; and the search for all that a program can reach."""

from collections import deque
from dataclasses import dataclass

from seriatim.actions.interpreter import START, Instances, Interpreter
from seriatim.actions.meaning import Failed
from seriatim.actions.values import GlobalState, Instance
from seriatim.budget import Deadline

Configuration = tuple[GlobalState, Instances]


def minus(instances: Instances, instance: Instance) -> Instances:
    at = instances.index(instance)
    return (*instances[:at], *instances[at + 1 :])


def plus(one: Instances, other: Instances) -> Instances:
    return tuple(sorted((*one, *other))) if other else one


class TooLarge(Exception):
    """Raised when a program has more configurations than may be explored."""


@dataclass(frozen=True, slots=True)
class Step:
    """An executed instance and the configuration after it."""

    instance: Instance
    after: Configuration


@dataclass(frozen=True, slots=True)
class Trace:
    """A run from an initial state."""

    initial: GlobalState
    steps: tuple[Step, ...]

    @property
    def last(self) -> Configuration:
        return self.steps[-1].after if self.steps else (self.initial, START)


@dataclass(frozen=True, slots=True)
class Broken:
    """A run that breaks the program: `instance` fails after it. If `instance` is None, its last state
    violates an `invariant`, or the run ends there and violates `ensures`."""

    trace: Trace
    instance: Instance | None
    reason: str
    line: int


class Reached:
    """All configurations that a program can reach; the search is breadth-first, so runs are shortest."""

    def __init__(
        self, interpreter: Interpreter, limit: int, deadline: Deadline, stops_when_broken: bool = False
    ) -> None:
        self.interpreter = interpreter
        self._came_from: dict[tuple[GlobalState, Configuration], tuple[Configuration, Instance] | None] = {}
        self.broken: Broken | None = None
        self.final: dict[tuple[GlobalState, GlobalState], None] = {}
        self.configurations: dict[Configuration, None] = {}
        """All of them in the order of the search, so that reports show the same one each time."""
        self.blocked: tuple[GlobalState, Configuration] | None = None
        queue: deque[tuple[GlobalState, Configuration]] = deque()
        for state in interpreter.initial_states():
            start = state, (state, START)
            self._came_from[start] = None
            queue.append(start)
        while queue and not (stops_when_broken and self.broken):
            deadline.check()
            here = queue.popleft()
            self.configurations[here[1]] = None
            self._watch(here)
            for target, instance in self._successors(here):
                if target not in self._came_from:
                    self._came_from[target] = here[1], instance
                    queue.append(target)
            if len(self._came_from) > limit:
                raise TooLarge

    def _successors(
        self, here: tuple[GlobalState, Configuration]
    ) -> list[tuple[tuple[GlobalState, Configuration], Instance]]:
        initial, (state, pending) = here
        if not pending:
            self._finish(initial, state)
            return []
        found: list[tuple[tuple[GlobalState, Configuration], Instance]] = []
        for instance in dict.fromkeys(pending):
            execution = self.interpreter.execute(state, instance)
            if execution.failure is not None:
                self._break(here, instance, execution.failure)
            rest = minus(pending, instance)
            found += [
                ((initial, (each.state, plus(rest, each.created))), instance) for each in execution.outcomes
            ]
        if not found and self.blocked is None:
            self.blocked = here
        return found

    def _break(self, here: tuple[GlobalState, Configuration], instance: Instance | None, why: Failed) -> None:
        if self.broken is None:
            self.broken = Broken(self.trace(*here), instance, why.reason, why.span.line)

    def _watch(self, here: tuple[GlobalState, Configuration]) -> None:
        proof, (state, pending) = self.interpreter.program.proof, here[1]
        for fact in () if proof is None or pending == START else proof.invariants:
            if not self.interpreter.holds(fact.condition, state, state, pending, {}):
                self._break(here, None, Failed("`invariant` does not hold", fact.span))

    def _finish(self, initial: GlobalState, state: GlobalState) -> None:
        self.final[initial, state] = None
        proof = self.interpreter.program.proof
        for fact in () if proof is None else proof.ensures:
            if not self.interpreter.holds(fact.condition, state, initial, (), {}):
                self._break((initial, (state, ())), None, Failed("`ensures` does not hold", fact.span))

    def trace(self, initial: GlobalState, target: Configuration) -> Trace:
        """A shortest run to a configuration."""
        steps: list[Step] = []
        at = target
        while (origin := self._came_from[initial, at]) is not None:
            steps.append(Step(origin[1], at))
            at = origin[0]
        return Trace(initial, tuple(reversed(steps)))

    def trace_to(self, target: Configuration) -> Trace | None:
        """A shortest run to a configuration from some initial state."""
        found = [initial for initial, each in self._came_from if each == target]
        return self.trace(found[0], target) if found else None
