"""Structures: graphs whose paths are the ways that complete runs of a net with a control can go.

`docs/theory/chains.md` defines structures, their runs, trimming and levels; evidence refers to nodes and
edges by the numbers that they get here, and its checker builds the same structures by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from seriatim.certificate.chains import ListedMove
from seriatim.closure import reached
from seriatim.petri.controlled_net import ControlledNet
from seriatim.petri.net import PetriNet, Transition

Guard = frozenset[tuple[int, int]]
"""(place, number) after an edge."""

UNGUARDED: Guard = frozenset()


@dataclass(frozen=True, slots=True)
class StructureEdge:
    source: int
    target: int
    move: int | None
    guard: Guard = UNGUARDED


@dataclass(frozen=True, slots=True)
class MoveTable:
    """The moves of a net; control, other places and completions are numbered from 0 on."""

    moves: tuple[ListedMove, ...]
    controls: int
    places: int
    completions: tuple[int, ...]
    """What the answers of moves stand for."""


@dataclass(frozen=True, slots=True)
class Structure:
    """A graph with a start and an end, trimmed; empty if it has no nodes."""

    table: MoveTable
    nodes: int
    edges: tuple[StructureEdge, ...]
    start: int
    end: int

    def find_taken(self, edge: StructureEdge) -> int | None:
        """The place that an edge takes a request from, if any."""
        return None if edge.move is None else self.table.moves[edge.move].takes

    def find_given(self, edge: StructureEdge) -> int | None:
        """The place that an edge gives a request to, if any."""
        return None if edge.move is None else self.table.moves[edge.move].gives

    def changes(self, edge: StructureEdge) -> Iterator[tuple[int, int]]:
        """(place, change of its number), where that is not 0."""
        taken, given = self.find_taken(edge), self.find_given(edge)
        if taken != given:
            if taken is not None:
                yield taken, -1
            if given is not None:
                yield given, 1


def move_table(counted: ControlledNet) -> MoveTable:
    """The different transitions of a net in which each takes and gives at most one token besides that of the
    control, and every control is an end."""
    answers = {t: answer for answer, ts in enumerate(counted.answering.values()) for t in ts}

    def beside(places: tuple[int, ...]) -> int | None:
        return next((place - counted.control for place in places if place >= counted.control), None)

    def control(places: tuple[int, ...]) -> int:
        return next(place for place in places if place < counted.control)

    moves = dict.fromkeys(
        ListedMove(control(t.pre), beside(t.pre), control(t.post), beside(t.post), answers.get(index))
        for index, t in enumerate(counted.net.transitions)
    )
    return MoveTable(
        tuple(moves),
        counted.control,
        len(counted.net.places) - counted.control,
        tuple(counted.answering),
    )


def net_of(table: MoveTable) -> PetriNet:
    """A net whose transitions are the moves; control places come first."""
    places = table.controls + table.places

    def tokens(control: int, place: int | None) -> tuple[int, ...]:
        return (control,) if place is None else (control, table.controls + place)

    return PetriNet(
        tuple(f"p{place}" for place in range(places)),
        tuple(
            Transition(f"t{index}", tokens(move.before, move.takes), tokens(move.after, move.gives))
            for index, move in enumerate(table.moves)
        ),
        tuple(int(place == 0) for place in range(places)),
    )


def root(table: MoveTable) -> Structure:
    """Every complete run is a run of this one."""
    edges = [StructureEdge(move.before, move.after, index) for index, move in enumerate(table.moves)]
    edges += [StructureEdge(control, table.controls, None) for control in range(table.controls)]
    return trim(Structure(table, table.controls + 1, tuple(edges), 0, table.controls))


def trim(given: Structure) -> Structure:
    """Keeps what is on a way from the start to the end, renumbered in the same order."""
    useful = reached([given.start], ((e.source, e.target) for e in given.edges))
    useful &= reached([given.end], ((e.target, e.source) for e in given.edges))
    if given.end not in useful:
        return Structure(given.table, 0, (), 0, 0)
    number = {node: index for index, node in enumerate(sorted(useful))}
    kept = dict.fromkeys(
        StructureEdge(number[e.source], number[e.target], e.move, e.guard)
        for e in given.edges
        if e.source in useful and e.target in useful
    )
    return Structure(given.table, len(number), tuple(kept), number[given.start], number[given.end])


def component_levels(given: Structure) -> tuple[int, ...]:
    """For each node the number of its strongly connected component, in a topological order (Tarjan)."""
    following: list[list[int]] = [[] for _ in range(given.nodes)]
    for edge in given.edges:
        following[edge.source].append(edge.target)
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    closed: dict[int, int] = {}
    stack: list[int] = []
    components = 0
    for first in range(given.nodes):
        if first in index:
            continue
        trail = [(first, iter(following[first]))]
        index[first] = low[first] = len(index)
        stack.append(first)
        while trail:
            node, targets = trail[-1]
            target = next(targets, None)
            if target is not None:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    trail.append((target, iter(following[target])))
                elif target not in closed:
                    low[node] = min(low[node], index[target])
                continue
            trail.pop()
            if trail:
                low[trail[-1][0]] = min(low[trail[-1][0]], low[node])
            if low[node] == index[node]:
                while node not in closed:
                    closed[stack.pop()] = components
                components += 1
    return tuple(components - 1 - closed[node] for node in range(given.nodes))


def is_bridge(levels: tuple[int, ...], edge: StructureEdge) -> bool:
    return levels[edge.source] != levels[edge.target]


def chain(given: Structure, levels: tuple[int, ...], bridges: tuple[int, ...]) -> Structure:
    """The runs that change levels along these edges and along no others."""
    visited = {levels[given.start], *(levels[given.edges[bridge].target] for bridge in bridges)}
    return trim(
        replace(
            given,
            edges=tuple(
                edge
                for number, edge in enumerate(given.edges)
                if number in bridges or (levels[edge.source] in visited and not is_bridge(levels, edge))
            ),
        )
    )


def copy_level(
    given: Structure, levels: tuple[int, ...], level: int, counted: frozenset[int], times: int | None
) -> Structure:
    """The level is copied, so as to count how often some of its edges are taken; without a number of times
    only whether they are."""
    copies = 2 if times is None else times + 1
    first: list[int] = []
    """For each node the number of its first copy."""
    nodes = 0
    for node in range(given.nodes):
        first.append(nodes)
        nodes += copies if levels[node] == level else 1

    def copy_edge(number: int, edge: StructureEdge) -> Iterator[StructureEdge]:
        leaves, enters = levels[edge.source] == level, levels[edge.target] == level
        steps = [(0, 0)]
        if leaves and enters:
            steps = [(j, j) for j in range(copies)]
            if number in counted:
                steps = [(j, j + 1) for j in range(copies - 1)]
                if times is None:
                    steps.append((1, 1))
        elif leaves:
            steps = [(j, 0) for j in range(copies)]
        for before, after in steps:
            yield StructureEdge(
                first[edge.source] + before, first[edge.target] + after, edge.move, edge.guard
            )

    edges = [copy for number, edge in enumerate(given.edges) for copy in copy_edge(number, edge)]
    end = first[given.end]
    if levels[given.end] == level:
        edges += [StructureEdge(end + copy, nodes, None) for copy in range(copies)]
        end = nodes
        nodes += 1
    return trim(Structure(given.table, nodes, tuple(edges), first[given.start], end))


def fix_values(
    given: Structure, bridge: int, places: tuple[int, ...], values: tuple[tuple[int, ...], ...]
) -> Structure:
    """A copy of an edge for each tuple of numbers that these places can have after it."""
    edges: list[StructureEdge] = []
    for number, edge in enumerate(given.edges):
        if number != bridge:
            edges.append(edge)
            continue
        edges += [replace(edge, guard=edge.guard | set(zip(places, v, strict=True))) for v in values]
    return trim(replace(given, edges=tuple(edges)))
