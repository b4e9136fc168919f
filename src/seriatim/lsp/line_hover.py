"""What a verdict says about a line of any language: what its run does there, and what is assumed about it."""

import json
import re
from collections.abc import Iterator
from typing import Any

from seriatim.explain.names import visible
from seriatim.explain.timeline import ShownRun, Timeline
from seriatim.report.result_from_json import result_from_json
from seriatim.result import Faulty, Holds, Result, Suspicion, Undecided, Violated

_NAME = re.compile(r"[A-Za-z_][\w.]*")


def line_hover(line_text: str, line: int, column: int, found: dict[str, Any]) -> str | None:
    """The text that the editor shows when hovering over a place of a text with a verdict."""
    result = result_from_json(json.dumps(found["result"]))
    title, run = _shown_run(result)
    parts: list[str] = []
    if run is not None:
        word = word_at(line_text, column)
        if word:
            parts += _values(word, run.timeline)
        steps = list(_steps(line, run.timeline))
        if steps:
            parts.append("\n".join([f"{title}:", "", *steps]))
    about = (each for each in result.approximations if each.span is not None and each.span.line == line)
    parts += [f"Assumed: {each.sentence}" for each in about]
    return "\n\n".join(parts) or None


def _shown_run(result: Result) -> tuple[str, ShownRun | None]:
    match result.answer:
        case Violated(run=run) | Faulty(run=run):
            return "In the run of the verdict", run
        case Undecided(suspicion=Suspicion(run=run)):
            return "In the possible violation", run
        case Holds(sample=sample) if sample is not None:
            return "For example", sample.run
        case _:
            return "", None


def word_at(line: str, column: int) -> str:
    """The name at a place, up to the end of the part under the cursor: `self.x` in `self.x.total`."""
    for found in _NAME.finditer(line):
        if found.start() < column <= found.end() + 1:
            rest = line[column - 1 : found.end()]
            return line[found.start() : found.end() - len(rest) + len(rest.partition(".")[0])]
    return ""


def _values(word: str, shown: Timeline) -> Iterator[str]:
    """The values of a shared variable along the run."""
    states = [shown.initial, *(turn.after for turn in shown.turns)]
    named = list(dict.fromkeys(visible(state) for state in states if isinstance(state, str)))
    if named and any(re.search(rf"\b{re.escape(word)}\b", state) for state in named):
        yield f"**`{word}`** is shared. The state in this run: {' ➜ '.join(named)}"
    taken: dict[str, list[str]] = {}
    for state in states:
        for name, value in () if isinstance(state, str) else shown.values(state):
            known = taken.setdefault(name, [])
            if not known or known[-1] != value:
                known.append(value)
    for name, values in taken.items():
        if name == word or name.partition("[")[0] == word or name.rpartition(".")[2] == word:
            yield f"**`{name}`** is shared. Its values in this run: {' ➜ '.join(values)}"


def _steps(line: int, shown: Timeline) -> Iterator[str]:
    for number, turn in enumerate(shown.turns, start=1):
        for moment in turn.moments:
            if moment.line != line:
                continue
            who = turn.handler if shown.actor != "request" else f"request {turn.request}, {turn.handler}"
            told = [f"{each.name}: {each.show(each.old)} ➜ {each.show(each.new)}" for each in moment.changes]
            told += [moment.result] if moment.result else []
            yield f"- step {number}, {who}" + (f": {', '.join(told)}" if told else "")
