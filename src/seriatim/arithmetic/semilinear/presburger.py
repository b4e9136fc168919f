"""Semilinear sets as Presburger formulas: their complement as conjunctions, and inclusion; by isl."""

from seriatim.arithmetic.formula import Conjunction
from seriatim.arithmetic.semilinear.sets import Component, SemilinearSet
from seriatim.arithmetic.solvers.isl import NaturalSets
from seriatim.budget import Deadline


def complement(given: SemilinearSet, deadline: Deadline) -> tuple[Conjunction, ...]:
    """Conjunctions: at least one holds if and only if a vector of natural numbers is not in the set."""
    sets = NaturalSets(given.dimension, deadline)
    left = sets.difference(sets.all(), (sets.linear(*_vectors(part)) for part in given.components))
    return sets.conjunctions(left)


def is_subset(left: SemilinearSet, right: SemilinearSet, deadline: Deadline) -> bool:
    sets = NaturalSets(left.dimension, deadline)
    outer = [sets.linear(*_vectors(part)) for part in right.components]
    return all(
        sets.is_empty(sets.difference(sets.linear(*_vectors(part)), outer)) for part in left.components
    )


def _vectors(part: Component) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    return part.base.counts, [period.counts for period in part.periods]
