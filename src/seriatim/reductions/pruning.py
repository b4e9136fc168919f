"""Drops the locals that no request enters any more, and those from which no request is answered.

Claim: Int, Ser and all complete runs stay the same. Why: in a complete run a request is only at locals that
some path of moves leads to from a fresh one and from which some path leads to an answer. (The slicing of
`network` does the same once, with a closure; here the coverage is kept, because other reductions only make
fewer states reachable.)
"""

from dataclasses import dataclass

from seriatim.closure import closure
from seriatim.reductions.reduced_coverage import restrict_locals
from seriatim.reductions.table import rows_of, steps_of
from seriatim.systems.run import Run
from seriatim.systems.slicing import MacroSystem, can_be_answered


@dataclass(frozen=True, slots=True)
class Pruning:
    """`after` is `before` without the moves that no complete run uses."""

    before: MacroSystem
    after: MacroSystem

    def expand(self, run: Run) -> Run:
        """A run of `after` is one of `before`."""
        return run


def prune(system: MacroSystem) -> Pruning:
    hopeful = can_be_answered(system)
    rows = rows_of(system.table)
    starts = [start for start in system.starts if start in hopeful]
    entered = closure(
        starts, lambda local: hopeful.intersection(target for _, target, _ in steps_of(rows[local]))
    )
    table = {
        (local, global_): moves
        for (local, global_), all_moves in system.table.items()
        if local in entered
        and (moves := tuple(move for move in all_moves if move[0] < 0 or move[0] in entered))
    }
    if table == system.table:
        return Pruning(system, system)
    kept = sum(1 << local for local in entered.keys() | system.starts)
    return Pruning(system, MacroSystem(system.origin, restrict_locals(system.coverage, kept), table))
