"""Merges locals that can do the same.

A partition of the locals, each class within one request, is *stable* if all locals of a class have the same
signature: the triples (g, class of t, g') of their moves (ℓ, g) → (t, g'), where an answer is a class of its
own, and without the *inert* moves, which are the identities to the same class. The quotient of a system by a
stable partition has classes for locals, and signatures for moves.

Claim: Int and Ser stay the same. Why: replace each local in a run by its class and drop the inert moves:
this is a run of the quotient, with the same answers in the same order. Conversely, let a request of a
quotient run be at some local of its class; whatever move the class makes next, this local has one with the
same effect to a local of the class that comes next. So the run is followed step by step, from the fresh
request with which it begins. A class may contain both a fresh local and others; its representative is then
fresh, so that any number of requests can begin there, as before.

Inert moves need no partner, because a request that does not make them can still do what it can do after them.
This is coarser than strong bisimulation: the two ends of a wait that changes nothing are often the same.

The coarsest stable partition is found by splitting: only the locals with a move into a part that has been
split off, or in one, can have a new signature.
"""

from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.reductions.reduced_coverage import merge_locals
from seriatim.reductions.table import Row, Table, rows_of, steps_of
from seriatim.systems.run import Run, Turn
from seriatim.systems.slicing import MacroSystem

CHECK_EVERY = 64
"""Classes between two looks at the clock."""

Signature = frozenset[tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class Quotient:
    """`after` is `before` with each local replaced by the representative of its class."""

    before: MacroSystem
    after: MacroSystem
    representative: dict[int, int]
    """For the locals that are not the representatives of their classes.

    The local of a fresh request keeps its moves even then, so that requests begin where they did; but no
    move leads to it any more.
    """

    def expand(self, run: Run) -> Run:
        """Follows a run of classes by one of locals."""
        at: dict[int, int] = {}
        turns: list[Turn] = []
        for turn in run.turns:
            local = at.get(turn.request, turn.local)
            target = next(
                target
                for target, after in self.before.moves(local, turn.before)
                if after == turn.after and self.representative.get(target, target) == turn.target
            )
            turns.append(Turn(turn.request, local, target, turn.before, turn.after))
            at[turn.request] = target
        return Run(tuple(turns))


def quotient(system: MacroSystem, deadline: Deadline) -> Quotient:
    """Merges local states that behave alike: the quotient by the coarsest partition that steps respect."""
    partition = Partition(system, deadline)
    partition.refine()
    starts = set(system.starts)
    representative: dict[int, int] = {}
    for members in partition.members.values():
        chosen = min(members, key=lambda local: (local not in starts, local))
        representative.update((local, chosen) for local in members if local != chosen)
    table: Table = {}
    for (local, global_), moves in system.table.items():
        if local not in representative or local in starts:
            kept = dict.fromkeys((representative.get(target, target), after) for target, after in moves)
            kept.pop((representative.get(local, local), global_), None)
            if kept:
                table[local, global_] = tuple(kept)
    if table == system.table:
        return Quotient(system, system, {})
    gone = {local: chosen for local, chosen in representative.items() if local not in starts}
    after = MacroSystem(system.origin, merge_locals(system.coverage, gone), table)
    return Quotient(system, after, representative)


class Partition:
    """Classes of locals, by number; an answer ~c is the class ~c."""

    def __init__(self, system: MacroSystem, deadline: Deadline) -> None:
        self.rows: dict[int, Row] = rows_of(system.table)
        self.deadline = deadline
        self.class_of: dict[int, int] = {}
        self.members: dict[int, set[int]] = {}
        self.sources: dict[int, set[int]] = {}
        """For each local, the locals with a move to it."""
        for local, row in self.rows.items():
            for _, target, _ in steps_of(row):
                if target >= 0:
                    self.sources.setdefault(target, set()).add(local)
        for local in sorted({*self.rows, *self.sources}):
            request = system.request_of(local)
            self.class_of[local] = request
            self.members.setdefault(request, set()).add(local)
        self.next_class = max(self.members, default=-1) + 1
        self.dirty = {class_: set(members) for class_, members in self.members.items()}
        """For each class that may have to be split, the locals whose signature may have changed; all other
        locals of the class have the same one."""

    def refine(self) -> None:
        count = 0
        while self.dirty:
            class_ = next(iter(self.dirty))
            dirty = self.dirty.pop(class_)
            count += 1
            if count % CHECK_EVERY == 0:
                self.deadline.check()
            if len(self.members[class_]) > 1:
                self.split(class_, dirty)

    def split(self, class_: int, dirty: set[int]) -> None:
        """Splits a class by signature. Who is not dirty stays; if all are, the largest part does."""
        members = self.members[class_]
        parts: dict[Signature, list[int]] = {}
        for local in sorted(dirty):
            parts.setdefault(self.signature(local), []).append(local)
        clean = next((local for local in members if local not in dirty), None)
        if clean is not None:
            parts.pop(self.signature(clean), None)
        else:
            del parts[max(parts, key=lambda signature: len(parts[signature]))]
        for part in parts.values():
            members.difference_update(part)
            self.members[self.next_class] = set(part)
            self.class_of.update(dict.fromkeys(part, self.next_class))
            self.next_class += 1
        for part in parts.values():
            for local in part:
                # What was inert in the old class may not be so in the new one.
                self.mark(local)
                for source in self.sources.get(local, ()):
                    self.mark(source)

    def mark(self, local: int) -> None:
        self.dirty.setdefault(self.class_of[local], set()).add(local)

    def signature(self, local: int) -> Signature:
        own = self.class_of[local]
        class_of = self.class_of
        triples = set()
        for global_, target, after in steps_of(self.rows.get(local, {})):
            class_ = target if target < 0 else class_of[target]
            if class_ != own or after != global_:
                triples.add((global_, class_, after))
        return frozenset(triples)
