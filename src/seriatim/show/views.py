"""Lists all views and their forms, and makes them."""

import json
from dataclasses import replace
from enum import StrEnum
from typing import Any, Literal, assert_never

from seriatim.budget import Deadline
from seriatim.explain.picture import Picture
from seriatim.petri.from_system import interleaving_net
from seriatim.program.inputs import Input
from seriatim.program.network_system import NetworkSystem
from seriatim.program.syntax import Program
from seriatim.report.pictures.dot import dot
from seriatim.report.pictures.mermaid import mermaid
from seriatim.report.pictures.svg import svg
from seriatim.report.sequence import sequence_mermaid, sequence_svg
from seriatim.report.sequence_dot import sequence_dot
from seriatim.report.tables import Page, text
from seriatim.show.delta import DeltaView
from seriatim.show.net import NetView
from seriatim.show.ns import NetworkView
from seriatim.show.paper import QueryView, RegexView, SemilinearView, query_view, regex_view, semilinear_view
from seriatim.show.run import RunView, run_view
from seriatim.show.serial import SerialView, serial_beginning, serial_view
from seriatim.show.stats import StatsView, stats_view
from seriatim.source import SourceText
from seriatim.systems.from_input import unfold
from seriatim.systems.from_program import BEYOND, beginning, network_system
from seriatim.systems.limits import LimitReached, Limits

VERSION = 1
"""The version of the JSON objects; it grows when a reader of the old ones would misread the new ones."""


class View(StrEnum):
    """What to show."""

    NS = "ns"
    DELTA = "delta"
    SERIAL = "serial"
    NET = "net"
    REGEX = "regex"
    SEMILINEAR = "semilinear"
    QUERY = "query"
    STATS = "stats"
    RUN = "run"


class ViewForm(StrEnum):
    """How to show it."""

    TEXT = "text"
    JSON = "json"
    DOT = "dot"
    MERMAID = "mermaid"
    SVG = "svg"


TITLES = {
    View.NS: "The network system",
    View.DELTA: "The steps of the network system",
    View.SERIAL: "The serial automaton",
    View.NET: "The Petri net",
    View.STATS: "Sizes",
    View.RUN: "A run",
}


def list_forms(view: View) -> tuple[ViewForm, ...]:
    """The forms in which a view exists: tables have no picture."""
    match view:
        case View.NS | View.SERIAL | View.NET | View.RUN:
            return tuple(ViewForm)
        case View.DELTA | View.REGEX | View.SEMILINEAR | View.QUERY | View.STATS:
            return (ViewForm.TEXT, ViewForm.JSON)
        case _:
            assert_never(view)


def show(
    view: View, form: ViewForm, content: Input, source: SourceText, limits: Limits, deadline: Deadline
) -> str:
    """A view of an input and its text, in a form; `ValueError` if it has no such view, `LimitReached` or
    `OutOfBudget` if it is too large, `NoRun` if there is no run to show."""
    if form not in list_forms(view):
        raise ValueError(f"the view {view} exists as {' or '.join(list_forms(view))}, not as {form}")
    if view is View.RUN:
        return _run_in(form, run_view(content, source, limits, deadline), source.name)
    presented, left_out = _present_or_begin(view, content, limits, deadline)
    match form:
        case ViewForm.TEXT:
            return text(_as_part(presented.page(), left_out))
        case ViewForm.JSON:
            return _json(view, presented.data() | ({} if left_out is None else {"left_out": left_out}))
        case ViewForm.DOT | ViewForm.MERMAID | ViewForm.SVG:
            assert isinstance(presented, NetworkView | SerialView | NetView), "`list_forms` says so"
            return draw(presented.picture(), form, TITLES[view])
        case _:
            assert_never(form)


def _as_part(page: Page, left_out: str | None) -> Page:
    if left_out is None:
        return page
    why = f"A part, because {left_out}. `{BEYOND}` stands for the rest; to see more, raise --max-states."
    return replace(page, heading=f"{why} {page.heading}")


def _json(view: View, data: dict[str, Any]) -> str:
    return json.dumps({"version": VERSION, "view": view.value} | data, indent=2, ensure_ascii=False) + "\n"


PicturedView = Literal[View.NS, View.SERIAL, View.NET]
"""Views that are pictures."""


def picture(
    view: PicturedView, content: Input, limits: Limits, deadline: Deadline
) -> tuple[Picture, str | None]:
    """A view of an input to draw; or, if that is too large, of its first states, and the reason. Raises
    `OutOfBudget` if it takes too long."""
    presented, left_out = _present_or_begin(view, content, limits, deadline)
    assert isinstance(presented, NetworkView | SerialView | NetView), "these have pictures"
    return presented.picture(), left_out


def draw(picture: Picture, form: Literal[ViewForm.DOT, ViewForm.MERMAID, ViewForm.SVG], title: str) -> str:
    match form:
        case ViewForm.DOT:
            return dot(picture)
        case ViewForm.MERMAID:
            return mermaid(picture)
        case ViewForm.SVG:
            return svg(picture, title)
        case _:
            assert_never(form)


def _run_in(form: ViewForm, run: RunView, title: str) -> str:
    match form:
        case ViewForm.TEXT:
            return run.text()
        case ViewForm.DOT:
            return sequence_dot(run.run.timeline)
        case ViewForm.MERMAID:
            return sequence_mermaid(run.run.timeline)
        case ViewForm.SVG:
            return sequence_svg(run.run.timeline, title)
        case ViewForm.JSON:
            return _json(View.RUN, {"file": title} | run.data())
        case _:
            assert_never(form)


Presented = (
    NetworkView | DeltaView | SerialView | NetView | RegexView | SemilinearView | QueryView | StatsView
)
Structure = Literal[
    View.NS, View.DELTA, View.SERIAL, View.NET, View.REGEX, View.SEMILINEAR, View.QUERY, View.STATS
]


def _present_or_begin(
    view: Structure, content: Input, limits: Limits, deadline: Deadline
) -> tuple[Presented, str | None]:
    """A view; or, if that is too large, a view of the first states and the reason why it is only a part."""
    try:
        return _present(view, content, limits, deadline), None
    except LimitReached as reached:
        if not isinstance(content, Program):
            raise
        match view:
            case View.NS | View.DELTA | View.NET:
                part = beginning(content, limits, deadline)
                return _present(view, part, limits, deadline), reached.message
            case View.SERIAL:
                return serial_beginning(unfold(content, limits, deadline), limits, deadline), reached.message
            case _:
                raise


def _present(view: Structure, content: Input, limits: Limits, deadline: Deadline) -> Presented:
    match view:
        case View.NS:
            return NetworkView(_system(content, limits, deadline))
        case View.DELTA:
            return DeltaView(_system(content, limits, deadline))
        case View.SERIAL:
            return serial_view(unfold(content, limits, deadline), limits, deadline)
        case View.NET:
            return NetView(interleaving_net(_system(content, limits, deadline)))
        case View.REGEX:
            return regex_view(unfold(content, limits, deadline), limits, deadline)
        case View.SEMILINEAR:
            return semilinear_view(unfold(content, limits, deadline), limits, deadline)
        case View.QUERY:
            return query_view(unfold(content, limits, deadline), limits, deadline)
        case View.STATS:
            return stats_view(content, limits, deadline)
        case _:
            assert_never(view)


def _system(content: Input, limits: Limits, deadline: Deadline) -> NetworkSystem:
    return network_system(content, limits, deadline)
