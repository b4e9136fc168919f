"""Counts of edges in a structure with levels: conditions that the counts of every run satisfy.

`docs/theory/chains.md`, theorem 2, says why. Variable i of the constraints is the count of edge i. E is how
many requests are at a place when a run comes to a level, X how many when it leaves it.
"""

from collections.abc import Iterator
from typing import assert_never

from seriatim.arithmetic.formula import (
    Clause,
    Constraint,
    Form,
    at_least,
    at_most,
    combination,
    is_zero,
    total,
)
from seriatim.certificate.chain_counts import Counts, LevelCut
from seriatim.checking.allowance import Allowance
from seriatim.checking.chains_structure import Structure, require_number
from seriatim.checking.obligation import DoesNotFollow


class LevelCounts:
    """The counts of a structure that is not empty; raises `DoesNotFollow` if levels fall."""

    def __init__(self, structure: Structure, counts: Counts, places: int, allowance: Allowance) -> None:
        self.structure = structure
        self.counts = counts
        self.places = places
        self.allowance = allowance
        if len(counts.levels) != structure.nodes:
            raise DoesNotFollow(f"has {len(counts.levels):,} levels for {structure.nodes:,} nodes")
        self.spans = [(counts.levels[edge.source], counts.levels[edge.target]) for edge in structure.edges]
        """The levels of the source and of the target of each edge."""
        if any(before > after for before, after in self.spans):
            raise DoesNotFollow("has levels that fall along an edge")
        self.changes: list[list[tuple[int, int]]] = [[] for _ in range(places)]
        """For each place, which edges change the number of requests there, and by how much."""
        for number, edge in enumerate(structure.edges):
            if edge.takes != edge.gives:
                for place, change in ((edge.takes, -1), (edge.gives, 1)):
                    if place is not None:
                        self.changes[place].append((number, change))

    def entry(self, level: int, place: int) -> Form:
        """E: changes by edges from below the level."""
        self.allowance.spend(1 + len(self.changes[place]) // 10)
        return Form(tuple((n, change) for n, change in self.changes[place] if self.spans[n][0] < level))

    def exit(self, level: int, place: int) -> Form:
        """X: changes by edges from below the level, and by those within it."""
        self.allowance.spend(1 + len(self.changes[place]) // 10)
        return Form(
            tuple(
                (n, change)
                for n, change in self.changes[place]
                if self.spans[n][0] < level or self.spans[n] == (level, level)
            )
        )

    def level_after(self, bridge: int) -> int:
        """The level to which a bridge leads."""
        before, after = self.spans[bridge]
        if before == after:
            raise DoesNotFollow(f"takes edge {bridge} for a bridge, but it stays at level {after}")
        return after

    def outcome(self, completions: int) -> tuple[Form, ...]:
        """How often each completion occurs."""
        answering: list[list[int]] = [[] for _ in range(completions)]
        for number, edge in enumerate(self.structure.edges):
            if edge.move is not None and edge.move.answer is not None:
                answering[edge.move.answer].append(number)
        return tuple(map(total, answering))

    def rows(self) -> Iterator[Constraint]:
        """Collects what holds of the counts of every run, without alternatives."""
        yield from self._balances()
        for row in self.counts.rows:
            require_number(row.place, self.places, "place")
            form = self.entry if row.side == "entry" else self.exit
            yield at_least(form(row.level, row.place), 0)

    def clauses(self) -> Iterator[Clause]:
        """The clauses of bridges and of cuts."""
        yield from self._at_bridges()
        yield from map(self._cut, self.counts.cuts)

    def _balances(self) -> Iterator[Constraint]:
        """Equations: runs enter nodes as often as they leave them, and places are empty at the end."""
        self.allowance.spend(1 + len(self.structure.edges) // 10)
        into: list[list[int]] = [[] for _ in range(self.structure.nodes)]
        out: list[list[int]] = [[] for _ in range(self.structure.nodes)]
        for number, edge in enumerate(self.structure.edges):
            into[edge.target].append(number)
            out[edge.source].append(number)
        for node in range(self.structure.nodes):
            once = int(node == self.structure.start) - int(node == self.structure.end)
            yield is_zero(combination([(1, total(into[node])), (-1, total(out[node]))], once))
        for changes in self.changes:
            yield is_zero(Form(tuple(changes)))

    def _at_bridges(self) -> Iterator[Clause]:
        """Clauses: a bridge is not taken, or its guard holds after it, and a request to move was there."""
        for number, (edge, (before, after)) in enumerate(zip(self.structure.edges, self.spans, strict=True)):
            if before == after:
                continue
            unused = at_most(total([number]), 0)
            for place, value in sorted(edge.guard):
                yield unused, is_zero(combination([(1, self.entry(after, place))], -value))
            if edge.takes is not None and edge.takes == edge.gives:
                yield unused, at_least(self.exit(before, edge.takes), 1)

    def _cut(self, cut: LevelCut) -> Clause:
        """The clause of a cut."""
        self._require_sense(cut)
        nodes, places = frozenset(cut.nodes), frozenset(cut.places)
        edges = self.structure.edges
        self.allowance.spend(1 + len(edges) // 10)
        inner = [number for number, span in enumerate(self.spans) if span == (cut.level, cut.level)]
        bridges = [number for number, (before, after) in enumerate(self.spans) if before < after]
        taking = {n for n in inner if edges[n].source in nodes or edges[n].takes in places}
        giving = {n for n in inner if edges[n].target in nodes or edges[n].gives in places}
        match cut.kind:
            case "siphon":
                touching, filling = taking, giving - taking
                crossing = [n for n in bridges if edges[n].target in nodes]
                tokens = [self.entry(cut.level, place) for place in sorted(places)]
            case "trap":
                touching, filling = giving, taking - giving
                crossing = [n for n in bridges if edges[n].source in nodes]
                tokens = [self.exit(cut.level, place) for place in sorted(places)]
            case _:
                assert_never(cut.kind)
        escapes = combination([(1, total([*filling, *crossing])), *((1, form) for form in tokens)])
        return at_most(total(touching), 0), at_least(escapes, 1)

    def _require_sense(self, cut: LevelCut) -> None:
        """Cuts hold if siphons are not about the start, and traps not about the end."""
        if cut.kind == "siphon" and self.structure.start in cut.nodes:
            raise DoesNotFollow("has a siphon about the start")
        if cut.kind == "trap" and self.structure.end in cut.nodes:
            raise DoesNotFollow("has a trap about the end")
        for node in cut.nodes:
            require_number(node, self.structure.nodes, "node")
            if self.counts.levels[node] != cut.level:
                raise DoesNotFollow(f"has a {cut.kind} about nodes that are not at level {cut.level}")
        for place in cut.places:
            require_number(place, self.places, "place")
