"""Movers as text, as JSON, and as a matrix in HTML."""

from collections.abc import Iterator
from html import escape
from typing import Any

from seriatim.checking.sequentialization.premises import Premise
from seriatim.explain.action_states import change_text, instance_text, state_text
from seriatim.explain.premises import tell
from seriatim.report.text_look import Style, TextLook
from seriatim.sequencing.movers import Movement, Movers, Pair
from seriatim.text_width import fill

_MARKS = {Movement.ALWAYS: "yes", Movement.IN_RUNS: "runs", Movement.NO: "no", Movement.UNKNOWN: "?"}


def movers_text(name: str, movers: Movers, look: TextLook) -> str:
    """A matrix, then what it means for each action, then why."""
    lines = [f"{look.paint(name, Style.STRONG)}: can the action of a row be moved before that of a column?"]
    lines += _matrix(movers)
    lines += [fill(each, look.width, "  ") for each in _kinds(movers)]
    for pair in movers.pairs:
        lines += [
            fill(each.strip(), look.width, "    " if each.startswith(" ") else "  ")
            for each in _reason(pair, movers)
        ]
    if any(pair.movement is Movement.IN_RUNS for pair in movers.pairs):
        note = "runs: in all runs at small sizes; yes: in all states, for all sizes."
        lines.append(fill(note, look.width, "  "))
    return "".join(f"{line}\n" for line in lines)


def _matrix(movers: Movers) -> list[str]:
    width = max(map(len, movers.actions), default=0)
    rows = ["  " + " " * width + "".join(f"  {each}" for each in movers.actions)]
    for action in movers.actions:
        marks = (_MARKS[movers.pair(action, other).movement].ljust(len(other)) for other in movers.actions)
        rows.append(f"  {action.ljust(width)}" + "".join(f"  {mark}" for mark in marks))
    return [row.rstrip() for row in rows]


def kind_of(movers: Movers, action: str) -> str:
    match movers.is_left(action), movers.is_right(action):
        case True, True:
            return "commutes with everything"
        case True, False:
            return "left mover"
        case False, True:
            return "right mover"
        case _:
            return "no mover"


def _kinds(movers: Movers) -> Iterator[str]:
    for action in movers.actions:
        yield f"{action}: {kind_of(movers, action)}"


def _reason(pair: Pair, movers: Movers) -> Iterator[str]:
    finding, interpreter = pair.finding, movers.interpreter
    if finding is None or interpreter is None or finding.other is None or finding.through is None:
        return
    action, other = instance_text(finding.action, interpreter), instance_text(finding.other, interpreter)
    before = finding.where[0]
    yield f"{pair.action} before {pair.other}: {tell(finding.premise, action, other)}."
    yield f"  at {state_text(before, interpreter)}"
    if finding.premise is Premise.NO_REPAIR:
        yield f"  {action}: {change_text(before, finding.through, interpreter)}; then {other} does not fail"
        return
    yield f"  {other}: {change_text(before, finding.through, interpreter)}"
    if finding.after is None:
        yield f"  {action} fails now, in line {finding.line}"
    else:
        yield f"  {action}: {change_text(finding.through, finding.after, interpreter)}"


def movers_json(name: str, movers: Movers, seconds: float) -> dict[str, Any]:
    return {
        "file": name,
        "verdict": "movers",
        "method": "conditions and exploration",
        "seconds": round(seconds, 3),
        "actions": {action: kind_of(movers, action) for action in movers.actions},
        "pairs": [
            {
                "action": pair.action,
                "before": pair.other,
                "moves": str(pair.movement),
                "premise": None if pair.finding is None else str(pair.finding.premise),
                "reason": [line.strip() for line in _reason(pair, movers)],
            }
            for pair in movers.pairs
        ],
    }


_STYLE = """body{font-family:sans-serif;margin:2em;color-scheme:light dark}table{border-collapse:collapse}
th,td{border:1px solid #8888;padding:.5em .8em;text-align:left;vertical-align:top}td.always{background:#4a43}
td.runs{background:#aa43}td.no{background:#c443}td.unknown{background:#8883}pre{white-space:pre-wrap}"""


def movers_html(name: str, movers: Movers) -> str:
    """One HTML page that loads nothing; each cell says why."""
    head = "".join(f"<th scope='col'>{escape(each)}</th>" for each in movers.actions)
    rows = "".join(_row(action, movers) for action in movers.actions)
    title = f"Movers of {escape(name)}"
    return (
        "<!doctype html>\n<html lang='en'><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'>"
        f"<title>{title}</title><style>{_STYLE}</style>\n<h1>{title}</h1>\n"
        "<p>Can the action of a row be moved before the action of a column? "
        "<b>yes</b>: in all states, for all sizes. <b>runs</b>: in all runs at small sizes.</p>\n"
        f"<table><tr><td></td>{head}<th scope='col'>kind</th></tr>\n{rows}</table>\n</html>\n"
    )


def _row(action: str, movers: Movers) -> str:
    cells = "".join(_cell(movers.pair(action, other), movers) for other in movers.actions)
    kind = escape(kind_of(movers, action))
    return f"<tr><th scope='row'>{escape(action)}</th>{cells}<td>{kind}</td></tr>\n"


def _cell(pair: Pair, movers: Movers) -> str:
    why = "\n".join(_reason(pair, movers))
    details = f"<details><summary>no</summary><pre>{escape(why)}</pre></details>" if why else ""
    css = str(pair.movement).split()[-1]
    return f"<td class='{css}'>{details or _MARKS[pair.movement]}</td>"
