"""Checks certificates about asynchronous programs; loads what checks a kind of evidence when it is met."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from seriatim.actions.syntax import ActionProgram, Proof
from seriatim.budget import Deadline
from seriatim.certificate.sequentialization import ActionRunEvidence, SequentialCertificate, digest
from seriatim.checking.obligation import Obligation, Report, report_on

if TYPE_CHECKING:
    from seriatim.arithmetic.solvers.named import SolverName

ProofReader = Callable[[ActionProgram, tuple[str, ...]], Proof]


def verify_sequential(
    certificate: SequentialCertificate,
    program: ActionProgram,
    read_proof: ProofReader,
    solvers: "tuple[SolverName, ...]",
    deadline: Deadline,
) -> Report:
    """Reports the obligations, up to the first one that does not hold. Raises `GaveUp`, `OutOfBudget`."""
    return report_on(_obligations(certificate, program, read_proof, solvers, deadline))


def _obligations(
    certificate: SequentialCertificate,
    program: ActionProgram,
    read_proof: ProofReader,
    solvers: "tuple[SolverName, ...]",
    deadline: Deadline,
) -> Iterator[Obligation]:
    same = certificate.digest == digest(program)
    yield Obligation("the certificate is about this program", same, "the digests differ" if not same else "")
    evidence = certificate.evidence
    if isinstance(evidence, ActionRunEvidence):
        from seriatim.checking.sequentialization.action_run import replay

        yield replay(evidence, program)
    else:
        from seriatim.checking.sequentialization.order import order_obligations

        proof = read_proof(program, evidence.proof)
        yield from order_obligations(program, proof, evidence, solvers, deadline)
