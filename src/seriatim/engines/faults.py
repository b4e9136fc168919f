"""Search for a run in which the program makes a mistake, with more and more requests in flight.

Claim: what is found is a run of the system up to a request whose next step can be a fault. States are
(g, multiset of locals in flight); what has been answered does not matter. With at most k in flight there are
finitely many of them if there are finitely many globals and locals, so each round ends or meets the limit.
"""

from collections import deque

from seriatim.budget import Deadline
from seriatim.systems.limits import LimitReached
from seriatim.systems.run import FaultyRun, run_of
from seriatim.systems.unfolding import INITIAL_GLOBAL, ProgramUnfolding

MAX_IN_FLIGHT = 4

State = tuple[int, tuple[int, ...]]
"""(the global state, the locals of whoever is in flight, sorted)."""

Step = tuple[int, int, int, int, bool]
"""(local, target, before, after, is spawn), as `run_of` wants them."""


def faulty_run(unfolding: ProgramUnfolding, max_states: int, deadline: Deadline) -> FaultyRun | None:
    """A run to a fault, as few requests in flight and then as few steps as possible; None if none is found
    within so many states."""
    for in_flight in range(1, MAX_IN_FLIGHT + 1):
        found = _Search(unfolding, in_flight, max_states, deadline).run()
        if found is not None:
            return found
    return None


class _Search:
    def __init__(
        self, unfolding: ProgramUnfolding, in_flight: int, max_states: int, deadline: Deadline
    ) -> None:
        self.unfolding = unfolding
        self.in_flight = in_flight
        self.max_states = max_states
        self.deadline = deadline
        start: State = (INITIAL_GLOBAL, ())
        self.came_from: dict[State, tuple[State, Step] | None] = {start: None}
        self.pending = deque([start])

    def run(self) -> FaultyRun | None:
        while self.pending and len(self.came_from) <= self.max_states:
            self.deadline.check()
            state = self.pending.popleft()
            global_, flying = state
            fresh = self.unfolding.starts if len(flying) < self.in_flight else ()
            movers = [(local, False) for local in dict.fromkeys(flying)] + [(local, True) for local in fresh]
            for local, is_spawn in movers:
                try:
                    moves = self.unfolding.moves(local, global_)
                except LimitReached:
                    continue
                if (local, global_) in self.unfolding.faults:
                    return self.found(state, local, is_spawn)
                for target, after in moves:
                    self.reach(state, (local, target, global_, after, is_spawn))
        return None

    def reach(self, state: State, step: Step) -> None:
        local, target, _, after, is_spawn = step
        flying = list(state[1])
        if not is_spawn:
            flying.remove(local)
        if target >= 0:
            flying.append(target)
        next_ = (after, tuple(sorted(flying)))
        if next_ not in self.came_from:
            self.came_from[next_] = state, step
            self.pending.append(next_)

    def found(self, state: State, local: int, is_spawn: bool) -> FaultyRun:
        steps: list[Step] = []
        at = state
        while (before := self.came_from[at]) is not None:
            at, step = before
            steps.append(step)
        run = run_of(steps[::-1])
        request = run.requests()
        if not is_spawn:
            resting = {turn.request: turn.target for turn in run.turns}
            request = max(each for each, target in resting.items() if target == local)
        return FaultyRun(run, request, local, state[0], self.unfolding.faults[local, state[0]])
