"""Nothing that is allowed has a given outcome.

The outcome is the multiset of (request, response), perhaps with more that was observed. What is allowed, such
as serial runs, are the words of a specification (`seriatim.checking.allowed`).

*By exploring.* A word with this outcome is a path from (initial state, outcome) to (some state, nothing), on
which each edge takes a completion from the multiset that may come next. All edges are explored, if that is
not too much work.

*By counting*, for outcomes with many requests, unless the specification has very many states. How often a
word takes each edge (state, completion, next state) of the specification are natural numbers such that

1. for each completion, those of its edges add up to what the outcome has of it;
2. a state is left at most as often as it is entered, the initial one at most once more;
3. if some edge leaves a state of a set C without the initial one, then some edge enters C from outside.

If some completion has no edge at all, or if a solver finds that there are no numbers with 1, 2 and some of 3,
there is no word. Otherwise consider the states from which edges are taken, but that cannot be reached from
the initial one along such edges. If there are any, they are a set C that breaks 3, which is demanded from
then on; there are finitely many. If there are none, then by Euler's theorem there is a word.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Allowed, Completion
from seriatim.checking.context import Context
from seriatim.checking.obligation import Obligation
from seriatim.checking.words import counted, outcome_words
from seriatim.program.state import GlobalState

FEW_STATES = 50_000
"""Explored before solvers are asked."""

MOST_COUNTED = 5_000
"""States of a specification whose edges are counted; there may be infinitely many, and each costs."""

Edge = tuple[GlobalState, Completion, GlobalState]

_Left = tuple[GlobalState, tuple[int, ...]]
"""(state, how many of each completion are left)."""


def unexplained(
    claim: str,
    allowed: Allowed,
    outcome: Counter[Completion],
    context: Context,
) -> Obligation:
    """That nothing allowed has this outcome; the claim says so, up to the outcome."""
    claim = f"{claim} {outcome_words(sorted(outcome.items()))}"
    allowance = context.allowance
    search = WordSearch(allowed, outcome, allowance)
    search.advance(FEW_STATES)
    if not search.is_complete:
        edges = edges_of(allowed, frozenset(outcome), allowance, MOST_COUNTED)
        if edges is not None:
            missing = sorted(outcome.keys() - {completion for _, completion, _ in edges})
            if missing:
                return Obligation(claim, True, f"nothing allowed has {shown(missing[:1])}")
            if context.solvers:
                from seriatim.checking.uncounted import uncounted  # Few outcomes are so large.

                return uncounted(claim, edges, allowed.initial, outcome, allowance, context.solvers)
        search.advance()
    if search.order is not None:
        return Obligation(claim, False, f"this one has: {shown(search.order) or 'the empty order'}")
    return Obligation(claim, True, f"{counted(search.explored, 'serial state')} explored")


class WordSearch:
    """Looks through what is allowed for something with a given outcome; can be continued."""

    def __init__(self, allowed: Allowed, outcome: Counter[Completion], allowance: Allowance) -> None:
        self.allowed = allowed
        self.allowance = allowance
        self.completions = sorted(outcome)
        self.order: tuple[Completion, ...] | None = None
        """What was found."""
        self.explored = 0
        """How many (state, completions left) were."""
        start = (allowed.initial, tuple(outcome[completion] for completion in self.completions))
        self._pending: list[_Left] = [start]
        self._came_by: dict[_Left, tuple[_Left, int]] = {}

    @property
    def is_complete(self) -> bool:
        """Whether something was found, or all was explored."""
        return self.order is not None or not self._pending

    def advance(self, max_states: int | None = None) -> None:
        """Explores up to so many in all."""
        while not self.is_complete and self.explored != max_states:
            here = self._pending.pop()
            self.allowance.spend()
            self.explored += 1
            if not any(here[1]):
                self.order = tuple(reversed(list(self._taken(here))))
                return
            self._follow(here)

    def _follow(self, here: _Left) -> None:
        state, left = here
        for index, (request, response) in enumerate(self.completions):
            if left[index] == 0:
                continue
            fewer = (*left[:index], left[index] - 1, *left[index + 1 :])
            for answer, after in self.allowed.after(state, request):
                if answer == response and (after, fewer) not in self._came_by:
                    self._came_by[after, fewer] = (here, index)
                    self._pending.append((after, fewer))

    def _taken(self, here: _Left) -> Iterator[Completion]:
        """The completions on the way to a state, the last one first."""
        while here in self._came_by:
            here, index = self._came_by[here]
            yield self.completions[index]


def edges_of(
    allowed: Allowed, completions: frozenset[Completion], allowance: Allowance, max_states: int
) -> tuple[Edge, ...] | None:
    """The edges with these completions between the states that can be reached by them; None if there are more
    states, perhaps infinitely many."""
    edges: list[Edge] = []
    requests = sorted({request for request, _ in completions})
    seen = {allowed.initial}
    pending = [allowed.initial]
    while pending:
        state = pending.pop()
        allowance.spend()
        for request in requests:
            for response, after in allowed.after(state, request):
                if (request, response) in completions:
                    edges.append((state, (request, response), after))
                    if after not in seen:
                        seen.add(after)
                        pending.append(after)
        if len(seen) > max_states:
            return None
    return tuple(edges)


def shown(completions: Iterable[Completion]) -> str:
    return ", ".join(f"{request}/{response}" for request, response in completions)
