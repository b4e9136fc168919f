"""Semilinear sets: finite unions of linear sets {b + Σ kⱼ·pⱼ : kⱼ ≥ 0} of vectors of natural numbers.

Bases and periods are *words*: vectors that may remember letters that add up to them. What is done with sets
never looks at the letters, but keeps them, so that code that counts the steps of an automaton can tell
afterwards which steps were counted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from seriatim.arithmetic.linear_sets import Vector


@dataclass(frozen=True, slots=True, order=True)
class Word:
    """A vector, and optionally letters that add up to it; equal if the vectors are."""

    counts: Vector
    letters: tuple[int, ...] = field(default=(), compare=False)

    def __add__(self, other: "Word") -> "Word":
        counts = tuple(a + b for a, b in zip(self.counts, other.counts, strict=True))
        return Word(counts, self.letters + other.letters)

    def is_zero(self) -> bool:
        return not any(self.counts)


@dataclass(frozen=True, slots=True)
class Component:
    """All sums of the base and of periods; these are sorted, without repetition, and none of them is zero."""

    base: Word
    periods: tuple[Word, ...]


def component(base: Word, periods: Iterable[Word]) -> Component:
    return Component(base, tuple(sorted({period for period in periods if not period.is_zero()})))


@dataclass(frozen=True, slots=True)
class SemilinearSet:
    """The union of its components, all of one dimension."""

    dimension: int
    components: tuple[Component, ...]

    def contains(self, vector: Vector) -> bool:
        return any(
            difference is not None and is_sum(difference, part.periods)
            for part in self.components
            for difference in [minus(vector, part.base.counts)]
        )


def semilinear_set(
    dimension: int, components: Iterable[tuple[Sequence[int], Iterable[Sequence[int]]]]
) -> SemilinearSet:
    """Makes a union of components: each has a base, to which periods are added any number of times."""
    return SemilinearSet(
        dimension,
        tuple(
            component(Word(tuple(base)), (Word(tuple(period)) for period in periods))
            for base, periods in components
        ),
    )


def minus(left: Vector, right: Vector) -> Vector | None:
    """The difference, if it is one of natural numbers."""
    difference = tuple(a - b for a, b in zip(left, right, strict=True))
    return None if any(entry < 0 for entry in difference) else difference


def is_sum(vector: Vector, periods: Sequence[Word]) -> bool:
    """Whether a vector is a sum of periods, each taken any number of times.

    Some period of such a sum has a share in the vector's first positive entry; each one that may have is
    tried. What is left gets smaller, and nothing is tried twice.
    """
    failed: set[Vector] = set()
    pending = [vector]
    while pending:
        rest = pending.pop()
        entry = next((index for index, count in enumerate(rest) if count), None)
        if entry is None:
            return True
        if rest not in failed:
            failed.add(rest)
            smaller = (minus(rest, period.counts) for period in periods if period.counts[entry])
            pending.extend(left for left in smaller if left is not None)
    return False
