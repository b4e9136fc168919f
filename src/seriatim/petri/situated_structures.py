"""Distinguishes nodes of a structure by what is known about numbers of requests, from the start or the end.

`docs/theory/chains.md` says what a list of cases has to satisfy, and why the structure of the cases then has
all the runs. `explore` finds lists in the manner of Karp and Miller: a number that can grow for ever is no
longer known. They may be as coarse as one likes, so nothing depends on whether forgetting was justified.

A part of a structure *pumps* from a case if all numbers that can change at all can be made as large as one
likes there, and none of its edges is impossible then: Karp and Miller have nothing to tell.
"""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.certificate.chain_proofs import NodeCase
from seriatim.petri.situations import Direction, Numbers
from seriatim.petri.structures import Structure, StructureEdge, trim


class TooManyCases(Exception):
    """More than the caller wants."""


@dataclass(frozen=True, slots=True)
class Pumps:
    """A case in which all that can change is unknown, and from which every edge can be taken."""

    case: NodeCase


class StructureWalk:
    """A structure, walked along in one direction."""

    def __init__(self, given: Structure, direction: Direction) -> None:
        self.given = given
        self.is_forward = direction is Direction.FORWARD
        self.leaving: dict[int, list[int]] = {}
        for number, edge in enumerate(given.edges):
            node = edge.source if self.is_forward else edge.target
            self.leaving.setdefault(node, []).append(number)
        self.nobody: Numbers = (0,) * given.table.places
        self.unknown: Numbers = (None,) * given.table.places
        self.first = NodeCase(given.start if self.is_forward else given.end, self.nobody)
        self.last = given.end if self.is_forward else given.start

    def target(self, edge: StructureEdge) -> int:
        return edge.target if self.is_forward else edge.source

    def after(self, edge: StructureEdge, numbers: Numbers) -> Numbers | None:
        """Returns what is known on the other side of an edge; None if it is impossible."""
        if edge.move is None and not edge.guard:
            return numbers
        if self.is_forward:
            moved = move_request(numbers, self.given.find_taken(edge), self.given.find_given(edge))
            return None if moved is None else apply_guard(moved, edge)
        known = apply_guard(numbers, edge)
        return (
            None
            if known is None
            else move_request(known, self.given.find_given(edge), self.given.find_taken(edge))
        )

    def following(self, case: NodeCase) -> Iterator[tuple[int, int, Numbers]]:
        """(edge, node, numbers) for each edge that is possible."""
        for number in self.leaving.get(case.node, ()):
            edge = self.given.edges[number]
            numbers = self.after(edge, case.numbers)
            if numbers is not None:
                yield number, self.target(edge), numbers


def move_request(numbers: Numbers, taken: int | None, given: int | None) -> Numbers | None:
    """The numbers with one less and one more; None if there is nothing to take."""
    if taken is not None and numbers[taken] == 0:
        return None
    found = list(numbers)
    for place, change in ((taken, -1), (given, 1)):
        if place is not None and (number := found[place]) is not None:
            found[place] = number + change
    return tuple(found)


def apply_guard(numbers: Numbers, edge: StructureEdge) -> Numbers | None:
    """The numbers combined with the guard; None if it contradicts them."""
    found = list(numbers)
    for place, value in edge.guard:
        if found[place] not in (None, value):
            return None
        found[place] = value
    return tuple(found)


def fits(known: Numbers, numbers: Numbers) -> bool:
    return all(own is None or own == n for own, n in zip(known, numbers, strict=True))


COMPARED_BEFORE_PAUSE = 500
"""Pairs of cases: about as long as a question to the solver takes."""


def explore(
    walk: StructureWalk,
    nodes: frozenset[int],
    first: NodeCase,
    max_cases: int,
    rigid: frozenset[int] | None,
    deadline: Deadline,
) -> Generator[None, None, tuple[NodeCase, ...] | Pumps]:
    """Cases of some nodes, beginning with one of them: along edges between these nodes, there is always one
    that fits. If the places are given that cannot change for ever, may also say that the nodes pump.

    Pauses now and then: to compare many cases with each other takes long. Raises `TooManyCases`, or
    `OutOfBudget` after the deadline."""
    found = [first]
    came_from: dict[NodeCase, NodeCase | None] = {first: None}
    ancestors = {first: 1}
    """How many there are, each one's own case included."""
    by_node: dict[int, list[Numbers]] = {first.node: [first.numbers]}
    compared = 0
    if rigid is not None and pumps(walk, nodes, first, rigid):
        return Pumps(first)
    pending = [first]
    while pending:  # Depth first: long ways are those along which numbers grow, and are soon forgotten.
        deadline.check()
        case = pending.pop()
        for _, node, numbers in walk.following(case):
            if node not in nodes:
                continue
            reached = NodeCase(node, accelerate(node, numbers, case, came_from))
            known = by_node.setdefault(node, [])
            compared += ancestors[case] + len(known)
            if compared > COMPARED_BEFORE_PAUSE:
                compared = 0
                yield
            if any(fits(other, reached.numbers) for other in known):
                continue
            if rigid is not None and pumps(walk, nodes, reached, rigid):
                return Pumps(reached)
            if len(found) == max_cases:
                raise TooManyCases
            known.append(reached.numbers)
            found.append(reached)
            pending.append(reached)
            came_from[reached] = case
            ancestors[reached] = ancestors[case] + 1
    return tuple(found)


def accelerate(
    node: int, numbers: Numbers, parent: NodeCase, came_from: dict[NodeCase, NodeCase | None]
) -> Numbers:
    """Forgets the numbers that have grown since the same node with no number larger: what happened since can
    happen again."""
    current: NodeCase | None = parent
    while current is not None:
        if current.node == node:
            pairs = list(zip(current.numbers, numbers, strict=True))
            if all(now is None or (then is not None and then <= now) for then, now in pairs):
                numbers = tuple(now if then == now else None for then, now in pairs)
        current = came_from[current]
    return numbers


def pumps(walk: StructureWalk, nodes: frozenset[int], case: NodeCase, rigid: frozenset[int]) -> bool:
    """Whether nothing is known but rigid numbers, and with these all edges between the nodes are possible."""
    if any(number is not None and place not in rigid for place, number in enumerate(case.numbers)):
        return False
    seen = {case}
    pending = [case]
    possible: set[int] = set()
    while pending:
        for number, node, numbers in walk.following(pending.pop()):
            if node in nodes:
                possible.add(number)
                reached = NodeCase(node, numbers)
                if reached not in seen:
                    seen.add(reached)
                    pending.append(reached)
    inner = sum(e.source in nodes and e.target in nodes for e in walk.given.edges)
    return len(possible) == inner


def rigid_places(given: Structure, nodes: frozenset[int], first: int) -> frozenset[int]:
    """The places whose numbers are determined by the node: no cycle between the nodes changes them."""
    inner = [edge for edge in given.edges if edge.source in nodes and edge.target in nodes]
    leaving: dict[int, list[StructureEdge]] = {}
    for edge in inner:
        leaving.setdefault(edge.source, []).append(edge)
    offset = {first: [0] * given.table.places}
    pending = [first]
    while pending:
        node = pending.pop()
        for edge in leaving.get(node, ()):
            if edge.target not in offset:
                offset[edge.target] = _shift(given, edge, offset[node])
                pending.append(edge.target)
    changing: set[int] = set()
    for edge in inner:
        shifted = _shift(given, edge, offset[edge.source])
        changing.update(
            p for p, (a, b) in enumerate(zip(shifted, offset[edge.target], strict=True)) if a != b
        )
    return frozenset(range(given.table.places)) - changing


def _shift(given: Structure, edge: StructureEdge, numbers: list[int]) -> list[int]:
    shifted = list(numbers)
    for place, change in given.changes(edge):
        shifted[place] += change
    return shifted


def split_into_cases(walk: StructureWalk, cases: tuple[NodeCase, ...]) -> Structure:
    """The structure whose nodes are the cases, between a start and an end of its own."""
    by_node: dict[int, list[int]] = {}
    for index, case in enumerate(cases):
        by_node.setdefault(case.node, []).append(index)

    def first_fitting(node: int, numbers: Numbers) -> int:
        return next(i for i in by_node[node] if fits(cases[i].numbers, numbers))

    firsts: Iterable[int] = [first_fitting(walk.first.node, walk.nobody)]
    lasts: Iterable[int] = [i for i in by_node.get(walk.last, ()) if fits(cases[i].numbers, walk.nobody)]
    if not walk.is_forward:
        firsts, lasts = lasts, firsts
    end = len(cases) + 1
    edges = [StructureEdge(0, index + 1, None) for index in firsts]
    for index, case in enumerate(cases):
        for number, node, numbers in walk.following(case):
            other = first_fitting(node, numbers)
            source, target = (index, other) if walk.is_forward else (other, index)
            edge = walk.given.edges[number]
            edges.append(StructureEdge(source + 1, target + 1, edge.move, edge.guard))
    edges += [StructureEdge(index + 1, end, None) for index in lasts]
    return trim(Structure(walk.given.table, end + 1, tuple(edges), 0, end))
