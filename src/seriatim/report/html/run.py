"""A timeline as an HTML table: a row for each turn, a column for each request, the shared state last.

In a long run, there is a column for each handler, and a row where turns begin that are repeated.
"""

from collections.abc import Iterator

from seriatim.explain.names import visible
from seriatim.explain.timeline import ShownTurn, Timeline, repeated_text
from seriatim.program.state import GlobalState
from seriatim.report.html.markup import Markup, element, together
from seriatim.report.look import Look, Style
from seriatim.report.run_table import Entry, entries

HUES = 6
"""How many colours there are for requests."""

DEEPEST = 3
"""How deep loops are indented."""

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
        element("th", *_heading(shown, number, handler), scope="col", class_=_hue(number))
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
    return element(
        "table",
        element("thead", head),
        element("tbody", beginning, *_rows(shown, width)),
        class_="run",
        aria_label=f"The run: a row for each step, a column for each {shown.actor}",
    )


def _heading(shown: Timeline, number: int, handler: str) -> Iterator[Markup | str]:
    if not shown.is_folded and shown.actor == "request":
        yield f"{number} "
    yield element("span", visible(handler))


def _rows(shown: Timeline, width: int) -> Iterator[Markup]:
    """A row for each turn, and one for the beginning of each loop."""
    for step, (turn, loops) in enumerate(shown.turns_in_loops(), start=1):
        for depth, loop in enumerate(loops, start=1):
            if loop.first == step - 1:
                text = element("th", repeated_text(loop), colspan=width + 2, scope="rowgroup")
                yield element("tr", text, class_=f"repeat depth-{min(depth - 1, DEEPEST)}")
        yield _row(shown, step, turn, width, len(loops))


def _row(shown: Timeline, step: int, turn: ShownTurn, width: int, depth: int) -> Markup:
    cells = [element("td") for _ in range(width)]
    begins = shown.is_folded and turn.is_first
    label = [element("span", "new", class_="begins")] if begins else []
    cells[turn.request - 1] = element("td", *label, _turn(turn), class_=f"turn {_hue(turn.request)}")
    lines = dict.fromkeys(str(moment.line) for moment in turn.moments if moment.line is not None)
    return element(
        "tr",
        element("th", str(step), scope="row"),
        *cells,
        _state(shown, turn.after, turn.before),
        class_=_kind(turn, depth),
        data_lines=" ".join(lines),
    )


def _kind(turn: ShownTurn, depth: int) -> str | None:
    if depth:
        return f"depth-{min(depth, DEEPEST)}"
    return "barrier" if turn.follows_barrier else "switch" if turn.is_switch else None


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
