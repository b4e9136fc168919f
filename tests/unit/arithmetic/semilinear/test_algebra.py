"""Semilinear sets against enumeration: within a small box, every operation is done vector by vector, too."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from seriatim.arithmetic.linear_sets import Vector
from seriatim.arithmetic.semilinear.algebra import Algebra
from seriatim.arithmetic.semilinear.presburger import complement, is_subset
from seriatim.arithmetic.semilinear.pruning import prune
from seriatim.arithmetic.semilinear.sets import Component, SemilinearSet, semilinear_set
from seriatim.budget import Deadline

BOX = 7
DIMENSION = 2
VECTORS = tuple(product(range(BOX + 1), repeat=DIMENSION))

vectors = st.tuples(*[st.integers(0, 3)] * DIMENSION)
components = st.tuples(vectors, st.lists(vectors, max_size=3))
sets = st.lists(components, max_size=3).map(lambda parts: semilinear_set(DIMENSION, parts))
algebras = st.builds(Algebra, st.just(DIMENSION), st.just(Deadline()), st.booleans(), st.booleans())


def plus(left: Vector, right: Vector) -> Vector:
    return tuple(a + b for a, b in zip(left, right, strict=True))


def closed(start: set[Vector], steps: set[Vector]) -> set[Vector]:
    """What adding steps to the start can lead to within the box."""
    found = {vector for vector in start if max(vector) <= BOX}
    pending = list(found)
    while pending:
        vector = pending.pop()
        for step in steps:
            after = plus(vector, step)
            if max(after) <= BOX and after not in found:
                found.add(after)
                pending.append(after)
    return found


def enumerated(given_set: SemilinearSet) -> set[Vector]:
    """The vectors of a set within the box, by adding periods."""
    return {vector for part in given_set.components for vector in enumerated_component(part)}


def enumerated_component(part: Component) -> set[Vector]:
    return closed({part.base.counts}, {period.counts for period in part.periods})


@given(sets)
def test_membership_is_that_of_enumeration(given_set: SemilinearSet) -> None:
    assert {vector for vector in VECTORS if given_set.contains(vector)} == enumerated(given_set)


@given(algebras, sets, sets)
def test_union_and_sum_are_those_of_their_vectors(
    algebra: Algebra, left: SemilinearSet, right: SemilinearSet
) -> None:
    assert enumerated(algebra.union([left, right])) == enumerated(left) | enumerated(right)
    sums = {plus(a, b) for a in enumerated(left) for b in enumerated(right)}
    assert enumerated(algebra.sum(left, right)) == {vector for vector in sums if max(vector) <= BOX}


@given(algebras, sets)
def test_the_star_holds_all_sums_of_vectors(algebra: Algebra, given_set: SemilinearSet) -> None:
    zero = (0,) * DIMENSION
    assert enumerated(algebra.star(given_set)) == closed({zero}, enumerated(given_set))


@given(sets)
def test_short_cuts_and_pruning_never_make_more_components(given_set: SemilinearSet) -> None:
    with_both = Algebra(DIMENSION, Deadline()).star(given_set)
    with_neither = Algebra(DIMENSION, Deadline(), is_pruning=False, has_short_cuts=False).star(given_set)
    assert len(with_both.components) <= len(with_neither.components)


@given(sets)
def test_pruning_drops_what_is_elsewhere_and_nothing_else(given_set: SemilinearSet) -> None:
    kept = SemilinearSet(DIMENSION, prune(given_set.components))
    assert enumerated(kept) == enumerated(given_set)
    for index, part in enumerate(kept.components):
        others = (*kept.components[:index], *kept.components[index + 1 :])
        assert not any(
            part.base == other.base and set(part.periods) <= set(other.periods) for other in others
        )
        for period in part.periods:
            other_periods = {each.counts for each in part.periods if each != period}
            assert period.counts not in closed({(0,) * DIMENSION}, other_periods)


@given(sets)
def test_the_complement_holds_what_the_set_does_not(given_set: SemilinearSet) -> None:
    outside = complement(given_set, Deadline())
    inside = enumerated(given_set)
    for vector in VECTORS:
        assert any(conjunction.holds(vector) for conjunction in outside) == (vector not in inside)


@given(sets, sets)
def test_inclusion_in_another_set(left: SemilinearSet, right: SemilinearSet) -> None:
    """What isl calls included is included in the box; what it does not has a vector that shows it."""
    if is_subset(left, right, Deadline()):
        assert enumerated(left) <= enumerated(right)
    else:
        beyond = product(range(40), repeat=DIMENSION)
        assert any(left.contains(vector) and not right.contains(vector) for vector in beyond)
