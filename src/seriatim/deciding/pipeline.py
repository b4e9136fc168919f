"""The stages from an input to a result whose evidence has been checked, in order.

The answer comes first. The explanation follows in what is left of the time; if that runs out, the
verdict stands and the explanation is shorter.
"""

from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING, assert_never

from seriatim.budget import Deadline, Observer, OutOfBudget, enforce
from seriatim.certificate.certificate import Provenance
from seriatim.checking.allowance import Allowance
from seriatim.deciding.answer import (
    EVERYTHING,
    Context,
    Want,
    about_all_integers,
    certify,
    check_certificate,
    explain_answer,
)
from seriatim.engines import stage
from seriatim.engines.portfolio import Conclusion, conclude
from seriatim.engines.stage import Facts, GaveUp, Progress, Proof, Schedule, Task, Turn
from seriatim.memory import machine_bytes
from seriatim.method import ALL_OPTIMIZATIONS, Method, Minimality, Optimizations, ThreadOptions
from seriatim.program.inputs import Input
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.properties.statement import (
    CoveredByOrder,
    NeverFails,
    NeverStuck,
    NoCycle,
    OfLogs,
    OfThreads,
    OrderOfPoints,
    Outcomes,
    Time,
    counts_dead_ends,
    may_be_pending,
    specification_of,
)
from seriatim.result import Holds, Result, Undecided, Violated
from seriatim.source import Diagnostic, SourceText
from seriatim.systems.from_input import Origin, unfold
from seriatim.systems.limits import Limits
from seriatim.systems.posing import (
    ConflictProblem,
    OutcomeProblem,
    PointsProblem,
    SafetyProblem,
    StuckProblem,
    pose,
    specify_words,
)
from seriatim.systems.unfolding import ProgramUnfolding

if TYPE_CHECKING:
    from seriatim.engines.paper.record import PaperRecord
    from seriatim.systems.slicing import MacroSystem


def half_of_the_machine() -> int | None:
    """Half of the machine's memory in bytes; None where the system does not tell."""
    memory = machine_bytes()
    return None if memory is None else memory // 2


@dataclass(frozen=True, slots=True)
class Options:
    limits: Limits = field(default_factory=Limits)
    timeout: float | None = 60.0
    """Seconds; None means no limit."""
    method: Method = Method.AUTO
    max_memory: int | None = field(default_factory=half_of_the_machine)
    """Bytes of this process; None means no limit."""
    optimizations: Optimizations = ALL_OPTIMIZATIONS
    """Optimizations of the paper's method; other methods ignore them."""
    question: Property = SERIALIZABILITY
    wants: frozenset[Want] = EVERYTHING
    threads: ThreadOptions = field(default_factory=ThreadOptions)
    ranges_are_scopes: bool = False
    """Whether a value outside its range may be the symptom of a violation, to be looked for first."""
    provenance: Provenance | None = None
    """Where the input comes from, for certificates."""
    stuck_runs: bool = True
    """Whether to look for requests that wait for ever, and warn about them."""


@dataclass(frozen=True, slots=True)
class WorkCounts:
    """How much work there was. The counts do not depend on the machine."""

    searched: int = 0
    """States that searches met."""
    closed: int = 0
    """Pairs of a local and a global state that closures explored."""
    asked: int = 0
    """Questions to solvers."""
    checked: int = 0
    """States that the re-check went through."""


@dataclass(frozen=True, slots=True)
class Work:
    """The data behind a decision, for views that show them."""

    unfolding: Origin | None
    """The unfolding of the input; None if time ran out before it was made."""
    paper: "PaperRecord | None" = None
    """The intermediate results of the paper's method, if it was used."""
    counts: WorkCounts = WorkCounts()


NO_TEXT = SourceText("", "")
"""The source of inputs without a text; their runs show line numbers alone."""


def decide(
    content: Input,
    options: Options,
    observer: Observer[Progress] | None = None,
    source: SourceText = NO_TEXT,
) -> Result:
    """Decides a question about an input. The checker has accepted every answer that this returns.

    An observer gets progress reports.
    """
    result, _ = work_out(content, options, observer, source)
    return result


def work_out(
    content: Input,
    options: Options,
    observer: Observer[Progress] | None = None,
    source: SourceText = NO_TEXT,
    deadline: Deadline | None = None,
) -> tuple[Result, Work]:
    """Decides, and keeps the data behind the decision. A deadline, if given, replaces the time limit of the
    options."""
    began = monotonic()
    question = options.question
    deadline = deadline or Deadline(options.timeout, options.max_memory)
    try:
        with enforce(deadline):
            dead_ends = counts_dead_ends(question.states())
            unfolding = unfold(content, options.limits, deadline, dead_ends)
    except OutOfBudget as out:
        return Result(source, question, out_of_budget(out), options.method), Work(None)
    schedule, record = choose_schedule(content, options)
    conclusion = None
    asks_for_failures = isinstance(question.states(), NeverFails)
    if not asks_for_failures and not options.ranges_are_scopes:
        conclusion = look_for_failure(unfolding, SHORT_FAULT_SEARCH, deadline)
    if conclusion is None:
        try:
            with enforce(deadline):
                conclusion = conclude_about(content, unfolding, options, deadline, observer, schedule)
        except OutOfBudget as out:
            conclusion = Conclusion(GaveUp(out.spent, out.hint), options.method, 0, {}, Facts(), None)
    decided = monotonic()
    allowance = Allowance(deadline=deadline)
    found = about_all_integers(certify(conclusion, content, question, options.provenance), content)
    verdict = check_certificate(found, content, allowance)
    counts = WorkCounts(conclusion.states, deadline.pairs, deadline.questions, allowance.spent)
    if isinstance(verdict, Undecided) and not asks_for_failures:
        failure = look_for_failure(unfolding, options.limits.max_states, deadline)
        if failure is not None:
            shown = about_all_integers(certify(failure, content, question, options.provenance), content)
            verdict = check_certificate(shown, content, Allowance(deadline=deadline))
    if isinstance(verdict, Undecided):
        from seriatim.deciding.undecided import with_culprit

        verdict = with_culprit(verdict, unfolding)
    ended = monotonic()
    stages = {**conclusion.seconds, "re-check": ended - decided}
    system, holds = conclusion.facts.committing, isinstance(verdict, Holds)
    result = Result(
        source,
        question,
        explain_answer(verdict, Context(content, source, unfolding, question, options.wants), deadline),
        conclusion.method,
        round(ended - began, 6),
        {name: round(seconds, 6) for name, seconds in stages.items()},
        find_warnings(content, unfolding, system, holds, question),
    )
    if options.stuck_runs:
        result = with_stuck_run(result, content, unfolding, deadline)
    return result, Work(unfolding, record, counts)


def with_stuck_run(result: Result, content: Input, unfolding: Origin, deadline: Deadline) -> Result:
    """The result with a warning, if requests can wait for ever and that is not the answer."""
    if isinstance(result.property.states(), NeverStuck) or not content.may_wait:
        return result
    if content.leaves_cells_out:
        return result  # A request that seems to wait may have reached a cell outside of the examples.
    if not isinstance(result.answer, Holds | Violated | Undecided):
        return result
    from seriatim.deciding.stuck_warning import warn_of_stuck_run

    found = warn_of_stuck_run(content, unfolding, result.source, result.warnings, deadline)
    if found is None:
        return result
    told, stuck = found
    return replace(result, warnings=(*result.warnings, told), stuck=stuck)


def out_of_budget(out: OutOfBudget) -> Undecided:
    """The answer if reading and translating the input already exceeds the budget."""
    return Undecided(f"{out.spent} before the input was read and translated", out.hint, 0)


SEARCH_ON = "raise --max-states: a longer search may find a violation"


def choose_schedule(
    content: Input, options: Options
) -> "tuple[Schedule[OutcomeProblem], PaperRecord | None]":
    """The schedule for questions about outcomes, and the record of the paper's method."""
    if content.unbounded_handlers:
        from seriatim.engines.schedules.any_integers import OUTCOMES_OF_ALL

        return OUTCOMES_OF_ALL, None
    if options.method is Method.PAPER:
        from seriatim.engines.paper.record import PaperRecord
        from seriatim.engines.paper.stages import paper_schedule

        record = PaperRecord(options.optimizations)
        return paper_schedule(record), record
    from seriatim.engines.schedules.outcomes import OUTCOMES

    return OUTCOMES, None


def conclude_about(
    content: Input,
    origin: Origin,
    options: Options,
    deadline: Deadline,
    observer: Observer[Progress] | None,
    schedule: Schedule[OutcomeProblem],
) -> Conclusion:
    """Poses the problem of a statement and runs the engines on it."""
    limits, statement = options.limits, options.question.states()
    message = "this is asked about threads, logs or actions alone"
    assert not isinstance(statement, OfThreads | OfLogs | CoveredByOrder), message
    match statement:
        case Outcomes(seen=Time(barriers=barriers)) if barriers > 0:
            most = deadline.part(TIME_FOR_ALL_BARRIERS)
            problem = pose(statement, origin, limits, most)
            found = conclude(schedule, Task(problem, limits, most, options.method, SEARCH_ON), observer)
            if isinstance(found.answer, GaveUp):
                return with_fewer_barriers(found, statement, origin, options, deadline)
            return found
        case Outcomes():
            problem = pose(statement, origin, limits, deadline)
            return conclude(schedule, Task(problem, limits, deadline, options.method, SEARCH_ON), observer)
        case NoCycle():
            from seriatim.engines.schedules.conflicts import CONFLICTS
            from seriatim.systems.actions import action_system

            conflicts = ConflictProblem(origin, action_system(content, limits, deadline))
            return conclude(CONFLICTS, Task(conflicts, limits, deadline), observer)
        case NeverFails():
            from seriatim.engines.schedules.safety import SAFETY as FAILURES

            safety = SafetyProblem(origin)
            if content.unbounded_handlers:
                from seriatim.engines.schedules.any_integers import SAFETY_OF_ALL as FAILURES
            return conclude(FAILURES, Task(safety, limits, deadline, hint=SEARCH_ON), observer)
        case NeverStuck() if content.leaves_cells_out:
            return Conclusion(GaveUp(CELLS_LEFT_OUT), options.method, 0, {}, Facts(), None)
        case NeverStuck():
            from seriatim.engines.schedules.stuck import DEADLOCKS

            deadlocks = StuckProblem(origin)
            return conclude(DEADLOCKS, Task(deadlocks, limits, deadline, hint=SEARCH_ON), observer)
        case OrderOfPoints(allowed=allowed) if isinstance(origin, ProgramUnfolding) and content.is_marked:
            from seriatim.engines.schedules.points import POINTS
            from seriatim.systems.words import WordAutomaton

            effects = WordAutomaton(specify_words(allowed, limits, deadline), origin, limits.max_states)
            return conclude(POINTS, Task(PointsProblem(origin, effects), limits, deadline), observer)
        case OrderOfPoints(allowed=allowed):
            # Commit points of all runs are such points. A run that is not linearizable shows that none are.
            in_time = pose(Outcomes(Time(1, pending=True), allowed), origin, limits, deadline)
            found = conclude(schedule, Task(in_time, limits, deadline, options.method, SEARCH_ON), observer)
            if isinstance(found.answer, Proof) and found.answer.evidence.kind != "commit":
                from seriatim.engines.shared.reasons import NO_POINTS

                return replace(found, answer=GaveUp(NO_POINTS, "mark them with @lp"))
            return found
        case _:
            assert_never(statement)


CELLS_LEFT_OUT = "the examples that are executed have a few cells only, and requests may need others"

TIME_FOR_ALL_BARRIERS = 0.9
"""The share of the time for all barriers; the rest is for violations with fewer barriers."""


def with_fewer_barriers(
    gave_up: Conclusion, statement: Outcomes, origin: Origin, options: Options, deadline: Deadline
) -> Conclusion:
    """A violation with fewer barriers, if a search finds one. It also violates the question with more
    barriers, because the others may stand at the end. There may be a shorter one with all barriers."""
    from seriatim.engines.search.stages import LOOK
    from seriatim.engines.stage import LONG_SEARCH

    assert isinstance(statement.seen, Time)
    if options.method not in (Method.AUTO, Method.SEARCH):
        return gave_up
    for barriers in range(statement.seen.barriers):
        fewer = replace(statement, seen=replace(statement.seen, barriers=barriers))
        problem = pose(fewer, origin, options.limits, deadline)
        found = conclude((Turn(LOOK, LONG_SEARCH),), Task(problem, options.limits, deadline, Method.SEARCH))
        if isinstance(found.answer, stage.Refutation):
            answer = replace(found.answer, minimality=Minimality.UNKNOWN)
            return replace(found, answer=answer, seconds={**gave_up.seconds, **found.seconds})
    return gave_up


SHORT_FAULT_SEARCH = 1_000
"""States to explore; most mistakes in programs show at once."""


def look_for_failure(unfolding: Origin, max_states: int, deadline: Deadline) -> Conclusion | None:
    """Looks for a run to a failing step, after which nothing else about the program can be decided."""
    if not unfolding.content.can_fail:
        return None
    from seriatim.engines.safety.search import FaultSearch
    from seriatim.engines.safety.stages import refutation

    began = monotonic()
    search = FaultSearch(unfolding)
    try:
        with enforce(deadline):
            found = search.advance(max_states, deadline)
    except OutOfBudget:
        return None
    if found is None:
        return None
    minimality = Minimality.UNKNOWN if search.layers.is_cut else Minimality.PROVED
    answer = refutation(found, unfolding, minimality)
    return Conclusion(answer, Method.SEARCH, 0, {"faults": monotonic() - began}, Facts(), None)


def find_warnings(
    content: Input, unfolding: Origin, system: "MacroSystem | None", holds: bool, question: Property
) -> tuple[Diagnostic, ...]:
    """Warnings about the text and about complete runs."""
    statement = question.states()
    found = dict.fromkeys(content.warnings)
    is_pending = may_be_pending(statement)
    if is_pending:
        found = dict.fromkeys(
            each for each in found if each.code != "SER708"
        )  # Requests may stay unanswered.
    if system is None and not holds:
        return tuple(found)
    from seriatim.explain.vacuity import note_constant_answers, warn_of_missing_answers, warn_of_unanswered

    if system is not None and not is_pending:
        places = {each.span for each in found}
        found |= dict.fromkeys(each for each in warn_of_unanswered(system) if each.span not in places)
        if holds and question == SERIALIZABILITY:
            found |= dict.fromkeys(note_constant_answers(system))
    allowed = specification_of(statement)
    if allowed is not None:
        found |= dict.fromkeys(warn_of_missing_answers(allowed, unfolding))
    return tuple(found)
