"""A run that the reader chooses, as JSON: its state, the possible moves, and what explains it so far."""

from typing import Any

from seriatim.explain.explored import ExplainingState, Exploration, WaitingRequest
from seriatim.explain.timeline import ShownTurn
from seriatim.program.state import Names, name_value
from seriatim.report.html.parts import run_part
from seriatim.report.run_json import state_json

Json = dict[str, Any]


def exploration_json(found: Exploration) -> Json:
    shown = found.run.timeline
    state = shown.turns[-1].after if shown.turns else shown.initial
    return {
        "run": run_part("Your run", found.run),
        "moves": found.run.steps,
        "state": shown.state_text(state),
        "choices": [_choice(turn, shown.value_names) for turn in found.choices],
        "waiting": [_waiting(each) for each in found.waiting],
        "complete": found.is_complete,
        "explicability": found.explicability.value,
        "explaining": [_explaining(each, found) for each in found.explaining],
        "more_explaining": found.more_explaining,
        "unexplained_since": found.unexplained_since,
        "refused": found.refused,
    }


def _choice(turn: ShownTurn, names: Names) -> Json:
    return {
        "request": turn.request,
        "handler": turn.handler,
        "new": turn.is_first,
        "code": [[moment.line, " … ".join(moment.pieces)] for moment in turn.moments],
        "changes": [
            f"{change.name} = {name_value(names, change.name, change.new)}"
            for moment in turn.moments
            for change in moment.changes
            if change.is_shared
        ],
        "after": state_json(turn.after),
        "response": turn.response,
    }


def _waiting(waiting: WaitingRequest) -> Json:
    fault = None if waiting.fault is None else waiting.fault.message
    return {"request": waiting.request, "handler": waiting.handler, "fault": fault}


def _explaining(explaining: ExplainingState, found: Exploration) -> Json:
    return {
        "state": found.run.timeline.state_text(explaining.state),
        "order": [list(completion) for completion in explaining.order],
        "current": explaining.is_current,
    }
