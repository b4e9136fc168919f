"""Finds changes to asyncio services after which no race is seen: each changed copy is run like the file."""

from collections.abc import Iterator

from seriatim.budget import Deadline, Observer, OutOfBudget
from seriatim.engines.stage import Progress
from seriatim.frontends.python.service_runs import (
    FileRuns,
    NotRun,
    Race,
    ServiceRuns,
    run_file,
    seconds_for,
)
from seriatim.frontends.python.texts import rename_fresh
from seriatim.repair.service_changes import ServiceChange, propose_changes
from seriatim.repair.service_repairs import SeenRepair, ServiceRepairs
from seriatim.source import SourceText

MOST_CHANGES = 8
"""Changes of a service that are tried where nobody says how many."""

MOST_FOUND = 3
"""Repairs that are shown."""


def repair_service(
    source: SourceText,
    service: str,
    deadline: Deadline,
    most: int,
    observer: Observer[Progress] | None = None,
) -> ServiceRepairs:
    """Changes of a file in which a race was seen; raises `NotRun`."""
    seen = run_file(source, service, seconds_for(deadline), proves=False)
    # Some races show only where runs with other integers are compared with a proof; that takes longer.
    proves = all(each.race is None for each in seen.services)
    if proves:
        seen = run_file(source, service, seconds_for(deadline))
    raced = next((each for each in seen.services if each.race is not None), None)
    if raced is None or raced.race is None:
        return ServiceRepairs(False, min((each.explored for each in seen.services), default=0))
    found: list[SeenRepair] = []
    tried = 0
    for change in _changes(source, raced, raced.race):
        if len(found) == MOST_FOUND or tried == most or deadline.remaining() <= 0:
            return ServiceRepairs(True, raced.explored, tuple(found), tried, is_cut=len(found) < MOST_FOUND)
        if any(each.change.change == change.change == "lock" for each in found):
            break  # Longer ranges hold the lock longer than necessary.
        tried += 1
        if observer is not None:
            observer(Progress(f"change {tried} of at most {most}: {change.title}", 0, 0))
        try:
            copy = SourceText(source.name, change.text)
            after = run_file(copy, service, seconds_for(deadline), proves=proves)
        except (NotRun, OutOfBudget):
            continue
        if (requests := _count_explored(raced, raced.race, after)) > 0:
            found.append(SeenRepair(change, requests, after.runs))
    return ServiceRepairs(True, raced.explored, tuple(found), tried)


def _changes(source: SourceText, raced: ServiceRuns, race: Race) -> Iterator[ServiceChange]:
    lines = dict(raced.lines)
    names = dict.fromkeys(label.partition("(")[0].rpartition(".")[2] for label in race.run.requests)
    return propose_changes(source.text, [(name, lines[name]) for name in names if name in lines])


def _count_explored(before: ServiceRuns, race: Race, after: FileRuns) -> int:
    """How many requests the changed copy handles together without a race; 0 if it is no repair.

    All services of the file count. Each answer that requests gave one at a time has to be there still.
    """
    for each in after.services:
        if (
            each.refusal is not None
            or each.race is not None
            or each.doubt is not None
            or each.hangs
            or each.left_out
        ):
            return 0
    same = next((each for each in after.services if each.name == before.name), None)
    if same is None or same.explored < len(race.run.requests):
        return 0
    answers = dict(same.answers)
    for run in race.serial:
        for label, answer in zip(run.requests, run.answers, strict=True):
            name = label.partition("(")[0]
            known = {rename_fresh([each]) for each in answers.get(name, ())}
            if rename_fresh([answer]) not in known:
                return 0
    return same.explored
