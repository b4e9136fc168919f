"""A timeline as an HTML table: a row for each turn, a column for each request, the shared state last.

A long run has a column for each handler, and a row at the start of each repeated part. ARIA roles are written
out: a style sheet may stack the cells of a row, and browsers then no longer treat them as cells.
"""

import re
from collections import Counter
from collections.abc import Iterator

from seriatim.explain.names import completion_text, visible
from seriatim.explain.timeline import ShownTurn, Timeline, repeated_text
from seriatim.program.state import GlobalState
from seriatim.report.html.markup import Markup, element, together
from seriatim.report.html.prose import Hues
from seriatim.report.run_table import Entry, entries
from seriatim.report.text_look import Style, TextLook

HUES = 6
"""How many colours there are for requests."""

DEEPEST = 3
"""How deep loops are indented."""

MOST_IN_SIGHT = 30
"""Runs with more turns scroll in a frame of their own; shorter ones are there up to their end."""

MOST_UNBROKEN = 18
"""Characters of a value that stay in one line."""

_ROW = re.compile(r"(\([^()]{1,40}\))")

FEW_VALUES = 3
"""Up to this many values fit beside each other."""

SHARED = "shared state"

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
        element(
            "th", *_heading(shown, number, handler), scope="col", role="columnheader", class_=_hue(number)
        )
        for number, handler in enumerate(shown.handlers(), start=1)
    ]
    head = element(
        "tr",
        element("th", "step", scope="col", role="columnheader", class_="step"),
        *headings,
        element("th", SHARED, scope="col", role="columnheader", class_="state"),
        role="row",
    )
    width = len(headings)
    beginning = element(
        "tr",
        element("th", "0", scope="row", role="rowheader", class_="step"),
        *[element("td", role="cell") for _ in range(width)],
        _state(shown, shown.initial, None),
        class_="start",
        role="row",
        data_told="at the start",
    )
    return element(
        "table",
        element("thead", head, role="rowgroup"),
        element("tbody", beginning, *_rows(shown, width), role="rowgroup"),
        class_="run long" if len(shown.turns) > MOST_IN_SIGHT else "run",
        role="table",
        aria_label=f"The run: a row for each step, a column for each {shown.actor}",
    )


def _heading(shown: Timeline, number: int, handler: str) -> Iterator[Markup | str]:
    if not shown.is_folded and shown.actor == "request":
        yield f"{number} "
    yield element("span", visible(handler))


def _who(shown: Timeline, turn: ShownTurn) -> str:
    name = visible(turn.handler)
    has_number = not shown.is_folded and shown.actor == "request"
    return f"request {turn.request}: {name}" if has_number else name


def _rows(shown: Timeline, width: int) -> Iterator[Markup]:
    """A row for each turn and for the beginning of each loop."""
    flying = _in_flight(shown)
    for step, (turn, loops) in enumerate(shown.turns_in_loops(), start=1):
        for depth, loop in enumerate(loops, start=1):
            if loop.first == step - 1:
                text = element(
                    "th", repeated_text(loop), colspan=width + 2, scope="rowgroup", role="rowheader"
                )
                yield element("tr", text, class_=f"repeat depth-{min(depth - 1, DEEPEST)}", role="row")
        yield _row(shown, step, turn, _cells(shown, turn, width, flying[step - 1]), len(loops))


def _in_flight(shown: Timeline) -> list[set[int]]:
    """The requests in flight during each turn; none in a long run, which does not tell requests apart."""
    if shown.is_folded:
        return [set() for _ in shown.turns]
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for number, turn in enumerate(shown.turns):
        first.setdefault(turn.request, number)
        is_over = turn.response is not None or shown.actor == "thread"  # Ends of threads are not told.
        last[turn.request] = number if is_over else len(shown.turns)
    return [{each for each in first if first[each] < n < last[each]} for n in range(len(shown.turns))]


def _cells(shown: Timeline, turn: ShownTurn, width: int, flying: set[int]) -> list[Markup]:
    """The cells of a turn, one for each request."""
    cells = [
        element("td", role="cell", class_=f"waits {_hue(request)}" if request in flying else None)
        for request in range(1, width + 1)
    ]
    begins = shown.is_folded and turn.is_first
    label = [element("span", "new", class_="begins")] if begins else []
    who = element("span", _who(shown, turn), class_="who")
    cells[turn.request - 1] = element(
        "td", who, *label, _turn(turn), class_=f"turn {_hue(turn.request)}", role="cell"
    )
    return cells


def _row(shown: Timeline, step: int, turn: ShownTurn, cells: list[Markup], depth: int) -> Markup:
    lines = dict.fromkeys(str(moment.line) for moment in turn.moments if moment.line is not None)
    return element(
        "tr",
        element("th", str(step), scope="row", role="rowheader", class_="step"),
        *cells,
        _state(shown, turn.after, turn.before),
        class_=_kind(turn, depth),
        role="row",
        data_lines=" ".join(lines),
        data_told=_who(shown, turn),
    )


def _kind(turn: ShownTurn, depth: int) -> str | None:
    if depth:
        return f"depth-{min(depth, DEEPEST)}"
    return "barrier" if turn.follows_barrier else "switch" if turn.is_switch else None


def _turn(turn: ShownTurn) -> Markup:
    return element("ul", *(element("li", *_entry(entry)) for entry in entries(turn, TextLook())))


def _entry(entry: Entry) -> Iterator[Markup]:
    if entry.line:
        yield element("span", entry.line, class_="line")
    yield element("code", entry.code)
    for text, style in entry.effects:
        yield together(" ", element("span", text, class_=_CLASSES[style]))


def _state(shown: Timeline, state: GlobalState, before: GlobalState | None) -> Markup:
    """The shared state; changed values are marked."""
    label = element("span", f"{SHARED}: ", class_="who")
    if isinstance(state, str):
        parts = [_value("span" if before in (None, state) else "mark", visible(state))]
    else:
        old = dict(shown.values(state if before is None else before))
        parts = [
            _value("span" if old.get(name) == value else "mark", f"{name} = {value}")
            for name, value in shown.values(state)
        ]
    kind = "state many" if len(parts) > FEW_VALUES else "state"
    return element("td", label, *parts, class_=kind, role="cell")


def _value(name: str, text: str) -> Markup:
    """A value of the state: a short one is never broken, a long one never inside its rows."""
    if len(text) <= MOST_UNBROKEN:
        return element(name, text, class_="whole")
    pieces = _ROW.split(text)
    return element(name, *(element("span", p, class_="whole") if n % 2 else p for n, p in enumerate(pieces)))


def hues_by_name(shown: Timeline) -> Hues:
    """Returns the colour of each handler that has one request in the run, for its name in texts."""
    handlers = shown.handlers()
    count = Counter(handlers)
    return {name: _hue(number) for number, name in enumerate(handlers, start=1) if count[name] == 1}


def hues_by_line(shown: Timeline) -> dict[int, tuple[str, ...]]:
    """The lines that a run executes, each with the colours of the requests that do, by their numbers."""
    found: dict[int, set[int]] = {}
    for turn in shown.turns:
        for moment in turn.moments:
            if moment.line is not None:
                found.setdefault(moment.line, set()).add(turn.request)
    return {
        line: tuple(dict.fromkeys(_hue(request) for request in sorted(requests)))
        for line, requests in found.items()
    }


def answers_html(shown: Timeline) -> Markup:
    """The answers as a multiset, in the colours of their requests: `incr/1 ×2, get/0`."""
    hues, times = hues_by_name(shown), TextLook().symbols.times
    parts: list[str] = []
    for handler, response, count in shown.outcome():
        text = completion_text(handler, response) + (f" {times}{count:,}" if count > 1 else "")
        told = element("span", text, class_=f"actor {hues[handler]}") if handler in hues else text
        parts += [", " if parts else "", told]
    return together(*parts)


def _hue(request: int) -> str:
    return f"hue-{(request - 1) % HUES}"
