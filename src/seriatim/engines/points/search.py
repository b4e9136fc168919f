"""Search for a run in which requests take effect in an order that the specification does not allow.

Given are the points: which locals are committed to which completion, as in `seriatim.engines.commits.engine`.
Claim: what is found is a run in which everybody who has taken effect has been answered accordingly, and no
word of the specification lists their completions in the order of their points. It has as few requests as any
such run, if no limit was met. States are (g, multiset of locals in flight, D) with D the states of the
specification that the word so far can lead to; all with n requests are explored before any with n + 1.
"""

from collections import deque

from seriatim.budget import Deadline
from seriatim.systems.automaton import INITIAL_STATE, Automaton
from seriatim.systems.limits import LimitReached
from seriatim.systems.run import Run, run_of
from seriatim.systems.unfolding import INITIAL_GLOBAL, Unfolding

State = tuple[int, tuple[int, ...], frozenset[int]]
Step = tuple[State, int, int, bool]
"""(state before, local, target, whether it spawns the request)."""


class PointSearch:
    """A search that can be continued."""

    def __init__(self, system: Unfolding, specification: Automaton, committed: dict[int, int]) -> None:
        self.system = system
        self.specification = specification
        self.committed = committed
        start: State = (INITIAL_GLOBAL, (), frozenset({INITIAL_STATE}))
        self.came_from: dict[State, Step | None] = {start: None}
        self.fewest: dict[State, int] = {start: 0}
        """The smallest known number of requests with which each state is reached."""
        self.bucket = deque([start])
        self.next_bucket: list[State] = []
        self.requests = 0
        self.is_cut = False
        """Whether a limit hid some states."""

    def clean_up_to(self) -> int:
        """There is no violation with at most this many requests."""
        return 0 if self.is_cut else max(0, self.requests - 1)

    def advance(self, states: int, deadline: Deadline) -> Run | None:
        for _ in range(states):
            while not self.bucket:
                if not self.next_bucket:
                    return None
                self.requests += 1
                self.bucket.extend(state for state in self.next_bucket if self.fewest[state] == self.requests)
                self.next_bucket = []
            deadline.check()
            state = self.bucket.popleft()
            if not state[2] and not any(local in self.committed for local in state[1]):
                return self.run_to(state)
            self.expand(state)
        return None

    def expand(self, state: State) -> None:
        global_, flying, _ = state
        movers = [(local, False) for local in dict.fromkeys(flying)]
        movers += [(local, True) for local in self.system.starts]
        for local, spawns in movers:
            try:
                for target, after in self.system.moves(local, global_):
                    self.reach(state, local, target, after, spawns)
            except LimitReached:
                self.is_cut = True

    def reach(self, before: State, local: int, target: int, after: int, spawns: bool) -> None:
        flying = list(before[1])
        if not spawns:
            flying.remove(local)
        if target >= 0:
            flying.append(target)
        state = (after, tuple(sorted(flying)), self.effect(before[2], local, target))
        requests = self.requests + spawns
        if self.fewest.get(state, requests + 1) > requests:
            self.fewest[state] = requests
            self.came_from[state] = (before, local, target, spawns)
            (self.next_bucket if spawns else self.bucket).append(state)

    def effect(self, states: frozenset[int], local: int, target: int) -> frozenset[int]:
        """D after a move."""
        completion = ~target if target < 0 else self.committed.get(target)
        if local in self.committed or completion is None:
            return states
        return frozenset(
            following for state in states for following in self.specification.after(state).get(completion, ())
        )

    def points(self, run: Run) -> tuple[int, ...]:
        """The turns in which requests take effect, by number, from 1 on."""
        return tuple(
            number
            for number, turn in enumerate(run.turns, 1)
            if turn.local not in self.committed and (turn.target < 0 or turn.target in self.committed)
        )

    def run_to(self, state: State) -> Run:
        steps: list[tuple[int, int, int, int, bool]] = []
        current = state
        while (step := self.came_from[current]) is not None:
            before, local, target, spawns = step
            steps.append((local, target, before[0], current[0], spawns))
            current = before
        return run_of(steps[::-1])
