"""The proofs in evidence of the kind `chains`: the ways that complete runs can go, refined step by step.

`docs/theory/chains.md` defines all that is named here, proves each claim, and says how a reader of the
evidence rebuilds the structures that it speaks of: no structure is written down. Moves, global states,
places, completions, nodes, edges, covers and parts are numbered from 0 on, in the order of their lists.

A proof is written as a flat list of its steps: each step is followed by the proofs that it needs, in their
order, so that nothing nests however long a proof is.
"""

from dataclasses import dataclass
from typing import Annotated, assert_never

from seriatim.certificate.chain_counts import Counts, Numbers
from seriatim.certificate.counting import Direction
from seriatim.codec import Codec, Inline, Natural, Tagged, codec_of
from seriatim.strict_json import wrong

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

    node: Natural
    numbers: tuple[Natural | None, ...]


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


# A step as it is written: without the proofs that it needs, which follow


@dataclass(frozen=True, slots=True)
class CountedStep:
    counts: Annotated[Counts, Inline()]
    chains: tuple[Numbers, ...]
    """The bridges of each."""


@dataclass(frozen=True, slots=True)
class SituatedStep:
    direction: Direction
    cases: tuple[NodeCase, ...]


@dataclass(frozen=True, slots=True)
class LayeredStep:
    counts: Annotated[Counts, Inline()]
    level: Natural
    edges: Numbers
    times: Natural | None


@dataclass(frozen=True, slots=True)
class FixedStep:
    counts: Annotated[Counts, Inline()]
    edge: Natural
    places: Numbers
    values: tuple[Numbers, ...]


@dataclass(frozen=True, slots=True)
class OutsideStep:
    cover: Natural
    parts: Natural
    """How many proofs follow."""


Written = NoRuns | CountedStep | SituatedStep | LayeredStep | FixedStep | OutsideStep
Step = Annotated[
    Written,
    Tagged(
        "step",
        (
            ("no-runs", NoRuns),
            ("counted", CountedStep),
            ("situated", SituatedStep),
            ("layered", LayeredStep),
            ("fixed", FixedStep),
            ("outside-cover", OutsideStep),
        ),
    ),
]


def write_proof(proof: ChainNode) -> object:
    steps: list[Written] = []
    pending = [proof]
    while pending:
        step, needed = _take_apart(pending.pop())
        steps.append(step)
        pending.extend(reversed(needed))
    return codec_of(tuple[Step, ...]).write(tuple(steps))


def _take_apart(proof: ChainNode) -> tuple[Written, Needed]:
    match proof:
        case NoRuns():
            return proof, ()
        case Counted(counts=counts, chains=chains):
            bridges = tuple(chain.bridges for chain in chains)
            return CountedStep(counts, bridges), tuple(chain.proof for chain in chains)
        case Situated(direction=direction, cases=cases, proof=rest):
            return SituatedStep(direction, cases), (rest,)
        case Layered(counts=counts, level=level, edges=edges, times=times, proof=rest):
            return LayeredStep(counts, level, edges, times), (rest,)
        case Fixed(counts=counts, edge=edge, places=places, values=values, proof=rest):
            return FixedStep(counts, edge, places, values), (rest,)
        case OutsideCover(cover=cover, parts=parts):
            return OutsideStep(cover, len(parts)), parts
        case _:
            assert_never(proof)


def read_proof(value: object, where: str) -> ChainNode:
    proofs: list[ChainNode] = []
    """The proofs read so far, from the end of the list; the last one comes first."""
    for step in reversed(codec_of(tuple[Step, ...]).read(value, where)):
        count = count_needed(step)
        if count > len(proofs):
            raise wrong(where, ONE_PROOF)
        proofs.append(_put_together(step, tuple(proofs.pop() for _ in range(count))))
    if len(proofs) != 1:
        raise wrong(where, ONE_PROOF)
    return proofs[0]


def count_needed(step: Written) -> int:
    match step:
        case NoRuns():
            return 0
        case CountedStep(chains=chains):
            return len(chains)
        case OutsideStep(parts=parts):
            return parts
        case _:
            return 1


def _put_together(step: Written, needed: Needed) -> ChainNode:
    match step:
        case NoRuns():
            return step
        case CountedStep(counts=counts, chains=chains):
            return Counted(counts, tuple(map(Chain, chains, needed)))
        case SituatedStep(direction=direction, cases=cases):
            return Situated(direction, cases, needed[0])
        case LayeredStep(counts=counts, level=level, edges=edges, times=times):
            return Layered(counts, level, edges, times, needed[0])
        case FixedStep(counts=counts, edge=edge, places=places, values=values):
            return Fixed(counts, edge, places, values, needed[0])
        case OutsideStep(cover=cover):
            return OutsideCover(cover, needed)
        case _:
            assert_never(step)


Proof = Annotated[ChainNode, Codec(read_proof, write_proof, schema=tuple[Step, ...])]
