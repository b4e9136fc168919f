"""Closures of orbits: what can be in flight, up to permutations of positions of a program.

A *node* is a global state with the set of serial states that the commits so far can have led to. A closure
of level 1 (`seriatim.systems.closure`) has, for each node, the locals that can occur there. With a symmetry
it is enough to keep one pair (node, local) of each orbit.

Claim: if (N, ℓ) can occur, then some image of it is in the closure. Why: by induction over runs, as for
closures without symmetry. Let a step of ℓ lead from N to N', and let m be in flight at N, too. Images of
(N, ℓ) and of (N, m) are in the closure, but by different permutations: π(N, ℓ) and σ(N, m), where π N = σ N
is the node that stands for the orbit. So the step leads from π N to π N', beside π m, which is an image of
σ m under a permutation that keeps this node. All of them are looked at, as far as N' tells them apart:
`arrangements`. Fresh requests can be anywhere: all ways to put one beside a node are looked at.
docs/theory/symmetry.md has more.
"""

from collections.abc import Callable, Iterator

from seriatim.arithmetic.columns import arrangements, in_order, matching
from seriatim.budget import Deadline, Pieces
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.placed import PlacedProgram, Row
from seriatim.systems.potential import MAX_WEIGHT, Broken, Candidate, Weights
from seriatim.systems.unfolding import INITIAL_GLOBAL

Serial = frozenset[int]
Node = tuple[int, Serial]
"""(global state, serial states)."""

Committing = Callable[[int, int, Serial], Serial]
"""The serial states after a step from a local to a target."""

LocalKey = tuple[int, tuple[tuple[int, int], ...]]
"""What stands at no position, and the columns, sorted."""

WORK_PER_PAIR = 50
"""How many arrangements a closure may look at for each pair that there may be."""


class Orbit:
    """A node that stands for its orbit, and what can be in flight there."""

    def __init__(self, number: int, node: Node, row: Row) -> None:
        self.number = number
        self.node = node
        self.row = row
        self.locals: list[int] = []
        """Those that have been explored, one of each orbit under permutations that keep the node; fresh ones
        are not listed."""
        self.edges: dict[tuple[object, ...], tuple[Node, Row, Weights]] = {}
        """Where steps lead, and what they weigh: one of each orbit."""


class Orbits:
    """A closure of level 1 up to symmetry. `explore` raises `LimitReached`, `Broken`, `Asymmetric`,
    `TooAlike`, and whatever tells how steps commit raises."""

    def __init__(
        self,
        placed: PlacedProgram,
        candidates: tuple[Candidate, ...],
        limits: Limits,
        deadline: Deadline,
    ) -> None:
        self.placed = placed
        self.unfolding = placed.unfolding
        self.candidates = candidates
        self.limits = limits
        self.deadline = deadline
        self.work = 0
        self.classes = placed.symmetry.classes
        self.weights: dict[LocalKey, Weights] = {}
        """Of locals, up to symmetry."""
        self.orbits: dict[tuple[object, ...], Orbit] = {}
        self.pairs: set[tuple[object, ...]] = set()
        self._rows: dict[Node, Row] = {}
        self._keys: dict[int, LocalKey] = {}
        self.pending: list[tuple[Orbit, int, bool]] = []
        """Pairs whose steps are to be explored, and whether the request is fresh."""
        self.moves: dict[tuple[int, int], list[tuple[int, int]]] = {}
        """What was explored, in numbers of orbits: (local, node) → (local or ~completion, node or −1). −1
        stands for a node that is another one of the same orbit."""
        self.steps: dict[tuple[int, int], None] = {}
        """(local, local or ~completion): the steps that were explored, as they are."""
        self.kinds: dict[LocalKey, int] = {}
        """The numbers of locals up to symmetry."""
        self.kind_of: list[int] = []
        """A local of each of these."""
        self.fails = False
        """Whether a step can fail."""
        self.starts = frozenset(self.unfolding.starts)
        self.fresh = self._fresh()

    def _fresh(self) -> list[int]:
        """One fresh local of each orbit."""
        found = {self.local_key(start): start for start in self.unfolding.starts}
        for key in found:
            self.weights[key] = (0,) * len(self.candidates)
        return list(found.values())

    def local_key(self, local: int) -> LocalKey:
        """Returns what a local is up to symmetry."""
        key = self._keys.get(local)
        if key is None:
            row = self.placed.local_row(local)
            key = self._keys[local] = (row.rest, tuple(sorted(zip(self.classes, row.columns, strict=True))))
        return key

    def kind(self, local: int) -> int:
        """The number of a local up to symmetry."""
        key = self.local_key(local)
        if key not in self.kinds:
            self.kinds[key] = len(self.kind_of)
            self.kind_of.append(local)
        return self.kinds[key]

    def node_row(self, node: Node) -> Row:
        row = self._rows.get(node)
        if row is None:
            row = self._rows[node] = self._new_node_row(*node)
        return row

    def _new_node_row(self, global_: int, serial: Serial) -> Row:
        own = self.placed.global_row(global_)
        if serial == {global_}:
            return own
        members = [self.placed.global_row(state) for state in sorted(serial)]
        ordered = in_order(own.columns, [(row.rest, row.columns) for row in members])
        rests, rows = zip((own.rest, own.columns), *ordered, strict=True)
        number = self.placed.number
        return Row(number(("rests", *rests)), tuple([number(column) for column in zip(*rows, strict=True)]))

    def _orbit(self, node: Node) -> Orbit:
        row = self.node_row(node)
        key = (row.rest, tuple(sorted(zip(self.classes, row.columns, strict=True))))
        orbit = self.orbits.get(key)
        if orbit is None:
            orbit = self.orbits[key] = Orbit(len(self.orbits), node, row)
            onto = list(zip(self.classes, row.columns, strict=True))
            for start in self.fresh:
                for source in arrangements(self.classes, onto, self.placed.local_row(start).columns):
                    self._spend()
                    self.pending.append((orbit, self.placed.move_local(start, source), True))
        return orbit

    def _spend(self) -> None:
        self.work += 1
        self.deadline.check()
        if self.work > WORK_PER_PAIR * self.limits.max_states or len(self.pairs) > self.limits.max_states:
            raise LimitReached("--max-states", self.limits.max_states)

    def explore(self, commit: Committing) -> Pieces[None]:
        """Adds what follows, until nothing does."""
        self._orbit((INITIAL_GLOBAL, frozenset((INITIAL_GLOBAL,))))
        while self.pending:
            before = self.work
            orbit, local, is_fresh = self.pending.pop()
            self._spend()
            self.deadline.pairs += 1
            if not is_fresh:
                orbit.locals.append(local)
                for after, row, weights in list(orbit.edges.values()):
                    self._carry(orbit, local, after, row, weights)
            for target, after in self._steps(orbit, local, commit):
                if after != orbit.node:
                    self._depart(orbit, local, after)
                if target >= 0:
                    self._arrive(after, target)
            yield self.work - before

    def _steps(self, orbit: Orbit, local: int, commit: Committing) -> Iterator[tuple[int, Node]]:
        """(local or ~completion, node): the steps of a local at a node."""
        global_, serial = orbit.node
        taken = self.moves.setdefault((self.kind(local), orbit.number), [])
        for target, after in self.unfolding.moves(local, global_):
            self._weigh(local, global_, target, after)
            self.steps[local, target] = None
            then = (after, commit(local, target, serial))
            goal = self._orbit(then)
            is_other = goal.number == orbit.number and then != orbit.node
            taken.append((self.kind(target) if target >= 0 else target, -1 if is_other else goal.number))
            yield target, then
        if (local, global_) in self.unfolding.faults:
            self.fails = True

    def _depart(self, orbit: Orbit, local: int, after: Node) -> None:
        """A step leads from a node to another one: it takes along all who may be there."""
        row = self.node_row(after)
        weights = self.weights[self.local_key(local)]
        columns = zip(self.classes, orbit.row.columns, row.columns, strict=True)
        key = (row.rest, tuple(sorted(columns)), weights)
        if key not in orbit.edges:
            orbit.edges[key] = (after, row, weights)
            for other in list(orbit.locals):
                self._carry(orbit, other, after, row, weights)

    def _carry(self, orbit: Orbit, local: int, after: Node, row: Row, weights: Weights) -> None:
        """A local stays as it is while a step of somebody else leads from its node to another one."""
        own = self.weights[self.local_key(local)]
        room = self._room(orbit.node[0])
        if any(mine + other > left for mine, other, left in zip(own, weights, room, strict=True)):
            return
        here = list(zip(self.classes, orbit.row.columns, strict=True))
        onto = list(zip(here, row.columns, strict=True))
        columns = self.placed.local_row(local).columns
        for source in arrangements(here, onto, columns):
            self._spend()
            self._arrive(after, local, source, row)

    def _arrive(
        self, after: Node, local: int, source: tuple[int, ...] | None = None, row: Row | None = None
    ) -> None:
        """A local, or its image, can be at a node."""
        if local in self.starts:
            return
        row = row or self.node_row(after)
        own = self.placed.local_row(local)
        columns = own.columns if source is None else tuple([own.columns[origin] for origin in source])
        key = (row.rest, own.rest, tuple(sorted(zip(self.classes, row.columns, columns, strict=True))))
        if key in self.pairs:
            return
        self.pairs.add(key)
        if source is not None:
            local = self.placed.move_local(local, source)
        orbit = self._orbit(after)
        if orbit.node != after:
            local = self.placed.move_local(local, self._into(row, orbit.row))
        self.pending.append((orbit, local, False))

    def _into(self, row: Row, goal: Row) -> tuple[int, ...]:
        """A permutation that makes the one node of the other."""
        return matching(
            list(zip(self.classes, row.columns, strict=True)),
            list(zip(self.classes, goal.columns, strict=True)),
        )

    def _room(self, global_: int) -> Weights:
        values = self.unfolding.global_values[global_]
        initial = self.unfolding.global_values[INITIAL_GLOBAL]
        return tuple([sign * (values[v] - initial[v]) for v, sign in self.candidates])

    def _weigh(self, local: int, global_: int, target: int, after: int) -> None:
        """Learns weights from steps, and verifies those that are known (`seriatim.systems.potential`)."""
        if not self.candidates:
            if target >= 0:
                self.weights.setdefault(self.local_key(target), ())
            return
        changes = zip(
            self.weights[self.local_key(local)], self._room(after), self._room(global_), strict=True
        )
        weight = tuple([own + now - then for own, now, then in changes])
        expected = (0,) * len(weight)
        if target >= 0:
            expected = self.weights.setdefault(self.local_key(target), weight)
        bad = {
            candidate
            for candidate, own, other in zip(self.candidates, weight, expected, strict=True)
            if own != other or not 0 <= own <= MAX_WEIGHT
        }
        if bad:
            raise Broken(frozenset(bad))
