"""Distinguishes nodes of a structure by what is known about the numbers of requests at places.

`docs/theory/chains.md`, step Situated, has the claim and its proof. Forwards, a case says what is known from
what has been; backwards, from what is still to come. Cases may come from anywhere: whatever can follow one,
or precede it, has to fit one.
"""

from collections.abc import Sequence

from seriatim.certificate.chain_proofs import NodeCase, Situated
from seriatim.certificate.chains import ListedMove
from seriatim.checking.allowance import Allowance
from seriatim.checking.chains_structure import (
    NO_GUARD,
    Edge,
    Guard,
    Structure,
    require_number,
    trimmed,
)
from seriatim.checking.obligation import DoesNotFollow
from seriatim.checking.situations import Known, fits, moved


def in_cases(structure: Structure, step: Situated, places: int, allowance: Allowance) -> Structure:
    """The structure whose nodes are the cases, between a start and an end of its own."""
    is_forward = step.direction == "forward"
    at = _by_node(structure, step.cases, places)
    nobody: Known = (0,) * places
    here, there = (structure.start, structure.end) if is_forward else (structure.end, structure.start)

    def first_fitting(node: int, known: Known) -> int:
        """The number of its node."""
        for number in at[node]:
            allowance.spend()
            if fits(step.cases[number], known):
                return number + 1
        raise DoesNotFollow(f"has no case for something that can happen at node {node}")

    outer, inner = (0, len(step.cases) + 1) if is_forward else (len(step.cases) + 1, 0)
    """Source and target of the comparison."""
    leaving = _leaving(structure, is_forward)
    entries = [_directed(outer, first_fitting(here, nobody), is_forward)]
    between: list[Edge] = []
    for number, case in enumerate(step.cases, 1):
        for edge in leaving[case.node]:
            known = afterwards(edge, case.numbers) if is_forward else before(edge, case.numbers)
            if known is not None:
                allowance.spend(1 + places // 10)
                other = first_fitting(edge.target if is_forward else edge.source, known)
                between.append(_directed(number, other, is_forward, edge.move, edge.guard))
    exits = [
        _directed(number + 1, inner, is_forward) for number in at[there] if fits(step.cases[number], nobody)
    ]
    edges = (*entries, *between, *exits) if is_forward else (*exits, *between, *entries)
    return trimmed(edges, 0, len(step.cases) + 1)


def _by_node(structure: Structure, cases: Sequence[NodeCase], places: int) -> list[list[int]]:
    """The numbers of the cases at each node."""
    at: list[list[int]] = [[] for _ in range(structure.nodes)]
    for number, case in enumerate(cases):
        require_number(case.node, structure.nodes, "node")
        if len(case.numbers) != places:
            raise DoesNotFollow("has a case with a number too many, or too few")
        at[case.node].append(number)
    return at


def _leaving(structure: Structure, is_forward: bool) -> list[list[Edge]]:
    """The edges from each node; backwards, those to it."""
    leaving: list[list[Edge]] = [[] for _ in range(structure.nodes)]
    for edge in structure.edges:
        leaving[edge.source if is_forward else edge.target].append(edge)
    return leaving


def _directed(
    here: int, there: int, is_forward: bool, move: ListedMove | None = None, guard: Guard = NO_GUARD
) -> Edge:
    """An edge between two nodes, in the direction of time."""
    source, target = (here, there) if is_forward else (there, here)
    return Edge(source, target, move, guard)


def afterwards(edge: Edge, known: Known) -> Known | None:
    """What is known after an edge; None if it can't be taken."""
    changed = moved(known, edge.takes, edge.gives)
    return None if changed is None else restricted(changed, edge)


def before(edge: Edge, known: Known) -> Known | None:
    """What is known before an edge; None if it can't have been taken."""
    guarded = restricted(known, edge)
    return None if guarded is None else moved(guarded, edge.gives, edge.takes)


def restricted(known: Known, edge: Edge) -> Known | None:
    """What is known, together with the guard of an edge; None if the guard contradicts it."""
    changed = list(known)
    for place, number in edge.guard:
        if changed[place] not in (None, number):
            return None
        changed[place] = number
    return tuple(changed)
