"""States of a search up to symmetry: of all images of a state, one is explored.

A state is (g, M, Z): the global state, the requests in flight, the completions so far. A permutation of
positions acts on all of them together.

Claim. Of two states that differ by a symmetry of the program, the one that is met later may be dropped.
Why: runs from one are the images of runs from the other, step by step, with as many requests and as many of
them in flight; the outcome of a run is serial if and only if its image is (docs/theory/symmetry.md). So a
violation behind the one is as small as its image behind the other. Both have as many requests, so they are
in the same bucket. With domination: the state that is met first is explored, or dominated by one with fewer
requests; each reason to drop a state leads to one that was met before, with no more requests, so this ends
at one that is explored.

What matters: g, M and Z are moved by the same permutation. Requests in flight and completions that nothing
tells apart are taken in any order; then some images are explored as well, which costs time only.
"""

from collections.abc import Callable

from seriatim.program.places import Uneven
from seriatim.program.recursion import deep_recursion
from seriatim.systems.multiset import Counts, Multisets
from seriatim.systems.placed import PlacedProgram, Row

Key = tuple[object, ...]
Columns = tuple[int, ...]


class OrbitKeys:
    """Keys of states; states with the same key are in the same orbit."""

    def __init__(self, placed: PlacedProgram, flights: Multisets, outcomes: Multisets) -> None:
        self.placed = placed
        self.flights = flights
        self.outcomes = outcomes
        self._settled: dict[tuple[int, int], tuple[Columns, Key]] = {}
        """For a global state and an outcome: both, column by column, and what stands at no position."""
        self._met: set[Key] = set()
        self._is_useful = True

    def for_others(self, flights: Multisets) -> "OrbitKeys":
        """Keys for another search, which has met no states yet."""
        return OrbitKeys(self.placed, flights, self.outcomes)

    def is_image(self, global_: int, flight: int, outcome: int) -> bool:
        """Whether a state was met of which this one is an image; if not, it has been met now."""
        if not self._is_useful:
            return False
        try:
            key = self.key(global_, flight, outcome)
        except Uneven:
            self._is_useful = False
            return False
        if key in self._met:
            return True
        self._met.add(key)
        return False

    def key(self, global_: int, flight: int, outcome: int) -> Key:
        """The key of a state; raises `Uneven` where the symmetry does not help."""
        with deep_recursion():
            columns, rests = self._settle(global_, outcome)
            rows = self._with_counts(self.flights.counts[flight], self.placed.local_row)
            columns, more = self._stack(columns, rows)
            return rests, more, tuple(sorted(columns))

    def _settle(self, global_: int, outcome: int) -> tuple[Columns, Key]:
        known = self._settled.get((global_, outcome))
        if known is None:
            own = self.placed.global_row(global_)
            number = self.placed.number
            both = zip(self.placed.symmetry.classes, own.columns, strict=True)
            rows = self._with_counts(self.outcomes.counts[outcome], self.placed.completion_row)
            columns, rests = self._stack(tuple([number(pair) for pair in both]), rows)
            known = self._settled[global_, outcome] = (columns, (own.rest, rests))
        return known

    def _with_counts(self, counts: Counts, row_of: Callable[[int], Row]) -> list[tuple[Key, Columns]]:
        """A row for each item; how often it is there stands at no position."""
        rows = ((row_of(item), count) for item, count in counts)
        return [((row.rest, count), row.columns) for row, count in rows]

    def _stack(self, above: Columns, rows: list[tuple[Key, Columns]]) -> tuple[Columns, Key]:
        """The rows below others, in an order of what permutations keep; and what stands at no position."""
        if not rows:
            return above, ()
        rows.sort(key=lambda row: (row[0], sorted(zip(above, row[1], strict=True))))
        number = self.placed.number
        columns = zip(above, *[columns for _, columns in rows], strict=True)
        return tuple([number(column) for column in columns]), tuple(rest for rest, _ in rows)
