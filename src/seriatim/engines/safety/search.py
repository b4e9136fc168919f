"""Search for a run to a failing step, over the number of requests.

Claim: what is found is a run of the program up to a request whose next step can fail, with as few requests as
any, if no limit was met. States are (g, multiset of locals in flight); what has been answered does not
matter.
"""

from seriatim.budget import Deadline
from seriatim.engines.shared.layers import Flying, Layers, beside, movers
from seriatim.systems.from_input import Origin
from seriatim.systems.limits import LimitReached
from seriatim.systems.run import FaultyRun, Step, run_of
from seriatim.systems.unfolding import INITIAL_GLOBAL

State = tuple[int, Flying]

START: State = (INITIAL_GLOBAL, ())


class FaultSearch:
    """A search that can be continued, up to more and more requests."""

    def __init__(self, unfolding: Origin) -> None:
        self.unfolding = unfolding
        self.layers: Layers[State, Step] = Layers(START)
        self.fails_at_once: tuple[State, int] | None = None
        """A state of the bucket, and the local of a further request whose first step can fail there."""

    def advance(self, states: int, deadline: Deadline) -> FaultyRun | None:
        """Explores up to this many states."""
        found = self.layers.advance(states, deadline, self.visit, self.end_layer)
        if found is None and self.fails_at_once is not None:
            self.layers.is_cut = True  # With one request less, there may be another run.
            return self.end_layer()
        return found

    def end_layer(self) -> FaultyRun | None:
        return None if self.fails_at_once is None else self.make_run(*self.fails_at_once)

    def visit(self, state: State) -> FaultyRun | None:
        """Takes all steps from a state, unless one of a request in flight can fail. A request that has not
        begun is one more: others of the same bucket come first."""
        global_, flying = state
        for local, spawns, others in movers(flying, self.unfolding.starts):
            try:
                moves = self.unfolding.moves(local, global_)
            except LimitReached:
                self.layers.is_cut = True
                continue
            for target, after in moves:
                step = (local, target, global_, after, spawns)
                self.layers.reach(state, step, (after, beside(others, target)), spawns)
            if (local, global_) in self.unfolding.faults:
                if not spawns:
                    return self.make_run(state, local)
                self.fails_at_once = self.fails_at_once or (state, local)
        return None

    def make_run(self, state: State, local: int) -> FaultyRun:
        return faulty_run(self.layers.path(state), local, state[0], self.unfolding)


def faulty_run(steps: list[Step], local: int, global_: int, unfolding: Origin) -> FaultyRun:
    """A run by its steps, and the failing step of a request at a local."""
    run = run_of(steps)
    resting = {turn.request: turn.target for turn in run.turns}
    waiting = [request for request, target in resting.items() if target == local]
    request = max(waiting, default=run.requests())
    return FaultyRun(run, request, local, global_, unfolding.faults[local, global_])
