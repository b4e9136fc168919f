"""Linear sets: who is in, and what is outside, against enumeration."""

from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from seriatim.arithmetic.formula import Constraint, total
from seriatim.arithmetic.linear_sets import LinearSet, Vector, membership, outside

LARGEST = 6

vectors = st.tuples(*[st.integers(0, 3)] * 3)


@st.composite
def linear_sets(draw: st.DrawFn) -> LinearSet:
    found = LinearSet(draw(vectors), tuple(draw(st.lists(vectors, max_size=3))))
    try:
        membership(found)
    except ValueError:
        assume(False)
    return found


def elements(linear_set: LinearSet) -> set[Vector]:
    """Those with no entry above `LARGEST`."""
    found = {linear_set.base}
    pending = [linear_set.base]
    while pending:
        vector = pending.pop()
        for period in linear_set.periods:
            larger = tuple(a + b for a, b in zip(vector, period, strict=True))
            if max(larger) <= LARGEST and larger not in found:
                found.add(larger)
                pending.append(larger)
    return found


box = list(product(range(LARGEST + 1), repeat=3))


@given(linear_sets())
def test_membership_is_exact(linear_set: LinearSet) -> None:
    condition = membership(linear_set)
    assert {vector for vector in box if condition.holds(vector)} == elements(linear_set)


@given(linear_sets(), st.sampled_from(box))
def test_exactly_one_conjunction_holds_outside_and_none_inside(linear_set: LinearSet, vector: Vector) -> None:
    names = [0, 1, 2]

    def new_variable() -> int:
        names.append(len(names))
        return names[-1]

    parts = list(outside(membership(linear_set), [total([v]) for v in range(3)], new_variable))
    holding = [part for part in parts if is_satisfiable(part, vector, len(names) - 3)]
    assert len(holding) == (0 if vector in elements(linear_set) else 1)


WITH_REMAINDERS = [
    LinearSet((0, 0, 0), ((2, 0, 0), (0, 3, 0))),
    LinearSet((1, 0, 0), ((3, 0, 0),)),
    LinearSet((0, 1, 0), ((1, 2, 0), (2, 1, 0), (0, 0, 1))),
    LinearSet((0, 0, 0), ((2, 2, 0), (0, 2, 2), (2, 0, 2))),
]


@pytest.mark.parametrize("linear_set", WITH_REMAINDERS)
def test_who_is_outside_may_be_so_by_a_remainder(linear_set: LinearSet) -> None:
    names = iter(range(3, 100))
    parts = list(outside(membership(linear_set), [total([v]) for v in range(3)], lambda: next(names)))
    extra = next(names) - 3
    for vector in product(range(4), repeat=3):
        holding = [part for part in parts if is_satisfiable(part, vector, extra, 10)]
        assert len(holding) == (0 if vector in elements(linear_set) else 1)


def test_nothing_is_said_of_remainders_where_there_are_none() -> None:
    """One equation fails in two ways, and each of two coordinates may be negative."""
    found = membership(LinearSet((0, 0, 0), ((1, 0, 0), (0, 1, 0))))
    assert len(list(outside(found, [total([v]) for v in range(3)], int))) == 2 + 2


def is_satisfiable(part: tuple[Constraint, ...], vector: Vector, extra: int, largest: int = 200) -> bool:
    """Whether some values of the new variables satisfy all constraints. Each pair of them, a quotient and a
    rest, occurs in constraints of its own, so pairs can be tried one after the other."""
    pairs = range(3, 3 + extra, 2)
    for constraint in part:
        own = [v for v in pairs if {v, v + 1} & {variable for variable, _ in constraint.form.terms}]
        if not own and not constraint.holds([*vector, *[0] * extra]):
            return False
    for first in pairs:
        about = [c for c in part if {first, first + 1} & {variable for variable, _ in c.form.terms}]
        values = [*vector, *[0] * extra]
        for quotient, rest in product(range(largest), range(30)):
            values[first : first + 2] = [quotient, rest]
            if all(constraint.holds(values) for constraint in about):
                break
        else:
            return False
    return True


def test_dependent_periods_are_refused() -> None:
    with pytest.raises(ValueError, match="dependent"):
        membership(LinearSet((0, 0), ((1, 2), (2, 4))))
    with pytest.raises(ValueError, match="dependent"):
        membership(LinearSet((0, 0), ((0, 0),)))


def test_without_dimensions_there_is_one_vector() -> None:
    condition = membership(LinearSet((), ()))
    assert condition.holds(())
    assert list(outside(condition, [], int)) == []
