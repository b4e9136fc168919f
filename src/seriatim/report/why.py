"""Why a run violates a property: as paragraphs, and as JSON."""

from collections import Counter
from typing import Any

from seriatim.certificate.question import Question
from seriatim.pipeline import Unexplained, Violated
from seriatim.properties.intervals import IntervalAutomaton, IntervalSystem
from seriatim.properties.observation import ObservedSystem
from seriatim.report.contradiction import Argument, contradiction
from seriatim.report.contradiction_json import argument_json, nearest_json
from seriatim.report.contradiction_text import argument_text, nearest_text
from seriatim.report.look import Look
from seriatim.report.nearest import Nearest, nearest_serial
from seriatim.report.next_steps import SerialSteps, TimedSteps
from seriatim.report.text_width import printable


def why_texts(verdict: Violated, question: Question, look: Look, margin: str) -> tuple[str, ...]:
    """The argument, and what comes near."""
    argument, nearest = _explained(verdict.why)
    return argument_text(argument, look, margin, question), nearest_text(nearest, look, margin)


def why_json(verdict: Violated) -> dict[str, Any]:
    argument, nearest = _explained(verdict.why)
    barriers = {"barriers": list(verdict.why.barriers)} if verdict.why.barriers else {}
    return barriers | {"argument": argument_json(argument), "nearest": nearest_json(nearest)}


def seen_text(why: Unexplained, look: Look) -> str:
    """What else than answers was observed."""
    system = why.posed.system
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
    system, specification = why.posed.system, why.posed.specification
    if not isinstance(system, IntervalSystem):
        return contradiction(why.outcome, SerialSteps(system)), nearest_serial(why.outcome, system)
    assert isinstance(specification, IntervalAutomaton), "only those know intervals"
    if any(_is_pending(system, completion) for completion in why.outcome):
        return None, None
    return contradiction(why.outcome, TimedSteps(specification.words, system)), None
