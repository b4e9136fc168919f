"""Tells a violation that was seen on a database as a run in the statements of its file."""

from seriatim.explain.timeline import Moment, ShownRun, ShownTurn, Timeline
from seriatim.frontends.protocol import Settings
from seriatim.frontends.sql.exploring import answers_text, rows_text
from seriatim.frontends.sql.live.runs import Event
from seriatim.frontends.sql.seen import SeenRace, race_of
from seriatim.frontends.sql.seen_names import name_seen
from seriatim.source import SourceText


def show_seen(source: SourceText, settings: Settings) -> tuple[ShownRun, str, str]:
    """The run of a violation, the final rows, and the violation's common name."""
    race = race_of(source, settings)
    found = race.violation
    name = name_seen(race.calls, found.outcome, race.alone, race.first)
    return _show(race), rows_text(found.outcome.tables), name.value


def _show(race: SeenRace) -> ShownRun:
    found = race.violation
    last = {each.client: number for number, each in enumerate(found.events)}
    turns: list[ShownTurn] = []
    before = rows_text(race.first)
    for number, (event, after) in enumerate(zip(found.events, race.states, strict=True)):
        previous = turns[-1].request if turns else None
        is_over = previous is None or last[previous - 1] < number
        ends = last[event.client] == number
        turns.append(
            ShownTurn(
                event.client + 1,
                race.calls[event.client].title,
                (_moment(event, before, after),),
                before,
                after,
                answers_text(found.outcome.answers[event.client]) if ends else None,
                None,
                is_switch=previous is not None and previous != event.client + 1 and not is_over,
                is_first=all(turn.request != event.client + 1 for turn in turns),
            )
        )
        before = after
    timeline = Timeline(rows_text(race.first), tuple(turns))
    return ShownRun(timeline, len(race.calls), len(turns), sum(turn.is_switch for turn in turns))


def _moment(event: Event, before: str, after: str) -> Moment:
    parts = ["waits" if event.waited else event.answer, "" if before == after else after]
    return Moment(event.line, (" ".join(event.text.split()),), result="; ".join(filter(None, parts)))
