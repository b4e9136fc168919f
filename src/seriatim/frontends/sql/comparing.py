"""Compares the model with a live server before a verdict is printed.

Three questions, each with a driver that shares no code with the model's reader:

- Does each request, alone in the states of serial runs, answer and write what the model says?
- Is every outcome of two concurrent requests on the server one of the model?
- Does the verdict hold there: is every outcome of two requests one of theirs one at a time, if the model
  proves so?

A difference withholds the verdict. Agreement proves nothing; it makes mistakes of the model hard to hide.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations

from seriatim.budget import Deadline
from seriatim.frontends.protocol import Comparison, Translation
from seriatim.frontends.sql.engines import has_model, level_of, named_text, server_named
from seriatim.frontends.sql.frontend import system_of
from seriatim.frontends.sql.live.places import Impossible
from seriatim.frontends.sql.live.postgres import PostgresPlace, arena
from seriatim.frontends.sql.live.runs import (
    NEW,
    Answer,
    Event,
    Outcome,
    interleavings,
    quote,
    rename_new,
    row_text,
    run_serially,
)
from seriatim.frontends.sql.live.server import NoServer
from seriatim.frontends.sql.live.text import Call, Unreadable
from seriatim.frontends.sql.live.wire import Cells, ConnectionLost, Failed
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.outcomes import Seen, TooMany, alone, outcomes, serial_states
from seriatim.frontends.sql.promised import compare_promised
from seriatim.frontends.sql.requests import value_text
from seriatim.frontends.sql.sequences import values_in
from seriatim.frontends.sql.states import Answer as ModelAnswer
from seriatim.frontends.sql.states import Database
from seriatim.frontends.sql.terms import TIED, Moment, New, Row, Value
from seriatim.source import SourceText

HINT = "this is a mistake in Seriatim: please report it, with the file"

Told = int | str | tuple[Cells, ...]
"""An answer in a form that both sides have: a count, an error code, or rows, sorted."""

Picture = tuple[tuple[tuple[Told, ...], ...], tuple[tuple[str, tuple[Cells, ...]], ...]]
"""The answers of requests and the final rows, in a form that both sides have."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much to compare. These are counts, so that the same file always compares the same."""

    states: int
    alone: int
    runs: int
    runs_of_pair: int
    model_states: int


EFFORTS = {
    "quick": Effort(states=30, alone=120, runs=240, runs_of_pair=80, model_states=20_000),
    "full": Effort(states=2000, alone=20_000, runs=50_000, runs_of_pair=5000, model_states=1_000_000),
}
"""The efforts by the value of `--compare`."""


class Different(Exception):
    """Raised at the first difference; says what differs."""


def compare(source: SourceText, translation: Translation, proves: bool, deadline: Deadline) -> Comparison:
    """Compares the model of a file with a server; `proves` says that the verdict is a proof."""
    assert translation.provenance is not None
    assert translation.comparer is not None
    effort, _, engine = translation.comparer.partition(":")
    if effort == "none":
        return Comparison(None, "Not compared with a server: --compare none.")
    if not has_model(engine):
        settings = {**dict(translation.provenance.settings), "engine": engine}
        return compare_promised(source, engine, effort, level_of(settings), deadline)
    try:
        system = system_of(source, dict(translation.provenance.settings))
        text = named_text(source, system.machine.script)
        server = server_named(engine)
        with arena(server, text, system.machine.level.value) as place:
            return Comparer(place, system.machine, EFFORTS[effort], proves, deadline).compare()
    except NoServer as missing:
        return Comparison(None, f"Not compared with a server: {missing.reason}. To fix this: {missing.hint}.")
    except Unreadable as wrong:
        return Comparison("PostgreSQL", "", f"in line {wrong.line}: {wrong.message}")
    except Impossible as wrong:
        where = "" if wrong.line is None else f"in line {wrong.line}: "
        return Comparison("PostgreSQL", "", f"{where}the model accepts it, but {wrong.message}")
    except (ConnectionLost, Failed) as lost:
        return Comparison(None, f"Not compared with a server: the connection was lost ({lost}).")


class Comparer:
    """Compares the model of a file with a server, until the first difference."""

    def __init__(
        self, place: PostgresPlace, machine: Machine, effort: Effort, proves: bool, deadline: Deadline
    ) -> None:
        self.place = place
        self.machine = machine
        self.effort = effort
        self.proves = proves and not machine.answers_aborts
        self.deadline = deadline
        self.engine = place.engine
        self.names = tuple(table.name for table in machine.tables)
        self.calls: list[Call] = []
        self.notes: list[str] = []

    def compare(self) -> Comparison:
        try:
            self._match_requests()
            self._compare_first_rows()
            requests = self._compare_alone()
            runs = self._compare_pairs()
        except Different as difference:
            return Comparison(self.engine, "", str(difference))
        missed = sorted({each.line for each in self.place.text.statements} - self.place.lines)
        if missed:
            lines = ", ".join(map(str, missed[:5])) + (", …" if len(missed) > 5 else "")
            self.notes.append(f"never executed: line{'s' if len(missed) > 1 else ''} {lines}")
        rest = "".join(f"; {each}" for each in self.notes)
        done = f"{requests} requests alone, {runs} runs of two"
        sentence = f"Compared with {self.engine}: {done}, no difference{rest}."
        return Comparison(self.engine, sentence)

    def _match_requests(self) -> None:
        """Finds the text of each request of the model."""
        by_title = {call.title: call for call in self.place.text.calls}
        if set(by_title) != {request.name for request in self.machine.requests}:
            raise Different("the file has other transactions for the server than for the model")
        self.calls = [by_title[request.name] for request in self.machine.requests]

    def _compare_first_rows(self) -> None:
        self.place.reset()
        seen = _bare(self.place.contents())
        if tuple(table for table, _ in seen) != tuple(sorted(self.names)):
            raise Different(
                f"the server has the tables {', '.join(table for table, _ in seen) or 'none'}, "
                f"the model {', '.join(sorted(self.names)) or 'none'}"
            )
        model = self._tables(tuple(table.rows for table in self.machine.tables))
        for (name, rows), (_, wanted) in zip(seen, model, strict=True):
            if rows != wanted:
                raise Different(
                    f"the first rows of {name} are {_rows_text(rows)} on the server, "
                    f"but {_rows_text(wanted)} in the model"
                )

    def _tables(self, rows: Sequence[Sequence[Row]]) -> tuple[tuple[str, tuple[Cells, ...]], ...]:
        """The rows of all tables, by name, as the server writes them."""
        found = (
            (name, tuple(tuple(map(_kept, row)) for row in some))
            for name, some in zip(self.names, rows, strict=True)
        )
        return rename_new(sorted(found))

    def picture(self, seen: Seen) -> Picture:
        """An outcome of the model, as the server would show it."""
        return _picture(seen.answers, self._tables(seen.tables))

    # Requests alone

    def _compare_alone(self) -> int:
        """Runs each request alone in the states of serial runs; returns how often."""
        done = states = 0
        for database in serial_states(self.machine):
            self.deadline.check()
            if done >= self.effort.alone or states >= self.effort.states:
                self.notes.append("not in all states")
                break
            states += 1
            if any(True for _ in values_in(database.tables)):
                continue  # The numbers of sequences are only known on the server.
            is_first = database.tables == self.machine.initial().tables
            state = None if is_first else self._load(database)
            for number in range(len(self.calls)):
                self._compare_one(number, database, state)
                done += 1
        if not self.place.rebuilds:
            self._compare_sequences()
        return done

    def _load(self, database: Database) -> str:
        """Statements that fill empty tables with the rows of a state."""
        found = ["SELECT 1"]
        for name, rows in zip(self.names, database.tables, strict=True):
            for _, row in rows:
                values = ", ".join(map(value_text, row))
                found.append(f"INSERT INTO {quote(name)} OVERRIDING SYSTEM VALUE VALUES ({values})")
        return "; ".join(found)

    def _compare_one(self, number: int, database: Database, state: str | None) -> None:
        wanted = {
            _picture((done.answers,), self._tables(tuple(_plain(there))))
            for done, there in alone(self.machine, number, database)
        }
        call = self.calls[number]
        if not wanted and (self.machine.escapes or (call.once and state is not None)):
            return  # The request leaves its scope, or has run already.
        where = "" if state is None else f" with {self._state_text(database)}"
        try:
            outcome = run_serially(self.place, [call], [0], state=state)
        except Failed as failed:
            raise Different(f"the server refuses rows that the model has ({failed.message}){where}") from None
        if outcome is None:
            raise Different(f"`{call.title}` alone is aborted by the server{where}")
        seen = picture_of(outcome)
        if not wanted:
            raise Different(f"`{call.title}` alone ends on the server, but never in the model{where}")
        if seen not in wanted:
            raise Different(_explain(call, outcome, seen, min(wanted, key=repr)) + where)

    def _state_text(self, database: Database) -> str:
        tables = self._tables(tuple(_plain(database)))
        return "; ".join(f"{name}: {_rows_text(rows)}" for name, rows in tables)

    def _compare_sequences(self) -> None:
        """Runs each request once with the sequences where the script has left them: numbers that the script
        has given by hand come again then."""
        if not self.machine.has_sequences:
            return
        self.place.rebuilds = self.place.keeps_sequences = True
        try:
            for number, call in enumerate(self.calls):
                ends = alone(self.machine, number, self.machine.initial())
                wanted = {tuple(map(_kind, done.answers)) for done, _ in ends}
                outcome = run_serially(self.place, [call], [0])
                seen = () if outcome is None else tuple(map(_kind, map(_told, outcome.answers[0])))
                if wanted and seen not in wanted:
                    raise Different(
                        f"`{call.title}` answers {_list(seen)} on the server if sequences start where the "
                        f"script leaves them, but {_list(min(wanted, key=repr))} in the model"
                    )
        finally:
            self.place.rebuilds = self.place.keeps_sequences = False
            self.place.build()  # To create the tables again has dropped columns of enumerations from copies.

    # Pairs

    def _compare_pairs(self) -> int:
        """Runs pairs of requests in all interleavings of whole statements; returns the number of runs."""
        before = self.place.runs
        for first, second in self._pairs():
            left = self.effort.runs - (self.place.runs - before)
            if left <= 0:
                self.notes.append("not all pairs")
                break
            self._compare_pair(first, second, min(left, self.effort.runs_of_pair))
        return self.place.runs - before

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """The pairs of requests, first one for each pair of transactions."""
        found = [
            (i, j)
            for i, j in combinations_with_replacement(range(len(self.calls)), 2)
            if not (self.calls[i].once and self.calls[i].name == self.calls[j].name)
        ]
        rank: dict[tuple[str, str], int] = {}
        ranked = []
        for i, j in found:
            names = (self.calls[i].name, self.calls[j].name)
            rank[names] = rank.get(names, 0) + 1
            ranked.append((rank[names], i, j))
        yield from ((i, j) for _, i, j in sorted(ranked))

    def _compare_pair(self, first: int, second: int, most: int) -> None:
        pair = [self.calls[first], self.calls[second]]
        try:
            seen = outcomes(self.machine, (first, second), most=self.effort.model_states)
        except TooMany:
            self._note("not all pairs, which have too many states")
            return
        model = {self.picture(each) for each in seen}
        serial = {
            picture_of(each)
            for order in permutations(range(2))
            if (each := run_serially(self.place, pair, order)) is not None
        }
        if first == second:
            serial |= {(answers[::-1], tables) for answers, tables in serial}
            model |= {(answers[::-1], tables) for answers, tables in model}
        for number, turns in enumerate(interleavings(self.place, pair)):
            self.deadline.check()
            if number >= most:
                self._note("not all runs")
                return
            outcome = turns.outcome()
            if outcome is None:
                continue
            shown = picture_of(outcome)
            names = f"`{pair[0].title}` and `{pair[1].title}`"
            if self.proves and shown not in serial:
                raise Different(
                    f"{names} together give what no order of them gives: {_picture_text(shown)} "
                    f"({'; '.join(_event_text(each) for each in turns.events)})"
                )
            if shown not in model and not self.machine.answers_aborts:
                raise Different(
                    f"{names} together give {_picture_text(shown)} on the server, which the model never gives"
                )

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def _plain(database: Database) -> Iterator[tuple[Row, ...]]:
    return (tuple(row for _, row in rows) for rows in database.tables)


def _picture(
    answers: Sequence[Sequence[ModelAnswer]], tables: tuple[tuple[str, tuple[Cells, ...]], ...]
) -> Picture:
    return tuple(tuple(map(as_told, each)) for each in answers), tables


def picture_of(outcome: Outcome) -> Picture:
    return tuple(tuple(map(_told, each)) for each in outcome.answers), _bare(outcome.tables)


def as_told(answer: ModelAnswer) -> Told:
    if isinstance(answer, tuple):
        rows = (tuple(map(_shown, row)) for row in answer if row != TIED)
        return tuple(sorted(rows, key=repr))
    return answer


def _told(answer: Answer) -> Told:
    if answer.rows is not None:
        return tuple(sorted((tuple(map(without_midnight, row)) for row in answer.rows), key=repr))
    return answer.error if answer.error is not None else answer.count or 0


def _kind(answer: Told | ModelAnswer) -> str:
    """An answer without its values: an error code, or that there was none."""
    return answer if isinstance(answer, str) else "no error"


def _shown(value: Value) -> str | None:
    """A value of an answer as the server writes it."""
    match value:
        case None:
            return None
        case bool():
            return "t" if value else "f"
        case New():
            return NEW
        case Moment() | int() | str():
            return str(value)


def _kept(value: Value) -> str | None:
    """A value of a row as the server writes it; one that a sequence gave keeps its number."""
    return f"{NEW} {value.number}" if isinstance(value, New) else _shown(value)


_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)(?: 00:00:00)?(?:\+00)?|(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\+00")


def without_midnight(cell: str | None) -> str | None:
    """A date, and its midnight, as the model writes both."""
    found = None if cell is None else _MIDNIGHT.fullmatch(cell)
    return cell if found is None else found.group(1) or found.group(2)


def _bare(tables: tuple[tuple[str, tuple[Cells, ...]], ...]) -> tuple[tuple[str, tuple[Cells, ...]], ...]:
    return tuple(
        (name, tuple(sorted((tuple(map(without_midnight, row)) for row in rows), key=repr)))
        for name, rows in tables
    )


def _explain(call: Call, outcome: Outcome, seen: Picture, wanted: Picture) -> str:
    """Says where a request alone differs."""
    here, there = seen[0][0], wanted[0][0]
    for place, (own, other) in enumerate(zip(here, there, strict=False)):
        if own != other:
            line = outcome.answers[0][place].line
            return (
                f"in line {line}, `{call.title}` alone answers {_told_text(own)} on the server, "
                f"but {_told_text(other)} in the model"
            )
    if len(here) != len(there):
        line = outcome.answers[0][min(len(here), len(there)) - 1].line if here else call.line
        return f"after line {line}, `{call.title}` alone goes on differently on the server and in the model"
    changed = [(a, b) for a, b in zip(seen[1], wanted[1], strict=True) if a != b]
    (name, rows), (_, model) = changed[0]
    return (
        f"after `{call.title}` alone, {name} holds {_rows_text(rows)} on the server, "
        f"but {_rows_text(model)} in the model"
    )


def _told_text(told: Told) -> str:
    if isinstance(told, tuple):
        return _rows_text(told)
    return f"error {told}" if isinstance(told, str) else f"{told} row{'' if told == 1 else 's'}"


def _rows_text(rows: Sequence[Cells]) -> str:
    return ", ".join(map(row_text, rows)) or "no row"


def _picture_text(picture: Picture) -> str:
    answers = " | ".join("; ".join(map(_told_text, each)) or "no answer" for each in picture[0])
    tables = "; ".join(f"{name}: {_rows_text(rows)}" for name, rows in picture[1])
    return f"{answers} and then {tables}"


def _list(kinds: Sequence[str]) -> str:
    return ", ".join(kinds) or "nothing"


def _event_text(event: Event) -> str:
    return f"{event.client + 1}: {' '.join(event.text.split())}"
