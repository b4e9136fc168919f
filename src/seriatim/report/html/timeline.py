"""A run as the middle of a page: buttons to step through it, its table, conclusions, the source beside it."""

from collections.abc import Mapping

from seriatim.explain.timeline import Timeline
from seriatim.report.html.highlight import highlight_lines
from seriatim.report.html.markup import Markup, element, together
from seriatim.report.html.run import hues_by_line, run_html
from seriatim.source import SourceText

Notes = Mapping[int, str]
"""Notes beside source lines."""

NO_NOTES: Notes = {}

Lanes = Mapping[int, tuple[str, ...]]
"""The lines that a run executes, with the colours of the requests that execute them."""

NO_LANES: Lanes = {}

FEW_REQUESTS = 2
"""Up to this many columns leave room for the source beside them, on most screens."""

_BUTTONS = (
    ("first", "|◀", "First step"),
    ("back", "◀", "Step back"),
    ("next", "▶", "Next step"),
    ("last", "▶|", "Last step"),
)


def story(
    shown: Timeline,
    source: SourceText,
    conclusions: Markup,
    *,
    title: str = "The run",
    notes: Notes = NO_NOTES,
) -> Markup:
    """A run with its conclusions below it, and the source beside or below both."""
    is_narrow = len(shown.handlers()) <= FEW_REQUESTS
    run = element(
        "section",
        element("h3", title),
        _bar(len(shown.turns)),
        element(
            "div",
            run_html(shown),
            class_="frame",
            tabindex=0,
            role="region",
            aria_label=f"{title}: {source.name}",
        ),
        conclusions,
        class_="timeline",
    )
    listing = code(source, notes, hues_by_line(shown), title)
    return element("div", run, listing, class_="story few" if is_narrow else "story")


def _bar(steps: int) -> Markup:
    """The buttons; hidden until the script that makes them work has loaded."""
    buttons = [
        element("button", sign, type="button", data_go=where, title=words, aria_label=words)
        for where, sign, words in _BUTTONS
    ]
    told = element("output", f"Step 0 of {steps}", aria_live="polite")
    keys = element("span", "or the keys ", element("kbd", "←"), " ", element("kbd", "→"), class_="hint keys")
    return element("div", *buttons, told, keys, class_="bar", role="group", aria_label="Steps", hidden=True)


def code(source: SourceText, notes: Notes = NO_NOTES, lanes: Lanes = NO_LANES, beside: str = "") -> Markup:
    """The lines of the source; those that requests execute have their lanes, and lines may have notes."""
    rows = [
        element(
            "li",
            *([_show_lanes(lanes[number])] if number in lanes else []),
            element("code", line or " "),
            *([element("span", notes[number], class_="note")] if number in notes else []),
            class_=" ".join(filter(None, ("ran" * (number in lanes), "blamed" * (number in notes)))) or None,
            data_line=number,
        )
        for number, line in enumerate(highlight_lines(source.text.rstrip("\n"), source.name), start=1)
    ]
    hint = element("p", "At the left: who executes a line, in the colours of the run.", class_="hint")
    listing = element("ol", *rows, class_="source")
    name = f"Source of {source.name}" + (f", beside: {beside}" if beside else "")
    frame = element("div", listing, class_="frame", tabindex=0, role="region", aria_label=name)
    return element(
        "section", element("h3", "Source"), together(hint) if lanes else Markup(), frame, class_="code"
    )


def _show_lanes(hues: tuple[str, ...]) -> Markup:
    return element("span", *(element("i", class_=hue) for hue in hues), class_="lanes", aria_hidden="true")
