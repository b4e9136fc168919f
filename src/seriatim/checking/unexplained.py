"""Nothing that is allowed has a given outcome.

The outcome is the multiset of (request, response), perhaps with more that was observed. What is allowed, such
as serial runs, are the words of a specification (`seriatim.checking.allowed`). Where answers are missing, as
in a log, a word may also have *others*: so many more of some requests, with any answers.

*By exploring.* A word with this outcome is a path from (initial state, outcome) to (some state, nothing), on
which each edge takes a completion from the multiset that may come next, or one of the others: a completion of
which the outcome has none left. All edges are explored, if that is not too much work.

*By counting*, for outcomes with many requests, unless the specification has very many states. How often a
word takes each edge (state, completion, next state) of the specification are natural numbers such that

1. for each completion, those of its edges add up to what the outcome has of it, or more; and for each
   request, those of its edges to what the outcome has of it, and as many others as there may be;
2. a state is left at most as often as it is entered, the initial one at most once more;
3. if some edge leaves a state of a set C without the initial one, then some edge enters C from outside.

If some completion has no edge at all, or if a solver finds that there are no numbers with 1, 2 and some of 3,
there is no word. Otherwise consider the states from which edges are taken, but that cannot be reached from
the initial one along such edges. If there are any, they are a set C that breaks 3, which is demanded from
then on; there are finitely many. If there are none, then by Euler's theorem there is a word.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Generic

from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Completion, Place, Words
from seriatim.checking.context import Context
from seriatim.checking.obligation import Obligation
from seriatim.checking.uncounted import NO_OTHERS, Edge, Others, uncounted
from seriatim.checking.words import counted

FEW_STATES = 50_000
"""How many states to explore before solvers are asked."""

MOST_COUNTED = 5_000
"""States of a specification whose edges are counted; there may be infinitely many, and each costs."""

_Left = tuple[Place, tuple[int, ...], tuple[int, ...]]
"""(state, how many of each completion are left, how many others of each request)."""


def unexplained(
    claim: str,
    allowed: Words[Place],
    outcome: Counter[Completion],
    context: Context,
    others: Others = NO_OTHERS,
    few_states: int = FEW_STATES,
) -> Obligation:
    """Checks that nothing allowed has this outcome, with these others."""
    allowance = context.allowance
    search = WordSearch(allowed, outcome, allowance, others)
    search.advance(few_states)
    if not search.is_complete:
        length = outcome.total() + sum(most for _, most in others.values())
        edges = edges_of(allowed, frozenset(outcome), allowance, MOST_COUNTED, others, length)
        if edges is not None:
            missing = sorted(outcome.keys() - {completion for _, completion, _ in edges})
            if missing:
                return Obligation(claim, True, f"nothing allowed has {shown(missing[:1])}")
            if context.solvers:
                return uncounted(claim, edges, allowed.initial, outcome, allowance, context.solvers, others)
        search.advance()
    if search.order is not None:
        return Obligation(claim, False, f"this one has: {shown(search.order) or 'the empty order'}")
    return Obligation(claim, True, f"{counted(search.explored, 'serial state')} explored")


class WordSearch(Generic[Place]):
    """Looks through what is allowed for something with a given outcome; can be continued."""

    def __init__(
        self,
        allowed: Words[Place],
        outcome: Counter[Completion],
        allowance: Allowance,
        others: Others = NO_OTHERS,
    ) -> None:
        self.allowed = allowed
        self.allowance = allowance
        self.completions = sorted(outcome)
        self.others = sorted(others)
        self.spare = tuple(others[request][1] - others[request][0] for request in self.others)
        """How many of the other requests may be missing."""
        self.order: tuple[Completion, ...] | None = None
        """The word that was found; None if there is none so far."""
        self.explored = 0
        """How many pairs (state, completions left) were explored."""
        left = tuple(outcome[completion] for completion in self.completions)
        start = (allowed.initial, left, tuple(others[request][1] for request in self.others))
        self._pending: list[_Left[Place]] = [start]
        self._came_by: dict[_Left[Place], tuple[_Left[Place], Completion]] = {}

    @property
    def is_complete(self) -> bool:
        """Whether something was found, or all was explored."""
        return self.order is not None or not self._pending

    def advance(self, max_states: int | None = None) -> None:
        """Explores up to `max_states` states in all."""
        while not self.is_complete and self.explored != max_states:
            here = self._pending.pop()
            self.allowance.spend()
            self.explored += 1
            if not any(here[1]) and all(
                left <= spare for left, spare in zip(here[2], self.spare, strict=True)
            ):
                self.order = tuple(reversed(list(self._taken(here))))
                return
            self._follow(here)

    def _follow(self, here: _Left[Place]) -> None:
        state, left, others = here
        for index, (request, response) in enumerate(self.completions):
            if left[index] > 0:
                fewer = (*left[:index], left[index] - 1, *left[index + 1 :])
                for answer, after in self.allowed.after(state, request):
                    if answer == response:
                        self._reach((after, fewer, others), here, (request, response))
        wanted = {each for each, number in zip(self.completions, left, strict=True) if number}
        for index, request in enumerate(self.others):
            if others[index] > 0:
                fewer = (*others[:index], others[index] - 1, *others[index + 1 :])
                for answer, after in self.allowed.after(state, request):
                    if (request, answer) not in wanted:
                        self._reach((after, left, fewer), here, (request, answer))

    def _reach(self, there: _Left[Place], here: _Left[Place], by: Completion) -> None:
        if there not in self._came_by:
            self._came_by[there] = (here, by)
            self._pending.append(there)

    def _taken(self, here: _Left[Place]) -> Iterator[Completion]:
        """The completions on the way to a state, the last one first."""
        while here in self._came_by:
            here, completion = self._came_by[here]
            yield completion


def edges_of(
    allowed: Words[Place],
    completions: frozenset[Completion],
    allowance: Allowance,
    max_states: int,
    others: Iterable[str] = (),
    length: int | None = None,
) -> tuple[Edge[Place], ...] | None:
    """The edges with these completions, or of other requests, between the states that can be reached by them,
    by words up to some length; None if there are more states, perhaps infinitely many."""
    edges: list[Edge[Place]] = []
    requests = sorted({*(request for request, _ in completions), *others})
    depth = {allowed.initial: 0}
    pending = [allowed.initial]
    for state in pending:
        if depth[state] == length:
            break
        allowance.spend()
        for request in requests:
            for response, after in allowed.after(state, request):
                if (request, response) in completions or request in others:
                    edges.append((state, (request, response), after))
                    if after not in depth:
                        depth[after] = depth[state] + 1
                        pending.append(after)
        if len(depth) > max_states:
            return None
    return tuple(edges)


def shown(completions: Iterable[Completion]) -> str:
    return ", ".join(f"{request}/{response}" for request, response in completions)
