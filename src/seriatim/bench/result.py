"""Measurements as data, as lines of JSON and as rows of CSV."""

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import StrEnum
from hashlib import sha256
from typing import Any, NoReturn

from seriatim.source import SourceText
from seriatim.systems.limits import Limits

VERSION = 1
"""The version of the format. It changes if a field is removed or changes its meaning, not if one is added."""

MOST_SECONDS = 1e9
"""No measurement takes thirty years: what claims to is not one of ours."""


class Stage(StrEnum):
    """How far to go with each input."""

    CHECK = "check"
    COMPILE = "compile"


class Outcome(StrEnum):
    """What became of an input."""

    SERIALIZABLE = "serializable"
    NOT_SERIALIZABLE = "not_serializable"
    COMPILED = "compiled"
    UNKNOWN = "unknown"
    REFUSED = "refused"
    """Our checker does not accept our evidence: no verdict."""
    ERROR = "error"
    """Not an input that can be measured."""


VERDICTS = {Outcome.SERIALIZABLE: True, Outcome.NOT_SERIALIZABLE: False}
"""The outcomes that are verdicts, and whether that is serializable."""


@dataclass(frozen=True, slots=True)
class BenchTask:
    """One measurement to make."""

    source: SourceText
    stage: Stage
    timeout: float
    limits: Limits
    max_memory: int | None
    """Bytes; None is without a bound."""


@dataclass(frozen=True, slots=True)
class Result:
    """One measurement; missing figures are None."""

    file: str
    stage: Stage
    input: str
    """SHA-256 of the text."""
    timeout: float
    max_states: int
    max_value: int
    outcome: Outcome
    max_memory: int | None = None
    reason: str | None = None
    """Why there is no verdict."""
    seconds: float = 0.0
    """CPU time from the text to the outcome, re-checking included."""
    wall_seconds: float = 0.0
    peak_bytes: int | None = None
    """The largest amount of memory that the process ever had, the interpreter included."""
    method: str | None = None
    recheck_seconds: float | None = None
    """CPU time of checking the evidence, measured in a second check."""
    requests: int | None = None
    """How many requests the counterexample has."""
    pairs: int | None = None
    """Pairs of a local and a global state that can occur, as far as the closure can tell."""
    steps: int | None = None
    """Moves of these pairs."""
    level: int | None = None
    """The level of the closure."""
    closure_seconds: float | None = None
    searched: int | None = None
    """States that searches met;"""
    closed: int | None = None
    """How many pairs closures explored."""
    asked: int | None = None
    """How many questions solvers got."""
    checked: int | None = None
    """How many states the re-check visited. These four counts do not depend on the machine."""

    def answers(self, task: BenchTask) -> bool:
        """Whether this is the measurement that a task asks for."""
        blank = make_unmeasured(task, self.outcome)
        return all(getattr(self, name) == getattr(blank, name) for name in _SETTINGS)


_SETTINGS = ("file", "stage", "input", "timeout", "max_states", "max_value", "max_memory")


def make_unmeasured(task: BenchTask, outcome: Outcome, reason: str | None = None) -> Result:
    """The result of a task without any figure."""
    return Result(
        file=task.source.name,
        stage=task.stage,
        input=sha256(task.source.text.encode("utf-8", "surrogatepass")).hexdigest(),
        timeout=task.timeout,
        max_states=task.limits.max_states,
        max_value=task.limits.max_value,
        outcome=outcome,
        max_memory=task.max_memory,
        reason=reason,
    )


# As text

CSV_COLUMNS = tuple(field.name for field in fields(Result))

_COUNTS = ("max_states", "max_value", "max_memory", "peak_bytes", "requests", "pairs", "steps", "level")
_WORK = ("searched", "closed", "asked", "checked")
_TIMES = ("timeout", "seconds", "wall_seconds", "recheck_seconds", "closure_seconds")
_OPTIONAL = {field.name for field in fields(Result) if field.default is None}


def row(result: Result) -> dict[str, Any]:
    """The fields by name; times to the microsecond."""
    values = ((name, getattr(result, name)) for name in CSV_COLUMNS)
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in values}


def json_line(result: Result) -> str:
    return json.dumps({"version": VERSION} | row(result), ensure_ascii=False) + "\n"


def read_json_line(line: str) -> Result:
    """Reads a result from a line; raises `ValueError` with the reason if it is not one."""
    try:
        found = json.loads(line, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(found, dict) or found.get("version") != VERSION:
        raise ValueError(f"not an object of version {VERSION}")
    values: dict[str, Any] = {name: _check(name, found.get(name)) for name in CSV_COLUMNS}
    return Result(**values)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a figure")


def _check(name: str, value: object) -> object:
    if value is None and name in _OPTIONAL:
        return value
    if isinstance(value, str):
        if name == "stage":
            return Stage(value)
        if name == "outcome":
            return Outcome(value)
        if name not in (*_COUNTS, *_WORK, *_TIMES):
            return value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if name in _TIMES and 0 <= value <= MOST_SECONDS:
            return float(value)
        if name in (*_COUNTS, *_WORK) and isinstance(value, int) and value >= 0:
            return value
    raise ValueError(f"`{name}` is {'missing' if value is None else 'of the wrong kind'}")


def csv_text(results: Iterable[Result]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    writer.writerows(row(result).values() for result in results)
    return stream.getvalue()
