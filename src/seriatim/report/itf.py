"""A run in the Informal Trace Format (ITF), which viewers of TLA⁺ and Quint traces read.

A state for the beginning and one after each turn. Its variables are the globals of the program (or `global`,
the name of a network system's global state) and the following, in lower case, so that no global can have
their names: the `request` that moved, its `action`, the requests `in_flight`, and the `answers` so far.
"""

import json
from collections.abc import Iterator
from typing import Any

from seriatim.explain.timeline import ShownTurn, Timeline
from seriatim.program.state import GlobalState
from seriatim.source import Diagnostic, InputError

FORMAT_DESCRIPTION = "https://apalache-mc.org/docs/adr/015adr-trace.html"

TYPES = {
    "request": "Int",
    "action": "Str",
    "in_flight": "Int -> { handler: Str, at: Str, locals: Str -> Int }",
    "answers": "Int -> { handler: Str, response: Str }",
}
"""The types of the variables that every trace has, in Apalache's notation."""

Value = dict[str, Any]


MAX_TURNS = 1_000
"""The largest number of turns; a trace repeats the whole state after each turn."""


def itf(shown: Timeline, name: str) -> str:
    """The run of the input with this name, as JSON; raises `InputError` if it is too long."""
    if shown.is_folded:
        message = f"the run has more than {MAX_TURNS:,} turns, too many for a trace"
        hint = "--certificate, --json and --html show it folded"
        raise InputError([Diagnostic("SER212", message, hint=hint)])
    shared = (
        {"global": "Str"} if isinstance(shown.initial, str) else {name: "Int" for name, _ in shown.initial}
    )
    types = shared | TYPES
    trace = {
        "#meta": {
            "format": "ITF",
            "format-description": FORMAT_DESCRIPTION,
            "source": name,
            "description": "A run that no one-at-a-time order of its requests explains",
            "varTypes": types,
        },
        "vars": list(types),
        "states": [{"#meta": {"index": index}} | state for index, state in enumerate(_states(shown))],
    }
    return json.dumps(trace, indent=2, ensure_ascii=False) + "\n"


def _states(shown: Timeline) -> Iterator[Value]:
    flights: dict[int, Value] = {}
    locals_: dict[int, dict[str, int]] = {}
    answers: dict[int, Value] = {}
    yield _state(shown.initial, 0, "the beginning", flights, answers)
    for turn in shown.turns:
        known = locals_.setdefault(turn.request, {})
        known |= {c.name: c.new for moment in turn.moments for c in moment.changes if not c.is_shared}
        if turn.response is None:
            values = _map({name: _integer(value) for name, value in known.items()})
            flights[turn.request] = {"handler": turn.handler, "at": _place(turn), "locals": values}
        else:
            flights.pop(turn.request, None)
            answers[turn.request] = {"handler": turn.handler, "response": turn.response}
        yield _state(turn.after, turn.request, _action(turn), flights, answers)


def _state(
    shared: GlobalState, request: int, action: str, flights: dict[int, Value], answers: dict[int, Value]
) -> Value:
    globals_: Value = (
        {"global": shared} if isinstance(shared, str) else {name: _integer(value) for name, value in shared}
    )
    return globals_ | {
        "request": _integer(request),
        "action": action,
        "in_flight": _make_map(flights),
        "answers": _make_map(answers),
    }


def _place(turn: ShownTurn) -> str:
    """Where a request pauses."""
    if turn.pauses_at is not None:
        return turn.pauses_at
    return f"line {turn.moments[-1].line}" if turn.moments else ""


def _action(turn: ShownTurn) -> str:
    code = "; ".join(" … ".join(moment.pieces) for moment in turn.moments)
    answer = "" if turn.response is None else f", answers {turn.response}"
    return f"{turn.handler} {turn.request}: {code}{answer}"


def _integer(value: int) -> Value:
    return {"#bigint": str(value)}


def _map(values: dict[str, Value]) -> Value:
    return {"#map": [[key, value] for key, value in values.items()]}


def _make_map(values: dict[int, Value]) -> Value:
    return {"#map": [[_integer(key), dict(value)] for key, value in sorted(values.items())]}
