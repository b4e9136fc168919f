"""Tells a race that was seen in a Python file as a run in lines of that file."""

from seriatim.explain.timeline import Moment, ShownRun, ShownTurn, Timeline
from seriatim.frontends.protocol import Settings
from seriatim.frontends.python.frontend import runs_of
from seriatim.frontends.python.race_system import named_answers
from seriatim.frontends.python.service_runs import Race, ServiceRuns, Turn
from seriatim.frontends.python.texts import rename_fresh
from seriatim.source import SourceText

MOST_LINES = 12
"""Lines of a turn that are shown."""


def show_race(source: SourceText, settings: Settings) -> tuple[ShownRun, str] | None:
    """The race of a file as a run in its own lines, with what it comes to; None if there is none."""
    for service in runs_of(source, settings).services:
        if service.race is not None:
            return _show(source, service, service.race)
    return None


def _show(source: SourceText, service: ServiceRuns, race: Race) -> tuple[ShownRun, str]:
    run = race.run
    answers, final = named_answers(run, True, service.initial)
    changing = _changing_names(service, race)
    before = dict(service.initial)
    turns: list[ShownTurn] = []
    open_requests: set[int] = set()
    previous: int | None = None
    for turn in run.turns:
        if turn.request < 0:
            before = dict(turn.state)
            continue
        is_switch = previous is not None and previous != turn.request and previous in open_requests
        answer = None if turn.answer is None else answers[turn.request]
        turns.append(
            ShownTurn(
                turn.request + 1,
                run.requests[turn.request],
                _moments(source, turn, before),
                _show_state(before, changing),
                _show_state(dict(turn.state), changing),
                answer,
                None,
                is_switch=is_switch,
                is_first=turn.request + 1 not in {each.request for each in turns},
            )
        )
        if answer is None:
            open_requests.add(turn.request)
        else:
            open_requests.discard(turn.request)
        previous, before = turn.request, dict(turn.state)
    timeline = Timeline(_show_state(dict(service.initial), changing), tuple(turns))
    switches = sum(turn.is_switch for turn in turns)
    return ShownRun(timeline, len(run.requests), len(turns), switches), final if race.sees_state else ""


def _changing_names(service: ServiceRuns, race: Race) -> list[str]:
    """The parts of the state that the race changes."""
    initial = dict(service.initial)
    changed = {name for turn in race.run.turns for name, text in turn.state if initial.get(name) != text}
    return sorted(changed)


def _show_state(state: dict[str, str], names: list[str]) -> str:
    shown = rename_fresh([f"{name} = {state.get(name, 'not set')}" for name in names])
    return ", ".join(shown) or "nothing that it changes"


def _moments(source: SourceText, turn: Turn, before: dict[str, str]) -> tuple[Moment, ...]:
    """The lines of a turn; the last one shows what has changed."""
    lines = list(turn.lines)
    cut = len(lines) > MOST_LINES
    if cut:
        lines = [*lines[: MOST_LINES // 2], *lines[-MOST_LINES // 2 :]]
    found = [Moment(line, (source.line(line).strip(),)) for line in lines]
    if cut:
        found.insert(MOST_LINES // 2, Moment(None, (f"… {len(turn.lines) - MOST_LINES} more lines",)))
    after = dict(turn.state)
    changes = rename_fresh(
        [
            f"{name}: {before.get(name, 'not set')} ➜ {text}"
            for name, text in after.items()
            if before.get(name) != text
        ]
    )
    if found and changes:
        last = found[-1]
        found[-1] = Moment(last.line, last.pieces, result="; ".join(changes))
    return tuple(found)
