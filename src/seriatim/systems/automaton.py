"""Automata over completions: which outcomes are allowed. What engines ask of a specification.

States are small integers, `INITIAL_STATE` first; letters are the completions of the system that is asked
about, by its own numbers. Every state may be the last one. An outcome, a multiset of completions, is allowed
if some path from the initial state has it for its letters.

The *serial automaton* (paper, section 3.1, step 1) allows what serial runs answer: its states are global
states; g –c→ g' if a request that runs alone from g can complete as c and leave g'.
"""

from abc import ABC, abstractmethod

from seriatim.budget import Deadline
from seriatim.systems.limits import LimitReached
from seriatim.systems.unfolding import Unfolding

INITIAL_STATE = 0

Edges = dict[int, tuple[int, ...]]
"""For each completion that can come next, the states to which it can lead."""

CHECK_EVERY = 256
"""States of a request that runs alone between two looks at the clock."""


class Automaton(ABC):
    """An automaton, built on demand and memoised."""

    def __init__(self, max_states: int, deadline: Deadline | None = None) -> None:
        self.max_states = max_states
        self.deadline = deadline or Deadline()
        self._after: dict[int, Edges] = {}

    def after(self, state: int) -> Edges:
        """The edges of a state; raises `LimitReached` if they are not known whole."""
        known = self._after.get(state)
        if known is None:
            known = self._after[state] = self.edges(state)
        return known

    @abstractmethod
    def edges(self, state: int) -> Edges:
        """Computes the edges of a state."""

    def reachable(self) -> dict[int, Edges]:
        """The states that paths reach, with their edges, in order of discovery."""
        found: dict[int, Edges] = {}
        pending = [INITIAL_STATE]
        while pending:
            self.deadline.check()
            state = pending.pop()
            if state in found:
                continue
            if len(found) >= self.max_states:
                raise LimitReached("--max-states", self.max_states)
            edges = found[state] = self.after(state)
            pending.extend(sorted({after for targets in edges.values() for after in targets}, reverse=True))
        return found


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
