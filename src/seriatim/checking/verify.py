"""The checker's one question: does a certificate prove its verdict about an input?

Trusted, besides this package: the parser and the printer of programs, the reader and the writer of network
systems, the interpreter, and the liveness of locals; for evidence of the kinds `tree`, `linear-cover` and
`chains` also `seriatim.linear_sets`, and for the latter two a solver, z3 unless the caller wants another one,
or several, or none.
"""

from collections.abc import Iterator
from typing import assert_never

from seriatim.budget import Deadline
from seriatim.certificate.format import (
    AtomicEvidence,
    Certificate,
    ChainEvidence,
    CommitEvidence,
    CoverEvidence,
    Evidence,
    Invariant,
    ReductionEvidence,
    RunEvidence,
    TreeEvidence,
)
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.atomic import no_yield
from seriatim.checking.chains import chain_obligations
from seriatim.checking.commit import commit_obligations
from seriatim.checking.faults import no_faults
from seriatim.checking.linear_cover import cover_obligations
from seriatim.checking.obligation import Obligation, Report
from seriatim.checking.reduction import reduction_obligations
from seriatim.checking.reference import BigSteps, Faults, ProgramReference, Reference, State, SystemReference
from seriatim.checking.run import run_obligations
from seriatim.checking.tree import tree_obligations
from seriatim.language.recursion import deep_recursion
from seriatim.language.semantics import big_steps, faults
from seriatim.language.syntax import Program, has_faults
from seriatim.network.inputs import Input, digest
from seriatim.solvers.named import SolverName

__all__ = ["GaveUp", "Obligation", "Report", "verify"]


def verify(
    certificate: Certificate,
    content: Input,
    limit: int = 1_000_000,
    deadline: Deadline | None = None,
    solvers: tuple[SolverName, ...] = (SolverName.Z3,),
    big_steps: BigSteps = big_steps,
    faults: Faults = faults,
) -> Report:
    """The obligations of a certificate, up to the first one that does not hold.

    What only a solver can tell holds if one of `solvers` confirms it and none contradicts; without solvers,
    it does not hold. Programs are executed by the definition of the language, unless a faster interpreter is
    given. Raises `GaveUp` if all solvers give up, or if there are more than `limit` states to explore;
    `OutOfBudget` after the deadline.
    """
    allowance = Allowance(limit, deadline or Deadline())
    obligations: list[Obligation] = []
    with deep_recursion():
        for obligation in _obligations(certificate, content, allowance, solvers, big_steps, faults):
            obligations.append(obligation)
            if not obligation.holds:
                break
    return Report(tuple(obligations))


def _obligations(
    certificate: Certificate,
    content: Input,
    allowance: Allowance,
    solvers: tuple[SolverName, ...],
    big_steps: BigSteps,
    faults: Faults,
) -> Iterator[Obligation]:
    yield _about_this_input(certificate, content)
    kind, proved = _kind(certificate.evidence)
    yield Obligation(
        f"the verdict is {_words(certificate.verdict)}",
        certificate.verdict == proved,
        f"evidence of the kind `{kind}` is for {_words(proved)}",
    )
    if isinstance(content, Program):
        reference = ProgramReference(content, big_steps, faults)
        if certificate.verdict == "serializable" and has_faults(content):
            yield no_faults(reference, _invariants(certificate.evidence), allowance)
        if isinstance(certificate.evidence, ReductionEvidence):
            yield from reduction_obligations(reference, certificate.evidence, allowance)
            return
        yield from _evidence(certificate.evidence, content, reference, allowance, solvers)
    else:
        yield from _evidence(certificate.evidence, content, SystemReference(content), allowance, solvers)


def _about_this_input(certificate: Certificate, content: Input) -> Obligation:
    claim = "the certificate is about this input"
    found, expected = digest(content), certificate.digest
    if found == expected:
        return Obligation(claim, True, f"SHA-256 of the input: {found}")
    what = "program" if isinstance(content, Program) else "network system"
    reason = f"this is not the {what} that the certificate was made for, or it has changed since"
    return Obligation(claim, False, f"{reason} (SHA-256 {found[:12]}…, not {expected[:12]}…)")


def _words(verdict: str) -> str:
    """A verdict as people read it, in quotation marks: it may begin with "not"."""
    return f'"{verdict.replace("_", " ")}"'


def _kind(evidence: Evidence) -> tuple[str, str]:
    """The kind of the evidence, and the verdict that it can be for."""
    match evidence:
        case RunEvidence():
            return "run", "not_serializable"
        case AtomicEvidence():
            return "atomic", "serializable"
        case CommitEvidence():
            return "commit", "serializable"
        case ReductionEvidence():
            return "reduction", "serializable"
        case CoverEvidence():
            return "linear-cover", "serializable"
        case TreeEvidence():
            return "tree", "serializable"
        case ChainEvidence():
            return "chains", "serializable"
        case _:
            assert_never(evidence)


def _invariants(evidence: Evidence) -> tuple[Invariant, ...]:
    """What may help to tell who can be in flight together; each is checked before it is used."""
    claim = evidence.claim if isinstance(evidence, TreeEvidence) else evidence
    return () if isinstance(claim, RunEvidence | AtomicEvidence) else claim.invariants


def _evidence(
    evidence: Evidence,
    content: Input,
    reference: Reference[State],
    allowance: Allowance,
    solvers: tuple[SolverName, ...],
) -> Iterator[Obligation]:
    match evidence:
        case RunEvidence(turns=turns):
            yield from run_obligations(reference, turns, allowance)
        case AtomicEvidence():
            yield no_yield(content)
        case CommitEvidence():
            yield from commit_obligations(reference, evidence, allowance)
        case ReductionEvidence():
            yield Obligation("the input is a program", False, "a network system has no variables of its own")
        case CoverEvidence():
            yield from cover_obligations(reference, evidence, allowance, solvers)
        case TreeEvidence():
            yield from tree_obligations(reference, evidence, allowance)
        case ChainEvidence():
            yield from chain_obligations(reference, evidence, allowance, solvers)
        case _:
            assert_never(evidence)
