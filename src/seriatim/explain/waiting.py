"""Finds out why requests are stuck: what each waits for, which one set that last, and what never changes."""

from dataclasses import replace

from seriatim.budget import Deadline, OutOfBudget
from seriatim.engines.stuck.search import Aftermath
from seriatim.explain.telling import show_run
from seriatim.explain.timeline import ShownRun
from seriatim.explain.why import Held, Stuck, Waits
from seriatim.program.state import name_value
from seriatim.source import SourceText
from seriatim.systems.from_input import Origin
from seriatim.systems.run import StuckRun
from seriatim.systems.source_map import condition, events, local_state

MAX_WORK = 20_000
"""Work for finding out what can still change."""


def explain_stuck(found: StuckRun, origin: Origin, deadline: Deadline) -> Stuck:
    """Which requests wait for what, and why no other request can free them."""
    waits = tuple(
        _waits(request, local, found, origin) for request, local in found.in_flight if request in found.lost
    )
    aftermath = Aftermath(origin, found.global_, tuple(local for _, local in found.in_flight))
    try:
        is_known = aftermath.lost(MAX_WORK, deadline) is not None
    except OutOfBudget:
        is_known = False
    if not is_known:
        return Stuck(waits, ())
    following = {global_ for global_, _ in aftermath.crowds}
    names = dict.fromkeys(held.variable for each in waits for held in each.holds)
    unchanged = (name for name in names if len({_value(name, each, origin) for each in following}) == 1)
    return Stuck(waits, tuple(unchanged))


def show_stuck(found: StuckRun, origin: Origin, source: SourceText) -> ShownRun:
    """Shows the run. Requests that arrived and could not begin count, although they have no turn."""
    shown = show_run(found.run, origin, source)
    arrived = sum(request >= shown.requests for request, _ in found.in_flight)
    return replace(shown, requests=shown.requests + arrived)


def _waits(request: int, local: int, found: StuckRun, origin: Origin) -> Waits:
    handler = origin.requests[origin.request_of(local)]
    span, variables = condition(origin, local, found.global_)
    held = tuple(_find_held(variable, found, origin) for variable in variables)
    line = local_state(origin, local).line if span is None else span.line
    return Waits(request + 1, handler, line or None, held)


def _find_held(variable: str, found: StuckRun, origin: Origin) -> Held:
    """The value of a variable, and the request that gave it this value."""
    shown = name_value(origin.content.value_names, variable, _value(variable, found.global_, origin))
    answered = {turn.request for turn in found.run.turns if turn.target < 0}
    for turn in reversed(found.run.turns):
        if _value(variable, turn.before, origin) != _value(variable, turn.after, origin):
            path = events(origin, turn.local, turn.before, turn.target, turn.after)
            lines = [e.span.line for e in path if e.write is not None and e.write.name == variable]
            handler = origin.requests[origin.request_of(turn.local)]
            line = lines[-1] or None if lines else None
            return Held(variable, shown, turn.request + 1, handler, line, turn.request in answered)
    return Held(variable, shown, None, "", None, False)


def _value(variable: str, global_: int, origin: Origin) -> int:
    return origin.global_values[global_][origin.global_names.index(variable)]
