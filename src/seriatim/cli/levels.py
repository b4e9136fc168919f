"""`ser check --isolation all` or `--p4-model all`: checks an input at every value of a setting."""

import json
from collections.abc import Iterable
from dataclasses import replace

from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.one_check import Task, check_one, exit_code
from seriatim.cli.speakers import Manner
from seriatim.cli.terminal import Terminal
from seriatim.frontends.protocol import LADDERS, Ladder, Settings
from seriatim.report.levels_text import levels_json, levels_text
from seriatim.result import Result, Unusable


def compared(settings: Settings) -> Ladder | None:
    """The setting whose values are to be compared."""
    return next((each for each in LADDERS if settings.get(each.setting) == "all"), None)


def compare_levels(
    tasks: Iterable[Task], ladder: Ladder, manner: Manner, terminal: Terminal
) -> list[ExitCode]:
    """Checks inputs at all values of a setting and shows which one is enough. Returns the exit codes."""
    codes: list[ExitCode] = []
    for task in tasks:
        results = {step: at_level(task, ladder, step) for step in ladder.steps}
        first = next(iter(results.values()))
        if manner.as_json:
            terminal.say(json.dumps(levels_json(results, ladder)) + "\n")
        elif isinstance(first.answer, Unusable) and len({str(each.answer) for each in results.values()}) == 1:
            terminal.complain(first.source, *first.answer.diagnostics)
        else:
            terminal.say(levels_text(results, ladder, terminal.out))
        codes += map(exit_code, results.values())
    return codes


def at_level(task: Task, ladder: Ladder, step: str) -> Result:
    settings = {**task.handling.settings, ladder.setting: step}
    return check_one(replace(task, handling=replace(task.handling, settings=settings))).result
