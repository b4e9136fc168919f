"""Linearization points: in a run, who takes effect when; in a proof, in which lines."""

from dataclasses import dataclass
from typing import Any

from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.commit import CommitEvidence
from seriatim.explain.commit_steps import CommitStep, commit_steps
from seriatim.explain.timeline import Notes
from seriatim.program.syntax import POINT
from seriatim.properties.statement import OrderOfPoints
from seriatim.report.look import Look
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.run import Run
from seriatim.systems.source_map import events
from seriatim.systems.unfolding import ProgramUnfolding
from seriatim.text_width import filled, printable
from seriatim.verdict import Decision, Holds

TAKES_EFFECT = "takes effect"

MAX_SECONDS = 5.0
"""To find the lines of points that are proved."""


@dataclass(frozen=True, slots=True)
class Effect:
    """A request takes effect."""

    request: int
    """Counted from 1."""
    handler: str
    response: str
    """With which it is answered."""
    line: int | None
    """Of the mark; None if it passes none, and takes effect with its answer."""

    def words(self) -> str:
        where = "with its answer" if self.line is None else f"in line {self.line}"
        name = f"`{printable(self.handler)}`"
        return f"request {self.request}, {name}, {where}, and answers {printable(self.response)}"


def shown_points(points: tuple[int, ...], run: Run, decision: Decision) -> tuple[Effect, ...]:
    """The requests of a run in the order in which they take effect."""
    origin = decision.unfolding
    answers = {turn.request: origin.completions[~turn.target][1] for turn in run.turns if turn.target < 0}
    found: list[Effect] = []
    for number in points:
        turn = run.turns[number - 1]
        handler = origin.requests[origin.request_of(turn.local)]
        line = None
        if isinstance(origin, ProgramUnfolding):
            path = events(origin, turn.local, turn.before, turn.target, turn.after)
            marks = (e.span.line for e in path if e.write is not None and e.write.name == POINT)
            line = next(marks, None)
        found.append(Effect(turn.request + 1, handler, answers[turn.request], line))
    return tuple(found)


def proved_points(decision: Decision) -> list[CommitStep]:
    """Where requests take effect, if that is what was asked and proved."""
    verdict = decision.verdict
    if not isinstance(verdict, Holds) or not isinstance(decision.question.states(), OrderOfPoints):
        return []
    evidence = verdict.certificate.evidence
    assert isinstance(evidence, CommitEvidence), "points are commits"
    try:
        return commit_steps(evidence, decision.unfolding, Limits(), Deadline(MAX_SECONDS))
    except (LimitReached, OutOfBudget):
        return []


def proved_points_json(decision: Decision) -> list[dict[str, Any]]:
    return [
        {
            "handler": step.handler,
            "begins": step.begins,
            "ends": step.ends,
            "lines": list(step.lines),
            "responses": list(step.responses),
        }
        for step in proved_points(decision)
    ]


def point_notes(points: tuple[int, ...]) -> Notes:
    """For each turn in which a request takes effect that it does."""
    return dict.fromkeys(points, (TAKES_EFFECT,))


def points_text(effects: tuple[Effect, ...], look: Look, margin: str) -> str:
    """The order of the points, an item for each, and what is wrong with it."""
    lines = [filled("In this run, requests take effect in this order:", look.width, margin)]
    for effect in effects:
        words = effect.words()
        item = filled(f"{words[:1].upper()}{words[1:]}.", look.width, margin + "  ").lstrip()
        lines.append(f"{margin}- {item}")
    lines.append(filled("The specification does not allow these answers in that order.", look.width, margin))
    return "".join(f"{line}\n" for line in lines)


def points_json(effects: tuple[Effect, ...]) -> list[dict[str, Any]]:
    return [
        {"request": each.request, "handler": each.handler, "response": each.response, "line": each.line}
        for each in effects
    ]
