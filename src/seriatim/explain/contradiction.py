"""Why no serial order has an outcome: a case analysis of all serial prefixes, as data.

A *prefix* of an outcome Z is what a serial order with outcome Z can have done so far: a global state g and
the completions L ⊆ Z that are still to come. From (g, L) such an order goes on to (g', L - c) for some c in L
with which a request that runs alone from g can complete, leaving g'.

Claim. Z is no serial outcome if and only if (g, ∅) is no prefix. Each step takes something from L, so there
are finitely many prefixes; all of them are explored. Where time counts, an order goes on with a c that no
other one in L precedes: exactly so it respects time. Two ways to present that:

- *Cases*: the tree of all prefixes from the beginning. A leaf is blocked: whichever request comes next, no
  answer that it can give is in L. If all leaves are, no branch ends in (g, ∅).
- *Impossible*: one completion c in Z that no prefix of Z without the copies of c allows. A serial order with
  outcome Z contains c, and what precedes its first c is such a prefix, followed by c; so there is no such
  order. Usually shorter: it need not say in which order the others come.

Where both are too long to be read, `Outline` has their number and the shortest blocked branches.
"""

from collections import deque
from collections.abc import Iterator, Mapping

from seriatim.budget import Deadline
from seriatim.explain.argument import (
    Argument,
    Blocked,
    Case,
    Cases,
    CaseStep,
    Completion,
    DeadEnd,
    Impossible,
    Occasion,
    Outline,
    in_order,
)
from seriatim.explain.nearest import NextSteps
from seriatim.program.state import GlobalState
from seriatim.systems.automaton import INITIAL_STATE
from seriatim.systems.limits import LimitReached
from seriatim.systems.multiset import Multisets

MAX_PREFIXES = 5_000
"""An outcome with more prefixes than this is not argued about."""

MAX_READ = 12
"""Arguments with more prefixes than this are too long to read."""

SHORTEST = 3
"""How many blocked branches an outline shows."""


def contradiction(
    outcome: Mapping[int, int], allowed: NextSteps, deadline: Deadline | None = None
) -> Argument | None:
    """Why no order has an outcome (how often each completion occurs), in the shortest of the ways.

    None if there are too many prefixes to go through. No order that is allowed may have the outcome. Raises
    `OutOfBudget`.
    """
    analysis = _Analysis(allowed, outcome, deadline or Deadline())
    try:
        analysis.explore()
        impossible = analysis.impossible()
    except (LimitReached, _TooMany):
        return None
    size = analysis.tree_size()
    if impossible is not None and len(impossible.occasions) <= min(size, MAX_READ):
        return impossible
    if size <= MAX_READ:
        return Cases(analysis.case(analysis.root))
    return analysis.outline() if impossible is None else impossible


_Prefix = tuple[int, int]
"""(global state, multiset of the completions to come)."""


class _TooMany(Exception):
    """There are more prefixes than `MAX_PREFIXES`."""


class _Analysis:
    """All prefixes of an outcome."""

    def __init__(self, allowed: NextSteps, outcome: Mapping[int, int], deadline: Deadline) -> None:
        self.allowed = allowed
        self.deadline = deadline
        self.multisets = Multisets()
        items = [completion for completion, count in outcome.items() for _ in range(count)]
        self.root: _Prefix = (INITIAL_STATE, self.multisets.number(items))
        self.steps: dict[_Prefix, tuple[tuple[int, _Prefix], ...]] = {}
        """(completion, next prefix), for all prefixes, the longest ones last."""
        self.came_from: dict[_Prefix, tuple[_Prefix, int]] = {}

    def explore(self) -> None:
        for prefix in self.reach(self.root):
            self.steps[prefix] = tuple(self.following(prefix))
            for completion, target in self.steps[prefix]:
                assert target[1] != 0, "this is a serial outcome"
                self.came_from.setdefault(target, (prefix, completion))

    def reach(self, root: _Prefix) -> Iterator[_Prefix]:
        """The prefixes that can be reached from one, breadth first."""
        pending = deque([root])
        seen = {root}
        while pending:
            if len(seen) > MAX_PREFIXES:
                raise _TooMany
            self.deadline.check()
            prefix = pending.popleft()
            yield prefix
            for _, target in self.following(prefix):
                if target not in seen:
                    seen.add(target)
                    pending.append(target)

    def following(self, prefix: _Prefix) -> Iterator[tuple[int, _Prefix]]:
        state, left = prefix
        for completion in self.free(left):
            for after in self.allowed.targets(state, completion):
                yield completion, (after, self.multisets.remove(left, completion))

    def free(self, left: int) -> list[int]:
        """The remaining completions that do not have to wait for other remaining ones."""
        items = self.multisets.distinct(left)
        return [completion for completion in items if not self.allowed.preceding(completion, items)]

    def tree_size(self) -> int:
        """The number of cases in the tree, if none is shared."""
        sizes: dict[_Prefix, int] = {}
        for prefix, steps in reversed(self.steps.items()):
            sizes[prefix] = 1 + sum(sizes[target] for _, target in steps)
        return sizes[self.root]

    def case(self, prefix: _Prefix) -> Case:
        steps = tuple(
            CaseStep(*self.allowed.name_completion(completion), self.case(target))
            for completion, target in self.steps[prefix]
        )
        return Case(self.state(prefix), self.find_blocked(prefix), steps)

    def find_blocked(self, prefix: _Prefix) -> tuple[Blocked, ...]:
        """The handlers with requests to come, none of which can be next."""
        state, left = prefix
        items = self.multisets.distinct(left)
        wanted: dict[str, list[str]] = {}
        for handler, response in map(self.allowed.name_completion, self.free(left)):
            wanted.setdefault(handler, []).append(response)
        moving = {self.allowed.name_completion(completion)[0] for completion, _ in self.steps[prefix]}
        waiting = {
            handler: earlier
            for completion in items
            if not self.allowed.is_final(completion)
            and (earlier := self.allowed.preceding(completion, items))
            and (handler := self.allowed.name_completion(completion)[0]) not in wanted
        }
        return (
            *(
                Blocked(handler, in_order(responses), self.possible(handler, state))
                for handler, responses in wanted.items()
                if handler not in moving
            ),
            *(
                Blocked(
                    handler, (), (), in_order(self.allowed.name_completion(other)[0] for other in earlier)
                )
                for handler, earlier in waiting.items()
            ),
        )

    def possible(self, handler: str, state: int) -> tuple[str, ...]:
        """The answers of a request that comes next."""
        return in_order(self.allowed.possible(state, handler))

    def impossible(self) -> Impossible | None:
        """The impossible completion with the fewest occasions; None if all completions are possible."""
        found: list[Impossible] = []
        for completion in self.multisets.distinct(self.root[1]):
            occasions = self.occasions(completion)
            if occasions is not None:
                found.append(Impossible(*self.allowed.name_completion(completion), occasions))
        return min(found, key=lambda candidate: len(candidate.occasions), default=None)

    def occasions(self, completion: int) -> tuple[Occasion, ...] | None:
        """The global states that the others can leave; None if a request can complete so in one of them."""
        handler, _ = self.allowed.name_completion(completion)
        others = [item for item in self.multisets.items(self.root[1]) if item != completion]
        left = self.multisets.number(others)
        orders: dict[_Prefix, tuple[int, ...]] = {(INITIAL_STATE, left): ()}
        first: dict[int, tuple[int, ...]] = {}
        for prefix in self.reach((INITIAL_STATE, left)):
            if self.allowed.targets(prefix[0], completion):
                return None
            first.setdefault(prefix[0], orders[prefix])
            for other, target in self.following(prefix):
                orders.setdefault(target, (*orders[prefix], other))
        return tuple(
            Occasion(
                tuple(map(self.allowed.name_completion, order)),
                self.allowed.state_name(state),
                self.possible(handler, state),
            )
            for state, order in first.items()
        )

    def outline(self) -> Outline:
        ends = [prefix for prefix, steps in self.steps.items() if not steps]
        shortest = tuple(
            DeadEnd(self.order(prefix), self.state(prefix), self.find_blocked(prefix))
            for prefix in ends[:SHORTEST]
        )
        return Outline(len(self.steps), len(ends), shortest)

    def order(self, prefix: _Prefix) -> tuple[Completion, ...]:
        """The requests that have run, in a serial order that leads to a prefix."""
        found: list[Completion] = []
        while prefix != self.root:
            prefix, completion = self.came_from[prefix]
            found.append(self.allowed.name_completion(completion))
        return tuple(reversed(found))

    def state(self, prefix: _Prefix) -> GlobalState:
        return self.allowed.state_name(prefix[0])
