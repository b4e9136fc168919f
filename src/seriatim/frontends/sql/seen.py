"""Files that the model refuses: what a live database shows about them, as something to decide, and in words.

A violation that was seen becomes a network system that is not serializable, so it has a certificate like any
other; to translate the file again is to repeat the run. Without a violation, nothing is proved: the
translation says what was explored, and the verdict stays open.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.frontends.protocol import (
    Approximation,
    ApproximationKind,
    Confirmation,
    Settings,
    Translation,
    Tried,
    provenance,
)
from seriatim.frontends.seen_races import Race, SerialRun, race_system
from seriatim.frontends.sql.autocommit import warn_of_single_statements
from seriatim.frontends.sql.choosing import complete
from seriatim.frontends.sql.engines import has_model, level_of, place_named, read_source
from seriatim.frontends.sql.exploring import (
    Exploration,
    NotComparable,
    Violation,
    answers_text,
    comparable,
    explore,
    limits_of,
    orders_of,
    rows_text,
    violation_of,
)
from seriatim.frontends.sql.frontend import ENGINE
from seriatim.frontends.sql.live.places import Impossible, Place, Rows
from seriatim.frontends.sql.live.runs import Event, Outcome, Turns, next_path, run_serially
from seriatim.frontends.sql.live.server import NoServer
from seriatim.frontends.sql.live.text import Call, Text, Unreadable
from seriatim.frontends.sql.live.wire import ConnectionLost, Failed
from seriatim.frontends.sql.refusal import HEADER, NO_PARSER, REFUSED_BY_SERVER, SCOPE, SYNTAX
from seriatim.program.network_system import NetworkSystem
from seriatim.properties.derived import FINAL_VALUES
from seriatim.source import Diagnostic, InputError, SourceText, Span

SEEN = "sql-seen"
"""What tells and repeats these violations."""

RUN = "run-seen"
"""The setting that holds the run of a violation."""

WHY_REFUSED = "model-refuses"
"""The setting that says why the model refuses the file."""

TIME_TO_EXPLORE = 0.8
"""The share of the time for exploring; the rest is for repeating and checking what was found."""

OWN_MISTAKES = frozenset({HEADER, SCOPE, NO_PARSER})
"""Codes of mistakes in the comments for `ser` itself, which no database can answer for."""

MISTAKES = frozenset(
    {"42601", "42P01", "42P02", "42P10", "42703", "42704", "42804", "42883", "42501", "0A000", "58P01"}
    | {"SQLITE_ERROR"}
    | {"1064", "1054", "1146", "1305", "1044", "1142", "1227", "1193", "1235", "1290"}
)
"""Errors that say that a statement cannot work at all."""

COMPILES = ("create", "alter", "drop", "do", "set", "truncate")
"""The first words of statements after which others may work that did not."""


@dataclass(frozen=True, slots=True)
class SeenRace:
    """A violation with all that is needed to tell it."""

    engine: str
    level: str
    violation: Violation
    serial: tuple[SerialRun, ...]
    first: Rows
    states: tuple[str, ...]
    """The committed rows after each event."""
    final: str
    notes: tuple[str, ...]
    alone: tuple[Outcome, ...]
    """What each request gives if it is the only one."""

    @property
    def calls(self) -> tuple[Call, ...]:
        return self.violation.orders.calls


def translate_refused(
    source: SourceText, settings: Settings, refused: Sequence[Diagnostic], deadline: Deadline
) -> Translation:
    """What a live database shows about a file; raises `InputError` if it cannot say anything either."""
    if any(each.code in OWN_MISTAKES for each in refused):
        raise InputError(refused)
    level = level_of(settings)
    try:
        text = read_source(source)
        if not text.calls:
            raise InputError(refused)
        with place_named(settings.get(ENGINE, ""), text, level) as place:
            refuse_mistakes(place)
            found = explore(place, deadline.part(TIME_TO_EXPLORE))
            why = why_live(refused, place)
            notes = (why, *found.notes)
            if found.violation is None or found.doubt:
                return _open(source, settings, place, found, notes, refused[0].hint)
            unsure = replace(found, doubt="a second time, the same run does not show it")
            in_doubt = _open(source, settings, place, unsure, notes, refused[0].hint)
            run = {
                "engine": place.engine,
                "level": level,
                "requests": [call.title for call in found.violation.orders.calls],
                "choices": found.violation.path,
                "gates": found.violation.gates,
            }
    except Unreadable as wrong:
        raise InputError([Diagnostic(SYNTAX, wrong.message, Span(wrong.line, 1, wrong.line, 1))]) from None
    except Impossible as wrong:
        if wrong.line is None:
            told = Diagnostic(REFUSED_BY_SERVER, f"it cannot be run either: {wrong.message}")
            raise InputError([*refused, told]) from None
        raise InputError([_server_refuses(wrong.line, wrong.message)]) from None
    except NoServer as missing:
        if not has_model(settings.get(ENGINE, "")):
            raise InputError([Diagnostic(REFUSED_BY_SERVER, missing.reason, hint=missing.hint)]) from None
        told = Diagnostic(REFUSED_BY_SERVER, f"it cannot be run either: {missing.reason}", hint=missing.hint)
        raise InputError([*refused, told]) from None
    except (ConnectionLost, Failed) as lost:
        told = Diagnostic(REFUSED_BY_SERVER, f"it cannot be run either: the connection was lost ({lost})")
        raise InputError([*refused, told]) from None
    known = {name: value for name, value in settings.items() if name != ENGINE or "://" not in value}
    recorded = {**known, RUN: json.dumps(run), WHY_REFUSED: why}
    try:
        return translate_seen(source, recorded)
    except InputError:
        return in_doubt


def why_live(refused: Sequence[Diagnostic], place: Place) -> str:
    """Why the file was explored live."""
    if place.engine.startswith("SQLite"):
        return f"{refused[0].message}, so the file was run on {place.engine}, which has one level"
    if not place.engine.startswith("PostgreSQL"):
        return f"{refused[0].message}, so the file was run on {place.engine} at {place.level.upper()}"
    line = "" if refused[0].span is None else f"line {refused[0].span.line}: "
    where = f", so it was run on {place.engine} at {place.level.upper()} instead"
    return f"the model does not cover this file ({line}{refused[0].message}){where}"


def _server_refuses(line: int, message: str) -> Diagnostic:
    return Diagnostic(REFUSED_BY_SERVER, message, Span(line, 1, line, 1), "correct the statement")


def refuse_mistakes(place: Place) -> None:
    """Raises `InputError` for statements that cannot work, such as those with misspelt names."""
    changing = any(each.text.lower().startswith(COMPILES) for each in place.text.statements)
    found: dict[int, Diagnostic] = {}
    for call in place.text.calls:
        outcome = run_serially(place, [call], [0])
        for answer in () if outcome is None else outcome.answers[0]:
            if answer.error in MISTAKES and not changing:
                message = place.complaints.get((answer.line, answer.error), answer.error)
                told = f"{place.engine} refuses it: {message} ({answer.error})"
                found.setdefault(answer.line, _server_refuses(answer.line, told))
    if found:
        raise InputError([found[line] for line in sorted(found)])


def _open(
    source: SourceText,
    settings: Settings,
    place: Place,
    found: Exploration,
    notes: tuple[str, ...],
    hint: str | None,
) -> Translation:
    """Without a violation that is certain, the question stays open: switches inside statements were not
    tried, so nothing is said about any number of requests."""
    doubted = f", but it is not certain: {found.doubt}" if found.doubt else ""
    reason = (
        f"on {place.engine} at {place.level.upper()}, {found.explored}{doubted}; no number of runs is a proof"
    )
    titles = tuple(dict.fromkeys(call.title for call in place.text.calls))
    return Translation(
        NetworkSystem(
            ("unknown",), (), titles, (), 0, (), (), (), warnings=warn_of_single_statements(source)
        ),
        approximations=_assumed((*notes, *(each.sentence for each in complete(source)[1]))),
        provenance=provenance("sql", source, settings),
        questions=("serializable",),
        tried=Tried(reason, hint or "write it in the SQL that the guide lists, to have it proved", 0),
    )


def _assumed(notes: Sequence[str]) -> tuple[Approximation, ...]:
    return tuple(Approximation(ApproximationKind.ASSUMPTION, each) for each in notes)


def translate_seen(source: SourceText, settings: Settings) -> Translation:
    """The translation of a violation that was seen, which repeats its run; raises `InputError`."""
    race = race_of(source, settings)
    given = race.violation
    answers = tuple(map(answers_text, comparable(given.outcome, race.calls, given.orders.hidden).answers))
    turns = tuple(each.client for each in given.events)
    titles = tuple(call.title for call in race.calls)
    system = race_system(Race(titles, answers, turns, race.final), race.serial, FINAL_VALUES)
    return Translation(
        replace(system, warnings=warn_of_single_statements(source)),
        approximations=_assumed(
            (settings.get(WHY_REFUSED, ""), *race.notes, *(each.sentence for each in complete(source)[1]))
        ),
        provenance=provenance("sql", source, settings),
        questions=("serializable",),
        told_by=SEEN,
        replayer=SEEN,
    )


def race_of(source: SourceText, settings: Settings) -> SeenRace:
    """The violation of a run that the settings name; raises `InputError` if it does not show one now."""
    return _race_of(source, settings.get(ENGINE, ""), settings[RUN])


@lru_cache(maxsize=4)
def _race_of(source: SourceText, engine: str, run: str) -> SeenRace:
    try:
        given = json.loads(run)
        text = read_source(source)
        path = [int(each) for each in given["choices"]]
        with place_named(engine, text, str(given["level"])) as place:
            place.use_gates(given.get("gates") is True)
            calls = _named_calls(place.text, [str(each) for each in given["requests"]])
            return _repeat(place, calls, path)
    except (ValueError, KeyError, TypeError, Unreadable):
        raise _gone("this is not a run of this file") from None
    except (Impossible, NotComparable, NoServer, ConnectionLost, Failed) as wrong:
        raise _gone(str(wrong)) from None


def _gone(why: str) -> InputError:
    message = f"the run of the violation cannot be repeated: {why}"
    return InputError([Diagnostic(REFUSED_BY_SERVER, message, hint="check the file again")])


def _named_calls(text: Text, titles: Sequence[str]) -> tuple[Call, ...]:
    by_title = {call.title: call for call in text.calls}
    return tuple(by_title[title] for title in titles)


def _repeat(place: Place, calls: tuple[Call, ...], path: list[int]) -> SeenRace:
    """Repeats a run with the rows in between, and all one-at-a-time orders; raises `InputError` if the run
    shows no violation."""
    place.reset()
    first = place.contents()
    orders = orders_of(place, calls, Deadline())
    seen: dict[int, Rows | None] = {}

    def watch(turns: Turns) -> None:
        seen[len(turns.events)] = place.peek()

    turns, _ = next_path(place, calls, path, watch=watch)
    found = violation_of(orders, turns)
    if found is None:
        raise _gone(f"on {place.engine}, it gives what some order gives, too")
    final = comparable(found.outcome, calls, orders.hidden).tables
    alone = [run_serially(place, [call], [0]) for call in calls]
    return SeenRace(
        place.engine,
        place.level,
        found,
        tuple(_serial_runs(place, found)),
        first,
        tuple(_states(rows_text(first), found.events, seen, rows_text(found.outcome.tables))),
        rows_text(final),
        tuple(limits_of(place)),
        tuple(each for each in alone if each is not None),
    )


def _states(first: str, events: Sequence[Event], seen: dict[int, Rows | None], final: str) -> Iterator[str]:
    """The committed rows after each event: those that were read next, or the last that are known."""
    now = first
    for number in range(1, len(events) + 1):
        rows = seen.get(number)
        now = final if number == len(events) else now if rows is None else rows_text(rows)
        yield now


def _serial_runs(place: Place, found: Violation) -> Iterator[SerialRun]:
    """The one-at-a-time runs, with the rows that each request leaves behind; equal ones once."""
    calls, hidden = found.orders.calls, found.orders.hidden
    told: set[tuple[str, ...]] = set()
    for order, outcome in found.orders.outcomes:
        titles = tuple(calls[number].title for number in order)
        if titles in told:
            continue
        told.add(titles)
        shown = comparable(outcome, calls, hidden)
        answers = tuple(answers_text(shown.answers[number]) for number in order)
        between = [
            run_serially(place, [calls[n] for n in order[:end]], range(end)) for end in range(1, len(order))
        ]
        states = ["unknown rows" if each is None else rows_text(each.tables) for each in between]
        final = rows_text(shown.tables)
        yield SerialRun(titles, answers, (*states, final), final)


class SeenReplayer:
    """Says where a violation was seen: to translate the file was to repeat it."""

    def confirm(
        self, source: SourceText, translation: Translation, certificate: Certificate, deadline: Deadline
    ) -> Confirmation:
        del certificate, deadline
        assert translation.provenance is not None
        race = race_of(source, dict(translation.provenance.settings))
        sentence = (
            f"Seen on {race.engine} at {race.level.upper()}, twice: this run gives answers and rows that no"
            " one-at-a-time order gives. Each order ran twice, too."
        )
        log = tuple(log_line(race.calls, each) for each in race.violation.events)
        return Confirmation(True, sentence, log)


def log_line(calls: Sequence[Call], event: Event) -> str:
    waits = " (waits)" if event.waited else f" ➜ {event.answer}" if event.answer else ""
    return f"{event.client + 1}: {calls[event.client].title}: {' '.join(event.text.split())}{waits}"
