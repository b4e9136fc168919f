"""The proofs in evidence of the kind `chains`: the ways that complete runs can go, refined step by step.

`docs/theory/chains.md` defines all that is named here, proves each claim, and says how a reader of the
evidence rebuilds the structures that it speaks of: no structure is written down. Moves, global states,
places, completions, nodes, edges, covers and parts are numbered from 0 on, in the order of their lists.

A proof is written as a flat list of its steps: each step is followed by the proofs that it needs, in their
order, so that nothing nests however long a proof is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, assert_never

from seriatim.certificate.chain_counts import COUNTS, Counts, counts_fields, numbers, read_counts
from seriatim.certificate.counting import DIRECTIONS, Direction
from seriatim.strict_json import items, natural, natural_or_nothing, record, record_of_kind, wrong

Rule = Literal["no-runs", "counted", "situated", "layered", "fixed", "outside-cover"]
STEPS: dict[Rule, tuple[str, ...]] = {
    "no-runs": ("step",),
    "counted": ("step", *COUNTS, "chains"),
    "situated": ("step", "direction", "cases"),
    "layered": ("step", *COUNTS, "level", "edges", "times"),
    "fixed": ("step", *COUNTS, "edge", "places", "values"),
    "outside-cover": ("step", "cover", "parts"),
}
"""The keys of a step, by its rule."""
CASE = ("node", "numbers")
ONE_PROOF = "a list of the steps of one proof, each followed by the proofs that it needs"


@dataclass(frozen=True, slots=True)
class NoRuns:
    """The structure is empty: no path leads from its start to its end."""


@dataclass(frozen=True, slots=True)
class Chain:
    """The runs that change levels along these edges, in this order, and along no others."""

    bridges: tuple[int, ...]
    proof: "ChainNode"
    """A proof about the structure that consists of the levels between these edges."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Every run is in one of these chains, or its outcome is in a cover.

    Claim: no counts leave an edge of each chain unused and have an outcome in the region and in no cover.
    """

    counts: Counts
    chains: tuple[Chain, ...]


@dataclass(frozen=True, slots=True)
class NodeCase:
    """A node, and the number of requests at each place; None for any number."""

    node: int
    numbers: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Situated:
    """Nodes are told apart by what is known about the numbers of requests, from the start or from the end.

    Claim: the start, or the end, with nobody in flight fits a case, and so does whatever an edge that is
    possible in a case leads to, or comes from.
    """

    direction: Direction
    cases: tuple[NodeCase, ...]
    proof: "ChainNode"
    """A proof about the structure whose nodes are the cases."""


@dataclass(frozen=True, slots=True)
class Layered:
    """Some edges within a level are taken at most so many times; the level is copied, so as to count them.

    Claim: no counts in the region have a larger sum over these edges. If no number is given, nothing is
    claimed, and only whether such an edge has been taken yet is told apart.
    """

    counts: Counts
    level: int
    edges: tuple[int, ...]
    times: int | None
    proof: "ChainNode"
    """A proof about the structure with the copies."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """After an edge between levels, some places have one of these tuples of numbers; a copy of the edge for
    each.

    Claim: no counts in the region use the edge and have other numbers there.
    """

    counts: Counts
    edge: int
    places: tuple[int, ...]
    values: tuple[tuple[int, ...], ...]
    proof: "ChainNode"
    """A proof about the structure with the copies."""


@dataclass(frozen=True, slots=True)
class OutsideCover:
    """An outcome is in a cover, or in one of the parts that make up what is outside of it.

    Nothing is claimed: there is a proof for each part.
    """

    cover: int
    parts: tuple["ChainNode", ...]
    """Proofs about the same structure and the region with each part."""


ChainNode = NoRuns | Counted | Situated | Layered | Fixed | OutsideCover

Needed = tuple[ChainNode, ...]
"""The proofs that a step needs."""


def proof_fields(proof: ChainNode) -> list[dict[str, object]]:
    written: list[dict[str, object]] = []
    pending = [proof]
    while pending:
        rule, fields, needed = _step_fields(pending.pop())
        written.append(dict(zip(STEPS[rule], (rule, *fields), strict=True)))
        pending.extend(reversed(needed))
    return written


def _step_fields(step: ChainNode) -> tuple[Rule, tuple[object, ...], Needed]:
    """The rule, the values of its keys, and the proofs that it needs."""
    match step:
        case NoRuns():
            return "no-runs", (), ()
        case Counted(counts=counts, chains=chains):
            bridges = [chain.bridges for chain in chains]
            return "counted", (*counts_fields(counts), bridges), tuple(chain.proof for chain in chains)
        case Situated(direction=direction, cases=cases, proof=proof):
            numbered = [dict(zip(CASE, (case.node, case.numbers), strict=True)) for case in cases]
            return "situated", (direction, numbered), (proof,)
        case Layered(counts=counts, level=level, edges=edges, times=times, proof=proof):
            return "layered", (*counts_fields(counts), level, edges, times), (proof,)
        case Fixed(counts=counts, edge=edge, places=places, values=values, proof=proof):
            return "fixed", (*counts_fields(counts), edge, places, values), (proof,)
        case OutsideCover(cover=cover, parts=parts):
            return "outside-cover", (cover, len(parts)), parts
        case _:
            assert_never(step)


def read_proof(value: object, where: str) -> ChainNode:
    proofs: list[ChainNode] = []
    """The proofs read so far, from the end of the list; the last one comes first."""
    for count, build in reversed(items(value, where, _step)):
        if count > len(proofs):
            raise wrong(where, ONE_PROOF)
        proofs.append(build(tuple(proofs.pop() for _ in range(count))))
    if len(proofs) != 1:
        raise wrong(where, ONE_PROOF)
    return proofs[0]


def _step(value: object, where: str) -> tuple[int, Callable[[Needed], ChainNode]]:
    """How many proofs a step needs, and a function from these to the step."""
    rule, fields = record_of_kind(value, where, "step", STEPS)
    match rule:
        case "no-runs":
            return 0, lambda _: NoRuns()
        case "counted":
            counts = read_counts(fields)
            chains = fields.items("chains", numbers)
            return len(chains), lambda needed: Counted(counts, tuple(map(Chain, chains, needed)))
        case "situated":
            direction = fields.one_of("direction", DIRECTIONS)
            cases = fields.items("cases", _case)
            return 1, lambda needed: Situated(direction, cases, needed[0])
        case "layered":
            counts = read_counts(fields)
            level = fields.read("level", natural)
            edges = fields.read("edges", numbers)
            times = fields.read("times", natural_or_nothing)
            return 1, lambda needed: Layered(counts, level, edges, times, needed[0])
        case "fixed":
            counts = read_counts(fields)
            edge = fields.read("edge", natural)
            places = fields.read("places", numbers)
            values = fields.items("values", numbers)
            return 1, lambda needed: Fixed(counts, edge, places, values, needed[0])
        case "outside-cover":
            cover = fields.read("cover", natural)
            return fields.read("parts", natural), lambda needed: OutsideCover(cover, needed)
        case _:
            assert_never(rule)


def _case(value: object, where: str) -> NodeCase:
    fields = record(value, where, CASE)
    return NodeCase(
        node=fields.read("node", natural),
        numbers=fields.items("numbers", natural_or_nothing),
    )
