"""Coverage of a reduced system, read off the coverage of the system that it came from.

Coverage is computed once, before all reductions. It stays sound:

- fusion, collapsing, pruning and dropping wait states: every state that the smaller system can reach, the
  larger one can reach too (its runs expand), so what was covered still is;
- merging locals: a state that the quotient can reach is the image of one that the larger system can reach,
  so it is enough to map masks through the merge: two classes can be in flight together at g if some
  member of one can be beside some member of the other.
"""

from collections.abc import Mapping

from seriatim.systems.closure import Coverage, bits


class ReducedCoverage(Coverage):
    """A coverage seen through a merge of locals, restricted to locals that still exist.

    `level` and `potentials` are those of the closure that was computed; its weights are those of the locals
    before the merge.
    """

    def __init__(self, computed: Coverage, representative: Mapping[int, int], kept: int) -> None:
        self.computed = computed
        self.representative = representative
        self.kept = kept
        """The mask of the locals that still exist."""
        self.level = computed.level
        self.potentials = computed.potentials
        self._merged_away = sum(1 << local for local in representative)
        self._rows: dict[int, dict[int, int]] = {}

    def globals(self) -> list[int]:
        return self.computed.globals()

    def find_covered(self, global_: int) -> int:
        return self._image(self.computed.find_covered(global_))

    def together(self, global_: int, local: int) -> int:
        rows = self._rows.get(global_)
        if rows is None:
            rows = self._rows[global_] = self._rows_at(global_)
        return rows.get(local, 0)

    def _image(self, mask: int) -> int:
        image = mask & ~self._merged_away
        for local in bits(mask & self._merged_away):
            image |= 1 << self.representative[local]
        return image & self.kept

    def _rows_at(self, global_: int) -> dict[int, int]:
        rows: dict[int, int] = {}
        for local in bits(self.computed.find_covered(global_)):
            representative = self.representative.get(local, local)
            if self.kept >> representative & 1:
                row = rows.get(representative, 0)
                rows[representative] = row | self.computed.together(global_, local)
        images = {mask: self._image(mask) for mask in set(rows.values())}
        return {local: images[mask] for local, mask in rows.items()}


def merge_locals(coverage: Coverage, representative: Mapping[int, int]) -> ReducedCoverage:
    """The coverage after each local in the map has become its representative, which is not in the map."""
    if not isinstance(coverage, ReducedCoverage):
        return ReducedCoverage(coverage, representative, -1)
    composed = {local: representative.get(r, r) for local, r in coverage.representative.items()}
    return ReducedCoverage(coverage.computed, {**representative, **composed}, coverage.kept)


def restrict_locals(coverage: Coverage, kept: int) -> ReducedCoverage:
    """The coverage of a system in which only the locals of this mask are left."""
    if not isinstance(coverage, ReducedCoverage):
        return ReducedCoverage(coverage, {}, kept)
    return ReducedCoverage(coverage.computed, coverage.representative, coverage.kept & kept)
