"""The checker's one question: does a certificate prove its verdict about an input?

Trusted, besides this package: the parser and the printer of programs, the reader and the writer of network
systems, the interpreter, the liveness of locals, and what a step can touch; for evidence of the kind
`symmetric-commit` also normal forms of code and `seriatim.arithmetic.columns`; for evidence of the kinds
`tree`, `linear-cover` and `chains` also `seriatim.arithmetic.linear_sets`, and for the latter two, and runs
of very many requests, a solver: z3 unless the caller wants another one, or several, or none.

What checks a kind of evidence is loaded when such evidence is met.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, assert_never, cast

from seriatim.certificate.certificate import Certificate
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.context import Context
from seriatim.checking.obligation import DoesNotFollow, Obligation, Report, report_on
from seriatim.checking.posing import Task, check_observed, demand
from seriatim.checking.reference import ProgramReference, Reference, SystemReference
from seriatim.program.inputs import Decidable, digest
from seriatim.program.network_system import NetworkSystem
from seriatim.program.recursion import deep_recursion
from seriatim.program.syntax import Program
from seriatim.properties.property import in_words
from seriatim.properties.statement import (
    CoveredByOrder,
    ExplainsLog,
    FinalValues,
    NeverFails,
    NeverRaces,
    NeverStuck,
    NoCycle,
    OrderOfPoints,
    Outcomes,
    ShowsLevel,
    Statement,
    Time,
    UsesMemoryWell,
    specification_of,
)

if TYPE_CHECKING:
    from seriatim.certificate.all import Kind
    from seriatim.certificate.evidence import Evidence
    from seriatim.checking.expected import Expected
    from seriatim.program.specification import Specification

__all__ = ["GaveUp", "Obligation", "Report", "verify"]

SERIAL: "frozenset[Kind]" = frozenset(
    ("atomic", "symmetric-commit", "reduction", "simulation", "symbolic-reduction")
)
"""Kinds that compare with serial runs of the input, and with nothing else."""

ANSWERS: "Mapping[type[Statement], frozenset[Kind]]" = {
    Outcomes: SERIAL | {"run", "folded-run", "commit", "linear-cover", "tree", "chains", "timeless"},
    NoCycle: frozenset(("atomic", "cycle", "no-cycle")),
    OrderOfPoints: frozenset(("run", "commit", "points")),
    NeverFails: frozenset(("no-fault", "fault-run", "simulation")),
    NeverStuck: frozenset(("never-stuck", "stuck-run")),
}
"""Which kinds of evidence are about which statements. The module of a kind is called as the kind is, and its
`obligations` are what evidence of this kind has to show."""


class KindModule(Protocol):
    """What the module of a kind has."""

    def obligations(self, task: Task[Any]) -> Iterator[Obligation]:
        """Lists what has to hold, in this order; each relies on those before it."""


def verify(
    certificate: Certificate,
    content: Decidable,
    context: Context | None = None,
    specification: "Specification | None" = None,
    expected: "Expected | None" = None,
) -> Report:
    """The obligations of a certificate, up to the first one that does not hold.

    If a specification is given, the certificate has to be about it; and it has to show what is expected.
    Raises `GaveUp` if all solvers give up, or if there is more to explore than is allowed; `OutOfBudget`
    after the deadline.
    """
    with deep_recursion():
        return report_on(_obligations(certificate, content, context or Context(), specification, expected))


def _obligations(
    certificate: Certificate,
    content: Decidable,
    context: Context,
    specification: "Specification | None",
    expected: "Expected | None",
) -> Iterator[Obligation]:
    if expected is not None:
        from seriatim.checking.expected import expected_obligations  # For gates alone.

        yield from expected_obligations(certificate, expected)
    if specification is not None:
        yield _about_this_specification(certificate, specification)
    yield _about_this_input(certificate, content)
    evidence, statement = certificate.evidence, certificate.question.states()
    holds, fails = certificate.question.verdicts
    proved = holds if evidence.proves else fails
    yield Obligation(
        f"the verdict is {_words(certificate.verdict)}",
        certificate.verdict == proved,
        f"evidence of the kind `{evidence.kind}` is for {_words(proved)}",
    )
    if not isinstance(content, Program | NetworkSystem):
        from seriatim.checking.threads import thread_obligations

        yield from thread_obligations(content, statement, evidence, context)
        return
    program: ProgramReference | None = None
    if isinstance(content, Program):
        if content.unbounded_handlers and evidence.proves:
            yield _for_all_integers(evidence, content)
        look = context.allowance.deadline.check
        program = ProgramReference(content, context.big_steps, context.faults, look)
        reference: Reference[Any] = program
    else:
        reference = SystemReference(content)
    asked = demand(Outcomes(None, None), reference, context.big_steps, context.allowance)
    yield from _answer(statement, Task(evidence, content, reference, program, asked, context))


def _answer(statement: Statement, task: "Task[Evidence]") -> Iterator[Obligation]:
    """Yields what the evidence has to show about the question."""
    evidence, allowance = task.evidence, task.context.allowance
    if evidence.kind not in ANSWERS.get(type(statement), frozenset()):
        raise _about_something_else(evidence)
    if task.program is not None and task.content.can_fail:
        yield from _no_faults(evidence, task.program, allowance)
    match statement:
        case Outcomes():
            yield from _outcomes(statement, task)
        case OrderOfPoints(allowed=specification):
            # A run that nothing allowed explains, in time and with its pending requests, refutes all points.
            barriers = len(evidence.barriers) if evidence.kind == "run" else 0
            yield from _outcomes(Outcomes(Time(barriers, pending=True), specification), task)
            if evidence.kind == "commit" and task.program is not None and task.content.is_marked:
                from seriatim.checking.points import check_marks

                yield check_marks(task.program, evidence, allowance)
        case NoCycle() | NeverFails() | NeverStuck() | NeverRaces() | UsesMemoryWell():
            yield from _by_kind(task, is_serial=False)
        case (
            ExplainsLog() | ShowsLevel() | CoveredByOrder()
        ):  # Of logs and actions; checked in rooms of their own.
            raise _about_something_else(evidence)
        case _:
            assert_never(statement)


def _no_faults(evidence: "Evidence", program: ProgramReference, allowance: Allowance) -> Iterator[Obligation]:
    """Where a proof is about answers alone: that no step fails has to be shown as well, from the program."""
    match evidence.kind:
        case (
            "atomic"
            | "commit"
            | "reduction"
            | "timeless"
            | "linear-cover"
            | "tree"
            | "chains"
            | "no-cycle"
            | "never-stuck"
        ):
            from seriatim.checking.no_fault import no_faults

            yield no_faults(program, evidence.invariants, allowance)
        case _:
            pass


def _outcomes(statement: Outcomes, task: "Task[Evidence]") -> Iterator[Obligation]:
    """Yields what the evidence has to show about the outcomes of runs."""
    kind = task.evidence.kind
    if isinstance(statement.seen, FinalValues):
        yield check_observed(statement.seen.observed, task.reference.initial)
    if (kind == "simulation" and isinstance(statement.seen, FinalValues)) or (
        kind == "timeless" and not is_strict(statement)
    ):
        raise _about_something_else(task.evidence)
    if task.evidence.kind == "timeless":
        yield from _by_kind(task, is_serial=True)
        statement, task = Outcomes(None, None), replace(task, evidence=task.evidence.serial)
    asked = demand(statement, task.reference, task.context.big_steps, task.context.allowance)
    if task.evidence.kind in SERIAL and not asked.is_serial:
        raise DoesNotFollow("a specification says what is", "serial runs of the input are allowed")
    yield from _by_kind(replace(task, asked=asked), is_serial=True)


def is_strict(statement: Outcomes) -> bool:
    """Whether complete runs need a serial order that respects time."""
    return isinstance(statement.seen, Time) and not statement.seen.pending and statement.allowed is None


def _by_kind(task: "Task[Evidence]", is_serial: bool) -> Iterator[Obligation]:
    """Lists what evidence of this kind has to show; formulas about serial runs, or only about steps that
    fail."""
    evidence = task.evidence
    match evidence.kind:
        case "simulation":
            from seriatim.checking.simulation import simulation_obligations

            yield from simulation_obligations(task.content, evidence, task.context, is_serial)
        case "symbolic-reduction":
            from seriatim.checking.symbolic_reduction import symbolic_reduction_obligations

            yield from symbolic_reduction_obligations(task.content, evidence, task.context)
        case kind:
            module = cast("KindModule", import_module(f"seriatim.checking.{kind.replace('-', '_')}"))
            yield from module.obligations(task)


def _for_all_integers(evidence: "Evidence", program: Program) -> Obligation:
    """Proofs about examples of arguments say nothing about others. Of `atomic`, that no step fails is shown
    of examples alone."""
    is_atomic = evidence.kind == "atomic"
    about_all = not program.can_fail if is_atomic else evidence.kind in ("simulation", "symbolic-reduction")
    said = "arguments are any integers"
    if not about_all:
        shows = (
            "shows of a few arguments only that no step fails"
            if is_atomic
            else "is about a few arguments only"
        )
        said = f"`{evidence.kind}` {shows}"
    return Obligation("the evidence is about all arguments", about_all, said)


def _about_something_else(evidence: "Evidence") -> DoesNotFollow:
    reason = f"`{evidence.kind}` is about another one"
    return DoesNotFollow(reason, "evidence of this kind is about this property")


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
