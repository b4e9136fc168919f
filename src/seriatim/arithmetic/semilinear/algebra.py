"""Operations on semilinear sets, as in regular expressions: union, sum, Kleene star.

The star of {L₁, …, Lₘ}, all finite sums of their elements, is a union over the subsets I of {1, …, m}: of
the sums in which exactly the Lᵢ with i in I have a share. Such a sum takes each bᵢ at least once; so its
base is Σ bᵢ, and its periods are the bᵢ and all periods of the Lᵢ. That makes 2ᵐ components. Two short cuts
make fewer of them (paper, section 3.2, 3):

- Lᵢ = {bᵢ}: its star is all multiples of bᵢ. Take it out, and give bᵢ as a period to the star of the rest.
- bᵢ = 0: Lᵢ is its own star. Take it out, and give its periods to the star of the rest.

In both cases the star of a union is the sum of the stars. What remains is added one Lᵢ at a time, and pruned
in between: often it is contained in what is there already.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from seriatim.arithmetic.semilinear.pruning import prune
from seriatim.arithmetic.semilinear.sets import Component, SemilinearSet, Word, component
from seriatim.budget import Deadline

MAX_COMPONENTS = 1 << 15


class TooManyComponents(Exception):
    """A set has too many components to continue."""


@dataclass(frozen=True, slots=True)
class Algebra:
    """Operations on sets of one dimension; optimizations can be switched off."""

    dimension: int
    deadline: Deadline
    is_pruning: bool = True
    """Whether results are pruned."""
    has_short_cuts: bool = True
    """Whether stars take the short cuts."""

    def empty(self) -> SemilinearSet:
        return SemilinearSet(self.dimension, ())

    def single(self, word: Word) -> SemilinearSet:
        return SemilinearSet(self.dimension, (Component(word, ()),))

    def zero(self) -> SemilinearSet:
        return self.single(Word((0,) * self.dimension))

    def union(self, parts: Iterable[SemilinearSet]) -> SemilinearSet:
        return self._result([each for part in parts for each in part.components])

    def sum(self, left: SemilinearSet, right: SemilinearSet) -> SemilinearSet:
        self._check(len(left.components) * len(right.components))
        return self._result(
            [
                component(a.base + b.base, (*a.periods, *b.periods))
                for a, b in product(left.components, right.components)
            ]
        )

    def star(self, given: SemilinearSet) -> SemilinearSet:
        free: list[Word] = []
        """What may be added any number of times, whatever else is there."""
        rest: list[Component] = []
        for part in given.components:
            if self.has_short_cuts and part.base.is_zero():
                free += part.periods
            elif self.has_short_cuts and not part.periods:
                free.append(part.base)
            else:
                rest.append(part)
        sums = self._result([component(Word((0,) * self.dimension), free)])
        for part in rest:
            self._check(2 * len(sums.components))
            more = (
                component(each.base + part.base, (*each.periods, part.base, *part.periods))
                for each in sums.components
            )
            sums = self._result([*sums.components, *more])
        return sums

    def _check(self, components: int) -> None:
        self.deadline.check()
        if components > MAX_COMPONENTS:
            raise TooManyComponents

    def _result(self, components: list[Component]) -> SemilinearSet:
        self.deadline.check()
        distinct = tuple(dict.fromkeys(components))
        return SemilinearSet(self.dimension, prune(distinct) if self.is_pruning else distinct)
