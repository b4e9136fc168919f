"""`ser check --isolation all`: the same transactions at all isolation levels."""

import json
from collections.abc import Iterable

from seriatim.cli.check import Task, check_one, exit_code
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.speakers import Manner
from seriatim.cli.terminal import Terminal
from seriatim.frontends.sql.frontend import LEVEL_NAMES
from seriatim.frozen import replace
from seriatim.report.levels_text import levels_json, levels_text
from seriatim.result import Result, Unusable


def compare_levels(tasks: Iterable[Task], manner: Manner, terminal: Terminal) -> list[ExitCode]:
    """Checks inputs at all isolation levels, and shows which level is enough; what each check exits with."""
    codes: list[ExitCode] = []
    for task in tasks:
        results = {level: at_level(task, level) for level in LEVEL_NAMES}
        first = next(iter(results.values()))
        if manner.as_json:
            terminal.say(json.dumps(levels_json(results)) + "\n")
        elif isinstance(first.answer, Unusable) and len({str(each.answer) for each in results.values()}) == 1:
            terminal.complain(first.source, *first.answer.diagnostics)
        else:
            terminal.say(levels_text(results, terminal.out))
        codes += map(exit_code, results.values())
    return codes


def at_level(task: Task, level: str) -> Result:
    settings = {**task.handling.settings, "isolation": level}
    return check_one(replace(task, handling=replace(task.handling, settings=settings))).result
