"""Makes two steps one, where nothing that happens between them matters.

Let m be a local, not of a fresh request. If all edges into m are right movers, or if all edges from m are
left movers, and if the edge from m to itself, where there is one, is a mover to the same side, then m is
*eliminated*: each path a → m → … → m → t of a request becomes a single step a → t.

Claim: Int and Ser stay the same. Why: no outcome is new, since a composite step expands into its parts, with
nothing between them. None is lost: in a complete run every request that comes to m leaves it; move the step
that entered m to the right (or the one that leaves it to the left) past everything that others do between;
each exchange gives a run between the same states. In a serial run nothing is between. Complete runs only: a
request that stays at m for ever is lost. The proof in full, and why the conditions for pairs of edges amount
to "all right or all left", is in docs/theory/reductions.md.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.reductions.movers import NO_STATES, Edge, Movers, Side, Steps
from seriatim.reductions.table import table_of
from seriatim.systems.run import Run, Turn
from seriatim.systems.slicing import MacroSystem

CHECK_EVERY = 16
"""Locals between two looks at the clock."""

Step = tuple[int, int, int, int]
"""(local, global state, target, global state after)."""


@dataclass(frozen=True, slots=True)
class Elimination:
    """A local that is no more, and the side to which the steps around it move."""

    local: int
    side: Side


@dataclass(frozen=True, slots=True)
class Fusion:
    """`after` is `before` without the eliminated locals."""

    before: MacroSystem
    after: MacroSystem
    eliminated: tuple[Elimination, ...]
    """The eliminated locals, in order."""
    through: dict[Step, tuple[int, tuple[int, ...]]]
    """Composite step to the local that it passes, and the global states in which it is there.

    A step is made at most once, because it disappears only with one of its locals; so its parts are either
    steps of `before` or composite steps made earlier.
    """
    checks: int
    """How much was looked at."""

    def expand(self, run: Run) -> Run:
        """Takes the composite steps apart."""
        turns: list[Turn] = []
        for turn in run.turns:
            for local, global_, target, after in self._parts(turn):
                turns.append(Turn(turn.request, local, target, global_, after))
        return Run(tuple(turns))

    def _parts(self, turn: Turn) -> Iterator[Step]:
        pending: list[Step] = [(turn.local, turn.before, turn.target, turn.after)]
        while pending:
            step = pending.pop()
            passed = self.through.get(step)
            if passed is None:
                yield step
                continue
            at, global_, target, after = step
            local, stops = passed
            parts: list[Step] = []
            for stop in stops:
                parts.append((at, global_, local, stop))
                at, global_ = local, stop
            parts.append((at, global_, target, after))
            pending.extend(reversed(parts))


def fuse(system: MacroSystem, max_checks: int, deadline: Deadline) -> Fusion:
    """Eliminates locals until none can be, or until about `max_checks` pairs have been looked at."""
    fusing = Fusing(system, max_checks)
    fusing.run(deadline)
    checks = fusing.movers.checks
    if not fusing.eliminated:
        return Fusion(system, system, (), {}, checks)
    after = MacroSystem(system.origin, system.coverage, table_of(fusing.steps.rows))
    return Fusion(system, after, tuple(fusing.eliminated), fusing.through, checks)


class Fusing:
    """Eliminations under way; `pending` has the locals about which something may have changed."""

    def __init__(self, system: MacroSystem, max_checks: int) -> None:
        self.steps = Steps(system)
        self.movers = Movers(self.steps, system)
        self.max_checks = max_checks
        self.starts = frozenset(system.starts)
        self.eliminated: list[Elimination] = []
        self.through: dict[Step, tuple[int, tuple[int, ...]]] = {}
        self.pending: deque[int] = deque()
        self.waiting: set[int] = set()

    def run(self, deadline: Deadline) -> None:
        for local in sorted(self.steps.rows, key=self._size):
            self._look_at(local)
        count = 0
        while self.pending:
            count += 1
            if count % CHECK_EVERY == 0:
                deadline.check()
            local = self.pending.popleft()
            self.waiting.discard(local)
            side = self._side(local)
            composites = [] if side is None else self._composites(local)
            if self.movers.checks >= self.max_checks:
                return
            if side is not None:
                self.eliminated.append(Elimination(local, side))
                self._eliminate(local, composites)

    def _size(self, local: int) -> tuple[int, int]:
        """Locals with few neighbours first: they make few new steps."""
        return len(self.steps.sources.get(local, ())) * len(self.steps.targets[local]), local

    def _look_at(self, local: int) -> None:
        if local >= 0 and local not in self.starts and local not in self.waiting:
            self.waiting.add(local)
            self.pending.append(local)

    def _side(self, local: int) -> Side | None:
        """The side to which the steps around a local can be moved."""
        entering, leaving = self.steps.edges_into(local), self.steps.edges_from(local)
        if not entering or not leaving:
            return None
        loop: list[Edge] = [(local, local)] if (local, local) in self.steps.actions else []
        for side, edges in ((Side.RIGHT, [*loop, *entering]), (Side.LEFT, [*loop, *leaving])):
            if all(self.movers.is_mover(side, edge) for edge in edges):
                return side
        return None

    def _eliminate(self, local: int, composites: list[tuple[Step, tuple[int, ...]]]) -> None:
        entering, leaving = self.steps.edges_into(local), self.steps.edges_from(local)
        changed: dict[Edge, None] = dict.fromkeys((*entering, *leaving))
        if (local, local) in self.steps.actions:
            changed[local, local] = None
        for edge in changed:
            self.steps.remove_edge(edge)
        for step, stops in composites:
            if not self.steps.has(*step):
                self.through[step] = (local, stops)
                self.steps.add(*step)
                changed[step[0], step[2]] = None
        for edge in changed:
            for side, (source, target) in self.movers.forget(edge):
                self._look_at(target if side is Side.RIGHT else source)
        for source, _ in entering:
            self._look_at(source)
        for _, target in leaving:
            self._look_at(target)

    def _composites(self, local: int) -> list[tuple[Step, tuple[int, ...]]]:
        """The steps through a local, with the global states in which they are there; fewer if checks end."""
        row = self.steps.rows[local]
        loop = self.steps.actions.get((local, local), {})
        found: list[tuple[Step, tuple[int, ...]]] = []
        for source, _ in self.steps.edges_into(local):
            for global_, entered in self.steps.actions[source, local].items():
                stops: dict[int, tuple[int, ...]] = {first: (first,) for first in sorted(entered)}
                pending = list(stops)
                while pending and self.movers.checks < self.max_checks:
                    here = pending.pop()
                    self.movers.checks += len(stops[here])
                    for target, after in row.get(here, ()):
                        # Without the steps that end where they began.
                        if target != local and (target, after) != (source, global_):
                            self.movers.checks += 1
                            found.append(((source, global_, target, after), stops[here]))
                    for there in sorted(loop.get(here, NO_STATES)):
                        if there not in stops:
                            stops[there] = (*stops[here], there)
                            pending.append(there)
        return found
