"""Skips the locals at which nothing happens.

A local ℓ, not of a fresh request, is *idle* if at every covered global state its only move is the identity
to one and the same target t (a local, or an answer). Moves to ℓ become moves to t.

Claim: Int and Ser stay the same. Why: the step ℓ → t reads and writes nothing and is possible wherever ℓ
can be, so in a complete run it may as well come right after the step that entered ℓ; conversely a run of
the smaller system becomes one of the larger if ℓ → t is put in there. In a serial run it stays between the
same two steps of the same request.
"""

from dataclasses import dataclass

from seriatim.reductions.table import Row, Table, rows_of, steps_of
from seriatim.systems.closure import bits
from seriatim.systems.run import Run, Turn
from seriatim.systems.slicing import MacroSystem


@dataclass(frozen=True, slots=True)
class Collapse:
    """`after` is `before` with each idle local replaced by what follows."""

    before: MacroSystem
    after: MacroSystem
    next: dict[int, int]
    """Idle local to its target, perhaps idle too."""
    end: dict[int, int]
    """Idle local to the first target that is not."""

    def expand(self, run: Run) -> Run:
        """Puts the skipped identities in, right after the step that leads to them."""
        turns: list[Turn] = []
        for turn in run.turns:
            entered = self._enter(turn)
            turns.append(Turn(turn.request, turn.local, entered, turn.before, turn.after))
            while entered != turn.target:
                following = self.next[entered]
                turns.append(Turn(turn.request, entered, following, turn.after, turn.after))
                entered = following
        return Run(tuple(turns))

    def _enter(self, turn: Turn) -> int:
        """Where a turn leads in `before`."""
        return next(
            target
            for target, after in self.before.moves(turn.local, turn.before)
            if after == turn.after and self.end.get(target, target) == turn.target
        )


def collapse(system: MacroSystem) -> Collapse:
    next_ = idle_locals(system)
    end = ends(next_)
    if not end:
        return Collapse(system, system, {}, {})
    table: Table = {}
    for (local, global_), moves in system.table.items():
        if local not in end:
            kept = dict.fromkeys((end.get(target, target), after) for target, after in moves)
            kept.pop((local, global_), None)
            if kept:
                table[local, global_] = tuple(kept)
    return Collapse(system, MacroSystem(system.origin, system.coverage, table), next_, end)


def idle_locals(system: MacroSystem) -> dict[int, int]:
    """The idle locals, each with its target."""
    found: dict[int, int] = {}
    rows = rows_of(system.table)
    for local, row in rows.items():
        target = only_target(row)
        if target is not None and local not in system.starts:
            found[local] = target
    candidates = sum(1 << local for local in found)
    stuck_somewhere: set[int] = set()
    for global_ in system.coverage.globals():
        for local in bits(system.coverage.find_covered(global_) & candidates):
            if global_ not in rows[local]:
                stuck_somewhere.add(local)
    return {local: target for local, target in found.items() if local not in stuck_somewhere}


def only_target(row: Row) -> int | None:
    """The target of all moves in a row, if there is one only and they all are identities."""
    found: int | None = None
    for global_, target, after in steps_of(row):
        if after != global_ or (found is not None and target != found):
            return None
        found = target
    return found


def ends(next_: dict[int, int]) -> dict[int, int]:
    """Where following the map ends, for the locals from which it does; a circle of idle locals has no end."""
    end: dict[int, int] = {}
    endless: set[int] = set()
    for first in next_:
        path: dict[int, None] = {}
        local = first
        while local in next_ and local not in end and local not in endless and local not in path:
            path[local] = None
            local = next_[local]
        if local in endless or local in path:
            endless.update(path)
        else:
            end.update(dict.fromkeys(path, end.get(local, local)))
    return end
