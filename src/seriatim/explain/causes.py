"""Finds out why a run violates a property, and describes the run with notes on its turns."""

from typing import TYPE_CHECKING, assert_never

from seriatim.budget import Deadline, OutOfBudget
from seriatim.engines.stage import ConflictCycle, Failing, Hanging, Misordered, Unexplained
from seriatim.explain.argument import Argument, Nearest
from seriatim.explain.contradiction import contradiction
from seriatim.explain.nearest import SerialSteps, nearest_serial
from seriatim.explain.telling import NO_NOTES, Notes, show_run, tell_fault
from seriatim.explain.timed_steps import TimedSteps
from seriatim.explain.timeline import ShownRun
from seriatim.explain.waiting import explain_stuck, show_stuck
from seriatim.explain.why import (
    AccessShown,
    ConflictShown,
    Cycle,
    Effect,
    Fails,
    FinalValues,
    InTime,
    NothingExplains,
    Points,
    Seen,
    Timed,
    Why,
)
from seriatim.program.syntax import POINT, Fault
from seriatim.properties.statement import Time
from seriatim.source import Diagnostic, SourceText, Span
from seriatim.systems.from_input import Origin
from seriatim.systems.intervals import IntervalAutomaton, IntervalSystem
from seriatim.systems.observation import ObservedSystem
from seriatim.systems.run import Run, Turn
from seriatim.systems.source_map import events
from seriatim.systems.unfolding import ProgramUnfolding
from seriatim.text_width import printable

if TYPE_CHECKING:
    from seriatim.certificate.cycle import Access, Conflict

MANY_REQUESTS = 500
"""Runs with more requests get no argument: it would be too long to read."""

TAKES_EFFECT = "takes effect"

HINTS = {
    "SER801": "fix the code, widen the range, or declare it with `wrap` or `saturate`",
    "SER802": "fix the index, or make the array larger",
    "SER803": "fix the code, or assert what really holds",
    "SER804": "widen the scope: the verdict holds only inside it",
}
"""What to do about a failing step."""

SCOPES = {
    " gets a key outside ": "widen the scope of its keys, # ser: keys {…}: the verdict holds only inside it",
    " holds more than ": "widen its scope, # ser: at most 4: the verdict holds only inside it",
}
"""The same for scopes of Python files, by what the message says."""


def _hint(fault: Fault) -> str:
    """Says how to repair a fault."""
    return next((hint for part, hint in SCOPES.items() if part in fault.message), HINTS[fault.code])


Cause = Unexplained | ConflictCycle | Misordered | Failing | Hanging
"""An engine's reason why a run violates a property."""


def show_cause(run: Run, cause: Cause, origin: Origin, source: SourceText) -> ShownRun:
    """Describes the run, with notes on its turns."""
    barriers: tuple[int, ...] = ()
    notes = NO_NOTES
    match cause:
        case Unexplained(barriers=barriers):
            pass
        case ConflictCycle(conflicts=conflicts):
            notes = _access_notes(conflicts)
        case Misordered(points=points):
            notes = dict.fromkeys(points, (TAKES_EFFECT,))
        case Hanging(found=stuck):
            return show_stuck(stuck, origin, source)
        case Failing(found=found):
            assert isinstance(origin, ProgramUnfolding), "nothing else can fail"
            return tell_fault(found, origin, source)
        case _:
            assert_never(cause)
    return show_run(run, origin, source, barriers, notes)


def explain_cause(
    run: Run, cause: Cause, origin: Origin, deadline: Deadline, *, wants_argument: bool = True
) -> Why:
    """Why the run violates the property. If time or memory runs out, the argument is left out."""
    match cause:
        case Unexplained():
            return _nothing_explains(cause, deadline, wants_argument)
        case ConflictCycle(conflicts=conflicts):
            return Cycle(_show_conflicts(conflicts, run, origin))
        case Misordered(points=points):
            return Points(_show_points(points, run, origin))
        case Failing(found=found):
            fault = found.fault
            return Fails(Diagnostic(fault.code, fault.message, fault.span, _hint(fault)))
        case Hanging(found=stuck):
            return explain_stuck(stuck, origin, deadline)
        case _:
            assert_never(cause)


# Outcomes


def _nothing_explains(cause: Unexplained, deadline: Deadline, wants_argument: bool) -> NothingExplains:
    argument: Argument | None = None
    nearest: Nearest | None = None
    is_cut = False
    if wants_argument:
        try:
            argument = _argument(cause, deadline)
            nearest = _nearest(cause, deadline)
        except OutOfBudget:
            is_cut = True
    seen, barriers = _find_seen(cause), cause.barriers
    return NothingExplains(argument, nearest, seen=seen, barriers=barriers, is_cut=is_cut)


def _argument(cause: Unexplained, deadline: Deadline) -> Argument | None:
    system, specification = cause.problem.derived, cause.problem.allowed
    if cause.outcome.total() > MANY_REQUESTS:
        return None
    if not isinstance(cause.problem.statement.seen, Time):
        return contradiction(cause.outcome, SerialSteps(cause.problem.committing, deadline), deadline)
    assert isinstance(system, IntervalSystem), "time is told by intervals"
    assert isinstance(specification, IntervalAutomaton), "only those know intervals"
    if any(_is_pending(system, completion) for completion in cause.outcome):
        return None
    return contradiction(cause.outcome, TimedSteps(specification.words, system), deadline)


def _nearest(cause: Unexplained, deadline: Deadline) -> Nearest | None:
    if cause.outcome.total() > MANY_REQUESTS or isinstance(cause.problem.statement.seen, Time):
        return None
    return nearest_serial(cause.outcome, cause.problem.committing, deadline=deadline)


def _find_seen(cause: Unexplained) -> Seen | None:
    """Returns what was observed besides answers."""
    system, outcome = cause.problem.derived, cause.outcome
    if cause.problem.statement.seen is None:
        return None
    match system:
        case ObservedSystem():
            own = len(system.origin.requests)
            seen = (
                response
                for request, response in map(system.completions.__getitem__, outcome)
                if request == own
            )
            values = next(seen, "")
            return FinalValues(values) if values else None
        case IntervalSystem() if cause.barriers or any(_is_pending(system, each) for each in outcome):
            in_time = sorted(outcome.items(), key=lambda item: system.annotations[item[0]][1:])
            return InTime(tuple(_time_answer(completion, times, system) for completion, times in in_time))
        case _:
            return None


def _time_answer(completion: int, times: int, system: "IntervalSystem") -> Timed:
    request, answer = system.completions[completion]
    began = system.annotations[completion][1] + 1
    is_pending = _is_pending(system, completion)
    return Timed(system.requests[request], None if is_pending else answer, began, times)


def _is_pending(system: "IntervalSystem", completion: int) -> bool:
    return system.annotations[completion][0] is None


# Conflicts


def _show_conflicts(conflicts: "tuple[Conflict, ...]", run: Run, origin: Origin) -> tuple[ConflictShown, ...]:
    """The conflicts of a cycle with the lines of the accesses, beginning with the one that happens first."""
    first = min(range(len(conflicts)), key=lambda index: conflicts[index].first)
    return tuple(
        ConflictShown(
            conflict.variable,
            *(
                _show_access(run.turns[number - 1], access, conflict.variable, origin)
                for number, access in zip((conflict.first, conflict.second), conflict.accesses, strict=True)
            ),
        )
        for conflict in (*conflicts[first:], *conflicts[:first])
    )


def _show_access(turn: Turn, access: "Access", variable: str, origin: Origin) -> AccessShown:
    span = _place(turn, access, variable, origin)
    handler = origin.requests[origin.request_of(turn.local)]
    return AccessShown(turn.request + 1, handler, access, None if span is None else span.line)


def _place(turn: Turn, access: "Access", variable: str, origin: Origin) -> Span | None:
    """The line where a turn first accesses the variable."""
    for event in events(origin, turn.local, turn.before, turn.target, turn.after):
        written = None if event.write is None else event.write.name
        if variable == (event.read if access == "read" else written):
            return event.span
    return None


def _access_notes(conflicts: "tuple[Conflict, ...]") -> Notes:
    """Notes for the turns of the cycle: which variable each one accesses, and how."""
    notes: dict[int, dict[str, None]] = {}
    for conflict in conflicts:
        for number, access in zip((conflict.first, conflict.second), conflict.accesses, strict=True):
            notes.setdefault(number, {})[f"{access}s {printable(conflict.variable)}"] = None
    return {number: tuple(words) for number, words in notes.items()}


# Points


def _show_points(points: tuple[int, ...], run: Run, origin: Origin) -> tuple[Effect, ...]:
    """The requests of a run in the order in which they take effect."""
    answers = {turn.request: origin.completions[~turn.target][1] for turn in run.turns if turn.target < 0}
    found: list[Effect] = []
    for number in points:
        turn = run.turns[number - 1]
        handler = origin.requests[origin.request_of(turn.local)]
        path = events(origin, turn.local, turn.before, turn.target, turn.after)
        marks = (e.span.line for e in path if e.write is not None and e.write.name == POINT)
        found.append(Effect(turn.request + 1, handler, answers[turn.request], next(marks, None)))
    return tuple(found)
