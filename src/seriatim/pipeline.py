"""From an input to a verdict whose evidence has been checked: the stages, in order."""

from dataclasses import dataclass, field, replace
from time import monotonic
from typing import assert_never

from seriatim.budget import Deadline, Observer, OutOfBudget
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.commit import CommitEvidence
from seriatim.certificate.provenance import Provenance
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp as CheckerGaveUp
from seriatim.checking.verify import verify
from seriatim.engines.paper.record import ALL_OPTIMIZATIONS, Optimizations, PaperRecord
from seriatim.engines.paper.stages import paper_schedule
from seriatim.engines.portfolio import Conclusion, conclude
from seriatim.engines.safety.search import FaultSearch
from seriatim.engines.schedules import CONFLICTS, OUTCOMES, POINTS, SAFETY
from seriatim.engines.shared.reasons import NO_POINTS
from seriatim.engines.stage import GaveUp, Method, Progress, Proof, Refutation, Schedule, Task
from seriatim.explain.vacuity import never_given, nothing_told, unanswered
from seriatim.memory import machine_bytes
from seriatim.program.execution import big_steps, faults
from seriatim.program.inputs import Input, digest
from seriatim.program.syntax import Program, has_faults, has_marks
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.properties.statement import (
    NeverFails,
    NoCycle,
    OrderOfPoints,
    Outcomes,
    Time,
    may_be_pending,
    specification_of,
)
from seriatim.source import Diagnostic
from seriatim.systems.actions import action_system
from seriatim.systems.from_input import Origin, unfold
from seriatim.systems.limits import Limits
from seriatim.systems.posing import (
    ConflictProblem,
    OutcomeProblem,
    PointsProblem,
    SafetyProblem,
    pose,
    specified_words,
)
from seriatim.systems.run import FaultyRun
from seriatim.systems.slicing import MacroSystem
from seriatim.systems.unfolding import ProgramUnfolding
from seriatim.systems.words import WordAutomaton
from seriatim.verdict import Decision, Faulty, Holds, Refused, Undecided, Verdict, Violated


def half_of_the_machine() -> int | None:
    """In bytes; None where the system does not tell."""
    memory = machine_bytes()
    return None if memory is None else memory // 2


@dataclass(frozen=True, slots=True)
class Options:
    limits: Limits = field(default_factory=Limits)
    timeout: float | None = 60.0
    """Seconds; None is for ever."""
    method: Method = Method.AUTO
    max_memory: int | None = field(default_factory=half_of_the_machine)
    """Bytes of this process; None is without a bound."""
    optimizations: Optimizations = ALL_OPTIMIZATIONS
    """Of the paper's pipeline, for that method."""
    question: Property = SERIALIZABILITY
    ranges_are_scopes: bool = False
    """Whether to leave a range may be the symptom of a violation, which is then looked for first."""
    provenance: Provenance | None = None
    """What certificates say about where the input comes from."""


def decide(content: Input, options: Options, observer: Observer[Progress] | None = None) -> Decision:
    """Decides a question about an input; what it answers, `checking` has accepted.

    An observer is told how far the work is, now and then.
    """
    began = monotonic()
    deadline = Deadline(options.timeout, options.max_memory)
    unfolding = unfold(content, options.limits, deadline, dead_ends=may_be_pending(options.question.states()))
    faulty = None
    if not options.ranges_are_scopes:
        faulty = look_for_fault(unfolding, SHORT_FAULT_SEARCH, deadline)
    if faulty is not None:
        seconds = monotonic() - began
        stages = {"faults": seconds}
        return Decision(Faulty(faulty), Method.SEARCH, seconds, stages, unfolding, options.question)
    record = PaperRecord(options.optimizations) if options.method is Method.PAPER else None
    schedule = OUTCOMES if record is None else paper_schedule(record)
    conclusion = conclude_about(content, unfolding, options, deadline, observer, schedule)
    decided = monotonic()
    verdict = checked(certified(conclusion, content, options), content, deadline)
    if isinstance(verdict, Undecided):
        faulty = look_for_fault(unfolding, options.limits.max_states, deadline)
        verdict = verdict if faulty is None else Faulty(faulty)
    ended = monotonic()
    stages = {**conclusion.seconds, "re-check": ended - decided}
    warned = warned_of(
        content, unfolding, conclusion.facts.committing, isinstance(verdict, Holds), options.question
    )
    return Decision(
        verdict, conclusion.method, ended - began, stages, unfolding, options.question, warned, record
    )


SEARCH_ON = "raise --max-states: a longer search may find a violation"


def conclude_about(
    content: Input,
    origin: Origin,
    options: Options,
    deadline: Deadline,
    observer: Observer[Progress] | None,
    schedule: Schedule[OutcomeProblem],
) -> Conclusion:
    """Poses the problem that a statement is about, and has it worked on."""
    limits, statement = options.limits, options.question.states()
    match statement:
        case Outcomes():
            problem = pose(statement, origin, limits, deadline)
            return conclude(schedule, Task(problem, limits, deadline, options.method, SEARCH_ON), observer)
        case NoCycle():
            conflicts = ConflictProblem(origin, action_system(content, limits, deadline))
            return conclude(CONFLICTS, Task(conflicts, limits, deadline), observer)
        case NeverFails():
            return conclude(SAFETY, Task(SafetyProblem(origin), limits, deadline, hint=SEARCH_ON), observer)
        case OrderOfPoints(allowed=allowed) if isinstance(origin, ProgramUnfolding) and has_marks(
            origin.program
        ):
            effects = WordAutomaton(specified_words(allowed, limits, deadline), origin, limits.max_states)
            return conclude(POINTS, Task(PointsProblem(origin, effects), limits, deadline), observer)
        case OrderOfPoints(allowed=allowed):
            # Commit points of all runs are such points. A run that is not linearizable shows that none are.
            in_time = pose(Outcomes(Time(1, pending=True), allowed), origin, limits, deadline)
            found = conclude(schedule, Task(in_time, limits, deadline, options.method, SEARCH_ON), observer)
            if isinstance(found.answer, Proof) and not isinstance(found.answer.evidence, CommitEvidence):
                return replace(found, answer=GaveUp(NO_POINTS, "mark them with @lp"))
            return found
        case _:
            assert_never(statement)


SHORT_FAULT_SEARCH = 1_000
"""States; what is wrong with a program mostly shows at once."""


def look_for_fault(unfolding: Origin, max_states: int, deadline: Deadline) -> FaultyRun | None:
    """A run in which the program makes a mistake, if it can make any and one is found."""
    if not isinstance(unfolding, ProgramUnfolding) or not has_faults(unfolding.program):
        return None
    try:
        return FaultSearch(unfolding).advance(max_states, deadline)
    except OutOfBudget:
        return None


def certified(conclusion: Conclusion, content: Input, options: Options) -> Verdict:
    """A conclusion as a verdict with its certificate."""
    question, provenance = options.question, options.provenance
    holds, fails = question.verdicts
    match conclusion.answer:
        case Proof(evidence=evidence, reason=reason):
            return Holds(Certificate(digest(content), holds, evidence, question, provenance), reason)
        case Refutation(evidence=evidence, run=run, minimality=minimality, in_flight=in_flight, why=why):
            certificate = Certificate(digest(content), fails, evidence, question, provenance)
            return Violated(certificate, run, minimality, in_flight, why)
        case GaveUp(why=why_not, hint=hint):
            return Undecided(
                why_not, hint, conclusion.clean_up_to, conclusion.facts.single_steps, conclusion.obstacle
            )
        case _:
            assert_never(conclusion.answer)


def checked(verdict: Verdict, content: Input, deadline: Deadline) -> Verdict:
    """The verdict, if the checker accepts its certificate."""
    if not isinstance(verdict, Holds | Violated):
        return verdict
    context = Context(Allowance(deadline=deadline), big_steps=big_steps, faults=faults)
    try:
        report = verify(verdict.certificate, content, context)
    except CheckerGaveUp as gave_up:
        return Undecided(f"an answer was found, but re-checking it was given up: {gave_up}", None, 0)
    except OutOfBudget as out:
        return Undecided(f"an answer was found, but not re-checked: {out.spent}", out.hint, 0)
    except MemoryError:  # The system has less than was allowed.
        return Undecided("an answer was found, but there is too little memory to re-check it", None, 0)
    if report.accepted:
        return verdict
    if report.obligations[-1].code == "no-faults":
        reason = f"the program may make a mistake, and no run shows it: {report.complaint}"
        return Undecided(reason, "declare `wrap` or `saturate`, or test the value before", 0)
    return Refused(verdict.certificate, report)


def warned_of(
    content: Input, unfolding: Origin, system: MacroSystem | None, holds: bool, question: Property
) -> tuple[Diagnostic, ...]:
    """What the text shows, and what is known about its complete runs."""
    found = dict.fromkeys(content.warnings if isinstance(content, Program) else ())
    if may_be_pending(question.states()):
        found = dict.fromkeys(each for each in found if each.code != "SER708")  # Nobody has to be answered.
    elif system is not None:
        places = {each.span for each in found}
        found |= dict.fromkeys(each for each in unanswered(system) if each.span not in places)
        if holds and question == SERIALIZABILITY:
            found |= dict.fromkeys(nothing_told(system))
    allowed = specification_of(question.states())
    if allowed is not None and (system is not None or holds):
        found |= dict.fromkeys(never_given(allowed, unfolding))
    return tuple(found)
