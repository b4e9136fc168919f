"""Distinguishes nodes of a structure by what is known about the numbers of requests at places.

`docs/theory/chains.md`, step Situated, has the claim and its proof. Forwards, a case says what is known from
what has been; backwards, from what is still to come.
"""

from dataclasses import replace

from seriatim.certificate.chain_proofs import Situated
from seriatim.checking.allowance import Allowance
from seriatim.checking.chains_structure import Edge, Structure, require_number, trim
from seriatim.checking.situations import Cases, Known, moved


def split_into_cases(structure: Structure, step: Situated, places: int, allowance: Allowance) -> Structure:
    """Builds the structure whose nodes are the cases, between a start and an end of its own."""
    for case in step.cases:
        require_number(case.node, structure.nodes, "node")
    numbered = [(case.node, case.numbers) for case in step.cases]
    cases = Cases(numbered, places, step.direction, allowance)
    start, end = structure.start, structure.end
    if cases.is_forward:
        starts, ends = [cases.first(start, cases.nobody)], cases.empty(end)
    else:
        starts, ends = cases.empty(start), [cases.first(end, cases.nobody)]
    edges = ((edge.source, edge.target, edge) for edge in structure.edges)
    known = afterwards if cases.is_forward else before
    last = len(step.cases) + 1
    between = (replace(edge, source=a + 1, target=b + 1) for a, edge, b in cases.edges(edges, known))
    entries, exits = (
        (Edge(0, case + 1, None) for case in starts),
        (Edge(case + 1, last, None) for case in ends),
    )
    return trim((*entries, *between, *exits), 0, last)


def afterwards(edge: Edge, known: Known) -> Known | None:
    """Returns what is known after an edge; None if it can't be taken."""
    changed = moved(known, edge.takes, edge.gives)
    return None if changed is None else restricted(changed, edge)


def before(edge: Edge, known: Known) -> Known | None:
    """Returns what is known before an edge; None if it can't have been taken."""
    guarded = restricted(known, edge)
    return None if guarded is None else moved(guarded, edge.gives, edge.takes)


def restricted(known: Known, edge: Edge) -> Known | None:
    """Returns what is known, together with the guard of an edge; None if the guard contradicts it."""
    changed = list(known)
    for place, number in edge.guard:
        if changed[place] not in (None, number):
            return None
        changed[place] = number
    return tuple(changed)
