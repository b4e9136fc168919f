"""Drops the steps by which a request only begins to wait.

Let ℓ and m be locals such that all steps from ℓ to m are identities on the global state, and such that ℓ can
do itself whatever m can do: for each move (m, g) → (t, g')

- (ℓ, g) → (t, g') is a move, t not being m; or
- t = m, and (ℓ, g) → (ℓ, g') is a move; or
- t = ℓ and g' = g, so that staying at ℓ does the same.

Then the steps from ℓ to m are dropped.

Claim: Int and Ser stay the same. Why: what is left is a part of the system, so no outcome is new. None is
lost: follow a run by one without those steps in which each request is where it was, or at ℓ instead of m. A
step from ℓ to m is left out; what the request then does from m, it does from ℓ. Steps are only left out or
replaced where they are, so a serial run stays serial.

The steps from ℓ to m have to be identities, all of them: a step that writes can't be left out.
"""

from collections import deque
from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.reductions.table import rows_of, steps_of, table_of
from seriatim.systems.run import Run
from seriatim.systems.slicing import MacroSystem
from seriatim.systems.unfolding import Move

CHECK_EVERY = 256
"""Pairs of locals between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class WaitStates:
    """`after` is `before` without the steps between these locals."""

    before: MacroSystem
    after: MacroSystem
    dropped: tuple[tuple[int, int], ...]
    """(ℓ, m), in the order in which they were dropped."""

    def expand(self, run: Run) -> Run:
        """A run of `after` is one of `before`."""
        return run


def drop_wait_states(system: MacroSystem, deadline: Deadline) -> WaitStates:
    rows = {
        local: {global_: set(moves) for global_, moves in row.items()}
        for local, row in rows_of(system.table).items()
    }
    waits = idle_steps(rows)
    sources: dict[int, list[int]] = {}
    for local, target in waits:
        sources.setdefault(target, []).append(local)
    pending = deque(waits)
    waiting = set(waits)
    dropped: list[tuple[int, int]] = []
    count = 0
    while pending:
        wait = pending.popleft()
        waiting.discard(wait)
        count += 1
        if count % CHECK_EVERY == 0:
            deadline.check()
        local, target = wait
        if not can_do_without(rows[local], local, rows.get(target, {}), target):
            continue
        dropped.append(wait)
        drop(rows[local], target)
        sources[target].remove(local)
        # `local` can do less now, so that others may be able to do all of it.
        again = [(source, local) for source in sources.get(local, ()) if (source, local) not in waiting]
        pending.extend(again)
        waiting.update(again)
    if not dropped:
        return WaitStates(system, system, ())
    after = MacroSystem(system.origin, system.coverage, table_of(rows))
    return WaitStates(system, after, tuple(dropped))


Rows = dict[int, dict[int, set[Move]]]


def idle_steps(rows: Rows) -> list[tuple[int, int]]:
    """The pairs (ℓ, m) with steps from ℓ to m, all of them identities."""
    is_idle: dict[tuple[int, int], bool] = {}
    for local, row in rows.items():
        for global_, target, after in steps_of(row):
            if target >= 0:
                pair = (local, target)
                is_idle[pair] = is_idle.get(pair, True) and global_ == after
    return sorted(pair for pair, idle in is_idle.items() if idle)


def can_do_without(own: dict[int, set[Move]], local: int, other: dict[int, set[Move]], target: int) -> bool:
    """Whether `local`, with its `own` moves, can do what `target` can do, without going there."""
    nothing: set[Move] = set()
    for global_, moves in other.items():
        here = own.get(global_, nothing)
        for move in moves:
            end, after = move
            is_matched = (local, after) in here if end == target else move in here or move == (local, global_)
            if not is_matched:
                return False
    return True


def drop(row: dict[int, set[Move]], target: int) -> None:
    """Removes the moves to `target`, all of which are identities."""
    for global_, moves in list(row.items()):
        moves.discard((target, global_))
        if not moves:
            del row[global_]
