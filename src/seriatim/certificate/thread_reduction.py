"""Evidence of the kind `thread-reduction`: a proof about a smaller program, and what has gone."""

from dataclasses import dataclass
from typing import ClassVar, Literal, assert_never

from seriatim.certificate import petrified, thread_cover, thread_modular, thread_pairs
from seriatim.certificate.petrified import PetrifiedEvidence
from seriatim.certificate.thread_cover import ThreadCoverEvidence
from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.certificate.thread_pairs import ThreadPairsEvidence
from seriatim.strict_json import document, natural, record, string, wrong

KEYS = ("dropped", "fused", "proof")
VARIABLE = ("template", "name")
PLACE = ("template", "place")

ThreadProof = ThreadCoverEvidence | ThreadPairsEvidence | ThreadModularEvidence | PetrifiedEvidence


@dataclass(frozen=True, slots=True)
class ThreadReductionEvidence:
    """Safe: the program without these variables and places is, and they can go."""

    kind: ClassVar[Literal["thread-reduction"]] = "thread-reduction"
    proves: ClassVar[Literal[True]] = True

    dropped: tuple[tuple[str, str], ...]
    """Variables: a template and a local of it, or nothing and a global."""
    fused: tuple[tuple[str, int], ...]
    """Places that a thread passes in one step, in the order in which they go."""
    proof: ThreadProof
    """About what is left."""


MODULES = {
    ThreadCoverEvidence.kind: thread_cover,
    ThreadPairsEvidence.kind: thread_pairs,
    ThreadModularEvidence.kind: thread_modular,
    PetrifiedEvidence.kind: petrified,
}


def proof_fields(proof: ThreadProof) -> dict[str, object]:
    match proof:
        case ThreadCoverEvidence():
            return thread_cover.fields(proof)
        case ThreadPairsEvidence():
            return thread_pairs.fields(proof)
        case ThreadModularEvidence():
            return thread_modular.fields(proof)
        case PetrifiedEvidence():
            return petrified.fields(proof)
        case _:
            assert_never(proof)


def fields(evidence: ThreadReductionEvidence) -> dict[str, object]:
    dropped = [dict(zip(VARIABLE, each, strict=True)) for each in evidence.dropped]
    fused = [dict(zip(PLACE, each, strict=True)) for each in evidence.fused]
    proof = {"kind": evidence.proof.kind, **proof_fields(evidence.proof)}
    return dict(zip(KEYS, (dropped, fused, proof), strict=True))


def read(body: dict[str, object]) -> ThreadReductionEvidence:
    found = document(body, "the certificate", KEYS)
    return ThreadReductionEvidence(
        found.items("dropped", _read_variable),
        found.items("fused", _read_place),
        found.read("proof", _read_proof),
    )


def _read_variable(value: object, where: str) -> tuple[str, str]:
    fields = record(value, where, VARIABLE)
    return fields.read("template", string), fields.read("name", string)


def _read_place(value: object, where: str) -> tuple[str, int]:
    fields = record(value, where, PLACE)
    return fields.read("template", string), fields.read("place", natural)


def _read_proof(value: object, where: str) -> ThreadProof:
    if isinstance(value, dict):
        body = {key: each for key, each in value.items() if key != "kind"}
        kind = value.get("kind")
        if isinstance(kind, str) and kind in MODULES:
            proof: ThreadProof = MODULES[kind].read(body)
            return proof
    raise wrong(where, f"a proof of one of the kinds {', '.join(MODULES)}")
