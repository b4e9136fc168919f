"""The checker's one question: does a certificate prove its verdict about an input?

Trusted, besides this package: the parser and the printer of programs, the reader and the writer of network
systems, the interpreter, and the liveness of locals; for evidence of the kinds `tree`, `linear-cover` and
`chains` also `seriatim.arithmetic.linear_sets`, and for the latter two, and runs of very many requests, a
solver: z3 unless the caller wants another one, or several, or none.
"""

from collections.abc import Iterator
from typing import assert_never

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline
from seriatim.certificate.format import (
    AtomicEvidence,
    Certificate,
    ChainEvidence,
    CommitEvidence,
    CoverEvidence,
    CycleEvidence,
    Evidence,
    FoldedRunEvidence,
    Invariant,
    NoCycleEvidence,
    PointsEvidence,
    ReductionEvidence,
    RunEvidence,
    TreeEvidence,
)
from seriatim.checking.actions import Acts, ProgramActs, SystemActs
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.asked import Asked, asked, observed_names, specified
from seriatim.checking.atomic import no_yield
from seriatim.checking.chains import chain_obligations
from seriatim.checking.commit import commit_obligations
from seriatim.checking.cycle import cycle_obligations
from seriatim.checking.faults import no_faults
from seriatim.checking.folded_run import folded_run_obligations
from seriatim.checking.linear_cover import cover_obligations
from seriatim.checking.no_cycle import no_cycle_obligations
from seriatim.checking.obligation import Obligation, Report
from seriatim.checking.points import commits_at_marks, points_obligations
from seriatim.checking.reduction import reduction_obligations
from seriatim.checking.reference import BigSteps, Faults, ProgramReference, Reference, State, SystemReference
from seriatim.checking.run import run_obligations
from seriatim.checking.tree import tree_obligations
from seriatim.program.inputs import Input, digest
from seriatim.program.recursion import deep_recursion
from seriatim.program.semantics import big_steps, faults
from seriatim.program.specification import Specification
from seriatim.program.syntax import Program, has_faults, has_marks
from seriatim.properties.question import (
    ConflictSerializability,
    Linearizability,
    Serializability,
    StaticLinearizability,
    StrictSerializability,
    verdict_names,
)

__all__ = ["GaveUp", "Obligation", "Report", "verify"]


def verify(
    certificate: Certificate,
    content: Input,
    limit: int = 1_000_000,
    deadline: Deadline | None = None,
    solvers: tuple[SolverName, ...] = (SolverName.Z3,),
    big_steps: BigSteps = big_steps,
    faults: Faults = faults,
    specification: Specification | None = None,
) -> Report:
    """The obligations of a certificate, up to the first one that does not hold.

    What only a solver can tell holds if one of `solvers` confirms it and none contradicts; without solvers,
    it does not hold. Programs are executed by the definition of the language, unless a faster interpreter is
    given. If a specification is given, it has to be the one of the certificate. Raises `GaveUp` if all
    solvers give up, or if there are more than `limit` states to explore; `OutOfBudget` after the deadline.
    """
    allowance = Allowance(limit, deadline or Deadline())
    obligations: list[Obligation] = []
    with deep_recursion():
        for obligation in _obligations(
            certificate, content, specification, allowance, solvers, big_steps, faults
        ):
            obligations.append(obligation)
            if not obligation.holds:
                break
    return Report(tuple(obligations))


def _obligations(
    certificate: Certificate,
    content: Input,
    specification: Specification | None,
    allowance: Allowance,
    solvers: tuple[SolverName, ...],
    big_steps: BigSteps,
    faults: Faults,
) -> Iterator[Obligation]:
    if specification is not None:
        yield _about_this_specification(certificate, specification)
    yield _about_this_input(certificate, content)
    kind, is_proof = _kind(certificate.evidence)
    holds, fails = verdict_names(certificate.question)
    proved = holds if is_proof else fails
    yield Obligation(
        f"the verdict is {_words(certificate.verdict)}",
        certificate.verdict == proved,
        f"evidence of the kind `{kind}` is for {_words(proved)}",
    )
    if isinstance(content, Program):
        reference = ProgramReference(content, big_steps, faults)
        if is_proof and has_faults(content):
            yield no_faults(reference, _invariants(certificate.evidence), allowance)
        acts = ProgramActs(reference)
        yield from _answer(certificate, content, reference, reference, acts, allowance, solvers, big_steps)
    else:
        system = SystemReference(content)
        acts_of_system = SystemActs(system)
        yield from _answer(certificate, content, system, None, acts_of_system, allowance, solvers, big_steps)


def _answer(
    certificate: Certificate,
    content: Input,
    reference: Reference[State],
    program: ProgramReference | None,
    acts: Acts[State],
    allowance: Allowance,
    solvers: tuple[SolverName, ...],
    big_steps: BigSteps,
) -> Iterator[Obligation]:
    """What the evidence has to show about the question."""
    question = certificate.question
    match question:
        case Serializability() | StrictSerializability() | Linearizability():
            if isinstance(question, Serializability) and question.observed:
                yield observed_names(question.observed, reference.initial)
            here = asked(question, reference, big_steps, allowance)
            evidence = certificate.evidence
            yield from _evidence(evidence, here, content, reference, allowance, solvers, big_steps)
        case ConflictSerializability():
            yield from _conflicts(certificate.evidence, content, acts, allowance)
        case StaticLinearizability(specification=specification):
            evidence = certificate.evidence
            yield from _points(
                evidence, specification, content, reference, program, allowance, solvers, big_steps
            )
        case _:
            assert_never(question)


def _conflicts(
    evidence: Evidence, content: Input, acts: Acts[State], allowance: Allowance
) -> Iterator[Obligation]:
    """What the evidence has to show about conflicts."""
    match evidence:
        case AtomicEvidence():
            yield no_yield(content)
        case CycleEvidence():
            yield from cycle_obligations(acts, evidence, allowance)
        case NoCycleEvidence():
            yield from no_cycle_obligations(acts, evidence, allowance)
        case _:
            yield _about_something_else(evidence)


def _points(
    evidence: Evidence,
    specification: Specification,
    content: Input,
    reference: Reference[State],
    program: ProgramReference | None,
    allowance: Allowance,
    solvers: tuple[SolverName, ...],
    big_steps: BigSteps,
) -> Iterator[Obligation]:
    """What the evidence has to show about the points at which requests take effect.

    A run that nothing allowed explains, in time and with its pending requests, refutes all choices of
    points."""
    effects = specified(specification, big_steps, allowance)
    marked = program if isinstance(content, Program) and has_marks(content) else None
    match evidence:
        case RunEvidence(barriers=barriers):
            question = Linearizability(specification, len(barriers), pending=True)
            here = asked(question, reference, big_steps, allowance)
            yield from run_obligations(reference, evidence, here.runs, allowance, solvers)
        case CommitEvidence():
            yield from commit_obligations(reference, evidence, effects, allowance, in_all_runs=True)
            if marked is not None:
                yield commits_at_marks(marked, evidence, allowance)
        case PointsEvidence() if marked is not None:
            yield from points_obligations(marked, evidence, effects, allowance)
        case _:
            yield _about_something_else(evidence)


def _about_something_else(evidence: Evidence) -> Obligation:
    kind, _ = _kind(evidence)
    return Obligation("evidence of this kind is about this property", False, f"`{kind}` is about another one")


def _about_this_input(certificate: Certificate, content: Input) -> Obligation:
    claim = "the certificate is about this input"
    found, expected = digest(content), certificate.digest
    if found == expected:
        return Obligation(claim, True, f"SHA-256 of the input: {found}")
    what = "program" if isinstance(content, Program) else "network system"
    reason = f"this is not the {what} that the certificate was made for, or it has changed since"
    return Obligation(claim, False, f"{reason} (SHA-256 {found[:12]}…, not {expected[:12]}…)")


def _about_this_specification(certificate: Certificate, specification: Specification) -> Obligation:
    claim = "the certificate is about this specification"
    question = certificate.question
    if not isinstance(question, Linearizability | StaticLinearizability):
        return Obligation(claim, False, "it is about none")
    if question.specification.meaning == specification.meaning:
        return Obligation(claim, True, "its own is the same, but for comments and layout")
    return Obligation(claim, False, "its own is another one, or this one has changed since")


def _words(verdict: str) -> str:
    """A verdict as people read it, in quotation marks: it may begin with "not"."""
    return f'"{verdict.replace("_", " ")}"'


def _kind(evidence: Evidence) -> tuple[str, bool]:
    """The kind of the evidence, and whether it is for the property or against it."""
    match evidence:
        case RunEvidence():
            return "run", False
        case FoldedRunEvidence():
            return "folded-run", False
        case AtomicEvidence():
            return "atomic", True
        case CommitEvidence():
            return "commit", True
        case ReductionEvidence():
            return "reduction", True
        case CoverEvidence():
            return "linear-cover", True
        case TreeEvidence():
            return "tree", True
        case ChainEvidence():
            return "chains", True
        case CycleEvidence():
            return "cycle", False
        case NoCycleEvidence():
            return "no-cycle", True
        case PointsEvidence():
            return "points", False
        case _:
            assert_never(evidence)


def _invariants(evidence: Evidence) -> tuple[Invariant, ...]:
    """What may help to tell who can be in flight together; each is checked before it is used."""
    claim = evidence.claim if isinstance(evidence, TreeEvidence) else evidence
    without = RunEvidence | FoldedRunEvidence | AtomicEvidence | CycleEvidence | PointsEvidence
    return () if isinstance(claim, without) else claim.invariants


def _evidence(
    evidence: Evidence,
    question: Asked,
    content: Input,
    reference: Reference[State],
    allowance: Allowance,
    solvers: tuple[SolverName, ...],
    big_steps: BigSteps,
) -> Iterator[Obligation]:
    if isinstance(evidence, AtomicEvidence | ReductionEvidence) and not question.is_serial:
        yield Obligation("serial runs of the input are allowed", False, "a specification says what is")
        return
    match evidence:
        case RunEvidence():
            yield from run_obligations(reference, evidence, question.runs, allowance, solvers)
        case FoldedRunEvidence():
            yield from folded_run_obligations(reference, evidence, question.runs, allowance, solvers)
        case AtomicEvidence():
            yield no_yield(content)
        case CommitEvidence():
            yield from commit_obligations(
                question.committing, evidence, question.effects, allowance, question.in_all_runs
            )
        case ReductionEvidence():
            if isinstance(content, Program):
                program = ProgramReference(content, big_steps)
                yield from reduction_obligations(program, evidence, allowance)
            else:
                detail = "a network system has no variables of its own"
                yield Obligation("the input is a program", False, detail)
        case CoverEvidence():
            yield from cover_obligations(question.counted, evidence, question.words, allowance, solvers)
        case TreeEvidence():
            yield from tree_obligations(question.counted, evidence, question.words, allowance)
        case ChainEvidence():
            yield from chain_obligations(question.counted, evidence, question.words, allowance, solvers)
        case CycleEvidence() | NoCycleEvidence() | PointsEvidence():
            yield _about_something_else(evidence)
        case _:
            assert_never(evidence)
