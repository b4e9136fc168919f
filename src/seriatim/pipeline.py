"""From an input to a verdict whose evidence has been checked: the stages, in order."""

from dataclasses import dataclass, field, replace
from time import monotonic
from typing import assert_never

from seriatim.budget import Deadline, Observer, OutOfBudget
from seriatim.certificate.format import (
    AtomicEvidence,
    Certificate,
    CommitEvidence,
    Evidence,
    NoCycleEvidence,
    PointsEvidence,
)
from seriatim.checking.faults import NO_FAULTS
from seriatim.checking.verify import GaveUp as CheckerGaveUp
from seriatim.checking.verify import verify
from seriatim.engines.all_runs_portfolio import (
    ConflictConclusion,
    conclude_conflicts,
    conclude_points,
    conflicts_by_waiting,
)
from seriatim.engines.chains.evidence import chain_evidence
from seriatim.engines.commits.evidence import commit_evidence
from seriatim.engines.conflicts.evidence import cycle_evidence
from seriatim.engines.counting.evidence import counting_evidence
from seriatim.engines.faults import faulty_run
from seriatim.engines.modular.evidence import reduction_evidence
from seriatim.engines.paper.record import ALL_OPTIMIZATIONS, Optimizations, PaperRecord
from seriatim.engines.portfolio import conclude
from seriatim.engines.search.evidence import run_evidence, violation_evidence
from seriatim.engines.shared.answer import (
    FoundCycle,
    FoundMisorder,
    GaveUp,
    Minimality,
    ProvedAcyclic,
    ProvedAtomic,
    ProvedByChains,
    ProvedByCommits,
    ProvedByCover,
    ProvedByReduction,
    Refuted,
)
from seriatim.engines.shared.conclusion import Conclusion, Method, Progress
from seriatim.engines.shared.in_flight import action_invariants, level
from seriatim.engines.shared.reasons import (
    ACYCLIC,
    AT_MARKS,
    NO_POINTS,
    NO_YIELD,
    REDUCED,
    WAITING,
    commit_reason,
    counting_reason,
)
from seriatim.explain.vacuity import never_given, nothing_told, unanswered
from seriatim.memory import machine_bytes
from seriatim.program.execution import big_steps, faults
from seriatim.program.inputs import Input, digest
from seriatim.program.syntax import Program, has_faults, has_marks
from seriatim.properties.question import (
    SERIALIZABILITY,
    ConflictSerializability,
    Linearizability,
    Question,
    Serializability,
    StaticLinearizability,
    StrictSerializability,
    verdict_names,
)
from seriatim.source import Diagnostic
from seriatim.systems.from_input import Origin, unfold
from seriatim.systems.limits import Limits
from seriatim.systems.posing import OutcomeQuestion, Posed, posed, specified
from seriatim.systems.replay import ImpossibleTurn, replayed
from seriatim.systems.run import FaultyRun
from seriatim.systems.slicing import MacroSystem
from seriatim.systems.unfolding import ProgramUnfolding
from seriatim.systems.words import WordAutomaton
from seriatim.verdict import (
    ConflictCycle,
    Decision,
    Faulty,
    Holds,
    Misordered,
    Refused,
    Undecided,
    Unexplained,
    Verdict,
    Violated,
)


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
    question: Question = SERIALIZABILITY


@dataclass(frozen=True, slots=True)
class Account:
    """How an answer came about, and what is known besides."""

    method: Method
    seconds: dict[str, float]
    """For each stage."""
    system: MacroSystem | None = None
    """What complete runs can use, if that is known."""
    paper: PaperRecord | None = None


def decide(content: Input, options: Options, observer: Observer[Progress] | None = None) -> Decision:
    """Decides a question about an input; what it answers, `checking` has accepted.

    An observer is told how far the work is, now and then.
    """
    began = monotonic()
    deadline = Deadline(options.timeout, options.max_memory)
    in_flight_counts = isinstance(options.question, Linearizability) and options.question.pending
    unfolding = unfold(content, options.limits, deadline, dead_ends=in_flight_counts)
    faulty = look_for_fault(unfolding, SHORT_FAULT_SEARCH, deadline)
    if faulty is not None:
        seconds = monotonic() - began
        stages = {"faults": seconds}
        return Decision(Faulty(faulty), Method.SEARCH, seconds, stages, unfolding, options.question)
    account, verdict = answered(content, unfolding, options, deadline, observer)
    decided = monotonic()
    verdict = checked(verdict, content, deadline)
    if isinstance(verdict, Undecided):
        faulty = look_for_fault(unfolding, options.limits.max_states, deadline)
        verdict = verdict if faulty is None else Faulty(faulty)
    ended = monotonic()
    stages = {**account.seconds, "re-check": ended - decided}
    warned = warned_of(content, unfolding, account.system, isinstance(verdict, Holds), options.question)
    return Decision(
        verdict,
        account.method,
        ended - began,
        stages,
        unfolding,
        options.question,
        warned,
        account.paper,
    )


def answered(
    content: Input,
    unfolding: Origin,
    options: Options,
    deadline: Deadline,
    observer: Observer[Progress] | None,
) -> tuple["Account", Verdict]:
    """What the engines say, and how they came to that."""
    question = options.question
    match question:
        case Serializability() | StrictSerializability() | Linearizability():
            problem = posed(question, unfolding, options.limits, deadline)
            conclusion = conclude(
                problem, options.limits, deadline, options.method, options.optimizations, observer
            )
            account = Account(conclusion.method, conclusion.seconds, conclusion.system, conclusion.paper)
            return account, judged(conclusion, content, question, problem)
        case ConflictSerializability():
            found = conclude_conflicts(content, options.limits, deadline)
            verdict = judged_conflicts(found, content, question, unfolding, options.limits, deadline)
            return Account(method_of(found), found.seconds), verdict
        case StaticLinearizability():
            if isinstance(unfolding, ProgramUnfolding) and has_marks(unfolding.program):
                return at_marks(unfolding, question, options.limits, deadline)
            return at_points_found(content, unfolding, question, options, deadline, observer)
        case _:
            assert_never(question)


def at_marks(
    unfolding: ProgramUnfolding, question: StaticLinearizability, limits: Limits, deadline: Deadline
) -> tuple["Account", Verdict]:
    """Whether requests take effect where a program says so, in an order that is allowed."""
    words = specified(question.specification, limits, deadline)
    effects = WordAutomaton(words, unfolding, limits.max_states)
    conclusion = conclude_points(unfolding, effects, limits, deadline)
    holds, fails = verdict_names(question)
    program_digest = digest(unfolding.program)
    match conclusion.answer:
        case ProvedByCommits() as proof:
            evidence = commit_evidence(proof, unfolding)
            verdict: Verdict = Holds(Certificate(program_digest, holds, evidence, question), AT_MARKS)
            return Account(Method.COMMIT, conclusion.seconds), verdict
        case FoundMisorder(run=run, points=points, is_minimal=is_minimal):
            turns = run_evidence(run, unfolding).turns
            certificate = Certificate(program_digest, fails, PointsEvidence(turns, points), question)
            minimality = Minimality.PROVED if is_minimal else Minimality.UNKNOWN
            verdict = Violated(certificate, run, minimality, run.requests(), Misordered(points))
            return Account(Method.SEARCH, conclusion.seconds), verdict
        case GaveUp(why=why, hint=hint):
            return Account(Method.AUTO, conclusion.seconds), Undecided(why, hint, conclusion.clean_up_to)
        case _:
            assert_never(conclusion.answer)


def at_points_found(
    content: Input,
    unfolding: Origin,
    question: StaticLinearizability,
    options: Options,
    deadline: Deadline,
    observer: Observer[Progress] | None,
) -> tuple["Account", Verdict]:
    """Whether there are points at which requests take effect in an order that is allowed: commit points of
    all runs. A run that is not linearizable shows that there are none."""
    in_time = Linearizability(question.specification, barriers=1, pending=True)
    problem = posed(in_time, unfolding, options.limits, deadline)
    conclusion = conclude(problem, options.limits, deadline, options.method, options.optimizations, observer)
    account = Account(conclusion.method, conclusion.seconds)
    verdict = judged(conclusion, content, in_time, problem)
    holds, fails = verdict_names(question)
    match verdict:
        case Holds(certificate=certificate) if isinstance(certificate.evidence, CommitEvidence):
            asked = replace(certificate, verdict=holds, question=question)
            return account, replace(verdict, certificate=asked)
        case Holds():
            return account, Undecided(NO_POINTS, "mark them with @lp", 0)
        case Violated(certificate=certificate):
            asked = replace(certificate, verdict=fails, question=question)
            return account, replace(verdict, certificate=asked)
        case _:
            return account, verdict


SHORT_FAULT_SEARCH = 1_000
"""States; what is wrong with a program mostly shows at once."""


def look_for_fault(unfolding: Origin, max_states: int, deadline: Deadline) -> FaultyRun | None:
    """A run in which the program makes a mistake, if it can make any and one is found."""
    if not isinstance(unfolding, ProgramUnfolding) or not has_faults(unfolding.program):
        return None
    try:
        return faulty_run(unfolding, max_states, deadline)
    except OutOfBudget:
        return None


def judged(conclusion: Conclusion, content: Input, question: OutcomeQuestion, posed: Posed) -> Verdict:
    """A conclusion as a verdict with its certificate."""
    holds, fails = verdict_names(question)

    def proved(evidence: Evidence, reason: str) -> Holds:
        return Holds(Certificate(digest(content), holds, evidence, question), reason)

    match conclusion.answer:
        case Refuted(run=run, minimality=minimality, in_flight=in_flight):
            own, barriers = posed.way_back(run)
            evidence = violation_evidence(own, posed.origin, barriers, question)
            certificate = Certificate(digest(content), fails, evidence, question)
            why = Unexplained(posed, run.outcome(), barriers)
            return Violated(certificate, own, minimality, in_flight, why)
        case ProvedAtomic():
            return proved(AtomicEvidence(), NO_YIELD)
        case ProvedByCommits() as proof:
            commits = commit_evidence(proof, posed.committing)
            return proved(commits, commit_reason(commits, posed.origin, question))
        case ProvedByReduction() as proof:
            return proved(reduction_evidence(proof), REDUCED)
        case ProvedByCover() as proof:
            counted = counting_evidence(proof, posed.system, posed.state_name)
            return proved(counted, counting_reason(question))
        case ProvedByChains() as proof:
            chains = chain_evidence(proof, posed.system, posed.state_name)
            return proved(chains, counting_reason(question))
        case GaveUp(why=why_not, hint=hint):
            return Undecided(
                why_not, hint, conclusion.clean_up_to, conclusion.single_steps, conclusion.obstacle
            )
        case _:
            assert_never(conclusion.answer)


def method_of(conclusion: ConflictConclusion) -> Method:
    match conclusion.answer:
        case FoundCycle():
            return Method.SEARCH
        case ProvedAtomic():
            return Method.ATOMIC
        case ProvedAcyclic() | GaveUp():
            return Method.AUTO
        case _:
            assert_never(conclusion.answer)


def judged_conflicts(
    conclusion: ConflictConclusion,
    content: Input,
    question: ConflictSerializability,
    unfolding: Origin,
    limits: Limits,
    deadline: Deadline,
) -> Verdict:
    """A conclusion about conflicts as a verdict with its certificate."""
    holds, fails = verdict_names(question)
    match conclusion.answer:
        case FoundCycle(run=acted, is_minimal=is_minimal):
            evidence = cycle_evidence(acted, conclusion.system)
            try:
                run = replayed(evidence.turns, unfolding)
            except ImpossibleTurn:
                reason = "there is a cycle of conflicts, but where a request can neither move nor answer"
                return Undecided(reason, None, 0)
            minimality = Minimality.PROVED if is_minimal else Minimality.UNKNOWN
            certificate = Certificate(digest(content), fails, evidence, question)
            return Violated(certificate, run, minimality, run.requests(), ConflictCycle(evidence.conflicts))
        case ProvedAtomic():
            certificate = Certificate(digest(content), holds, AtomicEvidence(), question)
            return Holds(certificate, NO_YIELD)
        case ProvedAcyclic(coverage=coverage):
            proof = NoCycleEvidence(level(coverage), action_invariants(coverage, conclusion.system))
            certificate = Certificate(digest(content), holds, proof, question)
            waits = isinstance(content, Program) and conflicts_by_waiting(content, limits, deadline)
            return Holds(certificate, f"{ACYCLIC} {WAITING}" if waits else ACYCLIC)
        case GaveUp(why=why, hint=hint):
            return Undecided(why, hint, conclusion.clean_up_to)
        case _:
            assert_never(conclusion.answer)


def checked(verdict: Verdict, content: Input, deadline: Deadline) -> Verdict:
    """The verdict, if the checker accepts its certificate."""
    if not isinstance(verdict, Holds | Violated):
        return verdict
    try:
        report = verify(verdict.certificate, content, deadline=deadline, big_steps=big_steps, faults=faults)
    except CheckerGaveUp as gave_up:
        return Undecided(f"an answer was found, but re-checking it was given up: {gave_up}", None, 0)
    except OutOfBudget as out:
        return Undecided(f"an answer was found, but not re-checked: {out.spent}", out.hint, 0)
    except MemoryError:  # The system has less than was allowed.
        return Undecided("an answer was found, but there is too little memory to re-check it", None, 0)
    if report.accepted:
        return verdict
    if report.obligations[-1].claim == NO_FAULTS:
        reason = f"the program may make a mistake, and no run shows it: {report.complaint}"
        return Undecided(reason, "declare `wrap` or `saturate`, or test the value before", 0)
    return Refused(verdict.certificate, report)


def warned_of(
    content: Input, unfolding: Origin, system: MacroSystem | None, holds: bool, question: Question
) -> tuple[Diagnostic, ...]:
    """What the text shows, and what is known about its complete runs."""
    found = dict.fromkeys(content.warnings if isinstance(content, Program) else ())
    if isinstance(question, Linearizability) and question.pending:
        found = dict.fromkeys(each for each in found if each.code != "SER708")  # Nobody has to be answered.
    elif system is not None:
        places = {each.span for each in found}
        found |= dict.fromkeys(each for each in unanswered(system) if each.span not in places)
        if holds and question == SERIALIZABILITY:
            found |= dict.fromkeys(nothing_told(system))
    if isinstance(question, Linearizability | StaticLinearizability) and (system is not None or holds):
        found |= dict.fromkeys(never_given(question.specification, unfolding))
    return tuple(found)
