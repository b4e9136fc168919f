"""What runs say about a random service, compared with asyncio's own event loop in fresh processes."""

import itertools
from pathlib import Path

from seriatim.frontends.python.service_runs import run_file
from seriatim.source import SourceText
from testkit.generators.live_services import write_service
from testkit.oracles.real_loop import is_complete, outcomes


def racy_groups(text: str, calls: list[str], size: int) -> tuple[list[tuple[str, ...]], bool]:
    """The groups of requests that have an outcome together which they never have one at a time; and whether
    all of their runs were tried."""
    found: list[tuple[str, ...]] = []
    is_whole = True
    for group in itertools.combinations_with_replacement(calls, size):
        serial, together = outcomes(text, group, True), outcomes(text, group, False)
        if serial is None or together is None:
            is_whole = False
        elif [each for each in together - serial if is_complete(each)]:
            found.append(group)
    return found, is_whole


def compare(seed: int, folder: Path) -> str:
    """What both say about a service: `race`, `none`, or why they cannot be compared. An assertion fails where
    they differ."""
    text, calls = write_service(seed)
    file = folder / "service.py"
    file.write_text(text)
    (found,) = run_file(SourceText(str(file), text), proves=False).services
    assert found.refusal is None
    assert found.doubt is None
    groups, is_whole = racy_groups(text, calls, 2)
    if found.race is not None:
        requests = found.race.run.requests
        if found.race.sees_state:
            return "only the state differs"
        three, is_three = racy_groups(text, calls, 3) if len(requests) == 3 else (groups, is_whole)
        assert tuple(sorted(requests)) in three or not is_three, seed
        return "race"
    if found.explored < 2 or not is_whole:
        return "too many runs"
    assert groups == [], seed
    return "none"
