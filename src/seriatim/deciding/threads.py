"""Decides a program with threads; the evidence of the result has been checked."""

from dataclasses import replace
from time import monotonic
from typing import assert_never

from seriatim.budget import Deadline, Observer, OutOfBudget, enforce
from seriatim.certificate.certificate import Certificate
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp as CheckerGaveUp
from seriatim.checking.verify import verify
from seriatim.deciding.pipeline import NO_TEXT, Options
from seriatim.engines.portfolio import Conclusion, conclude
from seriatim.engines.schedules.threads import HANGS, THREADS
from seriatim.engines.stage import FailingThreads, GaveUp, Progress, Proof, Refutation, Task
from seriatim.engines.threads.width import find_width
from seriatim.explain.thread_timeline import show_threads
from seriatim.explain.why import Fails
from seriatim.program.inputs import digest
from seriatim.program.threads.limits import exceeded, limits, within_limits
from seriatim.program.threads.runs import Replay, ThreadRun
from seriatim.program.threads.symbolic import symbolic_step
from seriatim.program.threads.syntax import FINISHED, ThreadProgram
from seriatim.properties.safe import SAFETY
from seriatim.properties.statement import NeverStuck, OfThreads, UsesMemoryWell
from seriatim.properties.threads import pose
from seriatim.result import Answer, Holds, Refused, Result, Undecided, Violated
from seriatim.source import Diagnostic, Severity, SourceText
from seriatim.systems.threads.problem import ThreadProblem
from seriatim.terms.expressions import Variable

NOTHING_FAILS = "nothing in this program can fail: it has no assertion"
MORE_RUNS = "no run that is sequentially consistent violates this, but {} allows others"
STRONGER = "use memory_order_seq_cst, or ask about x86 alone: --memory tso"
LIMITED = "no run that was looked at violates this, but {}"
LIMITED_HINT = "use arrays and a number of objects that are known"
ASSERT = "assert what has to hold"
HINTS = {
    "SER801": "fix the code, or widen the range",
    "SER811": "the run shows an interleaving in which it fails",
    "SER813": "each of them waits for another one, or for what nobody does",
    "SER812": "test the divisor first",
}


def decide_threads(
    program: ThreadProgram,
    options: Options,
    observer: Observer[Progress] | None = None,
    source: SourceText = NO_TEXT,
    deadline: Deadline | None = None,
) -> Result:
    """Decides a question about a program with threads. The checker has accepted every answer."""
    began = monotonic()
    question = options.question if isinstance(options.question.states(), NeverStuck | OfThreads) else SAFETY
    deadline = deadline or Deadline(options.timeout, options.max_memory)
    try:
        with enforce(deadline):
            posed = pose(program, question.states())
    except OutOfBudget as out:
        return Result(source, question, Undecided(out.spent, out.hint, 0), actor="thread")

    def asking(program: ThreadProgram) -> Task[ThreadProblem]:
        hint = "raise --timeout or --max-states"
        problem = ThreadProblem(program, options.threads.algorithm)
        return Task(problem, options.limits, deadline, options.method, hint)

    schedule = HANGS if isinstance(question.states(), NeverStuck) else THREADS
    conclusion = conclude(schedule, asking(posed), observer)
    unseen = unseen_by(conclusion.answer, program, posed)
    if unseen and isinstance(conclusion.answer, FailingThreads):
        conclusion = conclude(schedule, asking(within_limits(posed)), observer)
    decided = monotonic()
    answer = check_certificate(
        answer_by(conclusion, program, posed, replace(options, question=question), unseen), program, deadline
    )
    ended = monotonic()
    stages = {**conclusion.seconds, "re-check": ended - decided}
    notes = program.warnings
    if isinstance(answer, Holds) and question == SAFETY and not can_fail(program):
        notes = (*notes, Diagnostic("SER724", NOTHING_FAILS, hint=ASSERT, severity=Severity.NOTE))
    if isinstance(question.states(), UsesMemoryWell):
        notes = (*notes, *program.leaks)
    if options.threads.width:
        notes = (*notes, width_note(pose(program, SAFETY.states()), deadline))
    return Result(
        source,
        question,
        answer,
        conclusion.method,
        round(ended - began, 6),
        {name: round(seconds, 6) for name, seconds in stages.items()},
        notes,
        actor="thread",
    )


def can_fail(program: ThreadProgram) -> bool:
    """Whether some step could fail, if it is ever taken."""
    for template in program.templates:
        before = {name: Variable(name) for name in (*program.types, *template.types)}
        for edge in template.edges:
            if symbolic_step(program, template, edge, before, "fresh ").failures:
                return True
    return False


def width_note(program: ThreadProgram, deadline: Deadline) -> Diagnostic:
    try:
        sentence = find_width(program, deadline).sentence()
    except OutOfBudget as out:
        sentence = f"the thread width was not found: {out.spent}"
    return Diagnostic("SER723", sentence, severity=Severity.NOTE)


def unseen_by(
    answer: Proof | FailingThreads | GaveUp | Refutation, program: ThreadProgram, posed: ThreadProgram
) -> str:
    """Which runs an answer says nothing about, in words: those that exceed a limit; empty if it is about
    all."""
    if isinstance(answer, FailingThreads):
        return exceeded(posed, answer.evidence.run)
    return "; ".join(limits(program)) if not limits(posed) else ""


def answer_by(
    conclusion: Conclusion, program: ThreadProgram, posed: ThreadProgram, options: Options, unseen: str
) -> Answer:
    """The answer about a program; runs are those of the program that poses the question."""
    found, question, origin = conclusion.answer, options.question, options.provenance
    holds, fails = question.verdicts
    match found:
        case Proof() if program.weak_order:
            return Undecided(MORE_RUNS.format(program.weak_order), STRONGER, 0)
        case Proof() if unseen:
            return Undecided(LIMITED.format(unseen), LIMITED_HINT, 0)
        case Proof(evidence=evidence, reason=reason):
            return Holds(Certificate(digest(program), holds, evidence, question, origin), reason)
        case FailingThreads(evidence=evidence, minimality=minimality, threads=threads):
            diagnostic = describe(posed, evidence.run)
            certificate = Certificate(digest(program), fails, evidence, question, origin)
            shown = show_threads(posed, evidence.run)
            return Violated(certificate, shown, minimality, threads, Fails(diagnostic))
        case GaveUp(why=why, hint=hint):
            return Undecided(why, hint, conclusion.clean_up_to)
        case Refutation():
            raise AssertionError("threads are not requests")
        case _:
            assert_never(found)


def describe(program: ThreadProgram, run: ThreadRun) -> Diagnostic:
    """Says what is wrong at the end of a run: how its last step fails, or where threads wait."""
    replaying = Replay(program, run)
    for moment in replaying.moments():
        if moment.failure is not None:
            failure = moment.failure
            return Diagnostic(failure.code, failure.message, failure.span, HINTS[failure.code])
    waiting = [thread for thread in replaying.threads.values() if thread.place != FINISHED]
    spans = [thread.template.edges_from[thread.place][0][1].span for thread in waiting]
    names = ", ".join(
        f"`{thread.template.name}` in line {span.line}" for thread, span in zip(waiting, spans, strict=True)
    )
    return Diagnostic("SER813", f"no thread can go on: {names}", spans[0], HINTS["SER813"])


def check_certificate(answer: Answer, program: ThreadProgram, deadline: Deadline) -> Answer:
    """The answer, if the checker accepts its certificate."""
    if not isinstance(answer, Holds | Violated):
        return answer
    try:
        report = verify(answer.certificate, program, Context(Allowance(deadline=deadline)))
    except CheckerGaveUp as gave_up:
        return Undecided(f"an answer was found, but re-checking it was given up: {gave_up}", None, 0)
    except OutOfBudget as out:
        return Undecided(f"an answer was found, but not re-checked: {out.spent}", out.hint, 0)
    return answer if report.accepted else Refused(answer.certificate, report)
