"""Search for a run to a failing step, over the number of requests.

Claim: what is found is a run of the program up to a request whose next step can fail, with as few requests as
any, if no limit was met. States are (g, multiset of locals in flight); what has been answered does not
matter. All states that n requests can reach are explored before any that need n + 1, shortest runs first.
"""

from collections import deque

from seriatim.budget import Deadline
from seriatim.systems.from_input import Origin
from seriatim.systems.limits import LimitReached
from seriatim.systems.run import FaultyRun, run_of
from seriatim.systems.unfolding import INITIAL_GLOBAL

State = tuple[int, tuple[int, ...]]
"""(the global state, the locals of the requests in flight, sorted)."""

Step = tuple[int, int, int, int, bool]
"""(local, target, before, after, is spawn), as `run_of` wants them."""

START: State = (INITIAL_GLOBAL, ())


class FaultSearch:
    """A search that can be continued, up to more and more requests."""

    def __init__(self, unfolding: Origin) -> None:
        self.unfolding = unfolding
        self.came_from: dict[State, tuple[State, Step] | None] = {START: None}
        self.fewest: dict[State, int] = {START: 0}
        """The smallest known number of requests with which each state is reached."""
        self.bucket = deque([START])
        self.next_bucket: list[State] = []
        self.requests = 0
        """The number of requests in the current bucket; smaller buckets are done."""
        self.is_cut = False
        """Whether a limit hid some states."""
        self.fails_at_once: tuple[State, int] | None = None
        """A state of the bucket, and the local of a further request whose first step can fail there."""

    def clean_up_to(self) -> int:
        """No run with at most this many requests leads to a failing step."""
        return 0 if self.is_cut else max(0, self.requests - 1)

    def advance(self, states: int, deadline: Deadline) -> FaultyRun | None:
        """Explores up to this many states."""
        for _ in range(states):
            while not self.bucket:
                if self.fails_at_once is not None:
                    return self.make_run(*self.fails_at_once)
                if not self.next_bucket:
                    return None
                self.requests += 1
                self.bucket.extend(state for state in self.next_bucket if self.fewest[state] == self.requests)
                self.next_bucket = []
            deadline.check()
            state = self.bucket.popleft()
            fails = self.expand(state)
            if fails is not None:
                return self.make_run(state, fails)
        if self.fails_at_once is None:
            return None
        self.is_cut = True  # With one request less, there may be another run.
        return self.make_run(*self.fails_at_once)

    def expand(self, state: State) -> int | None:
        """Takes all steps from a state; the local of a request whose next step can fail, if there is one.
        A request that has not begun is one more: others of the same bucket come first."""
        for local in dict.fromkeys(state[1]):
            if self.takes_steps(state, local, is_spawn=False):
                return local
        for local in self.unfolding.starts:
            if self.takes_steps(state, local, is_spawn=True):
                self.fails_at_once = self.fails_at_once or (state, local)
        return None

    def takes_steps(self, state: State, local: int, is_spawn: bool) -> bool:
        """Whether a step of a request at this local can fail; its other steps are taken."""
        global_, flying = state
        try:
            moves = self.unfolding.moves(local, global_)
        except LimitReached:
            self.is_cut = True
            return False
        others = list(flying)
        if not is_spawn:
            others.remove(local)
        for target, after in moves:
            then = (after, tuple(sorted((*others, target) if target >= 0 else others)))
            self.reach(then, (state, (local, target, global_, after, is_spawn)))
        return (local, global_) in self.unfolding.faults

    def reach(self, state: State, way: tuple[State, Step]) -> None:
        is_spawn = way[1][4]
        requests = self.requests + is_spawn
        if self.fewest.get(state, requests + 1) > requests:
            self.fewest[state] = requests
            self.came_from[state] = way
            (self.next_bucket if is_spawn else self.bucket).append(state)

    def make_run(self, state: State, local: int) -> FaultyRun:
        steps: list[Step] = []
        at = state
        while (before := self.came_from[at]) is not None:
            at, step = before
            steps.append(step)
        return faulty_run(steps[::-1], local, state[0], self.unfolding)


def faulty_run(steps: list[Step], local: int, global_: int, unfolding: Origin) -> FaultyRun:
    """A run by its steps, and the failing step of a request at a local."""
    run = run_of(steps)
    resting = {turn.request: turn.target for turn in run.turns}
    waiting = [request for request, target in resting.items() if target == local]
    request = max(waiting, default=run.requests())
    return FaultyRun(run, request, local, global_, unfolding.faults[local, global_])
