"""Random small structures, their runs by brute force, and steps of proofs about them.

Runs are followed edge by edge, as `docs/theory/chains.md` defines them. The forger makes up proofs: what its
steps say is often right, because it looks at what the checker would build, and sometimes not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from random import Random

from seriatim.budget import Deadline
from seriatim.certificate.chain_counts import Counts, LevelCut, PrefixRow
from seriatim.certificate.chain_proofs import (
    Chain,
    ChainNode,
    Counted,
    Fixed,
    Layered,
    NodeCase,
    NoRuns,
    OutsideCover,
    Situated,
)
from seriatim.certificate.chains import ListedMove
from seriatim.checking.allowance import Allowance
from seriatim.checking.chains_cases import afterwards, before, split_into_cases
from seriatim.checking.chains_structure import (
    Edge,
    Structure,
    copy_level,
    fix_values,
    follow_chain,
    root,
)
from seriatim.checking.situations import Known, fits
from seriatim.closure import reached

Marking = tuple[int, ...]
Run = tuple[int, ...]
"""Edges by number."""


def allowance() -> Allowance:
    return Allowance(1_000_000, Deadline())


# Runs


def after(edge: Edge, marking: Marking) -> Marking | None:
    """The marking after an edge; None if a run can't take it."""
    changed = list(marking)
    if edge.takes is not None:
        changed[edge.takes] -= 1
        if changed[edge.takes] < 0:
            return None
    if edge.gives is not None:
        changed[edge.gives] += 1
    return tuple(changed) if all(changed[place] == number for place, number in edge.guard) else None


def markings(structure: Structure, places: int, run: Run) -> list[Marking]:
    """Before each edge and at the end; raises if this is no run."""
    found = [(0,) * places]
    for number in run:
        following = after(structure.edges[number], found[-1])
        assert following is not None
        found.append(following)
    return found


def runs(structure: Structure, places: int, moves: int) -> Iterator[Run]:
    """All runs with at most so many moves."""
    leaving: list[list[int]] = [[] for _ in range(structure.nodes)]
    for number, edge in enumerate(structure.edges):
        leaving[edge.source].append(number)
    nobody = (0,) * places
    pending: list[tuple[int, Marking, int, Run]] = []
    if structure.nodes > 0:
        pending.append((structure.start, nobody, moves, ()))
    while pending:
        node, marking, left, run = pending.pop()
        if node == structure.end and marking == nobody:
            yield run
        for number in leaving[node]:
            edge = structure.edges[number]
            following = after(edge, marking)
            rest = left - (edge.move is not None)
            if following is not None and rest >= sum(following):
                pending.append((edge.target, following, rest, (*run, number)))


Word = tuple[ListedMove, ...]


def word(structure: Structure, run: Run) -> Word:
    """The moves of a run."""
    carried = (structure.edges[number].move for number in run)
    return tuple(move for move in carried if move is not None)


def words(structure: Structure, places: int, moves: int) -> set[Word]:
    return {word(structure, run) for run in runs(structure, places, moves)}


# Structures


def random_moves(
    random: Random, globals_: int, places: int, completions: int, moves: int
) -> list[ListedMove]:
    """Distinct ones; requests enter and leave at each place."""
    somewhere: list[int | None] = [None, *range(places)]
    found: dict[ListedMove, None] = {}
    ends: list[tuple[int | None, int | None]] = [(None, place) for place in range(places)]
    ends.extend((place, None) for place in range(places))
    ends.extend((random.choice(somewhere), random.choice(somewhere)) for _ in range(moves))
    for takes, gives in ends:
        answer = random.randrange(completions) if gives is None else None
        move = ListedMove(random.randrange(globals_), takes, random.randrange(globals_), gives, answer)
        found[move] = None
    return list(found)


def random_root(random: Random, places: int) -> Structure:
    globals_ = random.randint(1, 3)
    return root(globals_, random_moves(random, globals_, places, 2, random.randint(0, 4)))


def levels_of(structure: Structure, random: Random) -> tuple[int, ...]:
    """From the start on, nodes can reach fewer and fewer others; some differences are forgotten."""
    edges = [(edge.source, edge.target) for edge in structure.edges]
    height = [structure.nodes - len(reached((node,), edges)) for node in range(structure.nodes)]
    merged = random.choice((1, 1, 1, 2, structure.nodes))
    return tuple(level // merged for level in height)


class Forger:
    """Makes up steps about a structure."""

    def __init__(self, random: Random, places: int, parts: Sequence[int] = ()) -> None:
        self.random = random
        self.places = places
        self.parts = parts
        """How many there are outside of each cover."""

    def some(self, entries: Sequence[int], share: float = 0.5) -> tuple[int, ...]:
        return tuple(entry for entry in entries if self.random.random() < share)

    def counts(self, structure: Structure) -> Counts:
        levels = levels_of(structure, self.random)
        known = sorted(set(levels))
        rows = [
            PrefixRow(level, place, side)
            for level in known
            for place in range(self.places)
            for side in ("entry", "exit")
            if self.random.random() < 0.7
        ]
        return Counts(levels, tuple(rows), tuple(self.cut(structure, levels) for _ in range(3)))

    def cut(self, structure: Structure, levels: tuple[int, ...]) -> LevelCut:
        """One that says something true: the siphon does not have the start, the trap not the end."""
        level = self.random.choice(levels)
        here = [node for node in range(structure.nodes) if levels[node] == level]
        places = self.some(range(self.places))
        if self.random.random() < 0.5:
            return LevelCut(level, "siphon", self.some([n for n in here if n != structure.start]), places)
        return LevelCut(level, "trap", self.some([n for n in here if n != structure.end]), places)

    def chains(self, structure: Structure, levels: tuple[int, ...], most: int = 6) -> list[tuple[int, ...]]:
        """Chains of bridges from the level of the start to that of the end."""
        found: list[tuple[int, ...]] = []
        pending: list[tuple[int, tuple[int, ...]]] = [(levels[structure.start], ())]
        while pending and len(found) < most:
            level, bridges = pending.pop()
            if level == levels[structure.end]:
                found.append(bridges)
            for number, edge in enumerate(structure.edges):
                if levels[edge.source] == level < levels[edge.target]:
                    pending.append((levels[edge.target], (*bridges, number)))
        return found

    def situated(self, structure: Structure, most: int = 60) -> Situated | None:
        """Cases that fit whatever can happen; numbers are forgotten when they get large, and at random. None
        if there are too many."""
        direction = self.random.choice(("forward", "backward"))
        is_forward = direction == "forward"
        bound = self.random.randint(0, 2)
        forgotten = self.some(range(self.places), 0.3)

        def case(node: int, known: Known) -> NodeCase:
            numbers = [None if n is None or n > bound or p in forgotten else n for p, n in enumerate(known)]
            return NodeCase(node, tuple(numbers))

        found = [case(structure.start if is_forward else structure.end, (0,) * self.places)]
        for current in found:
            for edge in structure.edges:
                here, there = (edge.source, edge.target) if is_forward else (edge.target, edge.source)
                step = afterwards if is_forward else before
                known = step(edge, current.numbers) if here == current.node else None
                if known is not None and not any(c.node == there and fits(c.numbers, known) for c in found):
                    found.append(case(there, known))
            if len(found) > most:
                return None
        return Situated("forward" if is_forward else "backward", tuple(found), NoRuns())

    def layered(self, structure: Structure) -> Layered | None:
        counts = self.counts(structure)
        level = self.random.choice(counts.levels)
        inner = [
            number
            for number, edge in enumerate(structure.edges)
            if counts.levels[edge.source] == level == counts.levels[edge.target]
        ]
        times = self.random.choice((None, 0, 1, 2))
        return Layered(counts, level, self.some(inner), times, NoRuns()) if inner else None

    def fixed(self, structure: Structure) -> Fixed | None:
        counts = self.counts(structure)
        bridges = [
            number
            for number, edge in enumerate(structure.edges)
            if counts.levels[edge.source] < counts.levels[edge.target]
        ]
        if not bridges:
            return None
        edge = self.random.choice(bridges)
        guarded = {place for place, _ in structure.edges[edge].guard}
        places = self.some([place for place in range(self.places) if place not in guarded], 0.8)[:3]
        every = product(range(self.random.randint(1, 3)), repeat=len(places))
        values = tuple(numbers for numbers in every if self.random.random() < 0.9)
        return Fixed(counts, edge, places, values, NoRuns())

    def refined(self, structure: Structure) -> Structure:
        """A structure that some step leads to, or the same if none does."""
        if structure.nodes == 0:
            return structure
        match self.random.randrange(5):
            case 0:
                levels = levels_of(structure, self.random)
                chains = self.chains(structure, levels)
                return follow_chain(structure, levels, self.random.choice(chains), allowance())
            case 1:
                cases = self.situated(structure)
                return (
                    structure
                    if cases is None
                    else split_into_cases(structure, cases, self.places, allowance())
                )
            case 2:
                layers = self.layered(structure)
                return structure if layers is None else copy_level(structure, layers, allowance())
            case _:
                fixed = self.fixed(structure)
                return structure if fixed is None else fix_values(structure, fixed, allowance())

    def proof(self, structure: Structure, depth: int) -> ChainNode:
        """Steps that are well formed, and wrong only in what they say."""
        if structure.nodes == 0:
            return NoRuns()
        rule = self.random.randrange(6) if depth > 0 else 0
        if rule == 1:
            cases = self.situated(structure)
            if cases is not None:
                child = split_into_cases(structure, cases, self.places, allowance())
                return replace(cases, proof=self.proof(child, depth - 1))
        if rule == 2:
            layers = self.layered(structure)
            if layers is not None:
                child = copy_level(structure, layers, allowance())
                return replace(layers, proof=self.proof(child, depth - 1))
        if rule == 3:
            fixed = self.fixed(structure)
            if fixed is not None:
                child = fix_values(structure, fixed, allowance())
                return replace(fixed, proof=self.proof(child, depth - 1))
        if rule == 4 and self.parts:
            cover = self.random.randrange(len(self.parts))
            parts = tuple(self.proof(structure, depth - 1) for _ in range(self.parts[cover]))
            return OutsideCover(cover, parts)
        counts = self.counts(structure)
        chains = self.chains(structure, counts.levels) if rule == 5 else []
        if chains and self.random.random() < 0.3:
            chains.pop()
        return Counted(
            counts,
            tuple(
                Chain(
                    bridges,
                    self.proof(follow_chain(structure, counts.levels, bridges, allowance()), depth - 1),
                )
                for bridges in chains
            ),
        )
