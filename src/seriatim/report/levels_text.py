"""The verdicts at all values of a setting side by side, and the weakest one that suffices."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from seriatim.frontends.protocol import FOR_CHOSEN, Ladder, is_for_chosen
from seriatim.properties.property import in_words
from seriatim.report.result_json import result_json
from seriatim.report.text_look import MARGIN, Style, TextLook
from seriatim.result import Holds, Result, Undecided, Unusable, Violated, verdict_name
from seriatim.text_width import fill

_PROMISES = re.compile(r"(\w+) promises to run\b")
"""The assumption of a verdict that rests on the promise of a database."""

Results = Mapping[str, Result]
"""Results by the value of the setting, the weakest first."""

Engines = Mapping[str, Results]
"""The same by engine."""


def weakest(results: Results) -> str | None:
    """The weakest value with which the property holds, such that no stronger one is known to violate it."""
    enough: str | None = None
    for level, result in reversed(list(results.items())):
        if isinstance(result.answer, Holds):
            enough = level
        elif isinstance(result.answer, Violated):
            break
    return enough


def levels_text(results: Results, ladder: Ladder, look: TextLook) -> str:
    """A line for each value of the setting, then what to do."""
    return engines_text({"": results}, ladder, look)


def engines_text(engines: Engines, ladder: Ladder, look: TextLook) -> str:
    """A line for each value of the setting on each engine, then what to do; an engine without a name is the
    only one."""
    name = next(iter(next(iter(engines.values())).values())).source.name
    width = max(len(_label(engine, level)) for engine, results in engines.items() for level in results)
    lines = [f"{look.paint(name, Style.STRONG)}:"]
    for engine, results in engines.items():
        for level, result in results.items():
            word, style, note = tell(result)
            told = f"{look.paint(word, style)}{f' ({note})' if note else ''}"
            lines.append(f"{MARGIN}{_label(engine, level):<{width}}  {told}")
    for engine, results in engines.items():
        lines += [fill(each, look.width, MARGIN) for each in _open(engine, results)]
        lines += _advice(engine, results, ladder, name)
    failing = [each for results in engines.values() for each in results.items()]
    for level, result in failing:
        if ladder.setting == "p4-model" and isinstance(result.answer, Violated) and result.answer.fixes:
            lines.append(f"{MARGIN}What makes it serializable under {level}, any one of:")
            fixes = result.answer.fixes
            lines += [f"{MARGIN}- {fill(fix, look.width, MARGIN + '  ').lstrip()}" for fix in fixes]
    return "\n".join(lines) + "\n"


def _label(engine: str, level: str) -> str:
    return f"{engine:<12}{level}" if engine else level


def _open(engine: str, results: Results) -> Iterator[str]:
    """Collects what is known about values that are undecided on one of several engines."""
    for level, result in results.items():
        if engine and isinstance(result.answer, Undecided):
            yield f"{engine} {level}: {result.answer.reason}."


def _advice(engine: str, results: Results, ladder: Ladder, name: str) -> Iterator[str]:
    """The weakest value that is enough, and how to see why others are not."""
    enough, where = weakest(results), f" on {engine}" if engine else ""
    if enough is None:
        yield f"{MARGIN}No {ladder.noun} is known to be enough{where}."
    else:
        weaker = list(results)[: list(results).index(enough)]
        is_known = all(isinstance(results[level].answer, Violated) for level in weaker)
        known = "" if is_known else "known to be "
        yield f"{MARGIN}The weakest {ladder.noun} that is {known}enough{where}: {enough}"
    failing = [level for level, result in results.items() if isinstance(result.answer, Violated)]
    if failing:
        chosen = f" --engine {engine}" if engine else ""
        yield f"{MARGIN}To see what goes wrong: ser check {name}{chosen} --{ladder.setting} {failing[-1]}"


def tell(result: Result) -> tuple[str, Style, str]:
    """The verdict with a short remark."""
    match result.answer:
        case Holds():
            promised = [found for each in result.approximations if (found := _PROMISES.match(each.sentence))]
            proved = f"proved {FOR_CHOSEN}" if is_for_chosen(result.approximations) else "proved"
            note = f"by {promised[0].group(1)}'s promise" if promised else proved
            return in_words(result.property.verdicts[0]), Style.GOOD, note
        case Violated(name=name, run=run):
            note = f"{name}, {run.requests} requests" if name else f"{run.requests} requests"
            return in_words(result.property.verdicts[1]), Style.BAD, note
        case Unusable(diagnostics=diagnostics):
            return "no verdict", Style.CHANGE, diagnostics[0].message
        case _:
            return "undecided", Style.CHANGE, ""


def engines_json(engines: Engines, ladder: Ladder) -> dict[str, Any]:
    """One object with the results at each value of the setting on each engine."""
    found = {engine: levels_json(results, ladder) for engine, results in engines.items()}
    name = next(iter(found.values()))["file"]
    return {"file": name, "engines": found}


def levels_json(results: Results, ladder: Ladder) -> dict[str, Any]:
    """One object with the result at each value of the setting, in the format of `result_json`."""
    first = next(iter(results.values()))
    enough = weakest(results)
    verdict = verdict_name(first if enough is None else results[enough])
    return {
        "file": first.source.name,
        "verdict": verdict,
        "method": first.method,
        "seconds": round(sum(each.seconds for each in results.values()), 6),
        "weakest": enough,
        f"{ladder.noun}s": {level: result_json(each) for level, each in results.items()},
    }
