"""Handlers seen one by one: what a request can be in the middle of, and what others do to its variables.

For a handler h let V be the variables that it names. A *view* of h is a pair (v, ℓ): the values of V while a
request of h is at ℓ. Claim: the views collected here are all that occur in runs. Why: by induction over runs.
Fresh requests are possible whatever the values. A step of a request of h itself depends on V alone and leads
to another view of h. A step of another request, of h' say, is a step of a view of h'; what it does to V is
what it does to the variables that both name, and it is carried over to every view of h with the same values
of these, unless the potential invariants (`seriatim.systems.potential`) exclude that the two are in flight
together. A handler that names no variable of h leaves its views alone.

So the number of views grows with what each handler names, and not with the product of all variables: the
global states of the system are never listed. As a view's global state, those variables that h does not name
have their initial values.
"""

from collections import deque
from collections.abc import Iterable

from seriatim.budget import Deadline
from seriatim.program.syntax import mentioned_globals
from seriatim.systems.limits import LimitReached
from seriatim.systems.potential import Broken, Candidate
from seriatim.systems.unfolding import INITIAL_GLOBAL, ProgramUnfolding

Values = tuple[int, ...]


NEIGHBOURS_PER_VIEW = 8
"""A view that this many other handlers can affect counts as one more."""


class Projection:
    """All views of all handlers of a program. Raises `Broken` if candidates for invariants do not hold."""

    def __init__(
        self,
        unfolding: ProgramUnfolding,
        candidates: Iterable[Candidate],
        max_views: int,
        deadline: Deadline,
    ) -> None:
        self.unfolding = unfolding
        self.candidates = tuple(candidates)
        self.deadline = deadline
        self.max_views = max_views
        handlers = unfolding.program.handlers
        mentioned = [mentioned_globals(handler.body) for handler in handlers]
        names = unfolding.global_names
        self.variables = [tuple(v for v, name in enumerate(names) if name in own) for own in mentioned]
        """For each request, the variables that it names."""
        self.shared = {
            (own, other): tuple(v for v in self.variables[own] if v in set(self.variables[other]))
            for own in range(len(handlers))
            for other in range(len(handlers))
            if not mentioned[own].isdisjoint(mentioned[other])
        }
        """For two requests, one perhaps twice, the variables that both name."""
        self.neighbours = [
            [other for other in range(len(handlers)) if (own, other) in self.shared]
            for own in range(len(handlers))
        ]
        self.weights: dict[int, dict[Candidate, int]] = {}
        """For each local, what it weighs; 0 for candidates that are left out."""
        self.views: list[dict[int, set[int]]] = [{} for _ in handlers]
        """For each request, for each global state, the locals."""
        self._by_values: dict[tuple[int, int, Values], list[tuple[int, int]]] = {}
        """(request, other request, values of what they share): the views of the first."""
        self._effects: dict[tuple[int, int, Values], dict[tuple[Values, int], None]] = {}
        """(request, other, values of what they share): what a local of the other makes of these values."""
        self._replaced: dict[tuple[int, tuple[int, ...], Values], int] = {}
        """`with_values`, as far as anyone has asked."""
        self._pending: deque[tuple[int, int, int]] = deque()
        self._explore()

    def values(self, global_: int, variables: tuple[int, ...]) -> Values:
        state = self.unfolding.global_values[global_]
        return tuple([state[v] for v in variables])

    def with_values(self, global_: int, variables: tuple[int, ...], values: Values) -> int:
        key = (global_, variables, values)
        known = self._replaced.get(key)
        if known is None:
            state = list(self.unfolding.global_values[global_])
            for variable, value in zip(variables, values, strict=True):
                state[variable] = value
            known = self._replaced[key] = self.unfolding.global_number(tuple(state))
        return known

    def fit(self, local: int, other: int, shared: tuple[int, ...], values: Values) -> bool:
        """Whether the invariants allow both in flight, while the shared variables have these values."""
        first, second = self.weights[local], self.weights[other]
        initial = self.unfolding.global_values[INITIAL_GLOBAL]
        now = dict(zip(shared, values, strict=True))
        return all(
            weight + second[candidate] <= candidate[1] * (now[candidate[0]] - initial[candidate[0]])
            for candidate, weight in first.items()
            if candidate in second
        )

    def _explore(self) -> None:
        for request, start in enumerate(self.unfolding.starts):
            self._weigh(start, {c: 0 for c in self.candidates if c[0] in self.variables[request]})
            self._add(request, INITIAL_GLOBAL, start)
        count = 0
        while self._pending:
            self.deadline.check()
            view = self._pending.popleft()
            count += 1 + len(self.neighbours[view[0]]) // NEIGHBOURS_PER_VIEW
            if count > self.max_views:
                raise LimitReached("--max-states", self.max_views)
            self._process(*view)

    def _add(self, request: int, global_: int, local: int) -> None:
        here = self.views[request].setdefault(global_, set())
        if local not in here:
            here.add(local)
            self._pending.append((request, global_, local))

    def _process(self, request: int, global_: int, local: int) -> None:
        self._add(request, global_, self.unfolding.starts[request])
        for target, after in self.unfolding.moves(local, global_):
            self._learn(local, global_, target, after)
            self._add(request, after, self.unfolding.starts[request] if target < 0 else target)
            if after != global_:
                self._affect(request, local, global_, after)
        for other in self.neighbours[request]:
            shared = self.shared[request, other]
            values = self.values(global_, shared)
            self._by_values.setdefault((request, other, values), []).append((global_, local))
            for effect in list(self._effects.get((request, other, values), ())):
                self._carry(request, global_, local, shared, values, effect)

    def _affect(self, request: int, local: int, global_: int, after: int) -> None:
        """Records what a step does to the variables that others name as well."""
        for other in self.neighbours[request]:
            shared = self.shared[other, request]
            before, now = self.values(global_, shared), self.values(after, shared)
            effects = self._effects.setdefault((other, request, before), {})
            if before != now and (now, local) not in effects:
                effects[now, local] = None
                for view in list(self._by_values.get((other, request, before), ())):
                    self._carry(other, *view, shared, before, (now, local))

    def _carry(
        self,
        request: int,
        global_: int,
        local: int,
        shared: tuple[int, ...],
        values: Values,
        effect: tuple[Values, int],
    ) -> None:
        now, other = effect
        if self.fit(local, other, shared, values):
            self._add(request, self.with_values(global_, shared, now), local)

    def _learn(self, local: int, global_: int, target: int, after: int) -> None:
        """The weight of a local from the first step to it; every other step has to agree."""
        before, now = self.unfolding.global_values[global_], self.unfolding.global_values[after]
        weight = {
            (v, sign): own + sign * (now[v] - before[v]) for (v, sign), own in self.weights[local].items()
        }
        known = dict.fromkeys(weight, 0) if target < 0 else self.weights.get(target)
        if known is None:
            self._weigh(target, weight)
        elif known != weight:
            raise Broken(frozenset(c for c in weight if weight[c] != known[c]))

    def _weigh(self, local: int, weight: dict[Candidate, int]) -> None:
        negative = frozenset(candidate for candidate, own in weight.items() if own < 0)
        if negative:
            raise Broken(negative)
        self.weights[local] = weight
