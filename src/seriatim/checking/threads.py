"""Evidence about programs with threads: which kind is checked how. What checks a kind is loaded with it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, assert_never

from seriatim.checking.context import Context
from seriatim.checking.obligation import Obligation
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.properties.statement import NeverFails, Statement

if TYPE_CHECKING:
    from seriatim.certificate.evidence import Evidence
    from seriatim.certificate.thread_reduction import ThreadProof


def thread_obligations(
    program: ThreadProgram, statement: Statement, evidence: "Evidence", context: Context
) -> Iterator[Obligation]:
    """What evidence has to show about threads."""
    if not isinstance(statement, NeverFails):
        detail = "for threads, the only property is `safe`"
        yield Obligation("the question is one about threads", False, detail)
        return
    match evidence.kind:
        case "thread-run":
            from seriatim.checking.thread_run import thread_run_obligations

            yield from thread_run_obligations(program, evidence, context.allowance)
        case "thread-reduction":
            from seriatim.checking.thread_reduction import thread_reduction_obligations

            yield from thread_reduction_obligations(
                program, evidence, lambda smaller, proof: proof_obligations(smaller, proof, context)
            )
        case "thread-cover" | "thread-pairs" | "thread-modular" | "petrified":
            yield from proof_obligations(program, evidence, context)
        case _:
            about_others = f"`{evidence.kind}` is about requests"
            yield Obligation("evidence of this kind is about threads", False, about_others)


def proof_obligations(program: ThreadProgram, proof: "ThreadProof", context: Context) -> Iterator[Obligation]:
    """What a proof that no step fails has to show."""
    match proof.kind:
        case "thread-cover":
            from seriatim.checking.thread_cover import thread_cover_obligations

            yield from thread_cover_obligations(program, proof, context.allowance)
        case "thread-pairs":
            from seriatim.checking.thread_pairs import thread_pairs_obligations

            yield from thread_pairs_obligations(program, proof, context.allowance)
        case "thread-modular":
            from seriatim.checking.thread_modular import thread_modular_obligations

            yield from thread_modular_obligations(program, proof, context)
        case "petrified":
            from seriatim.checking.petrified import petrified_obligations

            yield from petrified_obligations(program, proof, context)
        case _:
            assert_never(proof)
