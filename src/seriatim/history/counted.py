"""Logs without times: does some order of the requests give these numbers of answers?

Claim. Some order does iff the graph of states has a walk from the initial state that takes edges of each
label as often as the log says. Such a walk exists iff there are natural numbers x_e, one for each edge, and a
last state, such that (1) at each state as much comes in as goes out, where the start of the walk counts as 1
coming into the initial state and its end as 1 going out of the last state; (2) the edges of each label add up
to its count; (3) the edges with x_e > 0 are connected with the initial state.

Why: a walk gives such numbers. Conversely, edges taken x_e times, balanced and connected, have an Eulerian
walk.

(3) is added where a solution breaks it: let S be the states with used edges that the initial state does not
reach through used edges. Every walk that leaves a state of S has entered S before, since it begins outside.
So "no edge from S is used, or one that enters S" holds for all walks, and excludes this solution. There are
finitely many sets S.

Requests that were never answered may have happened, with any answer. An *extension* of a log has at least its
entries. So no continuation can explain a log that is still being written iff no extension has an order.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from seriatim.arithmetic.formula import Constraint, at_least, at_most, combination, is_zero, total
from seriatim.arithmetic.solvers.naturals import NaturalSolver
from seriatim.arithmetic.solvers.smt import NoSolution, Solution, Unknown
from seriatim.budget import Deadline
from seriatim.folding import Folded, Repeated
from seriatim.history.automaton import Edge, Graph, Label
from seriatim.history.model import Request

MAX_WORK = 20_000_000


class NoAnswer(Exception):
    """Raised when no solver can decide whether a walk exists."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How often each request and answer occurs in a log, for one part."""

    answered: Mapping[Label, int]
    lost: Mapping[Request, int]
    """How often each request was never answered."""

    def totals(self) -> dict[Request, int]:
        found: Counter[Request] = Counter()
        for (request, _), count in self.answered.items():
            found[request] += count
        return dict(found)

    def size(self) -> int:
        return sum(self.answered.values()) + sum(self.lost.values())

    def requests(self) -> tuple[Request, ...]:
        return tuple(dict.fromkeys([*(request for request, _ in self.answered), *self.lost]))


@dataclass(frozen=True, slots=True)
class Walk:
    """How often each label is taken, and an order in which that is possible."""

    taken: Mapping[Label, int]
    order: tuple[Folded[Label], ...]


Cut = frozenset[int]
"""A set of states, without the initial one: a walk has to enter it before it leaves it."""


@dataclass(frozen=True, slots=True)
class NoWalk:
    """No walk exists; `cuts` are those that were needed to show it."""

    cuts: tuple[Cut, ...]


class Flow:
    """Finds walks through a graph with given counts; keeps cuts for later questions."""

    def __init__(self, graph: Graph, deadline: Deadline) -> None:
        self.graph = graph
        self.deadline = deadline
        self.cuts: list[Cut] = []
        self._solver = NaturalSolver(MAX_WORK)
        self._edges = [self._solver.variable() for _ in graph.edges]
        self._ends = [self._solver.variable() for _ in graph.states]
        self._by_label: dict[Label, list[int]] = {}
        self._by_request: dict[Request, list[int]] = {}
        into: list[list[int]] = [[] for _ in graph.states]
        out: list[list[int]] = [[] for _ in graph.states]
        for variable, edge in zip(self._edges, graph.edges, strict=True):
            self._by_label.setdefault(edge.label, []).append(variable)
            self._by_request.setdefault(edge.label[0], []).append(variable)
            into[edge.target].append(variable)
            out[edge.source].append(variable)
        for state in range(len(graph.states)):
            gone = total([*out[state], self._ends[state]])
            come = total(into[state], constant=int(state == 0))
            self._solver.add((is_zero(combination([(1, come), (-1, gone)])),))
        self._solver.add((is_zero(total(self._ends, constant=-1)),))

    def walk(
        self,
        least: Mapping[Label, int],
        totals: Mapping[Request, int],
        lost: Mapping[Request, int],
        extends: bool = False,
    ) -> Walk | NoWalk:
        """A walk with at least `least` of each label. Each request occurs between `totals` and `totals +
        lost` times; without upper bound if the log may be extended. Raises `NoAnswer`."""
        region: list[Constraint] = []
        for label, count in least.items():
            if label not in self._by_label and count:
                return NoWalk(())
            region.append(at_least(total(self._by_label.get(label, ())), count))
        for request in {*totals, *lost}:
            sum_ = total(self._by_request.get(request, ()))
            region.append(at_least(sum_, totals.get(request, 0)))
            if not extends:
                region.append(at_most(sum_, totals.get(request, 0) + lost.get(request, 0)))
        while True:
            found = self._solver.solve(region, self.deadline)
            match found:
                case Unknown():
                    raise NoAnswer
                case NoSolution():
                    return NoWalk(tuple(self.cuts))
                case Solution(values=values):
                    used = Counter(
                        {
                            e: values[v]
                            for e, v in zip(self.graph.edges, self._edges, strict=True)
                            if values[v]
                        }
                    )
                    apart = self._find_unreached(used)
                    if not apart:
                        return self._as_walk(used)
                    self._cut(apart)

    def _find_unreached(self, used: Iterable[Edge]) -> Cut:
        """The states with used edges that the initial state does not reach through used edges."""
        reached, grows = {0}, True
        while grows:
            more = {edge.target for edge in used if edge.source in reached} - reached
            grows = bool(more)
            reached |= more
        return frozenset(edge.source for edge in used) - reached

    def _cut(self, states: Cut) -> None:
        self.cuts.append(states)
        pairs = list(zip(self.graph.edges, self._edges, strict=True))
        leaving = [variable for edge, variable in pairs if edge.source in states]
        entering = [v for edge, v in pairs if edge.target in states and edge.source not in states]
        self._solver.add((is_zero(total(leaving)), at_least(total(entering), 1)))

    def _as_walk(self, used: Counter[Edge]) -> Walk:
        taken: Counter[Label] = Counter()
        for edge, count in used.items():
            taken[edge.label] += count
        return Walk(dict(taken), eulerian_walk(used))


def eulerian_walk(used: Counter[Edge]) -> tuple[Folded[Label], ...]:
    """A walk from state 0 that takes each edge so often: a path with cycles inserted where they touch it."""
    left = Counter(used)
    path = _path(left)
    cycles = [*_cycles(left)]
    order: list[Folded[Label]] = []
    _walk_along(path, 0, cycles, order)
    return tuple(order)


def _walk_along(
    path: list[Edge],
    start: int,
    cycles: list[tuple[list[Edge], int]],
    order: list[Folded[Label]],
) -> None:
    """Follows a path, and at each of its states the cycles that pass there, without recursion."""
    stack: list[tuple[list[Edge], int, int]] = [(path, -1, start)]
    while stack:
        edges, at, state = stack.pop()
        hung = next(((n, c) for n, c in enumerate(cycles) if any(e.source == state for e in c[0])), None)
        if hung is not None:
            number, (cycle, times) = hung
            cycles.pop(number)
            turn = next(place for place, edge in enumerate(cycle) if edge.source == state)
            turned = cycle[turn:] + cycle[:turn]
            stack.append((edges, at, state))
            if times == 2:
                order += [edge.label for edge in turned]
            elif times > 2:
                order.append(Repeated(tuple(edge.label for edge in turned), times - 1))
            stack.append((turned, -1, state))
        elif at + 1 < len(edges):
            order.append(edges[at + 1].label)
            stack.append((edges, at + 1, edges[at + 1].target))


def _path(left: Counter[Edge]) -> list[Edge]:
    """Removes a path from state 0 to the last state of the walk, where more comes in than goes out."""
    balance: Counter[int] = Counter({0: 1})
    for edge, count in left.items():
        balance[edge.source] -= count
        balance[edge.target] += count
    (last,) = (state for state, extra in balance.items() if extra > 0)
    came: dict[int, Edge | None] = {0: None}
    queue = [0]
    for state in queue:
        for edge, count in left.items():
            if count and edge.source == state and edge.target not in came:
                came[edge.target] = edge
                queue.append(edge.target)
    path: list[Edge] = []
    while (edge_in := came[last]) is not None:
        path.append(edge_in)
        left[edge_in] -= 1
        last = edge_in.source
    return path[::-1]


def _cycles(left: Counter[Edge]) -> Iterable[tuple[list[Edge], int]]:
    """Splits the remaining edges, which are balanced, into cycles, each taken as often as possible."""
    left += Counter()
    while left:
        edge = next(iter(left))
        walk, places = [edge], {edge.source: 0}
        while walk[-1].target not in places:
            places[walk[-1].target] = len(walk)
            walk.append(next(e for e in left if e.source == walk[-1].target))
        cycle = walk[places[walk[-1].target] :]
        times = min(left[each] for each in cycle)
        left -= Counter(dict.fromkeys(cycle, times))
        yield cycle, times
