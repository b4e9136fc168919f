"""A certificate as a claim for the kernel: the input, and evidence in which nothing is left to be found."""

from dataclasses import dataclass
from enum import StrEnum

from seriatim.budget import Deadline
from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.commit import CommitEvidence
from seriatim.certificate.evidence import Evidence
from seriatim.certificate.fault_run import FaultRunEvidence
from seriatim.certificate.folded_run import FoldedRunEvidence
from seriatim.certificate.in_flight import Invariant
from seriatim.certificate.no_fault import NoFaultEvidence
from seriatim.certificate.reduction import ReductionEvidence
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.symmetric_commit import SymmetricCommitEvidence
from seriatim.certificate.timeless import TimelessEvidence
from seriatim.certificate.tree import TreeEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.reference import Reference, State
from seriatim.export.kernel.commits import commit_text
from seriatim.export.kernel.counting import InSituations, counting_text
from seriatim.export.kernel.faults import NeedsMore, fault_run_text, no_fault_text
from seriatim.export.kernel.movers import reduction_text
from seriatim.export.kernel.names import Names, ProgramNames, SystemNames
from seriatim.export.kernel.observed import (
    ObservedNames,
    Sight,
    WatchedReference,
    observed_folded_run,
    observed_run,
)
from seriatim.export.kernel.runs import folded_run_text, run_text
from seriatim.export.kernel.symmetric import TooManyImages, symmetric_commit_text
from seriatim.export.kernel.text import ANSWERS, Besides, ClaimKind, Seen, Text, in_time, integers
from seriatim.export.kernel.timeless import timeless_text
from seriatim.export.kernel.unexplained import TooManyOrders
from seriatim.export.kernel.written import Written, mentioned_globals
from seriatim.program.inputs import Input
from seriatim.program.network_system import NetworkSystem
from seriatim.program.recursion import deep_recursion
from seriatim.program.syntax import Program, global_names
from seriatim.program.syntax import mentioned_globals as core_globals
from seriatim.properties.safe import Safety
from seriatim.properties.serializable import Serializability
from seriatim.properties.statement import Observed
from seriatim.properties.strict import StrictSerializability

TIMELY = AtomicEvidence | ReductionEvidence | SymmetricCommitEvidence
"""What the kernel knows to respect time, and only of programs; nothing need be exchanged then."""

WrittenProgram = tuple[Written, ...] | None
"""What each handler is in the text; None if the kernel is to read the core."""


class NotCovered(Exception):
    """The kernel has no check for this; says what it is about."""


class Proved(StrEnum):
    """What a claim proves, as the kernel says it."""

    SERIALIZABLE = "serializable"
    NOT_SERIALIZABLE = "not_serializable"
    NEVER_FAILS = "never_fails"
    FAILS = "fails"


@dataclass(frozen=True, slots=True)
class Claim:
    """What the kernel reads, and what it is expected to say."""

    numbers: tuple[int, ...]
    proved: Proved
    is_program: bool
    seen: tuple[int, ...] | None = None
    """The places of the globals whose final values count as well, if any do; empty for network systems."""
    barriers: int | None = None
    """How many moments of real time count, if time does."""
    is_written: bool = False
    """Whether p is the tree of the text, with arrays, ranges and locks; otherwise it is that of the core."""

    @property
    def text(self) -> str:
        """What the native kernel reads."""
        return " ".join(map(str, self.numbers)) + "\n"

    @property
    def is_seen(self) -> bool:
        """Whether final values count as well."""
        return self.seen is not None

    @property
    def statement(self) -> str:
        """What it proves, in the language of Rocq: p or s is the input, xs what is seen of it."""
        return self._stated("xs")

    @property
    def said(self) -> str:
        """What the native kernel says if it proves that: with the places of what is seen."""
        return self._stated(f"[{'; '.join(map(str, self.seen or ()))}]")

    def _stated(self, xs: str) -> str:
        if self.proved is Proved.NEVER_FAILS:
            return "never_fails p"
        if self.proved is Proved.FAILS:
            return "~ never_fails p"
        subject = "program_ns p" if self.is_program else "system_ns s"
        values = f"values_of {xs}" if self.is_program else "fun g => g"
        if self.barriers is not None:
            claimed = f"strictly_serializable {self.barriers} ({subject})"
        elif self.is_seen:
            claimed = f"serializable_seen ({subject}) ({values})"
        else:
            claimed = f"serializable ({subject})"
        return claimed if self.proved is Proved.SERIALIZABLE else f"~ {claimed}"


def kernel_claims(
    certificate: Certificate, content: Input, deadline: Deadline, written: WrittenProgram = None
) -> tuple[Claim, ...]:
    """All that a certificate claims: about programs that could fail also that they never do.

    Raises as `kernel_claim` does; what covers alone do not show is left out."""
    evidence = certificate.evidence
    refuse_examples(evidence, content)
    written = readable(evidence, content, written)
    if isinstance(certificate.question, Safety) and isinstance(content, Program):
        return (safety_claim(evidence, content, deadline, written),)
    first = kernel_claim(certificate, content, deadline, written)
    if not (evidence.proves and isinstance(content, Program) and content.can_fail):
        return (first,)
    if (
        evidence.kind == "thread-cover"
        or evidence.kind == "thread-pairs"
        or evidence.kind == "thread-modular"
        or evidence.kind == "petrified"
        or evidence.kind == "thread-reduction"
        or evidence.kind == "simulation"
        or evidence.kind == "symbolic-reduction"
        or evidence.kind == "sequentialization"
    ):
        return (first,)  # `kernel_claim` does not cover these
    second = no_fault_claim(content, evidence.invariants, deadline, written)
    return (first,) if second is None else (first, second)


def refuse_examples(evidence: Evidence, content: Input) -> None:
    """The core has handlers for a few integers; a proof about them says nothing about the others."""
    if evidence.proves and isinstance(content, Program) and content.unbounded_handlers:
        raise NotCovered(f"evidence of the kind `{evidence.kind}` about arguments that are any integers")


def readable(evidence: Evidence, content: Input, written: WrittenProgram) -> WrittenProgram:
    """The form that evidence fits: views of handlers have only globals that the core mentions."""
    inner = evidence.serial if isinstance(evidence, TimelessEvidence) else evidence
    if written is None or not isinstance(content, Program) or not isinstance(inner, ReductionEvidence):
        return written
    pairs = zip(written, content.handlers, strict=True)
    is_same = all(mentioned_globals(code) <= core_globals(handler.body) for code, handler in pairs)
    return written if is_same else None


def safety_claim(evidence: Evidence, program: Program, deadline: Deadline, written: WrittenProgram) -> Claim:
    match evidence:
        case NoFaultEvidence(invariants=invariants):
            claim = no_fault_claim(program, invariants, deadline, written)
            if claim is None:
                raise NotCovered("evidence of the kind `no-fault` that excludes situations")
            return claim
        case FaultRunEvidence():
            with deep_recursion():
                text = fault_run_text(ProgramNames(program, written), evidence)
                return Claim(tuple(integers(text)), Proved.FAILS, True, is_written=written is not None)
        case _:
            raise NotCovered(f"evidence of the kind `{evidence.kind}`")


def no_fault_claim(
    program: Program, invariants: tuple[Invariant, ...], deadline: Deadline, written: WrittenProgram
) -> Claim | None:
    """That no step fails; None if covers alone do not show it."""
    with deep_recursion():
        try:
            text = no_fault_text(ProgramNames(program, written), invariants, Allowance(deadline=deadline))
        except NeedsMore:
            return None
        return Claim(tuple(integers(text)), Proved.NEVER_FAILS, True, is_written=written is not None)


def kernel_claim(
    certificate: Certificate, content: Input, deadline: Deadline, written: WrittenProgram = None
) -> Claim:
    """A claim by a certificate that the checker accepts.

    Raises `NotCovered`; `GaveUp` or `OutOfBudget` if there is too much to explore."""
    question, evidence = certificate.question, certificate.evidence
    refuse_examples(evidence, content)
    written = readable(evidence, content, written)
    is_written = written is not None
    allowance = Allowance(deadline=deadline)
    proved = Proved.SERIALIZABLE if evidence.proves else Proved.NOT_SERIALIZABLE
    is_program = isinstance(content, Program)
    with deep_recursion():
        match question:
            case Serializability(observed=observed):
                if isinstance(content, Program):
                    text = program_text(evidence, ProgramNames(content, written), observed, allowance)
                else:
                    text = system_text(evidence, content, observed, allowance)
                seen = places(observed, content)
                return Claim(tuple(integers(text)), proved, is_program, seen, is_written=is_written)
            case StrictSerializability(barriers=barriers):
                text = timed_text(evidence, content, written, barriers, allowance)
                return Claim(
                    tuple(integers(text)), proved, is_program, barriers=barriers, is_written=is_written
                )
            case _:
                raise NotCovered(f"the question `{question.name}`")


def places(observed: Observed, content: Input) -> tuple[int, ...] | None:
    """The places of observed globals among all globals; None if only answers count."""
    if not observed:
        return None
    if not isinstance(content, Program):
        return ()
    names = global_names(content)
    return tuple(names.index(name) for name in (names if observed == "all" else observed))


def timed_text(
    evidence: Evidence, content: Input, written: WrittenProgram, barriers: int, allowance: Allowance
) -> Text:
    """Requests take effect in steps of their own, so that order respects time, whatever the barriers."""
    if isinstance(evidence, TimelessEvidence) and isinstance(evidence.serial, TIMELY):
        evidence = evidence.serial
    if isinstance(evidence, TreeEvidence):
        raise NotCovered(f"evidence of the kind `{evidence.kind}` about real time")
    if isinstance(content, Program):
        return answers_text(evidence, ProgramNames(content, written), in_time(barriers), allowance)
    names = SystemNames(content)
    return names.claim(*evidence_text(evidence, names.reference, names, allowance), in_time(barriers))


def program_text(evidence: Evidence, names: ProgramNames, observed: Observed, allowance: Allowance) -> Text:
    if not observed:
        return answers_text(evidence, names, ANSWERS, allowance)
    variables = names.globals if observed == "all" else observed
    seen = names.final_values(variables)
    if isinstance(evidence, AtomicEvidence | ReductionEvidence):
        return answers_text(evidence, names, seen, allowance)
    watched = WatchedReference(names.reference, observed)
    return names.claim(*seen_text(evidence, watched, names, variables, allowance), seen)


def answers_text(evidence: Evidence, names: ProgramNames, seen: Seen, allowance: Allowance) -> Text:
    """Writes evidence about the answers of a program; `seen` says what else an observer compares."""
    if isinstance(evidence, AtomicEvidence):
        return (*names.heading(seen), ClaimKind.ATOMIC)
    if isinstance(evidence, ReductionEvidence):
        return names.claim(ClaimKind.REDUCTION, reduction_text(names, evidence, allowance), seen)
    if isinstance(evidence, SymmetricCommitEvidence):
        try:
            return names.claim(ClaimKind.COMMIT, symmetric_commit_text(names, evidence, allowance), seen)
        except TooManyImages:
            raise NotCovered(f"evidence of the kind `{evidence.kind}` with too many images to list") from None
    return names.claim(*evidence_text(evidence, names.reference, names, allowance), seen)


def system_text(evidence: Evidence, system: NetworkSystem, observed: Observed, allowance: Allowance) -> Text:
    names = SystemNames(system)
    if not observed:
        return names.claim(*evidence_text(evidence, names.reference, names, allowance))
    watched = WatchedReference(names.reference, observed)
    return names.claim(*seen_text(evidence, watched, names, None, allowance), (Besides.FINAL_VALUES,))


def seen_text(
    evidence: Evidence,
    watched: WatchedReference[State],
    names: Names[State],
    seen: tuple[str, ...] | None,
    allowance: Allowance,
) -> tuple[ClaimKind, Text]:
    """Evidence about the observed input; a run becomes one of it by an observer at its end."""
    initial = watched.inner.initial
    if isinstance(evidence, RunEvidence):
        evidence = observed_run(evidence, watched, initial)
    elif isinstance(evidence, FoldedRunEvidence):
        evidence = observed_folded_run(evidence, watched, initial)
    return evidence_text(evidence, watched, ObservedNames(names, watched, Sight(names, seen)), allowance)


def evidence_text(
    evidence: Evidence, reference: Reference[State], names: Names[State], allowance: Allowance
) -> tuple[ClaimKind, Text]:
    match evidence:
        case CommitEvidence():
            return ClaimKind.COMMIT, commit_text(reference, evidence, names, allowance)
        case RunEvidence() | FoldedRunEvidence():
            try:
                if isinstance(evidence, RunEvidence):
                    return ClaimKind.RUN, run_text(reference, evidence, names, allowance)
                return ClaimKind.RUN, folded_run_text(reference, evidence, names, allowance)
            except TooManyOrders:
                raise NotCovered("a run with too many serial orders to be listed or counted") from None
        case TreeEvidence():
            try:
                return ClaimKind.TREE, counting_text(reference, evidence, names, allowance)
            except InSituations:
                raise NotCovered("evidence of the kind `tree` with situations") from None
        case TimelessEvidence(serial=serial):
            inner = evidence_text(serial, reference, names, allowance)
            return ClaimKind.TIMELESS, (*inner, timeless_text(reference, evidence, names, allowance))
        case _:
            raise NotCovered(f"evidence of the kind `{evidence.kind}`")
