"""How often a run takes each edge of a structure: equations, rows and cuts that all runs satisfy.

`docs/theory/chains.md` states them and proves that they hold for runs. Variable e is the count of edge e.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from seriatim.arithmetic.formula import Clause, Form, at_least, at_most, combination, is_zero, total
from seriatim.certificate.chain_counts import LevelCut, PrefixRow
from seriatim.petri.cuts import spread
from seriatim.petri.structures import Structure, is_bridge

Row = PrefixRow | LevelCut


class LevelCounts:
    """Counts of edges as a relaxation of the runs of a structure; its cuts are rows and cuts of levels."""

    def __init__(self, given: Structure, levels: tuple[int, ...]) -> None:
        self.given = given
        self.levels = levels
        self.variables = len(given.edges)
        answering: dict[int, list[int]] = {answer: [] for answer in range(len(given.table.completions))}
        self._changes: list[list[tuple[tuple[int, bool], int, int]]] = [[] for _ in range(given.table.places)]
        """For each place (when, edge, change); when is (level of its source, whether it is a bridge)."""
        self.inner: dict[int, list[int]] = {}
        """For each level its edges."""
        for number, edge in enumerate(given.edges):
            if edge.move is not None and (answer := given.table.moves[edge.move].answer) is not None:
                answering[answer].append(number)
            if not is_bridge(levels, edge):
                self.inner.setdefault(levels[edge.source], []).append(number)
            for place, change in given.changes(edge):
                when = (levels[edge.source], is_bridge(levels, edge))
                self._changes[place].append((when, number, change))
        self.outcome: dict[int, Form] = {answer: total(edges) for answer, edges in answering.items()}
        self._prefixes: dict[tuple[int, int, bool], Form] = {}
        self.clauses: tuple[Clause, ...] = tuple(self._equations())

    def entry(self, level: int, place: int) -> Form:
        """The number of requests at a place when a run comes to a level, or passes over it."""
        return self._prefix(level, place, False)

    def exit(self, level: int, place: int) -> Form:
        """Their number when it leaves the level."""
        return self._prefix(level, place, True)

    def _prefix(self, level: int, place: int, with_inner: bool) -> Form:
        key = (level, place, with_inner)
        if key not in self._prefixes:
            self._prefixes[key] = combination(
                (change, Form(((edge, 1),)))
                for when, edge, change in self._changes[place]
                if when < (level, False) or (with_inner and when == (level, False))
            )
        return self._prefixes[key]

    def _equations(self) -> Iterator[Clause]:
        balances: list[list[tuple[int, Form]]] = [[] for _ in range(self.given.nodes)]
        for number, edge in enumerate(self.given.edges):
            balances[edge.target].append((1, Form(((number, 1),))))
            balances[edge.source].append((-1, Form(((number, 1),))))
        for node, balance in enumerate(balances):
            yield (is_zero(combination(balance, (node == self.given.start) - (node == self.given.end))),)
        for changes in self._changes:
            yield (is_zero(combination((change, Form(((edge, 1),))) for _, edge, change in changes)),)
        for number, edge in enumerate(self.given.edges):
            if not is_bridge(self.levels, edge):
                continue
            unused = at_most(total([number]), 0)
            for place, value in sorted(edge.guard):
                after = self.entry(self.levels[edge.target], place)
                yield unused, is_zero(combination([(1, after)], -value))
            taken = self.given.find_taken(edge)
            if taken is not None and taken == self.given.find_given(edge):
                yield unused, at_least(self.exit(self.levels[edge.source], taken), 1)

    def clause(self, cut: Row) -> Clause:
        """Returns what a row or a cut says."""
        if isinstance(cut, PrefixRow):
            prefix = self.entry if cut.side == "entry" else self.exit
            return (at_least(prefix(cut.level, cut.place), 0),)
        is_siphon = cut.kind == "siphon"
        nodes, places = set(cut.nodes), set(cut.places)
        first: list[int] = []
        second: list[int] = []
        for number in self.inner.get(cut.level, ()):
            before, after = self._ends(number, is_siphon)
            if before[0] in nodes or before[1] in places:
                first.append(number)
            elif after[0] in nodes or after[1] in places:
                second.append(number)
        second += [
            number
            for number, edge in enumerate(self.given.edges)
            if is_bridge(self.levels, edge) and (edge.target if is_siphon else edge.source) in nodes
        ]
        prefix = self.entry if is_siphon else self.exit
        marked = [(1, prefix(cut.level, place)) for place in cut.places]
        return at_most(total(first), 0), at_least(combination([(1, total(second)), *marked]), 1)

    def _ends(self, number: int, forwards: bool) -> tuple[tuple[int, int | None], tuple[int, int | None]]:
        """Returns what an edge takes and gives, a node and perhaps a place; backwards the other way round."""
        edge = self.given.edges[number]
        before, after = (edge.source, self.given.find_taken(edge)), (edge.target, self.given.find_given(edge))
        return (before, after) if forwards else (after, before)

    def broken_cuts(self, counts: Sequence[int]) -> Iterable[Row]:
        """All rows at used levels that these counts break; if there are none, cuts that they break."""
        used = sorted({self.levels[self.given.edges[e].source] for e in range(self.variables) if counts[e]})
        rows = list(self._broken_rows(used, counts))
        return rows or [cut for level in used for cut in self._broken_cuts(level, counts)]

    def _broken_rows(self, used: list[int], counts: Sequence[int]) -> Iterator[PrefixRow]:
        for place, changes in enumerate(self._changes):
            by_time: Counter[tuple[int, bool]] = Counter()
            for when, edge, change in changes:
                by_time[when] += change * counts[edge]
            for level in used:
                entering = sum(change for when, change in by_time.items() if when < (level, False))
                if entering < 0:
                    yield PrefixRow(level, place, "entry")
                if entering + by_time[level, False] < 0:
                    yield PrefixRow(level, place, "exit")

    def _broken_cuts(self, level: int, counts: Sequence[int]) -> Iterator[LevelCut]:
        inner = [number for number in self.inner.get(level, ()) if counts[number]]
        if not inner:
            return
        places = range(self.given.table.places)
        nodes = [node for node in range(self.given.nodes) if self.levels[node] == level]
        for forwards in (True, False):
            prefix = self.entry if forwards else self.exit
            marked = [self.given.nodes + p for p in places if prefix(level, p).value(counts) > 0]
            for number, edge in enumerate(self.given.edges):
                if counts[number] and is_bridge(self.levels, edge):
                    marked.append(edge.target if forwards else edge.source)
            marked.append(self.given.start if forwards else self.given.end)
            arcs = [tuple(map(self._spread_places, self._ends(number, forwards))) for number in inner]
            reached = spread(marked, [(before, after) for before, after in arcs])
            if any(not reached.issuperset(before) for before, _ in arcs):
                yield LevelCut(
                    level,
                    "siphon" if forwards else "trap",
                    tuple(node for node in nodes if node not in reached),
                    tuple(place for place in places if self.given.nodes + place not in reached),
                )

    def _spread_places(self, end: tuple[int, int | None]) -> tuple[int, ...]:
        node, place = end
        return (node,) if place is None else (node, self.given.nodes + place)
