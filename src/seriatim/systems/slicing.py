"""Macro systems: what can happen in complete runs, sliced forward and backward.

The type of a system says which runs it keeps. A `CoveredSystem` has the moves of all runs. A plain
`MacroSystem` may lack moves that complete runs do not need, and so may every reduction of it. Work that
judges all runs takes a `CoveredSystem`, so it is never given anything else.

Forward: only what a closure covers. Backward: a request in a complete run is answered in the end, so steps
to locals from which no answer can be reached are in none. Removing these may shrink the closure, so the two
alternate until nothing changes.
"""

from dataclasses import dataclass

from seriatim.budget import Deadline, Pieces, finish
from seriatim.closure import reached
from seriatim.systems.closure import Coverage, bits, close
from seriatim.systems.limits import Limits
from seriatim.systems.unfolding import Move, Unfolding, awake


@dataclass(frozen=True, slots=True)
class MacroSystem:
    """An unfolding with finitely many moves, all known. Numbers mean what they mean in `origin`."""

    origin: Unfolding
    coverage: Coverage
    table: dict[tuple[int, int], tuple[Move, ...]]
    """The moves of each (local, global) that has any."""

    @property
    def requests(self) -> tuple[str, ...]:
        return self.origin.requests

    @property
    def starts(self) -> tuple[int, ...]:
        return self.origin.starts

    @property
    def completions(self) -> list[tuple[int, str]]:
        return self.origin.completions

    @property
    def global_values(self) -> list[tuple[int, ...]]:
        return self.origin.global_values

    def request_of(self, local: int) -> int:
        return self.origin.request_of(local)

    def moves(self, local: int, global_: int) -> tuple[Move, ...]:
        return self.table.get((local, global_), ())

    def one_step_requests(self) -> tuple[int, ...]:
        """The requests that are ever answered, and always by their first step."""
        pauses: dict[int, bool] = {}
        for (local, _), moves in self.table.items():
            request = self.request_of(local)
            pauses[request] = pauses.get(request, False) or any(target >= 0 for target, _ in moves)
        return tuple(sorted(request for request, ever in pauses.items() if not ever))

    def is_atomic(self) -> bool:
        """Whether every request that is ever answered is answered by its first step."""
        return all(target < 0 for moves in self.table.values() for target, _ in moves)


class CoveredSystem(MacroSystem):
    """A macro system with the moves of all runs, complete or not."""

    __slots__ = ()


def macro_system(
    unfolding: Unfolding, limits: Limits, deadline: Deadline, levels: tuple[int, ...] = (1, 2)
) -> MacroSystem:
    """The moves that complete runs can use, as far as the closure can tell."""
    return finish(slice_system(unfolding, limits, deadline, levels))


def slice_system(
    unfolding: Unfolding, limits: Limits, deadline: Deadline, levels: tuple[int, ...] = (1, 2)
) -> Pieces[MacroSystem]:
    """Computes the same system, a piece at a time."""
    coverage = yield from close(unfolding, limits, deadline, levels)
    system: MacroSystem = covered_system(unfolding, coverage)
    while True:
        hopeful = can_be_answered(system)
        kept = {
            pair: moves
            for pair, all_moves in system.table.items()
            if (moves := tuple(move for move in all_moves if move[0] < 0 or move[0] in hopeful))
        }
        if kept == system.table:
            return system
        sliced = MacroSystem(unfolding, system.coverage, kept)
        levels = (system.coverage.level,)
        system = covered_system(sliced, (yield from close(sliced, limits, deadline, levels)))
        system = MacroSystem(unfolding, system.coverage, system.table)


def covered_system(unfolding: Unfolding, coverage: Coverage) -> CoveredSystem:
    """The moves of all runs, as far as a closure of the unfolding can tell."""
    table: dict[tuple[int, int], tuple[Move, ...]] = {}
    for global_ in coverage.globals():
        for local in bits(awake(unfolding, coverage.find_covered(global_), global_)):
            moves = unfolding.moves(local, global_)
            if moves:
                table[local, global_] = moves
    return CoveredSystem(unfolding, coverage, table)


def can_be_answered(system: MacroSystem) -> set[int]:
    """The locals from which some path of moves, whatever the others do between, leads to an answer."""
    steps = {(target, local) for (local, _), moves in system.table.items() for target, _ in moves}
    return reached((local for target, local in steps if target < 0), steps)
