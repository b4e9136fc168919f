"""A timeline as an HTML table: a row for each turn, a column for each request, the shared state last."""

from collections.abc import Iterator

from seriatim.certificate.format import GlobalState
from seriatim.report.html.markup import Markup, element, together
from seriatim.report.look import Look, Style
from seriatim.report.names import visible
from seriatim.report.run_table import Entry, entries
from seriatim.report.timeline import ShownTurn, Timeline

HUES = 6
"""How many colours there are for requests."""

_CLASSES = {
    Style.PLAIN: "local",
    Style.FAINT: "pause",
    Style.CHANGE: "change",
    Style.STRONG: "answer",
    Style.BAD: "bad",
    Style.GOOD: "good",
}


def run_html(shown: Timeline) -> Markup:
    headings = [
        element("th", f"{number}", " ", element("span", visible(handler)), scope="col", class_=_hue(number))
        for number, handler in enumerate(shown.handlers(), start=1)
    ]
    head = element(
        "tr", element("th", "step", scope="col"), *headings, element("th", "shared state", scope="col")
    )
    width = len(headings)
    beginning = element(
        "tr",
        element("th", "0", scope="row"),
        *[element("td") for _ in range(width)],
        _state(shown, shown.initial, None),
        class_="start",
    )
    rows = (_row(shown, step, turn, width) for step, turn in enumerate(shown.turns, start=1))
    return element(
        "table",
        element("thead", head),
        element("tbody", beginning, *rows),
        class_="run",
        aria_label="The run: a row for each step, a column for each request",
    )


def _row(shown: Timeline, step: int, turn: ShownTurn, width: int) -> Markup:
    cells = [element("td") for _ in range(width)]
    cells[turn.request - 1] = element("td", _turn(turn), class_=f"turn {_hue(turn.request)}")
    lines = dict.fromkeys(str(moment.line) for moment in turn.moments if moment.line is not None)
    return element(
        "tr",
        element("th", str(step), scope="row"),
        *cells,
        _state(shown, turn.after, turn.before),
        class_="barrier" if turn.follows_barrier else "switch" if turn.is_switch else None,
        data_lines=" ".join(lines),
    )


def _turn(turn: ShownTurn) -> Markup:
    return element("ul", *(element("li", *_entry(entry)) for entry in entries(turn, Look())))


def _entry(entry: Entry) -> Iterator[Markup]:
    if entry.line:
        yield element("span", entry.line, class_="line")
    yield element("code", entry.code)
    for text, style in entry.effects:
        yield together(" ", element("span", text, class_=_CLASSES[style]))


def _state(shown: Timeline, state: GlobalState, before: GlobalState | None) -> Markup:
    """Values that are not what they were are marked."""
    if isinstance(state, str):
        parts = [element("span" if before in (None, state) else "mark", visible(state))]
    else:
        old = dict(shown.values(state if before is None else before))
        parts = [
            element("span" if old.get(name) == value else "mark", f"{name} = {value}")
            for name, value in shown.values(state)
        ]
    return element("td", *parts, class_="state")


def _hue(request: int) -> str:
    return f"hue-{(request - 1) % HUES}"
