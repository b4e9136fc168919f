"""Which steps commute with everything that other requests do (Lipton's movers).

An *edge* (ℓ, t) stands for all steps from a local to a target; its *action* is a relation on global states.
Let e and f be edges of two requests, and write g –e→ g' for a pair in the action. With g ranging over the
global states in which requests at the sources of e and f can be in flight together:

- e is a right mover if g –e→ y –f→ z implies g –f→ w –e→ z for some w;
- e is a left mover  if g –f→ y –e→ z implies g –e→ w –f→ z for some w;

each for all f of the system, e itself included, because two requests can take the same step. An edge from a
local to itself may also do nothing: the step is then left out, and the request is where it would be.

A failed check remembers the edge that it failed against, its *blame*, and is repeated only when that edge
has changed or is gone. A check that succeeded stays valid while locals are eliminated: what e can be
exchanged with, one after the other, it can be exchanged with in composition (docs/theory/reductions.md).
"""

from enum import Enum

from seriatim.systems.closure import bits
from seriatim.systems.slicing import MacroSystem
from seriatim.systems.unfolding import Move

Edge = tuple[int, int]
"""(local, target)."""

Action = dict[int, set[int]]
"""Global state to the global states after."""


class Side(Enum):
    RIGHT = "right"
    LEFT = "left"


NO_MOVES: dict[Move, None] = {}
NO_STATES: set[int] = set()


class Steps:
    """The moves of a system, indexed for exchange; locals can be taken out."""

    def __init__(self, system: MacroSystem) -> None:
        self.rows: dict[int, dict[int, dict[Move, None]]] = {}
        self.actions: dict[Edge, Action] = {}
        self.sources: dict[int, set[int]] = {}
        """For each target, the locals with a move to it."""
        self.targets: dict[int, set[int]] = {}
        self.before: dict[int, set[int]] = {}
        """For each global state, those from which some step leads to it."""
        self._leaving: dict[int, int] = {}
        self._changing: dict[tuple[int, int], int] = {}
        for (local, global_), moves in system.table.items():
            for target, after in moves:
                self.add(local, global_, target, after)

    def leaving(self, global_: int) -> int:
        """The mask of locals that can move in this global state."""
        return self._leaving.get(global_, 0)

    def changing(self, global_: int, after: int) -> int:
        """The mask of locals that can move from one global state to the other."""
        return self._changing.get((global_, after), 0)

    def has(self, local: int, global_: int, target: int, after: int) -> bool:
        return after in self.actions.get((local, target), {}).get(global_, NO_STATES)

    def add(self, local: int, global_: int, target: int, after: int) -> None:
        self.rows.setdefault(local, {}).setdefault(global_, {})[target, after] = None
        self.actions.setdefault((local, target), {}).setdefault(global_, set()).add(after)
        self.sources.setdefault(target, set()).add(local)
        self.targets.setdefault(local, set()).add(target)
        self.before.setdefault(after, set()).add(global_)
        bit = 1 << local
        self._leaving[global_] = self._leaving.get(global_, 0) | bit
        change = (global_, after)
        self._changing[change] = self._changing.get(change, 0) | bit

    def remove_edge(self, edge: Edge) -> None:
        local, target = edge
        row = self.rows[local]
        for global_, afters in self.actions.pop(edge).items():
            moves = row[global_]
            for after in afters:
                del moves[target, after]
            still = {after for _, after in moves}
            for after in afters - still:
                self._changing[global_, after] &= ~(1 << local)
            if not moves:
                del row[global_]
                self._leaving[global_] &= ~(1 << local)
        if not row:
            del self.rows[local]
        self.sources[target].discard(local)
        self.targets[local].discard(target)

    def edges_into(self, local: int) -> list[Edge]:
        """The edges, without the one from the local to itself."""
        return [(source, local) for source in sorted(self.sources.get(local, ())) if source != local]

    def edges_from(self, local: int) -> list[Edge]:
        """The edges, without the one from the local to itself."""
        return [(local, target) for target in sorted(self.targets.get(local, ())) if target != local]


class Movers:
    """What is known about the edges of some steps, while these shrink."""

    def __init__(self, steps: Steps, system: MacroSystem) -> None:
        self.steps = steps
        self.coverage = system.coverage
        self.checks = 0
        """Pairs of a step and a local beside it that have been looked at."""
        self._known: dict[tuple[Side, Edge], bool] = {}
        self._blamed: dict[Edge, set[tuple[Side, Edge]]] = {}
        self._suspects = 0
        """The mask of locals with an edge that was in the way of another one."""

    def is_mover(self, side: Side, edge: Edge) -> bool:
        key = (side, edge)
        known = self._known.get(key)
        if known is None:
            obstacle = self.obstacle(side, edge)
            known = self._known[key] = obstacle is None
            if obstacle is not None:
                self._blamed.setdefault(obstacle, set()).add(key)
        return known

    def forget(self, edge: Edge) -> list[tuple[Side, Edge]]:
        """An edge has changed or is gone: what has to be checked again, because it failed against it."""
        for side in Side:
            self._known.pop((side, edge), None)
        return [key for key in self._blamed.pop(edge, ()) if self._known.pop(key, None) is not None]

    def obstacle(self, side: Side, edge: Edge) -> Edge | None:
        """An edge with which this one can't be exchanged; those of locals that were one before come first."""
        find = self._right_obstacle if side is Side.RIGHT else self._left_obstacle
        found = find(edge, self._suspects) if self._suspects else None
        if found is None:
            found = find(edge, ~self._suspects)
            if found is not None:
                self._suspects |= 1 << found[0]
        return found

    def _right_obstacle(self, edge: Edge, among: int) -> Edge | None:
        steps = self.steps
        action = steps.actions[edge]
        local, is_loop = edge[0], edge[0] == edge[1]
        for g, middles in action.items():
            beside = self.coverage.together(g, local) & among
            for y in middles if beside else NO_STATES:
                for other in bits(beside & steps.leaving(y)):
                    self.checks += 1
                    row = steps.rows[other]
                    here = row.get(g, NO_MOVES)
                    for target, z in row[y]:
                        for end, w in here:
                            if end == target and z in action.get(w, NO_STATES):
                                break
                        else:
                            other_rests = target == other and z in middles
                            if not (other_rests or (is_loop and (target, z) in here)):
                                return other, target
        return None

    def _left_obstacle(self, edge: Edge, among: int) -> Edge | None:
        steps = self.steps
        action = steps.actions[edge]
        local, is_loop = edge[0], edge[0] == edge[1]
        for y, ends in action.items():
            for g in steps.before.get(y, NO_STATES):
                beside = self.coverage.together(g, local) & among
                middles = action.get(g, NO_STATES)
                for other in bits(beside & steps.changing(g, y)) if beside else ():
                    self.checks += 1
                    row = steps.rows[other]
                    for target, after in row[g]:
                        for z in ends if after == y else NO_STATES:
                            for w in middles:
                                if (target, z) in row.get(w, NO_MOVES):
                                    break
                            else:
                                other_rests = target == other and z in middles
                                if not (other_rests or (is_loop and (target, z) in row[g])):
                                    return other, target
        return None
