"""Boundedness: can the number of tokens in a net grow without a bound?

*Yes* is a pump: a run to a marking M, and a run from M to a marking that is larger than M in some place and
smaller in none. The second run can be repeated for ever, since more tokens disable nothing.

*No* has two kinds of evidence. Weights that are at least 1 in every place, such that no transition increases
the weighted sum: then no place ever has more tokens than the sum at the start. Or all markings, which were
tried.

The search is a tree of first visits. If a net is unbounded, this tree is infinite, and each marking has
finitely many successors, so it has an infinite branch (König). On it some marking is followed by a larger one
(Dickson), since none occurs twice. So comparing each marking with those before it on its branch finds a pump,
if the search lasts long enough.
"""

from collections import deque
from dataclasses import dataclass

from seriatim.arithmetic.formula import at_least, combination, total
from seriatim.arithmetic.solvers.smt import NoSolution, RationalSolver, Unknown
from seriatim.budget import Deadline
from seriatim.petri.coverability import MAX_WORK, integers
from seriatim.petri.covering import Need, is_weight
from seriatim.petri.net import Marking, PetriNet, after_firings, fire
from seriatim.petri.search import CHECK_EVERY


@dataclass(frozen=True, slots=True)
class Pump:
    """Two runs: the first leads to a marking, and the second from there to a larger one."""

    prefix: tuple[int, ...]
    loop: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Weighted:
    """Weights of at least 1 whose sum over the tokens never grows."""

    weights: Need


@dataclass(frozen=True, slots=True)
class Enumerated:
    """All markings of the net were seen."""

    markings: int


def is_pump(net: PetriNet, pump: Pump) -> bool:
    return bool(grows(net, pump))


def grows(net: PetriNet, pump: Pump) -> frozenset[int]:
    """The places in which a pump makes tokens; empty if it is none."""
    if not all(0 <= index < len(net.transitions) for index in (*pump.prefix, *pump.loop)):
        return frozenset()
    before = after_firings(net, pump.prefix)
    after = after_firings(net, (*pump.prefix, *pump.loop))
    if before is None or after is None or any(now < then for now, then in zip(after, before, strict=True)):
        return frozenset()
    return frozenset(p for p, (now, then) in enumerate(zip(after, before, strict=True)) if now > then)


def bounds(net: PetriNet, evidence: Weighted) -> bool:
    """Whether weights bound all places."""
    weights = dict(evidence.weights)
    return (
        len(weights) == len(evidence.weights)
        and set(weights) == set(range(len(net.places)))
        and all(weight >= 1 for weight in weights.values())
        and is_weight(net, weights)
    )


def decide_boundedness(
    net: PetriNet, max_markings: int, deadline: Deadline
) -> Pump | Weighted | Enumerated | None:
    """Decides; None if the search ends before anything is found."""
    weights = find_weights(net, frozenset(range(len(net.places))), deadline)
    if weights is not None:
        found = Weighted(tuple(sorted(weights.items())))
        assert bounds(net, found), "weights that bound nothing"
        return found
    half = max(1, max_markings // 2)
    return search(net, half, deadline, is_deep=False) or search(net, half, deadline, is_deep=True)


def find_weights(net: PetriNet, places: frozenset[int], deadline: Deadline) -> dict[int, int] | None:
    """Weights that are at least 1 in these places, such that no transition increases the weighted sum."""
    solver = RationalSolver(MAX_WORK)
    for place in range(len(net.places)):
        variable = total([solver.variable()])
        if place in places:
            solver.add((at_least(variable, 1),))
    for transition in net.transitions:
        change = combination([(1, total(transition.pre)), (-1, total(transition.post))])
        solver.add((at_least(change, 0),))
    values = solver.solve((), deadline)
    return None if isinstance(values, NoSolution | Unknown) else integers(values)


def search(
    net: PetriNet, max_markings: int, deadline: Deadline, is_deep: bool, places: frozenset[int] | None = None
) -> Pump | Enumerated | None:
    """Looks for a pump, or sees all markings; with `places`, for one that makes tokens in one of them."""
    came_by: dict[Marking, tuple[Marking, int] | None] = {net.initial: None}
    queue = deque([net.initial])
    steps = 0
    while queue:
        marking = queue.pop() if is_deep else queue.popleft()
        for index, transition in enumerate(net.transitions):
            after = fire(marking, transition)
            if after is None or after in came_by:
                continue
            came_by[after] = marking, index
            found, length = _pump(came_by, after, places)
            if found is not None:
                assert is_pump(net, found), "a pump that makes nothing"
                return found
            queue.append(after)
            steps += length
            if steps >= CHECK_EVERY:
                steps = 0
                deadline.check()
            if len(came_by) >= max_markings:
                return None
    return Enumerated(len(came_by))


def _pump(
    came_by: dict[Marking, tuple[Marking, int] | None], last: Marking, places: frozenset[int] | None
) -> tuple[Pump | None, int]:
    """The pump that a marking completes, and how many markings came before it."""
    loop: list[int] = []
    marking = last
    while (step := came_by[marking]) is not None:
        marking, index = step
        loop.append(index)
        if all(now >= then for now, then in zip(last, marking, strict=True)) and (
            places is None or any(last[place] > marking[place] for place in places)
        ):
            prefix: list[int] = []
            before = marking
            while (step := came_by[before]) is not None:
                before, index = step
                prefix.append(index)
            return Pump(tuple(reversed(prefix)), tuple(reversed(loop))), len(loop)
    return None, len(loop)
