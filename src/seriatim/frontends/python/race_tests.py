"""Races of some requests that are named, and test files that fail until such a race is fixed."""

import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from seriatim.frontends.protocol import NO_SETTINGS, Settings
from seriatim.frontends.python.race_system import named_answers
from seriatim.frontends.python.service_runs import SeenRun, ServiceRuns, run_file
from seriatim.frontends.python.wishes import SETTINGS, wishes_of
from seriatim.source import Diagnostic, InputError, SourceText

CODE = "SER929"


def find_race(
    source: SourceText, requests: Sequence[str], seconds: float, settings: Settings = NO_SETTINGS
) -> str:
    """What these requests answer together and in no order one at a time, in words; empty if all that was
    tried has an order. Raises `InputError` if the file has no such requests."""
    seen = run_file(
        source,
        settings.get("service", ""),
        seconds,
        proves=False,
        wishes=wishes_of(settings),
        scope=settings.get("scope", ""),
        only=tuple(requests),
    )
    known = [label for each in seen.services for label in each.requests]
    for service in seen.services:
        if service.refusal is None and set(requests) <= set(service.requests):
            return _told(service, requests)
    missing = next((each for each in requests if each not in known), requests[0])
    message = f"{source.name} has no request `{missing}` that could be tried with the others"
    raise InputError([Diagnostic(CODE, message, hint=f"its requests are {', '.join(known)}")])


def _told(service: ServiceRuns, requests: Sequence[str]) -> str:
    if service.race is None:
        return ""

    def line(run: SeenRun) -> str:
        answers, final = named_answers(run, sees_state, service.initial)
        return f"  {', '.join(answers)}" + (f"; then {final}" if final else "")

    sees_state = service.race.sees_state
    serial = "\n".join(sorted({line(each) for each in service.race.serial}))
    together = line(service.race.run)
    asked = ", ".join(requests)
    return f"{asked} together can answer\n{together}\nOne at a time, they answer\n{serial}"


def test_text(source: SourceText, requests: Sequence[str], settings: Settings, folder: Path) -> str:
    """A test file, to be kept in a folder, that fails until these requests no longer race."""
    place = PurePosixPath(*Path(os.path.relpath(source.name, folder)).parts)
    asked = [repr(name) for name in requests]
    asked += [f"{name}=True" for name in SETTINGS if name in settings]
    asked += [f"scope={settings['scope']!r}"] if "scope" in settings else []
    shown = "".join(f"\n        {each}," for each in asked)
    return (
        f'"""A race in {source.name}, found by `ser check`: this test fails until it is fixed."""\n\n'
        "from pathlib import Path\n\n"
        "from seriatim.testing import assert_requests_serializable\n\n"
        f"SERVICE = Path(__file__).parent / {str(place)!r}\n\n\n"
        "def test_requests_answer_as_if_they_came_one_at_a_time() -> None:\n"
        f"    assert_requests_serializable(\n        SERVICE,{shown}\n    )\n"
    )
