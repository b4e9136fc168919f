"""The serial automaton (paper, section 3.1, step 1), built as far as anyone asks.

States are global states, letters are completions; g –c→ g' if a request that runs alone from g can complete
as c and leave g'.
"""

from seriatim.budget import Deadline
from seriatim.network.limits import LimitReached
from seriatim.network.unfolding import INITIAL_GLOBAL, Unfolding

CHECK_EVERY = 256
"""States of a request that runs alone between two looks at the clock."""


class SerialAutomaton:
    """Serial steps of a system, memoised. A step that is not explored whole raises `LimitReached`."""

    def __init__(self, unfolding: Unfolding, max_states: int, deadline: Deadline | None = None) -> None:
        self.unfolding = unfolding
        self.max_states = max_states
        self.deadline = deadline or Deadline()
        self._after: dict[int, dict[int, tuple[int, ...]]] = {}

    def after(self, global_: int) -> dict[int, tuple[int, ...]]:
        """For each completion that can come next, the global states that it can leave."""
        known = self._after.get(global_)
        if known is None:
            known = self._after[global_] = self._run_alone(global_)
        return known

    def _run_alone(self, global_: int) -> dict[int, tuple[int, ...]]:
        pending = [(start, global_) for start in self.unfolding.starts]
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

    def reachable(self) -> dict[int, dict[int, tuple[int, ...]]]:
        """The part that serial runs reach: global state to its edges, in order of discovery."""
        found: dict[int, dict[int, tuple[int, ...]]] = {}
        pending = [INITIAL_GLOBAL]
        while pending:
            self.deadline.check()
            global_ = pending.pop()
            if global_ in found:
                continue
            if len(found) >= self.max_states:
                raise LimitReached("--max-states", self.max_states)
            edges = found[global_] = self.after(global_)
            pending.extend(sorted({after for targets in edges.values() for after in targets}, reverse=True))
        return found
