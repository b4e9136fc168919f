"""`ser fix orders.sql`, `ser fix workers.c`: changes, each proved by the model of the changed text."""

import json
from dataclasses import replace
from pathlib import Path

import click

from seriatim.budget import Deadline
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import write_whole
from seriatim.cli.terminal import Terminal
from seriatim.deciding.pipeline import Options
from seriatim.deciding.sources import decide_translation, read_or_run
from seriatim.elaborate import repairs_of
from seriatim.frontends.languages import Content, content_named
from seriatim.frontends.protocol import NO_SETTINGS
from seriatim.frontends.reading import BadInput, InputFile, load
from seriatim.properties.safe import SAFETY
from seriatim.report.repair_text import text_changes_json, text_changes_text
from seriatim.report.verdict_text import verdict_text
from seriatim.result import Faulty, Holds, Result, Violated
from seriatim.source import SourceText

UNCOVERED = "SER952"
"""The code of what databases can do and the model cannot."""

WITHOUT_MODEL = "changes are proved by a model, which cannot have this; PostgreSQL runs the file as it is:"


def fix_text(
    target: InputFile, options: Options, pick: int | None, as_json: bool, terminal: Terminal
) -> ExitCode:
    """Shows what makes requests or threads wait, so that the usual question has the answer yes, and applies
    one change if asked to. Raises `BadInput` and `OutOfBudget`."""
    source, _ = load(target, lambda source: source)
    if content_named(source.name) is Content.THREADS:
        options = replace(options, question=SAFETY)
    result = _decide(source, options)
    if not isinstance(result.answer, Violated | Faulty):
        terminal.say(verdict_text(result, terminal.out))
        if isinstance(result.answer, Holds):
            terminal.say("  There is nothing to fix.\n")
            return ExitCode.YES
        return ExitCode.UNKNOWN
    found = repairs_of(result, replace(options, question=result.property))
    if as_json:
        terminal.say(json.dumps(text_changes_json(found, source)) + "\n")
    else:
        terminal.say(text_changes_text(found, source, terminal.out))
    if pick is not None and found and target.path is not None:
        if pick > len(found):
            raise click.BadParameter(f"there is no repair {pick}.", param_hint="--pick")
        _apply(found[pick - 1].text, pick, target.path, source.name, None if as_json else terminal)
    elif found and not as_json:
        terminal.say(f"\nTo apply one: ser fix {source.name} --write --pick N\n")
    return ExitCode.YES if found else ExitCode.NO


def _decide(source: SourceText, options: Options) -> Result:
    """The verdict of the model: nothing is executed, for a change of it is proved by its model, too."""
    deadline = Deadline(options.timeout, options.max_memory)
    try:
        translation = read_or_run(source, options.question, NO_SETTINGS, deadline, may_run=False)
    except BadInput as bad:
        uncovered = next((each for each in bad.diagnostics if each.code == UNCOVERED), None)
        if uncovered is None:
            raise
        raise BadInput(
            source, [replace(uncovered, hint=f"{WITHOUT_MODEL} `ser check {source.name}`")]
        ) from None
    result, _ = decide_translation(
        translation, source, options, None, deadline, replay=False, is_default=True
    )
    return result


def _apply(text: str, pick: int, path: Path, name: str, terminal: Terminal | None) -> None:
    write_whole(path, text)
    if terminal is not None:
        terminal.say(f"\nRepair {pick} is applied to {name}.\n")
