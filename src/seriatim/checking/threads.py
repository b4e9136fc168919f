"""Evidence about programs with threads: which kind is checked how."""

from collections.abc import Iterator
from typing import assert_never

from seriatim.certificate.evidence import Evidence
from seriatim.certificate.petrified import PetrifiedEvidence
from seriatim.certificate.thread_cover import ThreadCoverEvidence
from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.certificate.thread_pairs import ThreadPairsEvidence
from seriatim.certificate.thread_reduction import ThreadProof, ThreadReductionEvidence
from seriatim.certificate.thread_run import ThreadRunEvidence
from seriatim.checking.context import Context
from seriatim.checking.obligation import Obligation
from seriatim.checking.petrified import petrified_obligations
from seriatim.checking.thread_cover import thread_cover_obligations
from seriatim.checking.thread_modular import thread_modular_obligations
from seriatim.checking.thread_pairs import thread_pairs_obligations
from seriatim.checking.thread_reduction import thread_reduction_obligations
from seriatim.checking.thread_run import thread_run_obligations
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.properties.statement import NeverFails, Statement


def thread_obligations(
    program: ThreadProgram, statement: Statement, evidence: Evidence, context: Context
) -> Iterator[Obligation]:
    """What evidence has to show about threads."""
    if not isinstance(statement, NeverFails):
        yield Obligation(
            "the question is one about threads", False, "for threads, the only property is `safe`"
        )
        return
    match evidence:
        case ThreadRunEvidence():
            yield from thread_run_obligations(program, evidence, context.allowance)
        case ThreadCoverEvidence() | ThreadPairsEvidence() | ThreadModularEvidence() | PetrifiedEvidence():
            yield from proof_obligations(program, evidence, context)
        case ThreadReductionEvidence():
            yield from thread_reduction_obligations(
                program, evidence, lambda smaller, proof: proof_obligations(smaller, proof, context)
            )
        case _:
            about_others = f"`{evidence.kind}` is about requests"
            yield Obligation("evidence of this kind is about threads", False, about_others)


def proof_obligations(program: ThreadProgram, proof: ThreadProof, context: Context) -> Iterator[Obligation]:
    """What a proof that no step fails has to show."""
    match proof:
        case ThreadCoverEvidence():
            yield from thread_cover_obligations(program, proof, context.allowance)
        case ThreadPairsEvidence():
            yield from thread_pairs_obligations(program, proof, context.allowance)
        case ThreadModularEvidence():
            yield from thread_modular_obligations(program, proof, context)
        case PetrifiedEvidence():
            yield from petrified_obligations(program, proof, context)
        case _:
            assert_never(proof)
