"""Coverability: can a net reach a marking that has at least these tokens? The question, and its evidence.

*Yes* is a run. *No* is a barrier: weights and a finite set B of markings.

A weight w gives each place a natural number, and no transition increases the weighted sum of tokens. So every
reachable M has w·M ≤ w·M₀, and a marking m with w·m > w·M₀ is *excluded*: nothing that is at least m can be
reached. Let p(b, t) be the least marking from which t leads to at least b.

Claim: if each target is excluded or at least some b of B, if each p(b, t) is, too, and if the start is not at
least any b, then no run covers a target. Why: say that a run does. Its last marking is at least the target,
which is then not excluded, so it is at least some b. If a marking of the run is at least b and t came before
it, then the marking before t is at least p(b, t), so it is at least some b as well. So the start is, too.

Some places may hold any number of tokens at the start, at least those of the net. Weights are 0 there, so
that w·M₀ is the same for all starts. Nothing here needs a solver.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from seriatim.petri.net import Marking, PetriNet, Transition, fire

Need = tuple[tuple[int, int], ...]
"""Places with how many tokens are needed there at least, by place; nothing is needed elsewhere."""


@dataclass(frozen=True, slots=True)
class Covering:
    """Can the net reach a marking with at least the tokens of some target?"""

    net: PetriNet
    targets: tuple[Need, ...]
    open_places: frozenset[int] = frozenset()
    """Places that may hold more tokens at the start than the net says."""

    def may_start_above(self, need: Need) -> bool:
        """Whether some start has at least these tokens."""
        return all(place in self.open_places or tokens <= self.net.initial[place] for place, tokens in need)


@dataclass(frozen=True, slots=True)
class Covered:
    """A run that covers a target: where it starts, and what fires."""

    start: Marking
    firings: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Uncovered:
    """A barrier: no run covers a target."""

    weights: tuple[Need, ...]
    """Each gives places their weights; those that are not listed have 0."""
    basis: tuple[Need, ...]


def is_covered(question: Covering, evidence: Covered) -> bool:
    """Whether a run covers a target."""
    net = question.net
    if len(evidence.start) != len(net.places) or not all(
        held == least or (held > least and place in question.open_places)
        for place, (held, least) in enumerate(zip(evidence.start, net.initial, strict=True))
    ):
        return False
    marking: Marking | None = evidence.start
    for index in evidence.firings:
        if marking is None or not 0 <= index < len(net.transitions):
            return False
        marking = fire(marking, net.transitions[index])
    return marking is not None and any(is_above(marking, target) for target in question.targets)


def is_uncovered(question: Covering, evidence: Uncovered) -> bool:
    """Whether a barrier is one."""
    net = question.net
    places = range(len(net.places))
    for need in (*evidence.weights, *evidence.basis):
        known = [place for place, _ in need]
        if len(set(known)) != len(known) or not all(p in places and count >= 0 for p, count in need):
            return False
    weights = list(map(dict, evidence.weights))
    if not all(is_weight(net, weight) and question.open_places.isdisjoint(weight) for weight in weights):
        return False
    held = dict(enumerate(net.initial))
    most = [weigh(weight, held) for weight in weights]
    basis = list(map(dict, evidence.basis))

    masked = [(_mask(each), each) for each in basis]

    def is_outside(need: dict[int, int]) -> bool:
        if any(weigh(w, need) > limit for w, limit in zip(weights, most, strict=True)):
            return True
        mask = _mask(need)
        return any(
            not least & ~mask and all(need[place] >= tokens for place, tokens in each.items() if tokens)
            for least, each in masked
        )

    return (
        all(is_outside(dict(target)) for target in question.targets)
        and not any(question.may_start_above(need) for need in evidence.basis)
        and all(is_outside(before(each, t)) for each in basis for t in net.transitions if _helps(t, each))
    )


def _mask(need: dict[int, int]) -> int:
    """The places where tokens are needed, as bits."""
    return sum(1 << place for place, tokens in need.items() if tokens)


def _helps(transition: Transition, need: dict[int, int]) -> bool:
    """Whether a firing brings tokens to some place where they are needed, on balance. If not, what is needed
    before it is at least what is needed after it."""
    return any(
        transition.post.count(place) > transition.pre.count(place)
        for place in set(transition.post)
        if need.get(place)
    )


def is_weight(net: PetriNet, weight: dict[int, int]) -> bool:
    """Whether no transition increases the weighted sum of tokens."""
    return all(
        sum(weight.get(place, 0) for place in transition.post)
        <= sum(weight.get(place, 0) for place in transition.pre)
        for transition in net.transitions
    )


def weigh(weight: dict[int, int], tokens: dict[int, int]) -> int:
    return sum(factor * tokens.get(place, 0) for place, factor in weight.items())


def before(need: dict[int, int], transition: Transition) -> dict[int, int]:
    """The least tokens from which a firing leads to at least these."""
    pre, post = Counter(transition.pre), Counter(transition.post)
    found = {place: max(pre[place], need.get(place, 0) - post[place] + pre[place]) for place in {*need, *pre}}
    return {place: tokens for place, tokens in found.items() if tokens}


def is_above(marking: Sequence[int], need: Need) -> bool:
    return all(marking[place] >= tokens for place, tokens in need)
