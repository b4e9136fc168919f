"""Decides coverability: forwards for a run, and backwards from the targets for a barrier.

Backwards, the least markings from which a target can be covered are collected, until no new ones come: there
are finitely many, since no infinite set of markings is without two that are comparable (Dickson). Those that
some weight excludes are left out; weights come from linear programs over rationals. So what is left is small
where the state equation says much, and the search ends in any case. `covering.py` says why the result is a
proof, and checks it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count
from math import lcm

from seriatim.arithmetic.formula import Conjunction, at_least, combination, total
from seriatim.arithmetic.solvers.smt import NoSolution, RationalSolver, Unknown
from seriatim.budget import Deadline
from seriatim.petri.covering import (
    Covered,
    Covering,
    Need,
    Uncovered,
    before,
    is_above,
    is_covered,
    is_uncovered,
    weigh,
)
from seriatim.petri.net import Marking, PetriNet, Transition
from seriatim.petri.reachability import MAX_ORDERS, count_firings
from seriatim.petri.search import Exhausted, order_firings, run_to

FIRST_MARKINGS = 3_000
"""How many markings are explored forwards before the search goes backwards."""

MAX_TARGETS = 16
"""For how many targets firings are counted."""

MAX_WORK = 4_000_000
"""How much work, as z3 counts it, one linear program may take."""


def decide_covering(question: Covering, deadline: Deadline) -> Covered | Uncovered:
    """Decides; ends only with an answer that has been checked, or with the deadline."""
    return (
        run_forwards(question, FIRST_MARKINGS, deadline)
        or run_by_counts(question, deadline)
        or search_backwards(question, deadline)
    )


def run_forwards(question: Covering, max_markings: int, deadline: Deadline) -> Covered | None:
    """A run among the first markings."""

    def is_goal(marking: Marking) -> bool:
        return any(is_above(marking, each) for each in question.targets)

    found = run_to(_filled(question), is_goal, max_markings, deadline)
    return None if found is None or isinstance(found, Exhausted) else _covered(question, found)


def run_by_counts(question: Covering, deadline: Deadline) -> Covered | None:
    """A run that fires as often as the state equation says, to one of the first targets."""
    net = _filled(question)
    for target in question.targets[:MAX_TARGETS]:
        goal = Conjunction(
            len(net.places), (), tuple(at_least(total([place]), tokens) for place, tokens in target)
        )
        counts = count_firings(net, goal, deadline)
        if isinstance(counts, tuple):
            run = order_firings(net, counts, MAX_ORDERS, deadline)
            if run is not None:
                return _covered(question, run)
    return None


def _filled(question: Covering) -> PetriNet:
    """The net with transitions that fill its open places: they take nothing, so they might as well have fired
    at the start."""
    net = question.net
    filling = tuple(Transition("", (), (place,)) for place in sorted(question.open_places))
    return PetriNet(net.places, (*net.transitions, *filling), net.initial)


def _covered(question: Covering, firings: Sequence[int]) -> Covered:
    """The run of the net that a run of the filled net is."""
    net, filling = question.net, sorted(question.open_places)
    start = list(net.initial)
    for index in firings:
        if index >= len(net.transitions):
            start[filling[index - len(net.transitions)]] += 1
    return _confirmed(
        question, Covered(tuple(start), tuple(index for index in firings if index < len(net.transitions)))
    )


@dataclass(slots=True)
class _Node:
    """Tokens from which a target can be covered, and the firing that is the first on the way."""

    need: dict[int, int]
    support: int
    """The places where tokens are needed, as bits."""
    transition: int
    after: "_Node | None"


class _Backwards:
    def __init__(self, question: Covering, deadline: Deadline) -> None:
        self.question = question
        self.net = question.net
        self.deadline = deadline
        self.weights = Weights(question, deadline)
        self.nodes: dict[int, _Node] = {}
        """Those of which no smaller one has been found, by number."""
        self.queue: list[tuple[int, int, _Node]] = []
        self.numbers = count()
        self.useful: list[list[int]] = [[] for _ in self.net.places]
        """The transitions that bring tokens to each place, on balance."""
        for index, transition in enumerate(self.net.transitions):
            for place in set(transition.post):
                if transition.post.count(place) > transition.pre.count(place):
                    self.useful[place].append(index)

    def search(self) -> Covered | Uncovered:
        for target in self.question.targets:
            found = self.add({place: tokens for place, tokens in target if tokens}, -1, None)
            if found is not None:
                return found
        while self.queue:
            self.deadline.check()
            _, number, node = heappop(self.queue)
            if number not in self.nodes:
                continue
            for index in sorted({index for place in node.need for index in self.useful[place]}):
                found = self.add(before(node.need, self.net.transitions[index]), index, node)
                if found is not None:
                    return found
                if number not in self.nodes:
                    break
        basis = tuple(tuple(sorted(node.need.items())) for node in self.nodes.values())
        barrier = Uncovered(tuple(self.weights.found), basis)
        assert is_uncovered(self.question, barrier), "a barrier that is none"
        return barrier

    def add(self, need: dict[int, int], transition: int, after: "_Node | None") -> Covered | None:
        """Adds tokens that are enough, unless that is known already or they are excluded; a run if the start
        has them."""
        support = sum(1 << place for place in need)
        if any(_is_at_least(need, support, each) for each in self.nodes.values()):
            return None
        if self.weights.exclude(need):
            return None
        node = _Node(need, support, transition, after)
        if self.question.may_start_above(tuple(need.items())):
            return self.run(node)
        self.nodes = {
            number: each
            for number, each in self.nodes.items()
            if not _is_at_least(each.need, each.support, node)
        }
        number = next(self.numbers)
        self.nodes[number] = node
        heappush(self.queue, (sum(need.values()), number, node))
        return None

    def run(self, node: _Node) -> Covered:
        start = tuple(max(held, node.need.get(place, 0)) for place, held in enumerate(self.net.initial))
        firings: list[int] = []
        current: _Node | None = node
        while current is not None and current.after is not None:
            firings.append(current.transition)
            current = current.after
        return _confirmed(self.question, Covered(start, tuple(firings)))


def _confirmed(question: Covering, run: Covered) -> Covered:
    assert is_covered(question, run), "a run that covers nothing"
    return run


def search_backwards(question: Covering, deadline: Deadline) -> Covered | Uncovered:
    """Decides by going backwards from the targets."""
    return _Backwards(question, deadline).search()


def _is_at_least(need: dict[int, int], support: int, least: _Node) -> bool:
    return not least.support & ~support and all(need[place] >= tokens for place, tokens in least.need.items())


class Weights:
    """Weights that exclude markings."""

    def __init__(self, question: Covering, deadline: Deadline) -> None:
        self.net = question.net
        self.deadline = deadline
        self.found: list[Need] = []
        self._factors: list[dict[int, int]] = []
        self._held = dict(enumerate(question.net.initial))
        self._solver = RationalSolver(MAX_WORK)
        self._asked = 0
        for _ in self.net.places:
            self._solver.variable()
        for transition in self.net.transitions:
            change = combination([(1, total(transition.pre)), (-1, total(transition.post))])
            if change.terms:
                self._solver.add((at_least(change, 0),))
        for place in question.open_places:
            self._solver.add((at_least(combination([(-1, total([place]))]), 0),))

    def exclude(self, need: dict[int, int]) -> bool:
        """Whether some weight excludes these tokens; new weights are kept."""
        for weight in self._factors:
            if weigh(weight, need) > weigh(weight, self._held):
                return True
        more = combination(
            [(tokens, total([place])) for place, tokens in need.items()]
            + [(-held, total([place])) for place, held in self._held.items() if held]
        )
        found = self._solver.solve((at_least(more, 1),), self.deadline)
        if isinstance(found, NoSolution | Unknown):
            return False
        factors = integers(found)
        self._factors.append(factors)
        self.found.append(tuple(sorted(factors.items())))
        return True


def integers(values: tuple[Fraction, ...]) -> dict[int, int]:
    """Rationals times the least number that makes them integers; those that are not 0."""
    scale = lcm(*(value.denominator for value in values))
    return {place: int(value * scale) for place, value in enumerate(values) if value}
