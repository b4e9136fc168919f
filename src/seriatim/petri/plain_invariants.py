"""Invariants that can be read off a net: sums that never change, floors of places, markings of a few places.

*Sums.* If no transition changes a weighted sum of tokens, it stays what it is at the start.

*Floors.* Whatever takes tokens from a place p leaves at least what it puts back, so p never has less tokens
than at the start or than the least that a transition leaves that takes more from p than it gives.

*Few places.* Let S contain, with each place, all that a transition needs which changes this place. If
everything outside S is forgotten, each run of the net is one of the places of S alone. So the markings that
these reach on their own are all that S ever has.

Each of these is inductive by itself, so all of them together are. The solver has to confirm that, as of any
other invariant, and that they exclude what is sought; what is not needed for that is left out.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from seriatim.arithmetic.cones import null_space, small_integers
from seriatim.arithmetic.formula import Conjunction
from seriatim.arithmetic.solvers.horn import Term
from seriatim.budget import Deadline
from seriatim.petri.goals import restrict
from seriatim.petri.invariants import NetInvariant, excludes, is_invariant
from seriatim.petri.net import Marking, PetriNet, Transition, fire
from seriatim.petri.queries import All, Predicate, TooManyCases, cases

LARGEST = 20_000
"""Nets with more pairs of a place and a transition are left to other ways."""
FEW_MARKINGS = 60
MOST_SHRUNK = 24
"""So many parts are tried one by one, whether they can be left out."""


def read_invariant(net: PetriNet, sought: Predicate, deadline: Deadline) -> NetInvariant | None:
    """An invariant of this kind that excludes what is sought, if there is one; checked."""
    if len(net.places) * len(net.transitions) > LARGEST:
        return None
    try:
        goals = cases(sought, len(net.places))
    except TooManyCases:
        return None
    always: tuple[Term, ...] = (*_sums(net, deadline), *_floors(net))
    parts = dict.fromkeys(always)
    for goal in goals:
        if not excludes(net, All(goal.constraints), NetInvariant(always), deadline):
            markings = _markings_of_few(net, goal, deadline)
            if not markings:
                return None
            parts |= dict.fromkeys(markings)
    for part in always if len(parts) <= MOST_SHRUNK else ():
        fewer = NetInvariant(tuple(each for each in parts if each != part))
        if excludes(net, sought, fewer, deadline):
            del parts[part]
    invariant = NetInvariant(tuple(parts))
    return invariant if is_invariant(net, sought, invariant, deadline) else None


def _sums(net: PetriNet, deadline: Deadline) -> Iterator[Term]:
    width = len(net.places)
    changes = dict.fromkeys(tuple(sorted(_change(each).items())) for each in net.transitions)
    rows = [[Fraction(dict(change).get(place, 0)) for place in range(width)] for change in changes]
    for weights in map(small_integers, null_space(rows, width, deadline)):
        factor = -1 if sum(weights) < 0 else 1
        kept = [(factor * weight, place) for place, weight in enumerate(weights) if weight]
        terms: tuple[Term, ...] = tuple(
            f"!{place}" if weight == 1 else ("*", (weight, f"!{place}")) for weight, place in kept
        )
        yield "=", (("+", terms), sum(weight * net.initial[place] for weight, place in kept))


def _floors(net: PetriNet) -> Iterator[Term]:
    floors = list(net.initial)
    for transition in net.transitions:
        given = Counter(transition.post)
        for place, change in _change(transition).items():
            if change < 0:
                floors[place] = min(floors[place], given[place])
    for place, floor in enumerate(floors):
        if floor:
            yield ">=", (f"!{place}", floor)


def _change(transition: Transition) -> dict[int, int]:
    """How a transition changes places."""
    found = Counter(transition.post)
    found.subtract(transition.pre)
    return {place: change for place, change in found.items() if change}


def _markings_of_few(net: PetriNet, goal: Conjunction, deadline: Deadline) -> tuple[Term, ...]:
    """The markings that some places reach on their own, if they are few and none is in the goal; empty
    otherwise."""
    places = tuple(sorted(_needed(net, goal)))
    number = {place: at for at, place in enumerate(places)}
    alone = [
        Transition(
            transition.name,
            tuple(number[p] for p in transition.pre if p in number),
            tuple(number[p] for p in transition.post if p in number),
        )
        for transition in net.transitions
        if not number.keys().isdisjoint(_change(transition))
    ]
    sought = restrict(goal, places)
    found: dict[Marking, None] = {tuple(net.initial[place] for place in places): None}
    queue = list(found)
    for marking in queue:
        deadline.check()
        if sought.holds(marking):
            return ()
        for transition in alone:
            after = fire(marking, transition)
            if after is not None and after not in found:
                found[after] = None
                queue.append(after)
        if len(found) > FEW_MARKINGS:
            return ()
    here: list[Term] = [
        ("and", tuple(("=", (f"!{place}", tokens)) for place, tokens in zip(places, marking, strict=True)))
        for marking in found
    ]
    return (("or", tuple(here)),)


def _needed(net: PetriNet, goal: Conjunction) -> frozenset[int]:
    """The places of a goal, with all that transitions need which change one of them."""
    found = {place for constraint in goal.constraints for place, _ in constraint.form.terms}
    grows = True
    while grows:
        before = len(found)
        for transition in net.transitions:
            if not found.isdisjoint(_change(transition)):
                found |= set(transition.pre)
        grows = len(found) > before
    return frozenset(found)
