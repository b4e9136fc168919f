"""Membership of outcomes: can a serial run, or a word of a specification, have them?

Serializable means Int ⊆ Ser: every multiset of completions of a complete interleaved run is one of a serial
run.
"""

from collections.abc import Iterator

from seriatim.systems.automaton import INITIAL_STATE, Automaton
from seriatim.systems.limits import LimitReached
from seriatim.systems.multiset import Multisets

CHECK_EVERY = 256


class SerialOutcomes:
    """Membership in Ser: can a serial run consume a multiset of completions, to the last one?

    A depth-first search over (global state, completions left), in which nothing is asked twice. Where the
    outcome has one completion more than one that is known, going on from there mostly saves the search.
    """

    def __init__(self, specification: Automaton, multisets: Multisets) -> None:
        self.specification = specification
        self.multisets = multisets
        self._consumable: dict[tuple[int, int], bool] = {}
        """For each (global, completions left), whether some serial run from there consumes them all."""
        self._ends = {0: INITIAL_STATE}
        """For each outcome, a global state that some serial run with this outcome leaves."""
        self.looked_at = 0
        """How many pairs (global state, completions left) were explored so far."""

    def allows(self, outcome: int) -> bool:
        """Whether a serial run has this outcome. Raises `LimitReached` if the relevant serial runs cannot be
        explored exhaustively, `OutOfBudget` after the deadline of the specification."""
        if outcome in self._ends:
            return True
        root = (INITIAL_STATE, outcome)
        if root not in self._consumable:
            self._search(root)
        return self._consumable[root]

    def allows_one_more(self, before: int, completion: int) -> bool:
        """The same, for the outcome with one completion more than another one."""
        outcome = self.multisets.add(before, completion)
        end = self._ends.get(before)
        if end is not None and outcome not in self._ends:
            try:
                for after in self.specification.after(end).get(completion, ()):
                    self._ends[outcome] = after
            except LimitReached:
                pass  # Another serial run may do.
        return self.allows(outcome)

    def _search(self, root: tuple[int, int]) -> None:
        path = [root]
        branches = [self._smaller(*root)]
        self.looked_at += 1
        failed: dict[tuple[int, int], bool] = {}
        unexplored: LimitReached | None = None
        while path:
            try:
                child = next(branches[-1], None)
            except LimitReached as reached:
                unexplored = reached
                child = None
            if child is None:
                failed[path.pop()] = False
                branches.pop()
            elif child[1] == 0 or self._consumable.get(child, False):
                if unexplored is None:
                    self._consumable.update(failed)  # Many later questions would ask the same.
                self._consumable.update(dict.fromkeys(path, True))
                if child[1] == 0:
                    self._ends[root[1]] = child[0]
                return
            elif child not in failed and child not in self._consumable:
                path.append(child)
                branches.append(self._smaller(*child))
                self.looked_at += 1
                if self.looked_at % CHECK_EVERY == 0:
                    self.specification.deadline.check()
        if unexplored is not None:
            raise unexplored
        self._consumable.update(failed)

    def _smaller(self, global_: int, left: int) -> Iterator[tuple[int, int]]:
        """The states after one more serial request."""
        after = self.specification.after(global_)
        for completion in self.multisets.distinct(left):
            for next_ in after.get(completion, ()):
                yield next_, self.multisets.remove(left, completion)
