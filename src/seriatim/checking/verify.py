"""The checker's one question: does a certificate prove its verdict about an input?

Trusted, besides this package: the parser and the printer of programs, the reader and the writer of network
systems, the interpreter, the liveness of locals, and what a step can touch; for evidence of the kind
`symmetric-commit` also normal forms of code and `seriatim.arithmetic.columns`; for evidence of the kinds
`tree`, `linear-cover` and `chains` also `seriatim.arithmetic.linear_sets`, and for the latter two, and runs
of very many requests, a solver: z3 unless the caller wants another one, or several, or none.

What checks a kind of evidence is loaded when such evidence is met.
"""

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, assert_never

from seriatim.certificate.certificate import Certificate
from seriatim.checking.allowance import GaveUp
from seriatim.checking.context import Context
from seriatim.checking.obligation import Obligation, Report
from seriatim.checking.posing import Demand, demand, observed_names, specified
from seriatim.checking.reference import ProgramReference, Reference, State, SystemReference
from seriatim.program.inputs import Decidable, Input, digest
from seriatim.program.network_system import NetworkSystem
from seriatim.program.recursion import deep_recursion
from seriatim.program.syntax import Program
from seriatim.properties.property import in_words
from seriatim.properties.statement import (
    FinalValues,
    NeverFails,
    NeverStuck,
    NoCycle,
    OrderOfPoints,
    Outcomes,
    Time,
    specification_of,
)

if TYPE_CHECKING:
    from seriatim.certificate.evidence import Evidence
    from seriatim.certificate.simulation import SimulationEvidence
    from seriatim.certificate.symbolic_reduction import SymbolicReductionEvidence
    from seriatim.checking.actions import Acts
    from seriatim.checking.expected import Expected
    from seriatim.program.specification import Specification

__all__ = ["GaveUp", "Obligation", "Report", "verify"]


def verify(
    certificate: Certificate,
    content: Decidable,
    context: Context | None = None,
    specification: "Specification | None" = None,
    expected: "Expected | None" = None,
) -> Report:
    """The obligations of a certificate, up to the first one that does not hold.

    If a specification is given, it has to be the one of the certificate; and what is expected, what it shows.
    Raises `GaveUp` if all solvers give
    up, or if there is more to explore than is allowed; `OutOfBudget` after the deadline.
    """
    obligations: list[Obligation] = []
    with deep_recursion():
        for obligation in chain(
            _expected(certificate, expected),
            _obligations(certificate, content, context or Context(), specification),
        ):
            obligations.append(obligation)
            if not obligation.holds:
                break
    return Report(tuple(obligations))


def _expected(certificate: Certificate, expected: "Expected | None") -> Iterator[Obligation]:
    if expected is not None:
        from seriatim.checking.expected import expected_obligations  # For gates alone.

        yield from expected_obligations(certificate, expected)


def _obligations(
    certificate: Certificate, content: Decidable, context: Context, specification: "Specification | None"
) -> Iterator[Obligation]:
    if specification is not None:
        yield _about_this_specification(certificate, specification)
    yield _about_this_input(certificate, content)
    evidence = certificate.evidence
    holds, fails = certificate.question.verdicts
    proved = holds if evidence.proves else fails
    yield Obligation(
        f"the verdict is {_words(certificate.verdict)}",
        certificate.verdict == proved,
        f"evidence of the kind `{evidence.kind}` is for {_words(proved)}",
    )
    match content:
        case Program():
            if content.unbounded_handlers and evidence.proves:
                yield _for_all_integers(evidence)
            look = context.allowance.deadline.check
            program = ProgramReference(content, context.big_steps, context.faults, look)
            if (
                evidence.proves
                and content.can_fail
                and evidence.kind != "no-fault"
                and evidence.kind != "symmetric-commit"
                and evidence.kind != "thread-cover"
                and evidence.kind != "thread-modular"
                and evidence.kind != "petrified"
                and evidence.kind != "thread-pairs"
                and evidence.kind != "thread-reduction"
                and evidence.kind != "simulation"
                and evidence.kind != "symbolic-reduction"
            ):
                from seriatim.checking.faults import no_faults

                yield no_faults(program, evidence.invariants, context.allowance)
            yield from _answer(certificate, content, program, program, context)
        case NetworkSystem():
            yield from _answer(certificate, content, SystemReference(content), None, context)
        case _:
            from seriatim.checking.threads import thread_obligations

            yield from thread_obligations(content, certificate.question.states(), evidence, context)


def _answer(
    certificate: Certificate,
    content: Input,
    reference: Reference[State],
    program: ProgramReference | None,
    context: Context,
) -> Iterator[Obligation]:
    """What the evidence has to show about the question."""
    statement, evidence = certificate.question.states(), certificate.evidence
    match statement:
        case Outcomes(seen=seen):
            if isinstance(seen, FinalValues):
                yield observed_names(seen.observed, reference.initial)
                if evidence.kind == "simulation":
                    yield _about_something_else(evidence)  # It is about answers, not about final values.
                    return
            if evidence.kind == "timeless" and is_strict(statement):
                from seriatim.checking.timeless import timeless_obligations

                yield from timeless_obligations(reference, evidence, context.allowance)
                statement, evidence = Outcomes(None, None), evidence.serial
            here = demand(statement, reference, context.big_steps, context.allowance)
            yield from _evidence(evidence, here, content, reference, program, context)
        case NoCycle():
            from seriatim.checking.actions import ProgramActs, SystemActs

            match content:
                case Program():
                    own = ProgramReference(content, context.big_steps, context.faults)
                    yield from _conflicts(evidence, content, ProgramActs(own), context)
                case NetworkSystem():
                    yield from _conflicts(evidence, content, SystemActs(SystemReference(content)), context)
                case _:
                    assert_never(content)
        case OrderOfPoints(allowed=specification):
            yield from _points(evidence, specification, content, reference, program, context)
        case NeverFails():
            yield from _failures(evidence, content, program, context)
        case NeverStuck():
            yield from _waiting(evidence, content, reference, program, context)
        case _:
            assert_never(statement)


def is_strict(statement: Outcomes) -> bool:
    """Whether complete runs need a serial order that respects time."""
    return isinstance(statement.seen, Time) and not statement.seen.pending and statement.allowed is None


def _conflicts(
    evidence: "Evidence", content: Input, acts: "Acts[State]", context: Context
) -> Iterator[Obligation]:
    """What the evidence has to show about conflicts."""
    match evidence.kind:
        case "atomic":
            from seriatim.checking.atomic import no_yield

            yield no_yield(content)
        case "cycle":
            from seriatim.checking.cycle import cycle_obligations

            yield from cycle_obligations(acts, evidence, context.allowance)
        case "no-cycle":
            from seriatim.checking.no_cycle import no_cycle_obligations

            yield from no_cycle_obligations(acts, evidence, context.allowance)
        case _:
            yield _about_something_else(evidence)


def _points(
    evidence: "Evidence",
    specification: "Specification",
    content: Input,
    reference: Reference[State],
    program: ProgramReference | None,
    context: Context,
) -> Iterator[Obligation]:
    """What the evidence has to show about the points at which requests take effect.

    A run that nothing allowed explains, in time and with its pending requests, refutes all choices of
    points."""
    allowance, big_steps = context.allowance, context.big_steps
    effects = specified(specification, big_steps, allowance)
    marked = program if content.is_marked else None
    match evidence.kind:
        case "run":
            from seriatim.checking.run import run_obligations

            statement = Outcomes(Time(len(evidence.barriers), pending=True), specification)
            here = demand(statement, reference, big_steps, allowance)
            yield from run_obligations(reference, evidence, here.runs, context)
        case "commit":
            from seriatim.checking.commit import commit_obligations

            yield from commit_obligations(reference, evidence, effects, allowance, in_all_runs=True)
            if marked is not None:
                from seriatim.checking.points import commits_at_marks

                yield commits_at_marks(marked, evidence, allowance)
        case "points" if marked is not None:
            from seriatim.checking.points import points_obligations

            yield from points_obligations(marked, evidence, effects, allowance)
        case _:
            yield _about_something_else(evidence)


def _failures(
    evidence: "Evidence", content: Input, program: ProgramReference | None, context: Context
) -> Iterator[Obligation]:
    """What the evidence has to show about steps that fail."""
    match evidence.kind:
        case "no-fault" if program is None:
            from seriatim.checking.faults import NO_FAULTS

            yield Obligation(NO_FAULTS, True, "a network system has no assertions, ranges or indices")
        case "no-fault" if program is not None:
            from seriatim.checking.faults import no_fault_obligations

            yield from no_fault_obligations(program, evidence, context.allowance)
        case "fault-run" if program is not None:
            from seriatim.checking.fault_run import fault_run_obligations

            yield from fault_run_obligations(program, evidence, context.allowance)
        case "simulation":
            from seriatim.checking.simulation import simulation_obligations

            yield from simulation_obligations(content, evidence, context, is_serial=False)
        case _:
            yield _about_something_else(evidence)


def _waiting(
    evidence: "Evidence",
    content: Input,
    reference: Reference[State],
    program: ProgramReference | None,
    context: Context,
) -> Iterator[Obligation]:
    """What the evidence has to show about requests that wait for ever."""
    match evidence.kind:
        case "never-stuck":
            from seriatim.checking.never_stuck import never_stuck_obligations

            yield from never_stuck_obligations(content, reference, evidence, context.allowance)
        case "stuck-run" if content.leaves_cells_out:
            yield Obligation("the run has all cells that requests need", False, "they may need others")
        case "stuck-run":
            from seriatim.checking.stuck_run import stuck_run_obligations

            if program is None:
                yield from stuck_run_obligations(reference, lambda _, __: False, evidence, context.allowance)
            else:
                yield from stuck_run_obligations(program, program.may_fail, evidence, context.allowance)
        case _:
            yield _about_something_else(evidence)


def _for_all_integers(evidence: "Evidence") -> Obligation:
    """Proofs about examples of arguments say nothing about others."""
    about_all = evidence.kind in ("atomic", "simulation", "symbolic-reduction")
    said = "arguments are any integers" if about_all else f"`{evidence.kind}` is about a few arguments only"
    return Obligation("the evidence is about all arguments", about_all, said)


def _about_something_else(evidence: "Evidence") -> Obligation:
    about_another = f"`{evidence.kind}` is about another one"
    return Obligation("evidence of this kind is about this property", False, about_another)


def _about_this_input(certificate: Certificate, content: Decidable) -> Obligation:
    claim = "the certificate is about this input"
    found, expected = digest(content), certificate.digest
    if found == expected:
        return Obligation(claim, True, f"SHA-256 of the input: {found}")
    reason = f"this is not the {content.noun} that the certificate was made for, or it has changed since"
    return Obligation(claim, False, f"{reason} (SHA-256 {found[:12]}…, not {expected[:12]}…)")


def _about_this_specification(certificate: Certificate, specification: "Specification") -> Obligation:
    claim = "the certificate is about this specification"
    own = specification_of(certificate.question.states())
    if own is None:
        return Obligation(claim, False, "it is about none")
    if own.meaning == specification.meaning:
        return Obligation(claim, True, "they differ only in comments and layout")
    return Obligation(claim, False, "it is about another specification, or this one has changed since")


def _words(verdict: str) -> str:
    """A verdict as people read it, in quotation marks: it may begin with "not"."""
    return f'"{in_words(verdict)}"'


def _formulas(
    evidence: "SimulationEvidence | SymbolicReductionEvidence", content: Input, context: Context
) -> Iterator[Obligation]:
    match evidence.kind:
        case "simulation":
            from seriatim.checking.simulation import simulation_obligations

            yield from simulation_obligations(content, evidence, context, is_serial=True)
        case "symbolic-reduction":
            from seriatim.checking.symbolic_reduction import symbolic_reduction_obligations

            yield from symbolic_reduction_obligations(content, evidence, context)


def _evidence(
    evidence: "Evidence",
    question: Demand,
    content: Input,
    reference: Reference[State],
    program: ProgramReference | None,
    context: Context,
) -> Iterator[Obligation]:
    allowance = context.allowance
    only_serial = ("atomic", "reduction", "symmetric-commit", "simulation", "symbolic-reduction")
    if evidence.kind in only_serial and not question.is_serial:
        yield Obligation("serial runs of the input are allowed", False, "a specification says what is")
        return
    match evidence.kind:
        case "run":
            from seriatim.checking.run import run_obligations

            yield from run_obligations(reference, evidence, question.runs, context)
        case "folded-run":
            from seriatim.checking.folded_run import folded_run_obligations

            yield from folded_run_obligations(reference, evidence, question.runs, context)
        case "atomic":
            from seriatim.checking.atomic import no_yield

            yield no_yield(content)
        case "commit":
            from seriatim.checking.commit import commit_obligations

            yield from commit_obligations(
                question.committing, evidence, question.effects, allowance, question.in_all_runs
            )
        case "symmetric-commit":
            from seriatim.checking.symmetric_commit import symmetric_commit_obligations

            yield from symmetric_commit_obligations(content, program, evidence, question, allowance)
        case "reduction":
            from seriatim.checking.reduction import reduction_obligations

            yield from reduction_obligations(program, evidence, allowance)
        case "simulation" | "symbolic-reduction":
            yield from _formulas(evidence, content, context)
        case "linear-cover":
            from seriatim.checking.linear_cover import cover_obligations

            counted, words = question.counted, question.words
            yield from cover_obligations(counted, evidence, words, allowance, context.solvers)
        case "tree":
            from seriatim.checking.tree import tree_obligations

            yield from tree_obligations(question.counted, evidence, question.words, allowance)
        case "chains":
            from seriatim.checking.chains import chain_obligations

            counted, words = question.counted, question.words
            yield from chain_obligations(counted, evidence, words, allowance, context.solvers)
        case _:
            yield _about_something_else(evidence)
