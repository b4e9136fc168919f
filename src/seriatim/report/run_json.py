"""Runs as JSON, both ways; see `result.schema.json`.

Missing keys have their defaults: no notes, no barrier before a turn, and so on.
"""

from collections.abc import Mapping
from typing import Any

from seriatim.explain.timeline import Actor, Change, Loop, Moment, Sample, ShownRun, ShownTurn, Timeline
from seriatim.program.state import GlobalState, Names, ShownState

Json = dict[str, Any]


def run_json(run: ShownRun) -> Json:
    """The sizes of a run, its outcome, and its turns. A long run lists the turns of a loop once."""
    shown = run.timeline
    names = {name: _names_json(values) for name, values in shown.value_names.items()}
    return (
        {
            "requests": run.requests,
            "steps": run.steps,
            "switches": run.switches,
            "outcome": [list(entry) for entry in shown.outcome()],
            "initial": state_json(shown.initial),
            "trace": [_turn(turn) for turn in shown.turns],
        }
        | ({"loops": [_loop(loop) for loop in shown.loops]} if shown.is_folded else {})
        | ({"value_names": names} if names else {})
        | ({"actor": shown.actor} if shown.actor != "request" else {})
    )


def run_from_json(run: Json) -> ShownRun:
    names = {name: _names_from(values) for name, values in run.get("value_names", {}).items()}
    turns = tuple(_turn_from(turn, names) for turn in run["trace"])
    loops = tuple(_loop_from(loop) for loop in run.get("loops", ()))
    actor: Actor = run.get("actor", "request")
    timeline = Timeline(state_from(run["initial"]), turns, loops, "loops" in run, names, actor)
    return ShownRun(timeline, run["requests"], run["steps"], run["switches"])


def _names_json(names: Mapping[int, str]) -> list[str] | dict[str, str]:
    """Names of values: a list for 0, 1, …, or each name beside its number."""
    if list(names) == list(range(len(names))):
        return list(names.values())
    return {str(value): name for value, name in names.items()}


def _names_from(names: list[str] | dict[str, str]) -> dict[int, str]:
    if isinstance(names, list):
        return dict(enumerate(names))
    return {int(value): name for value, name in names.items()}


def sample_json(sample: Sample) -> Json:
    order = [list(completion) for completion in sample.order]
    return {"seed": sample.seed, "order": order} | run_json(sample.run)


def sample_from(sample: Json) -> Sample:
    order = tuple((handler, response) for handler, response in sample["order"])
    return Sample(run_from_json(sample), sample["seed"], order)


def state_json(state: ShownState) -> str | dict[str, int | str]:
    return state if isinstance(state, str) else dict(state)


def state_from(state: str | dict[str, int]) -> GlobalState:
    return state if isinstance(state, str) else tuple(state.items())


# Turns


def _turn(turn: ShownTurn) -> Json:
    told = {
        "request": turn.request,
        "handler": turn.handler,
        "switch": turn.is_switch,
        "lines": [_line(moment) for moment in turn.moments],
        "before": state_json(turn.before),
        "after": state_json(turn.after),
        "response": turn.response,
        "pauses_at": turn.pauses_at,
    }
    more = {
        "first": turn.is_first,
        "fails": turn.fails,
        "after_barrier": turn.follows_barrier,
        "notes": list(turn.notes),
        "goes_on": not turn.pauses,
    }
    return told | {key: value for key, value in more.items() if value}


def _turn_from(turn: Json, names: Names) -> ShownTurn:
    return ShownTurn(
        turn["request"],
        turn["handler"],
        tuple(_moment_from(line, names) for line in turn["lines"]),
        state_from(turn["before"]),
        state_from(turn["after"]),
        turn["response"],
        turn["pauses_at"],
        turn["switch"],
        turn.get("first", False),
        turn.get("fails", False),
        turn.get("after_barrier", False),
        tuple(turn.get("notes", ())),
        not turn.get("goes_on", False),
    )


def _loop(loop: Loop) -> Json:
    """Turns by number, from 1 on."""
    return {"first": loop.first + 1, "last": loop.end, "times": loop.times}


def _loop_from(loop: Json) -> Loop:
    return Loop(loop["first"] - 1, loop["last"], loop["times"])


def _line(moment: Moment) -> Json:
    told: Json = {
        "line": moment.line,
        "code": " … ".join(moment.pieces),
        "changes": [_change(each) for each in moment.changes],
    }
    if moment.result is not None:
        told["result"] = moment.result
    more = {
        "columns": [list(columns) for columns in moment.columns],
        "pieces": list(moment.pieces) if len(moment.pieces) != 1 else [],
    }
    return told | {key: value for key, value in more.items() if value}


def _change(change: Change) -> Json:
    told = {"name": change.name, "old": change.old, "new": change.new}
    return told if change.shared is None else told | {"shared": change.shared}


def _moment_from(line: Json, names: Names) -> Moment:
    pieces = tuple(line.get("pieces", (line["code"],)))
    changes = tuple(_change_from(change, names) for change in line["changes"])
    columns = tuple((first, end) for first, end in line.get("columns", ()))
    return Moment(line["line"], pieces, changes, line.get("result"), columns)


def _change_from(change: Json, names: Names) -> Change:
    name = change["name"]
    shared: bool | None = change.get("shared")
    value_names = tuple(names.get(name, {}).items())
    return Change(name, change["old"], change["new"], value_names, shared)
