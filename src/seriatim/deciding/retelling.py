"""Tells violations in the words of their source: SQL as the user's statements, with the anomaly's common
name; races of Python files as their lines."""

from dataclasses import replace

from seriatim.certificate.run import RunEvidence
from seriatim.deciding.race_telling import show_race
from seriatim.deciding.sql_telling import show_seen
from seriatim.explain.timeline import Moment, ShownRun, ShownTurn, Timeline
from seriatim.explain.why import FinalValues, NothingExplains
from seriatim.frontends.protocol import Translation
from seriatim.frontends.python import frontend as python_runs
from seriatim.frontends.sql import frontend as sql_frontend
from seriatim.frontends.sql import seen as sql_seen
from seriatim.frontends.sql.anomaly import name_anomaly
from seriatim.frontends.sql.frontend import system_of
from seriatim.frontends.sql.naming import answer_name, answers_name, tables_name
from seriatim.frontends.sql.states import Database
from seriatim.frontends.sql.story import Event, NotARun, Step, Story, retell
from seriatim.frontends.sql.system import SqlSystem
from seriatim.frontends.sql.terms import Row
from seriatim.result import Violated
from seriatim.source import SourceText


def tell_violation(violated: Violated, translation: Translation, source: SourceText) -> Violated:
    """The violation in the words of its source; unchanged where the translation names no teller."""
    match translation.told_by:
        case sql_frontend.TELLER:
            return _as_statements(violated, translation, source)
        case python_runs.TELLER:
            return _as_lines(violated, translation, source)
        case sql_seen.SEEN:
            return _as_seen(violated, translation, source)
        case _:
            return violated


def _as_seen(violated: Violated, translation: Translation, source: SourceText) -> Violated:
    """The run that was seen on a database, in statements."""
    if translation.provenance is None:
        return violated
    run, final, name = show_seen(source, dict(translation.provenance.settings))
    why = violated.why
    if isinstance(why, NothingExplains):
        why = replace(why, seen=FinalValues(final))
    return replace(violated, run=run, why=why, name=name)


def _as_lines(violated: Violated, translation: Translation, source: SourceText) -> Violated:
    """The race that was seen, in lines of Python."""
    if translation.provenance is None:
        return violated
    shown = show_race(source, dict(translation.provenance.settings))
    if shown is None:
        return violated
    run, final = shown
    why = violated.why
    if isinstance(why, NothingExplains) and final:
        why = replace(why, seen=FinalValues(final))
    return replace(violated, run=run, why=why)


def _as_statements(violated: Violated, translation: Translation, source: SourceText) -> Violated:
    """The run as SQL statements; evidence of another kind stays unchanged."""
    evidence = violated.certificate.evidence
    if not isinstance(evidence, RunEvidence) or translation.provenance is None:
        return violated
    system = system_of(source, dict(translation.provenance.settings))
    try:
        story = retell(system, evidence.turns)
    except NotARun:
        return violated
    shown = shown_run(system, story)
    why = violated.why
    if isinstance(why, NothingExplains):
        why = replace(why, seen=FinalValues(tables_name(system.machine, story.final)))
    return replace(violated, run=shown, why=why, name=name_anomaly(system, story).value)


def shown_run(system: SqlSystem, story: Story) -> ShownRun:
    turns: list[ShownTurn] = []
    open_requests: set[int] = set()
    previous: int | None = None
    for step in story.steps:
        is_switch = previous is not None and previous != step.request and previous in open_requests
        is_first = step.request not in {turn.request for turn in turns}
        turns.append(
            ShownTurn(
                step.request,
                step.name,
                tuple(_moment(system, step, event) for event in step.events),
                _rows(system, step.before),
                _rows(system, step.after),
                None if step.answers is None else answers_name(step.answers),
                None,
                is_switch=is_switch,
                is_first=is_first,
            )
        )
        if step.answers is None:
            open_requests.add(step.request)
        else:
            open_requests.discard(step.request)
        previous = step.request
    timeline = Timeline(_rows(system, story.initial), tuple(turns))
    return ShownRun(timeline, len(story.requests()), len(turns), sum(turn.is_switch for turn in turns))


def _rows(system: SqlSystem, database: Database) -> str:
    return tables_name(system.machine, database)


def _moment(system: SqlSystem, step: Step, event: Event) -> Moment:
    """A statement on one line, with its result; the last one also shows the rows that changed."""
    result = event.outcome
    if event is step.events[-1]:
        result = "; ".join([*([result] if result else []), *_changed(system, step)])
    return Moment(event.span.line, (" ".join(event.text.split()),), result=result)


def _changed(system: SqlSystem, step: Step) -> list[str]:
    found: list[str] = []
    for table, old, new in zip(system.machine.tables, step.before.tables, step.after.tables, strict=True):
        before, after = dict(old), dict(new)
        for id_ in sorted(before.keys() | after.keys(), key=repr):
            one, other = before.get(id_), after.get(id_)
            if one != other:
                found.append(f"{table.name}: {_row(one)} becomes {_row(other)}")
    return found


def _row(row: Row | None) -> str:
    return "nothing" if row is None else answer_name((row,))
