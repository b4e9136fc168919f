"""`ser fix service.py`: changes of an asyncio service, each tried by running the changed copy."""

import json
from pathlib import Path

import click

from seriatim.budget import Deadline, enforce
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import write_whole
from seriatim.cli.progress import progress_line
from seriatim.cli.terminal import Terminal
from seriatim.frontends.reading import InputFile, load
from seriatim.repair.service_repairs import ServiceRepairs
from seriatim.repair.services import repair_service
from seriatim.report.service_repair_text import service_repairs_json, service_repairs_text
from seriatim.source import SourceText


def fix_service(
    target: InputFile, deadline: Deadline, most: int, pick: int | None, as_json: bool, terminal: Terminal
) -> ExitCode:
    """Shows what removes the race that was seen, and applies one change if asked to. Raises `InputError`."""
    source, _ = load(target, lambda source: source)
    with enforce(deadline), progress_line(source.name, terminal) as observer:
        found = repair_service(source, "", deadline, most, observer)
    if as_json:
        terminal.say(json.dumps(service_repairs_json(found, source)) + "\n")
    else:
        terminal.say(service_repairs_text(found, source, terminal.out))
    if pick is not None and found.found and target.path is not None:
        _apply(found, pick, target.path, source, None if as_json else terminal)
    elif found.found and not as_json:
        terminal.say(f"\nTo apply one: ser fix {source.name} --write --pick N\n")
    if not found.has_race:
        return ExitCode.UNKNOWN if found.explored < 2 else ExitCode.YES
    return ExitCode.YES if found.found else ExitCode.NO


def _apply(
    found: ServiceRepairs, pick: int, path: Path, source: SourceText, terminal: Terminal | None
) -> None:
    if pick > len(found.found):
        raise click.BadParameter(f"there is no repair {pick}.", param_hint="--pick")
    write_whole(path, found.found[pick - 1].change.text)
    if terminal is not None:
        terminal.say(f"\nRepair {pick} is applied to {source.name}.\n")
