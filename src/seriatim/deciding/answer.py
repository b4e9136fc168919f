"""Turns what engines found into an answer: certified, accepted by the checker, and explained."""

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import TYPE_CHECKING, assert_never

from seriatim.budget import Deadline, OutOfBudget, enforce
from seriatim.certificate.certificate import Certificate, Provenance
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context as CheckerContext
from seriatim.checking.verify import GaveUp as CheckerGaveUp
from seriatim.checking.verify import verify
from seriatim.engines import stage
from seriatim.engines.portfolio import Conclusion
from seriatim.engines.stage import GaveUp, Proof
from seriatim.explain.causes import Cause, explain_cause, show_cause
from seriatim.explain.commit_steps import commit_steps
from seriatim.explain.interleaving import interleaving
from seriatim.explain.naming import Naming
from seriatim.explain.why import Fails
from seriatim.method import Minimality
from seriatim.program.execution import Interpreter
from seriatim.program.inputs import Input, digest
from seriatim.properties.property import Property
from seriatim.properties.safe import SAFETY
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.properties.statement import NoCycle, OrderOfPoints, Outcomes
from seriatim.result import Answer, Faulty, Holds, Refused, Undecided, Violated
from seriatim.source import SourceText
from seriatim.systems.from_input import Origin
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.run import Run

if TYPE_CHECKING:
    from seriatim.explain.explanation import CommitStep
    from seriatim.explain.timeline import Sample


class Want(Enum):
    """Optional parts of an explanation."""

    WHY = auto()
    """Why nothing that is allowed explains a counterexample, or where requests take effect."""
    SAMPLE = auto()
    """A sample run of a serializable input."""


EVERYTHING = frozenset(Want)
THE_ANSWER_ALONE: frozenset[Want] = frozenset()


@dataclass(frozen=True, slots=True)
class Refutation:
    """A violation before it is explained: a run of the unfolding, and what an engine knows about it."""

    certificate: Certificate
    run: Run
    minimality: Minimality
    in_flight: int
    cause: "Cause"


Verdict = Holds | Refutation | Undecided | Refused
"""An answer before it is explained."""


def certify(conclusion: Conclusion, content: Input, question: Property, origin: Provenance | None) -> Verdict:
    """Makes a verdict with a certificate. A failing step is a verdict about safety, whatever was asked."""
    match conclusion.answer:
        case Proof(evidence=evidence, reason=reason):
            return Holds(
                Certificate(digest(content), question.verdicts[0], evidence, question, origin), reason
            )
        case stage.Refutation(evidence=evidence) as found:
            violated = question
            if isinstance(found.why, stage.Failing):
                violated = SAFETY
            certificate = Certificate(digest(content), violated.verdicts[1], evidence, violated, origin)
            return Refutation(certificate, found.run, found.minimality, found.in_flight, found.why)
        case stage.FailingThreads():
            raise AssertionError("requests are not threads")
        case GaveUp(why=why_not, hint=hint):
            return Undecided(
                why_not, hint, conclusion.clean_up_to, conclusion.facts.single_steps, conclusion.obstacle
            )
        case _:
            assert_never(conclusion.answer)


FEW_INTEGERS = (
    "it holds for the few integers that were tried as arguments, but there is no proof for all integers"
)


def about_all_integers(verdict: Verdict, content: Input) -> Verdict:
    """Returns what sample arguments show where arguments may be any integers. They prove nothing about all
    integers, and with other arguments fewer requests may be enough for a violation."""
    if not content.unbounded_handlers:
        return verdict
    match verdict:
        case Holds(certificate=certificate):
            if certificate.evidence.kind in ("atomic", "simulation", "symbolic-reduction"):
                return verdict
            return Undecided(FEW_INTEGERS, "give the parameters ranges", 0)
        case Refutation(certificate=certificate, run=run):
            statement = certificate.question.states()
            is_harmless_alone = isinstance(statement, NoCycle) or (
                isinstance(statement, Outcomes) and statement.allowed is None
            )
            if run.requests() <= (2 if is_harmless_alone else 1):
                return verdict
            return replace(verdict, minimality=Minimality.UNKNOWN)
        case Undecided():
            return replace(verdict, clean_up_to=0)
        case _:
            return verdict


def check_certificate(verdict: Verdict, content: Input, allowance: Allowance) -> Verdict:
    """The verdict, if the checker accepts its certificate."""
    if not isinstance(verdict, Holds | Refutation):
        return verdict
    interpreter = Interpreter()
    context = CheckerContext(allowance, big_steps=interpreter.ends, faults=interpreter.faults)
    try:
        with enforce(allowance.deadline):
            report = verify(verdict.certificate, content, context)
    except CheckerGaveUp as gave_up:
        return Undecided(f"an answer was found, but re-checking it was given up: {gave_up}", None, 0)
    except OutOfBudget as out:
        return Undecided(f"an answer was found, but not re-checked: {out.spent}", out.hint, 0)
    except MemoryError:  # The system has less memory than the limit allows.
        return Undecided("an answer was found, but there is too little memory to re-check it", None, 0)
    if report.accepted:
        return verdict
    if report.obligations[-1].code == "no-faults":
        reason = f"a step may fail, and no run shows it: {report.complaint}"
        return Undecided(reason, "declare `wrap` or `saturate`, or test the value first", 0)
    return Refused(verdict.certificate, report)


@dataclass(frozen=True, slots=True)
class Context:
    """What an answer is about, and which explanations are wanted."""

    content: Input
    source: SourceText
    unfolding: Origin
    """The unfolding that gives meaning to the numbers in runs."""
    question: Property
    wants: frozenset[Want]


SECONDS_FOR_POINTS = 5.0
"""Seconds for finding the source lines of commit points."""


def explain_answer(verdict: Verdict, context: Context, deadline: Deadline) -> Answer:
    """Adds the explanations that are wanted, as far as time allows."""
    source, unfolding, wants = context.source, context.unfolding, context.wants
    match verdict:
        case Holds(certificate=certificate):
            sample: Sample | None = None
            points: tuple[CommitStep, ...] = ()
            if Want.SAMPLE in wants and context.question == SERIALIZABILITY:
                sample = interleaving(context.content, source, deadline=deadline)
            if Want.WHY in wants and isinstance(context.question.states(), OrderOfPoints):
                points = points_proved(certificate, unfolding, deadline)
            return name_answers(replace(verdict, sample=sample, points=points), context.content)
        case Refutation(run=run, cause=cause):
            shown = show_cause(run, cause, unfolding, source)
            why = explain_cause(run, cause, unfolding, deadline, wants_argument=Want.WHY in wants)
            if isinstance(why, Fails) and context.question != verdict.certificate.question:
                return Faulty(verdict.certificate, why.diagnostic, shown)
            violated = Violated(verdict.certificate, shown, verdict.minimality, verdict.in_flight, why)
            return name_answers(violated, context.content)
        case Undecided() | Refused():
            return verdict
        case _:
            assert_never(verdict)


def name_answers(answer: Holds | Violated, content: Input) -> Holds | Violated:
    """Puts the answer into the words of the source, if it has names for its values."""
    if not content.answer_names:
        return answer
    naming = Naming(content.value_names, content.answer_names)
    match answer:
        case Holds(sample=sample):
            return replace(answer, sample=None if sample is None else naming.sample(sample))
        case Violated(run=run, why=why):
            return replace(answer, run=naming.run(run), why=naming.why(why))
        case _:
            assert_never(answer)


def points_proved(
    certificate: Certificate, unfolding: Origin, deadline: Deadline
) -> "tuple[CommitStep, ...]":
    """Where requests take effect; empty if finding out takes too long."""
    evidence = certificate.evidence
    assert evidence.kind == "commit", "points are commits"
    sooner = Deadline(min(SECONDS_FOR_POINTS, deadline.remaining()), deadline.max_bytes)
    try:
        return tuple(commit_steps(evidence, unfolding, Limits(), sooner))
    except (LimitReached, OutOfBudget):
        return ()
