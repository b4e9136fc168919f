"""`ser check --isolation all`, `--engine all`, `--p4-model all`: an input at all values of a setting."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from seriatim import __version__
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import write_whole
from seriatim.cli.one_check import CheckTask, check_one, exit_code
from seriatim.cli.speakers import PrintOptions
from seriatim.cli.terminal import Terminal
from seriatim.explain.explanation import Explanation
from seriatim.frontends.protocol import ENGINES, LADDERS, Ladder, Settings
from seriatim.report.html.levels import levels_section
from seriatim.report.html.page import page
from seriatim.report.html.section import section
from seriatim.report.levels_text import engines_json, engines_text, levels_json
from seriatim.result import Result, Unusable

ONE_ENGINE = ""
"""How the engine is called if there is only one."""


def compared(settings: Settings) -> Ladder | None:
    """The setting whose values are to be compared."""
    if settings.get("engine") == "all":
        return LADDERS[0]
    return next((each for each in LADDERS if settings.get(each.setting) == "all"), None)


def compare_levels(
    tasks: Iterable[CheckTask],
    ladder: Ladder,
    printing: PrintOptions,
    terminal: Terminal,
    html: Path | None = None,
) -> list[ExitCode]:
    """Checks inputs at all values of a setting and shows which one is enough. Returns the exit codes."""
    codes: list[ExitCode] = []
    tables: list[Mapping[str, Mapping[str, Result]]] = []
    for task in tasks:
        engines = at_engines(task, ladder)
        tables.append(engines)
        results = [result for each in engines.values() for result in each.values()]
        first = results[0]
        if printing.as_json:
            is_one = list(engines) == [ONE_ENGINE]
            told = levels_json(engines[ONE_ENGINE], ladder) if is_one else engines_json(engines, ladder)
            terminal.say(json.dumps(told) + "\n")
        elif isinstance(first.answer, Unusable) and len({str(each.answer) for each in results}) == 1:
            terminal.complain(first.source, *first.answer.diagnostics)
        else:
            terminal.say(engines_text(engines, ladder, terminal.out))
        decided = [each for each in results if not isinstance(each.answer, Unusable)]
        codes += map(exit_code, decided or results)  # A database that is not there decides nothing.
    if html is not None:
        save_page(tables, ladder, html)
    return codes


def save_page(tables: Iterable[Mapping[str, Mapping[str, Result]]], ladder: Ladder, path: Path) -> None:
    """Saves a page: for each input the table, then each result."""
    sections = [
        each
        for engines in tables
        for each in (
            levels_section(engines, ladder),
            *(section(result, Explanation()) for levels in engines.values() for result in levels.values()),
        )
    ]
    write_whole(path, page(sections, __version__))


def at_engines(task: CheckTask, ladder: Ladder) -> dict[str, dict[str, Result]]:
    """The results by engine and value of the setting."""
    settings = task.handling.settings
    if settings.get("engine") != "all":
        return {ONE_ENGINE: {step: at_level(task, {ladder.setting: step}) for step in ladder.steps}}
    asked = settings.get(ladder.setting)
    found: dict[str, dict[str, Result]] = {}
    for engine, steps in ENGINES.items():
        chosen = [step for step in steps if asked in (None, "all", step)] or list(steps)
        found[engine] = {step: at_level(task, {"engine": engine, ladder.setting: step}) for step in chosen}
    return found


def at_level(task: CheckTask, changed: Settings) -> Result:
    settings = {**task.handling.settings, **changed}
    return check_one(replace(task, handling=replace(task.handling, settings=settings))).result
