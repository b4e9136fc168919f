"""Covers: serial runs with cycles that can be inserted into them, and the completions of both."""

from dataclasses import dataclass

from seriatim.program.state import GlobalState
from seriatim.strict_json import global_state, record, state_fields, string

PATH = ("path", "cycles")
CYCLE = ("at", "path")
STEP = ("handler", "response", "after")
COMPLETION = ("handler", "response")


@dataclass(frozen=True, slots=True)
class SerialStep:
    """One request runs alone, from its start to its answer."""

    handler: str
    response: str
    after: GlobalState
    """The global state that it leaves."""


@dataclass(frozen=True, slots=True)
class SerialCycle:
    """Requests that run alone, one after the other, and lead back to where the first one began."""

    at: GlobalState
    steps: tuple[SerialStep, ...]


@dataclass(frozen=True, slots=True)
class SerialPath:
    """A serial run, and cycles that can be inserted into it any number of times."""

    steps: tuple[SerialStep, ...]
    cycles: tuple[SerialCycle, ...]


Completions = tuple[tuple[str, str], ...]
"""Pairs (handler, response)."""


def paths_fields(paths: tuple[SerialPath, ...]) -> list[dict[str, object]]:
    return [
        dict(zip(PATH, (_steps_fields(path.steps), _cycles_fields(path.cycles)), strict=True))
        for path in paths
    ]


def _cycles_fields(cycles: tuple[SerialCycle, ...]) -> list[dict[str, object]]:
    return [dict(zip(CYCLE, (state_fields(c.at), _steps_fields(c.steps)), strict=True)) for c in cycles]


def _steps_fields(steps: tuple[SerialStep, ...]) -> list[dict[str, object]]:
    return [dict(zip(STEP, (s.handler, s.response, state_fields(s.after)), strict=True)) for s in steps]


def completions_fields(completions: Completions) -> list[dict[str, str]]:
    return [dict(zip(COMPLETION, completion, strict=True)) for completion in completions]


def read_path(value: object, where: str) -> SerialPath:
    fields = record(value, where, PATH)
    return SerialPath(steps=fields.items("path", _step), cycles=fields.items("cycles", _cycle))


def _cycle(value: object, where: str) -> SerialCycle:
    fields = record(value, where, CYCLE)
    return SerialCycle(at=fields.read("at", global_state), steps=fields.items("path", _step))


def _step(value: object, where: str) -> SerialStep:
    fields = record(value, where, STEP)
    return SerialStep(
        handler=fields.read("handler", string),
        response=fields.read("response", string),
        after=fields.read("after", global_state),
    )


def read_completion(value: object, where: str) -> tuple[str, str]:
    fields = record(value, where, COMPLETION)
    return fields.read("handler", string), fields.read("response", string)
