"""Structures: graphs of moves whose paths from the start to the end are the ways that complete runs can go.

`docs/theory/chains.md` defines them, and what is built from them; evidence refers to nodes and edges by the
numbers that they get here. Whatever is built spends its size first: evidence asks for copies with few digits.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from seriatim.certificate.chain_proofs import ChainNode, Fixed, Layered
from seriatim.certificate.chains import ListedMove
from seriatim.checking.allowance import Allowance
from seriatim.checking.obligation import DoesNotFollow
from seriatim.closure import reached

Guard = frozenset[tuple[int, int]]
"""Pairs (place, number)."""

NO_GUARD: Guard = frozenset()


@dataclass(frozen=True, slots=True)
class Edge:
    source: int
    target: int
    move: ListedMove | None
    """The move of the edge; None if nothing moves."""
    guard: Guard = NO_GUARD
    """How many requests are at some places after the edge."""

    @property
    def takes(self) -> int | None:
        """The place that a request leaves."""
        return None if self.move is None else self.move.takes

    @property
    def gives(self) -> int | None:
        """The place that a request comes to."""
        return None if self.move is None else self.move.gives


@dataclass(frozen=True, slots=True)
class Structure:
    """Trimmed: each node is on a path from the start to the end; without nodes if no path exists."""

    nodes: int
    edges: tuple[Edge, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ProofStep:
    """A step of a proof, and the size of the structure that it is about."""

    number: int
    rule: str
    nodes: int
    edges: int
    step: ChainNode


def trim(edges: Iterable[Edge], start: int, end: int) -> Structure:
    """Keeps nodes and edges on paths from the start to the end, with new numbers in the same order."""
    distinct = tuple(dict.fromkeys(edges))
    kept = reached((start,), ((edge.source, edge.target) for edge in distinct))
    kept &= reached((end,), ((edge.target, edge.source) for edge in distinct))
    number = {node: index for index, node in enumerate(sorted(kept))}
    if not number:
        return Structure(0, (), 0, 0)
    return Structure(
        nodes=len(number),
        edges=tuple(
            replace(edge, source=number[edge.source], target=number[edge.target])
            for edge in distinct
            if edge.source in kept and edge.target in kept
        ),
        start=number[start],
        end=number[end],
    )


def root(globals_: int, moves: Iterable[ListedMove]) -> Structure:
    """The global states by number, from the first one on, and an end to which each of them leads."""
    edges = [Edge(move.before, move.after, move) for move in moves]
    edges.extend(Edge(state, globals_, None) for state in range(globals_))
    return trim(edges, 0, globals_)


def follow_chain(
    structure: Structure, levels: Sequence[int], bridges: tuple[int, ...], allowance: Allowance
) -> Structure:
    """Keeps the levels that a chain goes through, and its bridges, which are edges of the structure.

    Other levels go, as no bridge leads there. Raises `DoesNotFollow` if the bridges make no chain."""
    allowance.spend(1 + (structure.nodes + len(structure.edges)) // 10)
    level = levels[structure.start]
    for bridge in bridges:
        edge = structure.edges[bridge]
        if levels[edge.source] != level or levels[edge.target] == level:
            raise DoesNotFollow(f"has a chain in which edge {bridge} does not lead from its level to another")
        level = levels[edge.target]
    if level != levels[structure.end]:
        raise DoesNotFollow("has a chain that does not lead to the level of the end")
    chosen = set(bridges)
    edges = (
        edge
        for number, edge in enumerate(structure.edges)
        if number in chosen or levels[edge.source] == levels[edge.target]
    )
    return trim(edges, structure.start, structure.end)


def require_number(number: int, size: int, what: str) -> None:
    """Raises `DoesNotFollow` if there is nothing with this number."""
    if not 0 <= number < size:
        raise DoesNotFollow(f"refers to {what} {number:,}, but there are {size:,}")


def copy_level(structure: Structure, step: Layered, allowance: Allowance) -> Structure:
    """Copies a level, by how often counted edges have been taken, or by whether they have been."""
    levels, level, times = step.counts.levels, step.level, step.times
    for number in step.edges:
        require_number(number, len(structure.edges), "edge")
    counted = {structure.edges[number] for number in step.edges}
    if any((levels[edge.source], levels[edge.target]) != (level, level) for edge in counted):
        raise DoesNotFollow(f"counts edges that are not inner at level {level}")
    if times is not None and times < 0:
        raise DoesNotFollow(f"counts up to {times}")
    copies = 2 if times is None else times + 1
    allowance.spend(
        copies * (levels.count(level) + sum(levels[edge.source] == level for edge in structure.edges))
        + (structure.nodes + len(structure.edges)) // 10
    )

    def copied(edge: Edge) -> Iterator[tuple[int, int]]:
        """(copy of its source, copy of its target)."""
        if edge in counted:
            yield from ((copy, copy + 1) for copy in range(copies - 1))
            if times is None:
                yield 1, 1
        elif levels[edge.source] == level:
            stays = levels[edge.target] == level
            yield from ((copy, copy if stays else 0) for copy in range(copies))
        else:
            yield 0, 0

    # Each node has numbers for as many copies; trimming closes the gaps.
    edges = [
        replace(edge, source=edge.source * copies + before, target=edge.target * copies + after)
        for edge in structure.edges
        for before, after in copied(edge)
    ]
    end = structure.end * copies
    if levels[structure.end] == level:
        last = structure.nodes * copies
        edges.extend(Edge(end + copy, last, None) for copy in range(copies))
        end = last
    return trim(edges, structure.start * copies, end)


def fix_values(structure: Structure, step: Fixed, allowance: Allowance) -> Structure:
    """Copies an edge for each tuple of numbers that some places can have after it."""
    require_number(step.edge, len(structure.edges), "edge")
    edge = structure.edges[step.edge]
    if len(set(step.places)) < len(step.places):
        raise DoesNotFollow("names a place twice")
    if not {place for place, _ in edge.guard}.isdisjoint(step.places):
        raise DoesNotFollow("names a place that has a number already")
    if any(len(numbers) != len(step.places) for numbers in step.values):
        raise DoesNotFollow("has a tuple with a number too many, or too few")
    allowance.spend(1 + len(step.values) + len(structure.edges) // 10)
    copies = (
        replace(edge, guard=edge.guard.union(zip(step.places, numbers, strict=True)))
        for numbers in step.values
    )
    edges = (*structure.edges[: step.edge], *copies, *structure.edges[step.edge + 1 :])
    return trim(edges, structure.start, structure.end)
