"""Why a run violates a property: as paragraphs, and as JSON."""

from collections import Counter
from typing import Any, assert_never

from seriatim.engines.stage import ConflictCycle, Failing, Misordered, Unexplained
from seriatim.explain.contradiction import Argument, contradiction
from seriatim.explain.nearest import Nearest, nearest_serial
from seriatim.explain.next_steps import SerialSteps, TimedSteps
from seriatim.explain.timeline import Timeline, faulty_timeline, timeline
from seriatim.folding import LONG_RUN
from seriatim.report.contradiction_json import argument_json, nearest_json
from seriatim.report.contradiction_text import argument_text, nearest_text
from seriatim.report.cycle import access_notes, cycle_json, cycle_text, shown_conflicts
from seriatim.report.look import Look
from seriatim.report.points import point_notes, points_json, points_text, shown_points
from seriatim.source import SourceText
from seriatim.systems.intervals import IntervalAutomaton, IntervalSystem
from seriatim.systems.observation import ObservedSystem
from seriatim.systems.unfolding import ProgramUnfolding
from seriatim.text_width import printable
from seriatim.verdict import Decision, Violated

MANY_REQUESTS = 500
"""Nobody reads an argument about more than these."""


def shown_run(verdict: Violated, decision: Decision, source: SourceText, long: int = LONG_RUN) -> Timeline:
    """The run, with what matters about its turns; folded if it has more turns than `long`."""
    match verdict.why:
        case Unexplained(barriers=barriers):
            return timeline(verdict.run, decision.unfolding, source, barriers, long=long)
        case ConflictCycle(conflicts=conflicts):
            return timeline(verdict.run, decision.unfolding, source, notes=access_notes(conflicts), long=long)
        case Misordered(points=points):
            return timeline(verdict.run, decision.unfolding, source, notes=point_notes(points), long=long)
        case Failing(found=found):
            assert isinstance(decision.unfolding, ProgramUnfolding), "nothing else can fail"
            return faulty_timeline(found, decision.unfolding, source)
        case _:
            assert_never(verdict.why)


def why_texts(verdict: Violated, decision: Decision, look: Look, margin: str) -> tuple[str, ...]:
    """The argument, and what comes near."""
    match verdict.why:
        case Unexplained() as why:
            argument, nearest = _explained(why)
            return (
                argument_text(argument, look, margin, decision.question),
                nearest_text(nearest, look, margin),
            )
        case ConflictCycle(conflicts=conflicts):
            return (cycle_text(shown_conflicts(conflicts, verdict.run, decision.unfolding), look, margin),)
        case Misordered(points=points):
            return (points_text(shown_points(points, verdict.run, decision), look, margin),)
        case Failing(found=found):
            return (f"{margin}{found.fault.message} (line {found.fault.span.line}).\n",)
        case _:
            assert_never(verdict.why)


def why_json(verdict: Violated, decision: Decision) -> dict[str, Any]:
    match verdict.why:
        case Unexplained() as why:
            argument, nearest = _explained(why)
            barriers = {"barriers": list(why.barriers)} if why.barriers else {}
            return barriers | {"argument": argument_json(argument), "nearest": nearest_json(nearest)}
        case ConflictCycle(conflicts=conflicts):
            shown = shown_conflicts(conflicts, verdict.run, decision.unfolding)
            return {"argument": None, "nearest": None, "cycle": cycle_json(shown)}
        case Misordered(points=points):
            effects = points_json(shown_points(points, verdict.run, decision))
            return {"argument": None, "nearest": None, "points": effects}
        case Failing(found=found):
            fault = {"code": found.fault.code, "message": found.fault.message, "line": found.fault.span.line}
            return {"argument": None, "nearest": None, "fault": fault}
        case _:
            assert_never(verdict.why)


def seen_text(why: Unexplained | ConflictCycle | Misordered | Failing, look: Look) -> str:
    """What else than answers was observed."""
    if isinstance(why, ConflictCycle | Misordered | Failing):
        return ""  # The run says it.
    system = why.problem.derived
    match system:
        case ObservedSystem():
            own = len(system.origin.requests)
            (values,) = {
                response
                for request, response in map(system.completions.__getitem__, why.outcome)
                if request == own
            } or {""}
            return f"final values: {printable(values)}" if values else ""
        case IntervalSystem() if why.barriers or any(_is_pending(system, each) for each in why.outcome):
            return f"in time: {_in_time(why.outcome, system, look)}"
        case _:
            return ""


def _in_time(outcome: Counter[int], system: IntervalSystem, look: Look) -> str:
    """`inc/0 [1,1] ×2, read/1 [2,2]`: the intervals in which requests began and ended."""
    shown = []
    for completion, count in sorted(outcome.items(), key=lambda item: system.annotations[item[0]][1:]):
        request, answer = system.completions[completion]
        name = printable(system.requests[request])
        if _is_pending(system, completion):
            began = system.annotations[completion][1] + 1
            text = f"{name} in flight [{began},{look.symbols.ellipsis}]"
        else:
            text = f"{name}/{printable(answer)}"
        shown.append(f"{text} {look.symbols.times}{count}" if count > 1 else text)
    return ", ".join(shown)


def _is_pending(system: IntervalSystem, completion: int) -> bool:
    return system.annotations[completion][0] is None


def _explained(why: Unexplained) -> tuple[Argument | None, Nearest | None]:
    system, specification = why.problem.derived, why.problem.allowed
    if why.outcome.total() > MANY_REQUESTS:
        return None, None
    if not isinstance(system, IntervalSystem):
        return contradiction(why.outcome, SerialSteps(system)), nearest_serial(why.outcome, system)
    assert isinstance(specification, IntervalAutomaton), "only those know intervals"
    if any(_is_pending(system, completion) for completion in why.outcome):
        return None, None
    return contradiction(why.outcome, TimedSteps(specification.words, system)), None
