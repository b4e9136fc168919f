"""Evidence of the kind `chains`: accepted if all is right, refused with a reason if anything is amiss."""

from dataclasses import replace
from functools import cache

from chain_inputs import chain_evidence
from counted_inputs import ALWAYS_ONE_LEFT, PROVED, proof
from seriatim.certificate.chains import (
    ChainNode,
)
from seriatim.certificate.format import Certificate, ChainEvidence, CoverEvidence, TreeEvidence
from seriatim.certificate.json_text import read, write
from seriatim.checking.verify import Report, verify
from seriatim.engines.root_product import root_product
from seriatim.engines.state_equation import state_equation
from seriatim.evidence.from_cover import counting_evidence
from seriatim.network.inputs import Input, digest, read_input
from seriatim.solvers.named import SolverName
from seriatim.source import SourceText

LISTED = "every move that complete runs can make is listed"
COVERED = "however a complete run goes, its outcome is in a cover"

Z3 = (SolverName.Z3,)


def content_of(text: str) -> Input:
    return read_input(SourceText("-", text))


@cache
def evidence_for(text: str) -> ChainEvidence:
    """With the covers that counting needs, and no proof to speak of."""
    found = counting_evidence(*proof(text, root_product if text == ALWAYS_ONE_LEFT else state_equation))
    claim = found.claim if isinstance(found, TreeEvidence) else found
    assert isinstance(claim, CoverEvidence)
    return chain_evidence(content_of(text), claim)


def report(
    text: str, evidence: ChainEvidence, limit: int = 100_000, solvers: tuple[SolverName, ...] = Z3
) -> Report:
    content = content_of(text)
    certificate = Certificate(digest(content), "serializable", evidence)
    assert read(write(certificate)) == certificate
    return verify(certificate, content, limit, solvers=solvers)


def complaint(text: str, proof: ChainNode) -> str:
    """Why a proof is refused; empty if it is accepted."""
    return report(text, replace(evidence_for(text), proof=proof)).complaint


# Lists

LOCK = PROVED["a lock"]


def test_counting_is_a_proof_in_one_step() -> None:
    found = report(LOCK, evidence_for(LOCK))
    assert found.accepted, found.complaint
    assert [obligation.claim for obligation in found.obligations[-2:]] == [LISTED, COVERED]
    assert found.obligations[-2].detail == "4 moves, 4 listed"
    assert found.obligations[-1].detail == "a proof in steps: 1 counted; z3 confirms 1 of 1 question"
    assert found.obligations[-1].confirmed_by == ("z3",)


def test_no_move_can_be_spared() -> None:
    evidence = evidence_for(LOCK)
    for index in range(len(evidence.moves)):
        fewer = replace(evidence, moves=evidence.moves[:index] + evidence.moves[index + 1 :])
        assert f"{LISTED}: not listed: at " in report(LOCK, fewer).complaint
