"""The serial automaton (paper, section 3.1, step 1), built as far as anyone asks.

States are global states, letters are completions; g –c→ g' if a request that runs alone from g can complete
as c and leave g'.
"""

from seriatim.budget import Deadline
from seriatim.systems.automaton import Automaton, Edges
from seriatim.systems.limits import LimitReached
from seriatim.systems.unfolding import Unfolding

CHECK_EVERY = 256
"""States of a request that runs alone between two looks at the clock."""


class SerialAutomaton(Automaton):
    """Serial steps of a system, memoised. A step that is not explored whole raises `LimitReached`."""

    def __init__(self, unfolding: Unfolding, max_states: int, deadline: Deadline | None = None) -> None:
        super().__init__(max_states, deadline)
        self.unfolding = unfolding

    def edges(self, state: int) -> Edges:
        """For each completion that can come next, the global states that it can leave."""
        pending = [(start, state) for start in self.unfolding.starts]
        seen = set(pending)
        ends: dict[int, dict[int, None]] = {}
        while pending:
            if len(seen) % CHECK_EVERY == 0:
                self.deadline.check()
            for move in self.unfolding.moves(*pending.pop()):
                target, after = move
                if target < 0:
                    ends.setdefault(~target, {})[after] = None
                elif move not in seen:
                    seen.add(move)
                    pending.append(move)
                    if len(seen) > self.max_states:
                        raise LimitReached("--max-states", self.max_states)
        return {completion: tuple(sorted(ends[completion])) for completion in sorted(ends)}
