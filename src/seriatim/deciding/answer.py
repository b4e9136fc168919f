"""From what engines have found to an answer that explains itself, in what is left of the time."""

from enum import Enum, auto
from typing import TYPE_CHECKING, assert_never

from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.certificate import Certificate
from seriatim.explain.causes import Cause, explain_cause, show_cause
from seriatim.explain.timeline import Sample
from seriatim.explain.why import Fails
from seriatim.frozen import frozen, replace
from seriatim.method import Minimality
from seriatim.program.inputs import Input
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.properties.statement import OrderOfPoints
from seriatim.result import Answer, Faulty, Holds, Refused, Undecided, Violated
from seriatim.source import SourceText
from seriatim.systems.from_input import Origin
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.run import Run

if TYPE_CHECKING:
    from seriatim.explain.explanation import CommitStep


class Want(Enum):
    """What not everybody wants to be found out."""

    WHY = auto()
    """Why nothing that is allowed explains a counterexample, or where requests take effect."""
    SAMPLE = auto()
    """What a serializable input does, for illustration."""


EVERYTHING = frozenset(Want)
THE_ANSWER_ALONE: frozenset[Want] = frozenset()


@frozen
class Refutation:
    """A violation before it is explained: a run of the unfolding, and what an engine knows about it."""

    certificate: Certificate
    run: Run
    minimality: Minimality
    in_flight: int
    cause: Cause


Verdict = Holds | Refutation | Undecided | Refused
"""An answer before it is explained."""


@frozen
class Context:
    """What an answer is about, and who wants to know what."""

    content: Input
    source: SourceText
    unfolding: Origin
    """What the numbers of runs refer to."""
    question: Property
    wants: frozenset[Want]


SECONDS_FOR_POINTS = 5.0
"""To find the lines of points that are proved."""


def explain_answer(verdict: Verdict, context: Context, deadline: Deadline) -> Answer:
    """The answer with what explains it, as far as somebody wants that and it is found out in time."""
    source, unfolding, wants = context.source, context.unfolding, context.wants
    match verdict:
        case Holds(certificate=certificate):
            sample: Sample | None = None
            points: tuple[CommitStep, ...] = ()
            if Want.SAMPLE in wants and context.question == SERIALIZABILITY:
                from seriatim.explain.interleaving import interleaving

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
    """The answer in the words of the source, if it has words of its own for what requests answer."""
    if not content.answer_names:
        return answer
    from seriatim.explain.naming import Naming  # Most inputs call numbers numbers.

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
    """Where requests take effect; nothing if that takes too long."""
    from seriatim.explain.commit_steps import commit_steps

    evidence = certificate.evidence
    assert evidence.kind == "commit", "points are commits"
    sooner = Deadline(min(SECONDS_FOR_POINTS, deadline.remaining()), deadline.max_bytes)
    try:
        return tuple(commit_steps(evidence, unfolding, Limits(), sooner))
    except (LimitReached, OutOfBudget):
        return ()
