"""Checks certificates about asynchronous programs; loads what checks a kind of evidence when it is met."""

from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from seriatim.actions.printer import digest
from seriatim.actions.syntax import ActionProgram, Proof
from seriatim.budget import Deadline
from seriatim.certificate.action_run import ActionRunEvidence
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.sequentialization import OrderEvidence
from seriatim.checking.obligation import Obligation, Report, report_on
from seriatim.properties.statement import CoveredByOrder

if TYPE_CHECKING:
    from seriatim.arithmetic.solvers.named import SolverName

ProofReader = Callable[[ActionProgram, tuple[str, ...]], Proof]


def verify_sequential(
    certificate: Certificate,
    program: ActionProgram,
    read_proof: ProofReader,
    solvers: "tuple[SolverName, ...]",
    deadline: Deadline,
) -> Report:
    """Reports the obligations, up to the first one that does not hold. Raises `GaveUp`, `OutOfBudget`."""
    return report_on(_obligations(certificate, program, read_proof, solvers, deadline))


def _obligations(
    certificate: Certificate,
    program: ActionProgram,
    read_proof: ProofReader,
    solvers: "tuple[SolverName, ...]",
    deadline: Deadline,
) -> Iterator[Obligation]:
    yield Obligation("the certificate is about this program", *_is_about(certificate, program))
    evidence = certificate.evidence
    if isinstance(evidence, ActionRunEvidence):
        yield _load("action_run").replay(evidence, program)
    elif isinstance(evidence, OrderEvidence):
        proof = read_proof(program, evidence.proof)
        yield from _load("order").order_obligations(program, proof, evidence, solvers, deadline)


def _load(checker: str) -> ModuleType:
    """The module that checks a kind of evidence; a certificate rests on no other one."""
    return import_module(f"seriatim.checking.sequentialization.{checker}")


def _is_about(certificate: Certificate, program: ActionProgram) -> tuple[bool, str]:
    """Whether a certificate can be about a program, and if not, why."""
    evidence = certificate.evidence
    if not isinstance(certificate.question.states(), CoveredByOrder):
        return False, "it answers another question"
    if not isinstance(evidence, OrderEvidence | ActionRunEvidence):
        return False, f"evidence of the kind `{evidence.kind}` is not about asynchronous programs"
    holds, fails = certificate.question.verdicts
    if certificate.verdict != (holds if evidence.proves else fails):
        return False, f"evidence of the kind `{evidence.kind}` is for another verdict"
    return (True, "") if certificate.digest == digest(program) else (False, "the digests differ")
