"""Goals with quotients as plain queries: a net with a place more for each quotient.

Query languages of Petri-net tools compare sums of numbers of tokens, but do not divide. A quotient
q = ⌊f / d⌋ is the only natural number with 0 ≤ f − d·q < d. So each quotient gets a place on which a
transition that takes nothing may put any number of tokens, and the query says which number it has to be.
Goals share these places: each reads them in its own way.
"""

from collections.abc import Sequence

from seriatim.arithmetic.formula import Conjunction, Constraint, at_least, at_most, combination, total
from seriatim.petri.net import PetriNet, Transition
from seriatim.petri.queries import All, Predicate, Quantifier, Query, Some


def query_net(net: PetriNet, goals: Sequence[Conjunction], name: str) -> tuple[PetriNet, Query]:
    """The net with places for quotients, and the query whether it reaches one of the goals."""
    number = max((len(goal.quotients) for goal in goals), default=0)
    quotients = tuple(f"q{index + 1}" for index in range(number))
    places = len(net.places)
    larger = PetriNet(
        (*net.places, *quotients),
        (
            *net.transitions,
            *(Transition(f"set_{name}", (), (places + index,)) for index, name in enumerate(quotients)),
        ),
        (*net.initial, *(0 for _ in quotients)),
        {**net.meanings, **dict.fromkeys(quotients, "a quotient that the query divides by")},
    )
    predicate: Predicate = Some(tuple(All(constraints(goal)) for goal in goals))
    return larger, Query(name, Quantifier.EXISTS, predicate)


def constraints(goal: Conjunction) -> tuple[Constraint, ...]:
    """The goal over its variables and its quotients, which are now variables like the others."""
    rests = [
        combination([(1, form), (-divisor, total([goal.dimension + index]))])
        for index, (form, divisor) in enumerate(goal.quotients)
    ]
    ranges = [
        each
        for rest, (_, divisor) in zip(rests, goal.quotients, strict=True)
        for each in (at_least(rest, 0), at_most(rest, divisor - 1))
    ]
    return (*ranges, *goal.constraints)
