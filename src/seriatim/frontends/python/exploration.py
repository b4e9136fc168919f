"""All interleavings of some requests on the real event loop, and a test file that repeats a race."""

import json
import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from seriatim.budget import Deadline
from seriatim.frontends.protocol import NO_SETTINGS, Settings
from seriatim.frontends.python.analysis import analyse
from seriatim.frontends.python.replayer import MOST_RUNS, Failed, perform, task
from seriatim.source import Diagnostic, InputError, SourceText

Outcome = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Explored:
    """What requests can answer together."""

    races: tuple[Outcome, ...]
    """Answers that no one-at-a-time order gives."""
    serial: tuple[Outcome, ...]
    is_complete: bool
    """Whether all interleavings were tried."""


def explore(
    source: SourceText, requests: list[str], deadline: Deadline, settings: Settings = NO_SETTINGS
) -> Explored:
    """Raises `InputError` if there is no such request, and `Failed`."""
    analysis = analyse(source, settings)
    known = [request.name for request in analysis.lowered.requests]
    for name in requests:
        if name not in known:
            message = f"{source.name} has no request `{name}`"
            raise InputError([Diagnostic("SER929", message, hint=f"its requests are {', '.join(known)}")])
    told = task(analysis, source, requests, settings) | {"task": "explore", "most_runs": MOST_RUNS}
    found = perform(told, deadline)
    if found["serial"] is None:
        raise Failed("these requests have too many one-at-a-time orders to try")
    races = [outcome for outcome in found["outcomes"] if outcome not in found["serial"]]

    def name_outcomes(outcomes: list[list[str]]) -> tuple[Outcome, ...]:
        return tuple(tuple(found["names"][json.dumps(outcome)]) for outcome in outcomes)

    return Explored(name_outcomes(races), name_outcomes(found["serial"]), found["all"])


def test_text(source: SourceText, requests: list[str], folder: Path) -> str:
    """A test file, to be kept in a folder, that fails until these requests no longer race."""
    place = PurePosixPath(*Path(os.path.relpath(source.name, folder)).parts)
    shown = "".join(f"\n        {name!r}," for name in requests)
    return (
        f'"""A race in {source.name}, found by `ser check`: this test fails until it is fixed."""\n\n'
        "from pathlib import Path\n\n"
        "from seriatim.testing import assert_requests_serializable\n\n"
        f"SERVICE = Path(__file__).parent / {str(place)!r}\n\n\n"
        "def test_requests_answer_as_if_they_came_one_at_a_time() -> None:\n"
        f"    assert_requests_serializable(\n        SERVICE,{shown}\n    )\n"
    )
