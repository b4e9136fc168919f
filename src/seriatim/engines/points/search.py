"""Search for a run in which requests take effect in an order that the specification does not allow.

Given are the points: which locals are committed to which completion, as in `seriatim.engines.commits.engine`.
Claim: what is found is a run in which everybody who has taken effect has been answered accordingly, and no
word of the specification lists their completions in the order of their points. It has as few requests as any
such run, if no limit was met. States are (g, multiset of locals in flight, D) with D the states of the
specification that the word so far can lead to.
"""

from seriatim.budget import Deadline
from seriatim.engines.shared.layers import Flying, Layers, beside, movers
from seriatim.systems.automaton import INITIAL_STATE, Automaton
from seriatim.systems.limits import LimitReached
from seriatim.systems.run import Run, Step, run_of
from seriatim.systems.unfolding import INITIAL_GLOBAL, Unfolding

State = tuple[int, Flying, frozenset[int]]


class PointSearch:
    """A search that can be continued."""

    def __init__(self, system: Unfolding, specification: Automaton, committed: dict[int, int]) -> None:
        self.system = system
        self.specification = specification
        self.committed = committed
        start: State = (INITIAL_GLOBAL, (), frozenset({INITIAL_STATE}))
        self.layers: Layers[State, Step] = Layers(start)

    def advance(self, states: int, deadline: Deadline) -> Run | None:
        return self.layers.advance(states, deadline, self.visit)

    def visit(self, state: State) -> Run | None:
        global_, flying, effects = state
        if not effects and not any(local in self.committed for local in flying):
            return run_of(self.layers.path(state))
        for local, spawns, others in movers(flying, self.system.starts):
            try:
                for target, after in self.system.moves(local, global_):
                    then = (after, beside(others, target), self.effect(effects, local, target))
                    self.layers.reach(state, (local, target, global_, after, spawns), then, spawns)
            except LimitReached:
                self.layers.is_cut = True
        return None

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
