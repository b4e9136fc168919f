"""Linear dependence of integer vectors."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm


class Independent:
    """A growing list of independent vectors, kept in echelon form together with what each row is made of."""

    def __init__(self) -> None:
        self.size = 0
        self._rows: list[tuple[int, list[Fraction], list[Fraction]]] = []
        """(pivot, row, coefficients of the vectors that it is a sum of)."""

    def add(self, vector: Sequence[int]) -> list[int] | None:
        """Adds the vector if it is independent of those before; else leaves it out and says why.

        The answer is then a dependency: integers c, the last one positive and for the vector itself, with
        Σ cᵢ·vᵢ = 0.
        """
        row = [Fraction(entry) for entry in vector]
        made_of = [*[Fraction(0)] * self.size, Fraction(1)]
        for pivot, known, parts in self._rows:
            factor = row[pivot] / known[pivot]
            if factor != 0:
                row = [a - factor * b for a, b in zip(row, known, strict=True)]
                for index, part in enumerate(parts):
                    made_of[index] -= factor * part
        pivot = next((index for index, entry in enumerate(row) if entry != 0), -1)
        if pivot >= 0:
            self._rows.append((pivot, row, made_of))
            self.size += 1
            return None
        factor = Fraction(lcm(*(part.denominator for part in made_of)))
        return [int(part * factor) for part in made_of]
