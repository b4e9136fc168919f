"""Levels whose orders of versions stay open: read uncommitted, read committed, monotonic atomic view, read
atomic, causal.

Each of them holds iff some total order of the transactions contains certain edges, that is, iff these have no
cycle:

- read uncommitted: the order of elements in each list that was read, as far as their transactions committed;
  where all lists of a key fit together, transactions whose elements nobody has read come after the others;
- read committed: wr, and what lists show of ww;
- read atomic: these, and t2 → t1 wherever some t3 read a key from t1 and anything from t2, and t2 wrote the
  key as well (Cerone, Bernardi and Gotsman; Biswas and Enea). A list is read from all its writers;
- monotonic atomic view: the same, where t3 read anything from t2 before it read the key;
- causal: the same, with "t2 came before t3 by sessions and reads" for "t3 read anything from t2"; and so.

For causal, each transaction has a vector: how far it has seen each session. Of each session, the last writer
of a key that it has seen stands for the earlier ones, which come before it.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

from seriatim.certificate.transactions import (
    Anomaly,
    Cycle,
    Cycles,
    Level,
    LevelEvidence,
    Step,
    TransactionOrder,
)
from seriatim.checking.history.transactions import key_text
from seriatim.history.transactions.graphs import Graph, Next, components, shortest_cycle, shortest_path
from seriatim.history.transactions.observe import INIT, Observed

WR, WW, SEEN = 0, 1, 2
SO = -2
MOST_STARTS = 20


def saturate(observed: Observed, level: Level) -> LevelEvidence:
    """Decides one of these levels, provided that no anomaly rules it out."""
    graph = Saturated(observed)
    match level:
        case Level.READ_UNCOMMITTED:
            clash = graph.add_elements()
            if clash is not None:
                return clash
        case Level.READ_COMMITTED:
            graph.add_reads()
            graph.add_known_orders()
        case Level.MONOTONIC_ATOMIC_VIEW:
            graph.add_reads()
            graph.add_known_orders()
            graph.add_seen(graph.seen_before())
        case Level.READ_ATOMIC:
            graph.add_reads()
            graph.add_known_orders()
            graph.add_seen(graph.directly_seen())
        case _:
            graph.add_reads()
            graph.add_sessions()
            if not graph.has_cycle():
                graph.add_seen(graph.causally_seen())
            graph.add_known_orders()
    return graph.evidence(level)


class Saturated(Graph):
    def __init__(self, observed: Observed) -> None:
        super().__init__(observed.size)
        self.observed = observed
        self.count = observed.size
        self.through: dict[int, tuple[int, int]] = {}
        """For an edge from what was seen: the reader, and the writer that it saw."""
        self.places = [{number: at for at, number in enumerate(key.chain)} for key in observed.keys]

    # --- edges ----------------------------------------------------------------------------------------------

    def add_elements(self) -> Anomaly | None:
        """The order of elements of committed transactions in all lists; an anomaly if a list has one twice,
        or those of a transaction in another order."""
        for k, key in enumerate(self.observed.keys):
            for reader, elements in [(key.longest_reader, key.longest), *key.clashes]:
                writes = [key.writers[e] for e in elements if self._is_committed(key.writers[e][0])]
                for (first, place), (second, later) in pairwise(writes):
                    if first != second:
                        self.add(first, second, 4 * k + WW)
                    elif place == later:
                        return Anomaly("duplicate", (reader,), key_text(key.name))
                    elif place > later:
                        return Anomaly("torn", (reader,), key_text(key.name))
                if len(set(writes)) < len(writes):
                    return Anomaly("duplicate", (reader,), key_text(key.name))
            if not key.clashes:
                known = [n for n in (key.writers[e][0] for e in key.longest) if self._is_committed(n)]
                read = {key.writers[element][0] for element in key.longest}
                for number in key.last:
                    if known and number not in read and self._is_committed(number):
                        self.add(known[-1], number, 4 * k + WW)
        return None

    def _is_committed(self, number: int) -> bool:
        return self.observed.transactions[number].status == "ok"

    def add_reads(self) -> None:
        for reader, k, writer in self.observed.reads_from:
            if writer != INIT:
                self.add(writer, reader, 4 * k + WR)

    def add_known_orders(self) -> None:
        for k, key in enumerate(self.observed.keys):
            for first, second in zip(key.chain, key.chain[1:], strict=False):
                self.add(first, second, 4 * k + WW)
            for number in key.tail if key.chain else ():
                self.add(key.chain[-1], number, 4 * k + WW)

    def add_sessions(self) -> None:
        for first, second in self.observed.session_edges:
            self.add(first, second, SO)

    def add_seen(self, seen: Iterator[tuple[int, int, int, int]]) -> None:
        """Edges from what a transaction saw to what it read; nothing comes before the initial version, so
        what should is linked to itself."""
        for reader, k, read, other in seen:
            places = self.places[k]
            if read in places and other in places and places[other] < places[read]:
                continue
            self.through[len(self.sources)] = reader, other
            self.add(other, other if read == INIT else read, 4 * k + SEEN)

    # --- what a transaction saw -----------------------------------------------------------------------------

    def sources_of(self, k: int, writer: int) -> list[int]:
        """The transactions whose writes make up a version."""
        if writer == INIT:
            return []
        if not self.observed.log.has_lists:
            return [writer]
        return self.observed.keys[k].chain[: self.places[k][writer] + 1]

    def directly_seen(self) -> Iterator[tuple[int, int, int, int]]:
        """(reader, key, writer that it read from, another writer of the key that it read anything from)."""
        reads: dict[int, list[tuple[int, int]]] = {}
        for reader, k, writer in self.observed.reads_from:
            reads.setdefault(reader, []).append((k, writer))
        for reader, rows in reads.items():
            if len(rows) < 2:
                continue
            sources = {number for k, writer in rows for number in self.sources_of(k, writer)}
            for k, writer in rows:
                last = self.observed.keys[k].last
                for other in sources:
                    if other not in (writer, reader) and other in last:
                        yield reader, k, writer, other

    def seen_before(self) -> Iterator[tuple[int, int, int, int]]:
        """The same, where the reader read from the other writer before it read the key."""
        reads: dict[int, list[tuple[int, int]]] = {}
        for reader, k, writer in self.observed.reads_from:
            reads.setdefault(reader, []).append((k, writer))
        for reader, rows in reads.items():
            seen: dict[int, None] = {}
            for k, writer in rows:
                last = self.observed.keys[k].last
                for other in seen:
                    if other not in (writer, reader) and other in last:
                        yield reader, k, writer, other
                seen.update(dict.fromkeys(self.sources_of(k, writer)))

    def causally_seen(self) -> Iterator[tuple[int, int, int, int]]:
        """The same, where the other writer came before the reader by sessions and reads."""
        order, places = self._sessions()
        clocks = self._clocks(order, places)
        writers: list[dict[int, list[tuple[int, int]]]] = []
        for key in self.observed.keys:
            mine: dict[int, list[tuple[int, int]]] = {}
            for number in key.last:
                if self.observed.happened[number]:
                    session, at = places[number]
                    mine.setdefault(session, []).append((at, number))
            for rows in mine.values():
                rows.sort()
            writers.append(mine)
        for reader, k, read in self.observed.reads_from:
            clock, (session, at) = clocks[reader], places[reader]
            for other_session, rows in writers[k].items():
                upto = at - 1 if session == other_session else clock.get(other_session, -1)
                found = bisect_right(rows, (upto, self.count)) - 1
                if found >= 0 and rows[found][1] not in (read, reader):
                    yield reader, k, read, rows[found][1]

    def _sessions(self) -> tuple[list[int], dict[int, tuple[int, int]]]:
        """An order of transactions by sessions and reads, and the session of each with its place there."""
        order, _ = self._past_graph().strip()
        places: dict[int, tuple[int, int]] = {}
        follows = {second: first for first, second in self.observed.session_edges}
        lengths: list[int] = []
        for number in order:
            if number >= self.count:
                continue
            before = follows.get(number)
            is_last_known = before is not None and places[before][1] + 1 == lengths[places[before][0]]
            if before is not None and is_last_known:
                session = places[before][0]
            else:
                session = len(lengths)
                lengths.append(0)
            places[number] = session, lengths[session]
            lengths[session] += 1
        return order, places

    def _past_graph(self) -> Graph:
        """Sessions and reads; a list is read from all its writers, by nodes along the chain of writers."""
        graph = Graph(self.count)
        for first, second in self.observed.session_edges:
            graph.add(first, second, SO)
        nodes: list[dict[int, int]] = [{} for _ in self.observed.keys]
        for k, key in enumerate(self.observed.keys):
            previous = -1
            for number in key.chain:
                nodes[k][number] = graph.node()
                graph.add(number, nodes[k][number], 4 * k + WR)
                if previous >= 0:
                    graph.add(previous, nodes[k][number], 4 * k + WR)
                previous = nodes[k][number]
        for reader, k, writer in self.observed.reads_from:
            if writer != INIT:
                graph.add(nodes[k].get(writer, writer), reader, 4 * k + WR)
        return graph

    def _clocks(self, order: list[int], places: dict[int, tuple[int, int]]) -> list[dict[int, int]]:
        """How far each transaction has seen each session."""
        graph = self._past_graph()
        clocks: list[dict[int, int]] = [{} for _ in range(graph.size)]
        following: list[list[int]] = [[] for _ in range(graph.size)]
        for source, target in zip(graph.sources, graph.targets, strict=True):
            following[source].append(target)
        for node in order:
            clock = clocks[node]
            if node < self.count:
                session, at = places[node]
                clock = {**clock, session: max(at, clock.get(session, -1))}
                clocks[node] = clock
            for target in following[node]:
                other = clocks[target]
                for session, at in clock.items():
                    if other.get(session, -1) < at:
                        other[session] = at
        return clocks

    # --- evidence -------------------------------------------------------------------------------------------

    def has_cycle(self) -> bool:
        return (
            len(self._past_graph().strip()[0]) < self._past_graph().size or len(self.strip()[0]) < self.size
        )

    def evidence(self, level: Level) -> LevelEvidence:
        order, degree = self.strip()
        if len(order) == self.size:
            kept = tuple(n for n in order if self._happened(n, level))
            return TransactionOrder(level, kept)
        following = self.following(degree)
        best: list[int] | None = None
        for part in components([node for node in range(self.size) if degree[node]], following):
            inside = set(part)
            for start in part[:MOST_STARTS]:
                cycle = shortest_cycle(start, following, inside)
                if cycle is not None and (best is None or len(cycle) < len(best)):
                    best = cycle
        assert best is not None
        past: Next = {}
        if level is Level.CAUSAL:
            self._past = self._past_graph()
            past = self._past.following([1] * self._past.size)
        return Cycles((Cycle(tuple(self._step(edge, past) for edge in best), ()),), ())

    def _happened(self, number: int, level: Level) -> bool:
        if level is Level.READ_UNCOMMITTED:
            return self._is_committed(number)
        return self.observed.happened[number]

    def _step(self, edge: int, past: Next) -> Step:
        source, target, label = self.sources[edge], self.targets[edge], self.labels[edge]
        if label == SO:
            return Step(source, target, "so", None)
        name = key_text(self.observed.keys[label // 4].name)
        if label % 4 != SEEN:
            return Step(source, target, ("wr", "ww")[label % 4], name)
        reader, other = self.through[edge]
        return Step(source, target, "seen", name, self._path(other, reader, past))

    def _path(self, start: int, reader: int, past: Next) -> tuple[Step, ...]:
        """How a reader came to depend on a transaction."""
        if not past:
            for number, k, writer in self.observed.reads_from:
                if number == reader and start in self.sources_of(k, writer):
                    return (Step(start, reader, "wr", key_text(self.observed.keys[k].name)),)
        edges = shortest_path(start, reader, past)
        assert edges is not None
        found: list[Step] = []
        begun = start, 0
        for edge in edges:
            source, target, label = (
                self._past.sources[edge],
                self._past.targets[edge],
                self._past.labels[edge],
            )
            if source < self.count:
                begun = source, label
            if target < self.count:
                name = None if begun[1] == SO else key_text(self.observed.keys[begun[1] // 4].name)
                found.append(Step(begun[0], target, "so" if name is None else "wr", name))
        return tuple(found)
