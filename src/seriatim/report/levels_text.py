"""The verdicts at all values of a setting side by side, and the weakest one that suffices."""

from collections.abc import Mapping
from typing import Any

from seriatim.frontends.protocol import Ladder
from seriatim.properties.property import in_words
from seriatim.report.look import MARGIN, Look, Style
from seriatim.report.result_json import result_json
from seriatim.result import Holds, Result, Unusable, Violated, verdict_name
from seriatim.text_width import fill

Results = Mapping[str, Result]
"""Results by the value of the setting, the weakest first."""


def weakest(results: Results) -> str | None:
    """The weakest value with which the property holds, such that no stronger one is known to violate it."""
    enough: str | None = None
    for level, result in reversed(list(results.items())):
        if isinstance(result.answer, Holds):
            enough = level
        elif isinstance(result.answer, Violated):
            break
    return enough


def levels_text(results: Results, ladder: Ladder, look: Look) -> str:
    """A line for each value of the setting, then what to do."""
    first = next(iter(results.values()))
    width = max(map(len, results))
    lines = [f"{look.paint(first.source.name, Style.STRONG)}:"]
    for level, result in results.items():
        word, style, note = _tell(result)
        lines.append(f"{MARGIN}{level:<{width}}  {look.paint(word, style)}{f' ({note})' if note else ''}")
    enough = weakest(results)
    if enough is None:
        lines.append(f"{MARGIN}No {ladder.noun} is known to be enough.")
    else:
        weaker = list(results)[: list(results).index(enough)]
        is_known = all(isinstance(results[level].answer, Violated) for level in weaker)
        lines.append(
            f"{MARGIN}The weakest {ladder.noun} that is {'' if is_known else 'known to be '}enough: {enough}"
        )
    failing = {
        level: result.answer for level, result in results.items() if isinstance(result.answer, Violated)
    }
    if failing:
        level = list(failing)[-1]
        lines.append(
            f"{MARGIN}To see what goes wrong: ser check {first.source.name} --{ladder.setting} {level}"
        )
    for level, answer in failing.items():
        if ladder.setting == "p4-model" and answer.fixes:
            lines.append(f"{MARGIN}What makes it serializable under {level}, any one of:")
            lines += [f"{MARGIN}- {fill(fix, look.width, MARGIN + '  ').lstrip()}" for fix in answer.fixes]
    return "\n".join(lines) + "\n"


def _tell(result: Result) -> tuple[str, Style, str]:
    """The verdict with a short remark."""
    match result.answer:
        case Holds():
            promised = any("promises to run" in each.sentence for each in result.approximations)
            return (
                in_words(result.property.verdicts[0]),
                Style.GOOD,
                "by PostgreSQL's promise" if promised else "proved",
            )
        case Violated(name=name, run=run):
            note = f"{name}, {run.requests} requests" if name else f"{run.requests} requests"
            return in_words(result.property.verdicts[1]), Style.BAD, note
        case Unusable(diagnostics=diagnostics):
            return "no verdict", Style.CHANGE, diagnostics[0].message
        case _:
            return "undecided", Style.CHANGE, ""


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
