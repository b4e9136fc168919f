"""Why a run violates a property: as paragraphs, and as JSON."""

from typing import Any

from seriatim.certificate.question import Question
from seriatim.pipeline import Unexplained, Violated
from seriatim.properties.intervals import IntervalSystem
from seriatim.report.contradiction import Argument, contradiction
from seriatim.report.contradiction_json import argument_json, nearest_json
from seriatim.report.contradiction_text import argument_text, nearest_text
from seriatim.report.look import Look
from seriatim.report.nearest import Nearest, nearest_serial


def why_texts(verdict: Violated, question: Question, look: Look, margin: str) -> tuple[str, ...]:
    """The argument, and what comes near."""
    argument, nearest = _explained(verdict.why)
    return argument_text(argument, look, margin, question), nearest_text(nearest, look, margin)


def why_json(verdict: Violated) -> dict[str, Any]:
    argument, nearest = _explained(verdict.why)
    return {"argument": argument_json(argument), "nearest": nearest_json(nearest)}


def _explained(why: Unexplained) -> tuple[Argument | None, Nearest | None]:
    system = why.posed.system
    if isinstance(system, IntervalSystem):
        return None, None
    return contradiction(why.outcome, system), nearest_serial(why.outcome, system)
