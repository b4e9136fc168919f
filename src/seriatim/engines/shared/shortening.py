"""Shorter counterexamples: as few requests as before, then as few steps, then as few context switches.

A breadth-first search by steps over (g, locals in flight, completions, where the last mover is), with at
most as many requests as the run to be beaten has. Among the ways to one such state in the same number of
steps, one with the fewest switches is kept: what follows depends on the state alone. So the first level
that contains a violation gives the fewest steps, and the violation with the fewest switches in that level
the fewest switches.

A *switch* is a step of another request than the last mover while that one is still in flight. Requests at
the same local are interchangeable, so a step from the last mover's local counts as its own.
"""

from collections.abc import Iterator

from seriatim.budget import Deadline, OutOfBudget
from seriatim.engines.shared.outcomes import SerialOutcomes
from seriatim.systems.limits import LimitReached
from seriatim.systems.multiset import Multisets
from seriatim.systems.posing import OutcomeProblem
from seriatim.systems.run import Run, run_of
from seriatim.systems.unfolding import INITIAL_GLOBAL

NOBODY = -1
State = tuple[int, int, int, int]
"""(global, multiset of locals in flight, multiset of completions, local of the last mover or NOBODY)."""

Step = tuple[State, int, int, bool]
"""(state before, local, target, whether it spawns the request)."""

CHECK_EVERY = 256


def shorten(problem: OutcomeProblem, run: Run, max_states: int, deadline: Deadline) -> Run:
    """The best violation with at most as many requests, if it is found within `max_states`; otherwise the
    same run."""
    try:
        return Shortening(problem, run, max_states, deadline).best()
    except (OutOfBudget, LimitReached):
        return run


class Shortening:
    def __init__(self, problem: OutcomeProblem, run: Run, max_states: int, deadline: Deadline) -> None:
        self.problem = problem
        self.system = problem.system
        self.run = run
        self.max_requests = run.requests()
        self.is_observed = problem.is_observed(run.outcome())
        """Whether the run has an observer; equally long runs without one have more requests of the input."""
        self.max_states = max_states
        self.deadline = deadline
        self.flights = Multisets()
        self.outcomes = Multisets()
        self.serial = SerialOutcomes(problem.allowed, self.outcomes)
        start = (INITIAL_GLOBAL, 0, 0, NOBODY)
        self.came_from: dict[State, Step | None] = {start: None}
        self.level = {start: 0}
        """The states of the current level, with the fewest switches on the way to each."""

    def best(self) -> Run:
        explored = 0
        for _ in self.run.turns:
            following: dict[State, int] = {}
            for state, switches in self.level.items():
                explored += 1
                if explored % CHECK_EVERY == 0:
                    self.deadline.check()
                if explored > self.max_states:
                    return self.run
                for next_, step in self.steps(state):
                    cost = switches + self.is_switch(state, step)
                    if next_ in following:
                        if cost < following[next_]:
                            following[next_] = cost
                            self.came_from[next_] = step
                    elif next_ not in self.came_from:
                        following[next_] = cost
                        self.came_from[next_] = step
            violations = [state for state in following if self.is_violation(state)]
            if violations:
                return self.run_to(min(violations, key=following.__getitem__))
            self.level = following
        return self.run

    def steps(self, state: State) -> Iterator[tuple[State, Step]]:
        global_, flight, outcome, _ = state
        for local in self.flights.distinct(flight):
            rest = self.flights.remove(flight, local)
            for target, after in self.system.moves(local, global_):
                yield self.after(rest, outcome, target, after), (state, local, target, False)
        if self.flights.sizes[flight] + self.outcomes.sizes[outcome] < self.max_requests:
            for local in self.system.starts:
                for target, after in self.system.moves(local, global_):
                    yield self.after(flight, outcome, target, after), (state, local, target, True)

    def after(self, others: int, outcome: int, target: int, global_: int) -> State:
        if target < 0:
            return global_, others, self.outcomes.add(outcome, ~target), NOBODY
        return global_, self.flights.add(others, target), outcome, target

    def is_switch(self, state: State, step: Step) -> bool:
        _, local, _, spawns = step
        return state[3] != NOBODY and (spawns or local != state[3])

    def is_violation(self, state: State) -> bool:
        if state[1] != 0 or self.serial.allows(state[2]):
            return False
        return not self.is_observed or self.problem.is_observed(self.outcomes.distinct(state[2]))

    def run_to(self, state: State) -> Run:
        steps: list[tuple[int, int, int, int, bool]] = []
        current = state
        while (step := self.came_from[current]) is not None:
            before, local, target, spawns = step
            steps.append((local, target, before[0], current[0], spawns))
            current = before
        return run_of(steps[::-1])
