"""The graph of one isolation level: what has to come before what, for given orders of versions.

A transaction is one point (serializability), or two: its snapshot, then its commit. The edges of a level are

| | one point | snapshot isolation | prefix |
|---|---|---|---|
| wr: b read what a wrote | a → b | commit a → snapshot b | commit a → snapshot b |
| ww: a wrote a version before b's | a → b | commit a → snapshot b | commit a → commit b |
| rw: a read a version before b's | a → b | snapshot a → commit b | snapshot a → commit b |
| so, rt: a came before b | a → b | commit a → snapshot b | commit a → snapshot b |

and the level holds iff the graph has no cycle. *Dependencies* (PL-2+, PSI) have one point, and rule out
cycles with at most one rw. *Cursors* (cursor stability) have one point, and count rw only where the reader
also writes the key: then nobody may write between what it read and what it writes.

Only neighbours in the order of versions are linked: the rest follows by paths. Where the order ends with
writers whose order is open, each of them comes after the last one that is known, and after all who read it:
a node joins these edges. So do nodes along the time line for rt.
"""

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise

from seriatim.certificate.transactions import Level, Step
from seriatim.checking.history.transactions import key_text
from seriatim.history.transactions.graphs import (
    Edge,
    Graph,
    components,
    shortest_cycle,
    shortest_path,
)
from seriatim.history.transactions.observe import INIT, Observed

WR, WW, RW = 0, 1, 2
WITHIN, SO, RT = -1, -2, -3
NAMES = {WR: "wr", WW: "ww", RW: "rw"}

MOST_CYCLES = 5_000
QUICK_CYCLES, QUICK_NODES = 20, 300
"""After so many cycles, only those that are found among so many nodes are added."""

ONE, SNAPSHOT, PREFIX, DEPENDENCIES = "one point", "snapshots", "prefix", "dependencies"
CURSORS = "cursors"

SHAPES: dict[Level, tuple[str, str]] = {
    Level.CURSOR_STABILITY: (CURSORS, ""),
    Level.CONSISTENT_VIEW: (DEPENDENCIES, ""),
    Level.PARALLEL_SNAPSHOT: (DEPENDENCIES, "so"),
    Level.PREFIX: (PREFIX, "so"),
    Level.SNAPSHOT: (SNAPSHOT, ""),
    Level.SESSION_SNAPSHOT: (SNAPSHOT, "so"),
    Level.STRONG_SNAPSHOT: (SNAPSHOT, "rt"),
    Level.SERIALIZABLE: (ONE, ""),
    Level.SESSION_SERIALIZABLE: (ONE, "so"),
    Level.STRICT_SERIALIZABLE: (ONE, "rt"),
}


class LevelGraph(Graph):
    """The graph of a level for given orders of the writers of each key: those of the chain come first.

    With `only`, the graph of some transactions. Their writers of a key are linked as if they were neighbours,
    so each edge of it is one of the whole graph, or follows from some that have the same key.
    """

    def __init__(
        self,
        observed: Observed,
        level: Level,
        orders: Sequence[Sequence[int]],
        only: "Part | None" = None,
    ) -> None:
        self.observed = observed
        self.shape, self.extra = SHAPES[level]
        self.has_two = self.shape in (SNAPSHOT, PREFIX)
        self.members: Sequence[int] = range(observed.size) if only is None else only.members
        self.place: Sequence[int] | dict[int, int] = self.members
        if only is not None:
            self.place = {number: at for at, number in enumerate(only.members)}
        count = len(self.members)
        self.points = 2 * count if self.has_two else count
        super().__init__(self.points)
        if self.has_two:
            for at in range(count):
                self.add(2 * at, 2 * at + 1, WITHIN)
        if only is None:
            self._link_versions(orders)
            sessions: Iterable[tuple[int, int]] = observed.session_edges
        else:
            self._link_some_versions(orders, only)
            sessions = only.sessions
        if self.extra == "so":
            for first, second in sessions:
                self.add(self.commit(first), self.snapshot(second), SO)
        elif self.extra == "rt":
            self._link_times()
        self.entangled: set[int] = set()
        """Transactions that are in cycles, or near them; `find_cycles` tells."""

    def snapshot(self, number: int) -> int:
        at = self.place[number]
        return 2 * at if self.has_two else at

    def commit(self, number: int) -> int:
        at = self.place[number]
        return 2 * at + 1 if self.has_two else at

    def transaction(self, node: int) -> int | None:
        if node >= self.points:
            return None
        return self.members[node // 2 if self.has_two else node]

    def _link_versions(self, orders: Sequence[Sequence[int]]) -> None:
        later = self.commit if self.shape == PREFIX else self.snapshot
        following: list[dict[int, int]] = []
        for k, order in enumerate(orders):
            after: dict[int, int] = {}
            previous = INIT
            for number in order:
                after[previous] = number
                if previous != INIT:
                    self.add(self.commit(previous), later(number), 4 * k + WW)
                previous = number
            following.append(after)
        ends = [key.chain[-1] if key.chain else INIT for key in self.observed.keys]
        joints: dict[int, int] = {}
        for k, key in enumerate(self.observed.keys):
            if len(key.tail) > 1 and ends[k] != INIT:
                joint = self.node()
                self.add(self.commit(ends[k]), joint, 4 * k + WW)
                for number in key.tail:
                    self.add(joint, later(number), 4 * k + WW)
        for reader, k, writer in self.observed.reads_from:
            if writer != INIT:
                self.add(self.commit(writer), self.snapshot(reader), 4 * k + WR)
            if not self._counts(reader, k):
                continue
            tail = self.observed.keys[k].tail
            if writer == ends[k] and len(tail) > 1:
                self._link_reader(reader, k, tail, joints)
            else:
                overtaken = following[k].get(writer, reader)
                if overtaken != reader:
                    self.add(self.snapshot(reader), self.commit(overtaken), 4 * k + RW)

    def _link_some_versions(self, orders: Sequence[Sequence[int]], only: "Part") -> None:
        later = self.commit if self.shape == PREFIX else self.snapshot
        for k, reads in only.reads.items():
            key = self.observed.keys[k]
            tail, end = set(key.tail), key.chain[-1] if key.chain else INIT
            mine = [number for number in orders[k] if number in only]
            for first, second in pairwise(mine):
                self.add(self.commit(first), later(second), 4 * k + WW)
            if end in only:
                for number in mine:
                    if number in tail:
                        self.add(self.commit(end), later(number), 4 * k + WW)
            following = _next_among(orders[k], only)
            for reader, writer in reads:
                if writer in only:
                    self.add(self.commit(writer), self.snapshot(reader), 4 * k + WR)
                if not self._counts(reader, k):
                    continue
                overtaken = {following.get(writer, -1)}
                if writer == end:
                    overtaken.update(number for number in mine if number in tail)
                for number in overtaken - {reader, -1}:
                    self.add(self.snapshot(reader), self.commit(number), 4 * k + RW)

    def _counts(self, reader: int, k: int) -> bool:
        """Whether rw from a reader counts."""
        return self.shape != CURSORS or reader in self.observed.keys[k].last

    def _link_reader(self, reader: int, k: int, tail: list[int], joints: dict[int, int]) -> None:
        """All writers of the tail come after who read the last version before them. Who is one of them, or
        who may be followed by only one such edge, is linked directly."""
        if self.shape == DEPENDENCIES or reader in self.observed.keys[k].last:
            for number in tail:
                if number != reader:
                    self.add(self.snapshot(reader), self.commit(number), 4 * k + RW)
            return
        if k not in joints:
            joints[k] = self.node()
            for number in tail:
                self.add(joints[k], self.commit(number), 4 * k + RW)
        self.add(self.snapshot(reader), joints[k], 4 * k + RW)

    def _link_times(self) -> None:
        """Links each transaction with those that began after it ended, by nodes along the time line."""
        transactions = self.observed.transactions
        happened = [n for n in self.members if self.observed.happened[n]]
        events = [(transactions[n].start, 1, n) for n in happened if transactions[n].start is not None]
        events += [(transactions[n].end, 0, n) for n in happened if transactions[n].end is not None]
        node, is_fresh = -1, False
        for _, begins, number in sorted(events, key=lambda event: (event[0] or 0, event[1])):
            if begins:
                if node >= 0:
                    self.add(node, self.snapshot(number), RT)
                    is_fresh = False
                continue
            if not is_fresh:
                new = self.node()
                if node >= 0:
                    self.add(node, new, RT)
                node, is_fresh = new, True
            self.add(self.commit(number), node, RT)

    # --- cycles ---------------------------------------------------------------------------------------------

    def find_cycles(self) -> tuple[list[list[Edge]], list[int]]:
        """Short cycles that the level rules out, or, if there are none, an order of the nodes."""
        if self.shape == DEPENDENCIES:
            cycles, order = self._find_dependency_cycles()
            self.entangled.update(
                self.members[self.sources[edge]]
                for cycle in cycles
                for edge in cycle
                if self.sources[edge] < self.points
            )
            return cycles, order
        order, degree = self.strip()
        if len(order) == self.size:
            return [], order
        following = self.following(degree)
        rest = [node for node in range(self.size) if degree[node]]
        cycles = []
        for part in sorted(components(rest, following), key=len):
            inside, touched = set(part), set[int]()
            self.entangled.update(n for node in part if (n := self.transaction(node)) is not None)
            for start in part:
                if start in touched or len(cycles) >= MOST_CYCLES:
                    continue
                most = QUICK_NODES if len(cycles) >= QUICK_CYCLES else None
                cycle = shortest_cycle(start, following, inside, most)
                if cycle is not None:
                    cycles.append(cycle)
                    touched.update(self.sources[edge] for edge in cycle)
        return sorted(cycles, key=len), []

    def _is_rw(self, edge: Edge) -> bool:
        return self.labels[edge] >= 0 and self.labels[edge] % 4 == RW

    def _find_dependency_cycles(self) -> tuple[list[list[Edge]], list[int]]:
        deps = [edge for edge in range(len(self.sources)) if not self._is_rw(edge)]
        order, degree = self.strip(deps)
        if len(order) < self.size:
            following = self.following(degree, deps)
            rest = [node for node in range(self.size) if degree[node]]
            found = [shortest_cycle(p[0], following, set(p)) for p in components(rest, following)]
            return sorted((cycle for cycle in found if cycle), key=len), []
        _, degree = self.strip()
        every = self.following(degree)
        place = {node: at for at, node in enumerate(order)}
        cycles: list[list[Edge]] = []
        for part in components([node for node in range(self.size) if degree[node]], every):
            cycles += self._find_one_rw(sorted(part, key=place.__getitem__), every)
            if len(cycles) >= MOST_CYCLES:
                break
        return sorted(cycles, key=len), [] if cycles else order

    def _find_one_rw(self, part: list[int], every: dict[int, list[tuple[int, Edge]]]) -> Iterable[list[Edge]]:
        """Cycles of a component with exactly one rw; the part is in an order of its other edges."""
        inside = set(part)
        deps = {
            node: [(t, e) for t, e in every.get(node, ()) if t in inside and not self._is_rw(e)]
            for node in part
        }
        back = [(n, t, e) for n in part for t, e in every.get(n, ()) if t in inside and self._is_rw(e)]
        goals = sorted({target for _, target, _ in back})
        found: list[list[Edge]] = []
        for low in range(0, len(goals), 4_096):
            bit = {goal: 1 << at for at, goal in enumerate(goals[low : low + 4_096])}
            reached = dict.fromkeys(part, 0)
            for node in part:
                here = reached[node] | bit.get(node, 0)
                reached[node] = here
                if here:
                    for target, _ in deps[node]:
                        reached[target] |= here
            for source, target, edge in back:
                if target in bit and reached[source] & bit[target]:
                    path = shortest_path(target, source, deps)
                    assert path is not None
                    found.append([edge, *path])
                    if len(found) >= 200:
                        return found
        return found

    # --- cycles in words ------------------------------------------------------------------------------------

    def steps_of(self, cycle: Sequence[Edge]) -> list[Step]:
        """A cycle as steps between transactions: joints and the ways within a transaction are left out."""
        edges = [edge for edge in cycle if self.labels[edge] != WITHIN]
        while self.transaction(self.sources[edges[0]]) is None:
            edges.append(edges.pop(0))
        found: list[Step] = []
        begun: tuple[int, int] | None = None
        """A transaction, and the label of the edge from it to a joint."""
        for edge in edges:
            source, target = self.transaction(self.sources[edge]), self.transaction(self.targets[edge])
            if source is not None:
                begun = source, self.labels[edge]
            if target is not None and begun is not None:
                found.append(self.step(begun[0], target, begun[1]))
        return found

    def step(self, source: int, target: int, label: int) -> Step:
        if label < 0:
            return Step(source, target, "so" if label == SO else "rt", None)
        return Step(source, target, NAMES[label % 4], key_text(self.observed.keys[label // 4].name))


def _next_among(order: Sequence[int], only: "Part") -> dict[int, int]:
    """For each writer, and for the initial version, the next writer in the part; -1 for none."""
    after: dict[int, int] = {}
    following = -1
    for number in reversed(order):
        after[number] = following
        if number in only:
            following = number
    after[INIT] = following
    return after


class Reads:
    """What each transaction read and wrote, and its neighbours in its process."""

    def __init__(self, observed: Observed) -> None:
        self.sources: dict[int, list[tuple[int, int]]] = {}
        """For each reader, keys and writers."""
        for reader, k, writer in observed.reads_from:
            self.sources.setdefault(reader, []).append((k, writer))
        self.written: dict[int, list[int]] = {}
        """For each transaction that happened, the keys that it wrote."""
        for k, key in enumerate(observed.keys):
            for number in chain(key.chain, key.tail):
                self.written.setdefault(number, []).append(k)
        self.session: dict[int, tuple[int, int]] = {}
        """For each transaction, the first one of its session, and its place there."""
        self.leads = {first for first, _ in observed.session_edges}
        for first, second in observed.session_edges:
            begin, at = self.session.setdefault(first, (first, 0))
            self.session[second] = begin, at + 1


class Part:
    """Some transactions, and what concerns them alone."""

    def __init__(self, members: Iterable[int], everything: Reads) -> None:
        self.members = sorted(members)
        self._inside = set(self.members)
        self.reads: dict[int, list[tuple[int, int]]] = {}
        """For each key that concerns some of them, the readers among them with the writers."""
        sessions: dict[int, list[tuple[int, int]]] = {}
        for number in self.members:
            for k in everything.written.get(number, ()):
                self.reads.setdefault(k, [])
            for k, writer in everything.sources.get(number, ()):
                self.reads.setdefault(k, []).append((number, writer))
            if number in everything.session:
                begin, at = everything.session[number]
                sessions.setdefault(begin, []).append((at, number))
        self.sessions: list[tuple[int, int]] = []
        for mine in sessions.values():
            for (_, first), (_, second) in pairwise(sorted(mine)):
                if first in everything.leads:
                    self.sessions.append((first, second))

    def __contains__(self, number: int) -> bool:
        return number in self._inside

    def __len__(self) -> int:
        return len(self.members)


def shorten(observed: Observed, steps: list[Step]) -> list[Step]:
    """Replaces a stretch of a cycle by one step in time, where its first transaction ended before its last
    one began."""
    while len(steps) > 2:
        best: tuple[int, int] | None = None
        for at, step in enumerate(steps):
            end = observed.transactions[step.source].end
            for length in range(len(steps) - 1, 1, -1):
                start = observed.transactions[steps[(at + length) % len(steps)].source].start
                if end is not None and start is not None and end < start:
                    if best is None or length > best[1]:
                        best = at, length
                    break
        if best is None:
            return steps
        at, length = best
        turned = steps[at:] + steps[:at]
        steps = [Step(turned[0].source, turned[length].source, "rt", None), *turned[length:]]
    return steps
