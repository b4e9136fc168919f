"""One measurement, in this process. Times are CPU time: a machine that others use as well does not matter."""

from dataclasses import dataclass, field, replace
from time import monotonic, process_time
from typing import assert_never

from seriatim.bench.result import BenchTask, Outcome, Result, Stage, make_unmeasured
from seriatim.budget import Deadline, OutOfBudget, OutOfMemory
from seriatim.certificate.certificate import Certificate
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp, verify
from seriatim.deciding.answer import THE_ANSWER_ALONE
from seriatim.deciding.pipeline import Options, work_out
from seriatim.frontends.all import read_input
from seriatim.program.execution import Interpreter
from seriatim.program.inputs import Input
from seriatim.result import Faulty, Holds, Lost, Recorded, Refused, Undecided, Unusable, Violated
from seriatim.source import Diagnostic, InputError
from seriatim.systems.closure import closure
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import LimitReached
from seriatim.systems.slicing import covered_system


@dataclass(frozen=True, slots=True)
class Clock:
    """Counts from its creation."""

    began: float = field(default_factory=monotonic)
    began_working: float = field(default_factory=process_time)

    def stop(self, result: Result) -> Result:
        """The result with the time that it took."""
        return replace(
            result, seconds=process_time() - self.began_working, wall_seconds=monotonic() - self.began
        )

    def working(self) -> float:
        return process_time() - self.began_working


Measured = tuple[Result, Certificate | None]
"""A measurement, and the evidence for its verdict."""


def measure(task: BenchTask) -> Result:
    """Does what the task says, and takes the time."""
    return measure_with_evidence(task)[0]


def measure_with_evidence(task: BenchTask) -> Measured:
    clock = Clock()
    try:
        content = read_input(task.source)
    except InputError as error:
        return clock.stop(make_unmeasured(task, Outcome.ERROR, first_complaint(error.diagnostics))), None
    try:
        match task.stage:
            case Stage.CHECK:
                return measure_check(task, content, clock)
            case Stage.COMPILE:
                return measure_compile(task, content, clock), None
            case _:
                assert_never(task.stage)
    except LimitReached as reached:
        return clock.stop(make_unmeasured(task, Outcome.UNKNOWN, str(reached))), None
    except OutOfBudget as out:
        return clock.stop(make_unmeasured(task, Outcome.UNKNOWN, out.spent)), None
    except MemoryError:  # One input that is too large must not end the whole suite.
        return clock.stop(make_unmeasured(task, Outcome.UNKNOWN, OutOfMemory.spent)), None


def measure_check(task: BenchTask, content: Input, clock: Clock) -> Measured:
    """Measures from the text to the verdict; then, on a separate clock, one more check of the evidence."""
    options = Options(task.limits, task.timeout, max_memory=task.max_memory, wants=THE_ANSWER_ALONE)
    decided, work = work_out(content, options)
    answer, counts = decided.answer, work.counts
    blank = replace(
        make_unmeasured(task, Outcome.UNKNOWN),
        method=decided.method,
        searched=counts.searched,
        closed=counts.closed,
        asked=counts.asked,
        checked=counts.checked,
    )
    match answer:
        case Holds(certificate=certificate):
            result = clock.stop(replace(blank, outcome=Outcome.SERIALIZABLE))
            return replace(result, recheck_seconds=recheck_seconds(certificate, content, task)), certificate
        case Violated(certificate=certificate, run=run):
            result = clock.stop(replace(blank, outcome=Outcome.NOT_SERIALIZABLE, requests=run.requests))
            return replace(result, recheck_seconds=recheck_seconds(certificate, content, task)), certificate
        case Undecided(reason=reason):
            return clock.stop(replace(blank, reason=reason)), None
        case Faulty(diagnostic=diagnostic):
            return clock.stop(replace(blank, reason=diagnostic.message)), None
        case Refused():
            return clock.stop(replace(blank, outcome=Outcome.REFUSED, reason=answer.complaint)), None
        case Unusable() | Lost() | Recorded():
            raise AssertionError("what is decided has been read, in this process")
        case _:
            assert_never(answer)


def recheck_seconds(certificate: Certificate, content: Input, task: BenchTask) -> float | None:
    clock = Clock()
    try:
        deadline = Deadline(task.timeout, task.max_memory)
        interpreter = Interpreter()
        allowance = Allowance(deadline=deadline)
        verify(
            certificate, content, Context(allowance, big_steps=interpreter.ends, faults=interpreter.faults)
        )
    except (GaveUp, OutOfBudget):
        return None
    return clock.working()


def measure_compile(task: BenchTask, content: Input, clock: Clock) -> Result:
    """Measures from the text to the table of moves that every engine starts from."""
    deadline = Deadline(task.timeout, task.max_memory)
    unfolding = unfold(content, task.limits, deadline)
    closing = Clock()
    coverage = closure(unfolding, task.limits, deadline)
    closure_seconds = closing.working()
    system = covered_system(unfolding, coverage)
    result = clock.stop(make_unmeasured(task, Outcome.COMPILED))
    return replace(
        result,
        pairs=coverage.pairs(),
        steps=sum(map(len, system.table.values())),
        level=coverage.level,
        closure_seconds=closure_seconds,
    )


def first_complaint(diagnostics: tuple[Diagnostic, ...]) -> str:
    first, *others = diagnostics
    place = "" if first.span is None else f"{first.span.line}:{first.span.column}: "
    more = f" (and {len(others)} more)" if others else ""
    return f"{place}{first.message}{more}"
