"""Runs of requests on a server: by a schedule, one at a time, or in all interleavings of whole statements.

Claim: what a run reports was observed. A statement counts as waiting only if the server says that another
session blocks it, so no timing can change an outcome.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from seriatim.frontends.sql.live.footprints import Footprint, Footprints
from seriatim.frontends.sql.live.gates import without_gates
from seriatim.frontends.sql.live.places import Impossible, Place, Session
from seriatim.frontends.sql.live.text import Assign, Call, Goto, Statement, Test, fill_in, literal
from seriatim.frontends.sql.live.wire import Cells, Reply

FIRST_NEW = 1_913_000_000
"""Sequences start above this number, so that their values differ from all others."""

MOST_DRAWN = 100_000
"""At most so many values of sequences are told by their size."""

BETWEEN_SEQUENCES = 1000
"""The first values of two sequences are so far apart: what one has given is told from what the other has."""

NEW = "new"
"""How a value of a sequence is shown."""

MOST_NEW = 5
"""More values of sequences than this are not told apart."""

INTEGERS = frozenset({20, 21, 23, 1700})
"""The numbers of types whose values stand in a statement without quotes."""

BOOLEAN = 16
VOID = 2278

NO_SINGLE_ROW = "\\gset: not one row"


CONTROL = re.compile(r"\s*(begin|start|commit|end|rollback|abort|savepoint|release|set|reset)\b", re.I)
_LOCAL = re.compile(r"\s*(begin|start|savepoint|set(?!\s+(@@)?global)|show)\b", re.I)
"""Statements that no other session can notice: the next one follows at once."""
_ROLLBACK_TO = re.compile(r"\s*rollback\s+(work\s+|transaction\s+)?to\b", re.I)
_ENDS = re.compile(r"\s*(commit|end|rollback|abort)\b", re.I)
_WRITES = re.compile(r"\s*(insert|update|delete|merge)\b|\b(insert|update|delete|merge|share)\b", re.I)
_WRAPPED = re.compile(r"\s*(insert|update|delete|merge|with|select)\b", re.I)
_NAME = re.compile(r"\w+")
_ORDERED = re.compile(r"\border\s+by\b", re.I)
_PARENTHESES = re.compile(r"\([^()]*\)|'(?:[^']|'')*'")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a statement answered: rows, the number of rows, or an error code."""

    line: int
    rows: tuple[Cells, ...] | None = None
    count: int | None = None
    error: str | None = None
    ordered: bool = False
    """Whether the statement sorts its rows."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a run in which no request had to start over."""

    answers: tuple[tuple[Answer, ...], ...]
    tables: tuple[tuple[str, tuple[Cells, ...]], ...]
    """The final rows of each table, sorted."""


@dataclass(frozen=True, slots=True)
class Event:
    """A statement that a client has sent, and its answer."""

    client: int
    line: int
    text: str
    answer: str
    waited: bool = False


Cut = tuple[int, str]
"""The number of answers after which a client gives up, and the error that it then answers with."""


class Client:
    """A client that runs one request, statement by statement."""

    def __init__(
        self, place: Place, session: Session, call: Call, answers_aborts: bool = False, cut: Cut | None = None
    ) -> None:
        self.place = place
        self.session = session
        self.call = call
        self.answers_aborts = answers_aborts
        self.cut = cut
        self.at = 0
        self.variables = {name: literal(value) for name, value in call.arguments}
        self.answers: list[Answer] = []
        self.commits = False
        """Whether the next step is the automatic commit of a single statement."""
        self.ended = False
        self.aborted = False
        """Whether the request would have to start over."""
        self.moved = False
        self.single = False
        """Whether the statement under way is a transaction by itself."""
        self._go_on()

    @property
    def statement(self) -> Statement | None:
        code = self.call.code
        found = code[self.at] if self.at < len(code) else None
        assert found is None or isinstance(found, Statement)
        return found

    @property
    def line(self) -> int:
        """The line of the next statement to send; of what is not written, that of the one before."""
        if self.statement is not None and not self.commits:
            return self.statement.line
        return self.answers[-1].line if self.answers else self.call.line

    def text(self) -> str:
        """The next statement to send."""
        if self.commits:
            return "COMMIT"
        return "ROLLBACK" if self.statement is None else fill_in(self.statement.text, self.variables)

    def ahead(self) -> list[str] | None:
        """The statements of the next turn; None if they depend on a condition."""
        if self.commits or self.statement is None:
            return [self.text()]
        found: list[str] = []
        for each in self.call.code[self.at :]:
            if not isinstance(each, Statement):
                return None
            found.append(fill_in(each.text, self.variables))
            if not _LOCAL.match(each.text):
                return found
        return found

    def open_single(self, text: str) -> None:
        """Opens a transaction for a statement that is one by itself, so that others may move before its
        commit. Other statements stay as they are, because a transaction may change what they do."""
        if self.session.status == "I" and _WRAPPED.match(text) and self._may_write(text):
            self.session.run("BEGIN")
            self.single = True

    def _may_write(self, text: str) -> bool:
        """Whether a statement may write or lock rows, perhaps in a function of the script."""
        words = set(_NAME.findall(text.lower()))
        return bool(_WRITES.search(text) or words & self.place.text.functions)

    def receive(self, reply: Reply) -> None:
        """Records an answer and moves on to the next statement."""
        if self.commits or self.statement is None:
            if reply.error is not None:
                self._fail(reply.error, self.answers[-1].line if self.answers else self.call.line)
            self.commits = False
            self._go_on()
            return
        statement = self.statement
        self.place.lines.add(statement.line)
        if self.single:
            self.single = False
            self.commits = reply.error is None
            if reply.error is not None:
                self.session.run("ROLLBACK")
        if reply.error is not None:
            self.place.complaints[statement.line, reply.error] = reply.message
            self._fail(reply.error, statement.line)
            return
        if not self._record(statement, reply):
            return
        self.at += 1
        if self.cut is not None and self.session.status != "I" and len(self.answers) == self.cut[0]:
            self.answers.append(Answer(statement.line, error=self.cut[1]))
            self.at = len(self.call.code)
        self._go_on()

    def _record(self, statement: Statement, reply: Reply) -> bool:
        """Records what a statement returns; False if `\\gset` fails."""
        if reply.rows is None:
            if (reply.count is not None or reply.tag == "LOCK TABLE") and not CONTROL.match(statement.text):
                self.answers.append(Answer(statement.line, count=reply.count or 0))
            return True
        if reply.types == (VOID,):
            self.answers.append(Answer(statement.line, count=0))
            return True
        if statement.gset is not None and len(reply.rows) != 1:
            self._fail(NO_SINGLE_ROW, statement.line)
            return False
        rows = [shown_row(reply.types, row, keep=False) for row in reply.rows]
        ordered = sorts(statement.text)
        shown = tuple(rows if ordered else sorted(rows, key=repr))
        self.answers.append(Answer(statement.line, rows=shown, ordered=ordered))
        if statement.gset is not None:
            values = map(literal_of, reply.types, reply.rows[0])
            names = (statement.gset + name for name in reply.columns)
            self.variables |= dict(zip(names, values, strict=True))
        return True

    def _fail(self, code: str, line: int) -> None:
        if code in self.place.retried and not self.answers_aborts:
            self.aborted = self.ended = True
            return
        self.answers.append(Answer(line, error=code))
        ahead = [each.text for each in self.call.code[self.at :] if isinstance(each, Statement)]
        goes_on = any(map(_ROLLBACK_TO.match, ahead)) or (self.call.goes_on and any(map(_ENDS.match, ahead)))
        if self.session.status == "E" and goes_on:
            self._go_on()
            return
        self.at = len(self.call.code)
        self._go_on()

    def _go_on(self) -> None:
        """Skips what is not sent: conditions, variables, and statements of a failed transaction."""
        code, failed = self.call.code, self.session.status == "E"
        while not self.commits and self.at < len(code):
            match code[self.at]:
                case Goto(target=target):
                    self.at = target
                case Test(text=text, target=target):
                    holds = not failed and self._value(text) in ("true", "1")
                    self.at = self.at + 1 if holds else target
                case Assign(name=name, text=text):
                    if not failed:
                        self.variables[name] = self._value(text)
                    self.at += 1
                case Statement(text=text) if failed and not _ENDS.match(text):
                    self.at += 1
                case _:
                    return
        self.ended = not self.commits and self.session.status == "I"

    def _value(self, text: str) -> str:
        return self.place.calculate(fill_in(text, self.variables))


class Turns:
    """A run in progress: clients take turns."""

    def __init__(self, place: Place, clients: list[Client]) -> None:
        self.place = place
        self.clients = clients
        self.waiting: set[int] = set()
        """The clients whose statement is blocked."""
        self.paused: set[int] = set()
        """The clients that stand at a gate inside a function."""
        self.events: list[Event] = []
        self.final: tuple[tuple[str, tuple[Cells, ...]], ...] | None = None
        self.path: tuple[int, ...] = ()
        """The choices that led here, for `next_path`."""

    @property
    def given_up(self) -> bool:
        return any(client.aborted for client in self.clients)

    def can_go_on(self) -> list[int]:
        """The clients that have not ended and are not blocked."""
        if self.given_up:
            return []
        return [n for n, client in enumerate(self.clients) if not client.ended and n not in self.waiting]

    def take(self, chosen: int) -> None:
        """Executes one statement of a client, with those before it that no other client can notice; then
        clients that are no longer blocked receive their answers."""
        client = self.clients[chosen]
        client.moved = True
        while chosen not in self.paused:
            text = client.text()
            client.open_single(text)
            if not self._send(chosen, text) or client.ended or not _LOCAL.match(text):
                break
        else:
            self.paused.discard(chosen)
            client.session.pass_gate()
            self._settle(chosen, client.text())
        self.wake()

    def _send(self, number: int, text: str) -> bool:
        """Sends a statement; whether it has ended."""
        self.clients[number].session.send(text)
        return self._settle(number, text)

    def _settle(self, number: int, text: str) -> bool:
        """Receives the answer to a statement; False if it waits, or stops inside a function."""
        client = self.clients[number]
        line = client.line
        reply = client.session.settle()
        if reply is None and client.session.gate is not None:
            self._pause(number, text, client.session.gate)
            return False
        shown = without_gates(text)
        self.events.append(Event(number, line, shown, "" if reply is None else told(reply), reply is None))
        if reply is None:
            self.waiting.add(number)
            return False
        client.receive(reply)
        return True

    def _pause(self, number: int, text: str, gate: int) -> None:
        self.paused.add(number)
        where = self.place.gates[gate]
        told = f"pauses inside {where.body}, before line {where.line}"
        self.events.append(Event(number, self.clients[number].line, without_gates(text), told))

    def wake(self) -> None:
        """Hands their answers to the clients that are no longer blocked. While clients block each other, the
        server will end one of them."""
        changed = True
        while changed and self.waiting:
            changed = False
            for number in sorted(self.waiting):
                client = self.clients[number]
                reply = client.session.settle()
                if reply is None and client.session.gate is None:
                    continue
                self.waiting.discard(number)
                changed = True
                if reply is not None:
                    self._receive(number, reply)
                elif client.session.gate is not None:
                    self._pause(number, client.text(), client.session.gate)
            if not changed and self._has_cycle():
                changed = True

    def _receive(self, number: int, reply: Reply) -> None:
        client = self.clients[number]
        text = client.text()
        line = client.line
        self.events.append(Event(number, line, without_gates(text), told(reply)))
        client.receive(reply)

    def _has_cycle(self) -> bool:
        """Whether clients wait for each other."""
        return self.place.has_cycle([self.clients[number].session for number in sorted(self.waiting)])

    def abandon(self) -> None:
        """Ends open transactions; then reads the rows, if all clients have ended."""
        stopped = self.waiting | self.paused
        complete = all(client.ended and not client.aborted for client in self.clients) and not stopped
        for number in stopped:
            self.clients[number].session.cancel()
        self.waiting.clear()
        self.paused.clear()
        for client in self.clients:
            client.session.leave()
        if complete:
            self.final = self.place.contents()

    def outcome(self) -> Outcome | None:
        """The outcome; None if a client would have to start over."""
        if self.final is None:
            return None
        return Outcome(tuple(tuple(client.answers) for client in self.clients), self.final)


def literal_of(type_: int, cell: str | None) -> str:
    """A value that the server has given, as text that stands in a statement."""
    if cell is None:
        return "NULL"
    if type_ == BOOLEAN:
        return "true" if cell == "t" else "false"
    return cell if type_ in INTEGERS else literal(cell)


def sorts(text: str) -> bool:
    """Whether a statement has ORDER BY outside all parentheses."""
    before = ""
    while before != text:
        before, text = text, _PARENTHESES.sub(" ", text)
    return bool(_ORDERED.search(text))


def shown_row(types: Sequence[int], row: Cells, *, keep: bool) -> Cells:
    """A row with values of sequences marked; `keep` keeps them apart."""

    def show(type_: int, cell: str | None) -> str | None:
        if cell is not None and type_ in INTEGERS and cell.isdigit() and is_new(int(cell)):
            return f"{NEW} {cell}" if keep else NEW
        return cell

    return tuple(map(show, types, row))


def is_new(number: int) -> bool:
    """Whether a number comes from a sequence."""
    return FIRST_NEW < number <= FIRST_NEW + MOST_DRAWN


def rename_new(tables: Sequence[tuple[str, tuple[Cells, ...]]]) -> tuple[tuple[str, tuple[Cells, ...]], ...]:
    """The rows of all tables, sorted, with values of sequences renamed in a canonical way."""
    old = sorted({cell for _, rows in tables for row in rows for cell in row if cell and cell[:4] == "new "})
    new = [[NEW] * len(old)] if len(old) > MOST_NEW else permutations([f"{NEW} {n}" for n in range(len(old))])

    def renamed(names: dict[str, str]) -> tuple[tuple[str, tuple[Cells, ...]], ...]:
        return tuple(
            (
                table,
                tuple(
                    sorted(
                        (
                            tuple(None if cell is None else names.get(cell, cell) for cell in row)
                            for row in rows
                        ),
                        key=repr,
                    )
                ),
            )
            for table, rows in tables
        )

    return min((renamed(dict(zip(old, names, strict=True))) for names in new), key=repr)


def told(reply: Reply) -> str:
    """A reply in words."""
    if reply.error is not None:
        return f"error {reply.error}"
    if reply.rows is not None:
        return ", ".join(row_text(row) for row in reply.rows) or "no row"
    return "" if reply.count is None else f"{reply.count} row{'' if reply.count == 1 else 's'}"


def row_text(row: Cells) -> str:
    return f"({', '.join('NULL' if cell is None else cell for cell in row)})"


def execute(
    place: Place,
    calls: Sequence[Call],
    choose: "Callable[[Turns], int | None]",
    *,
    state: str | None = None,
    backwards: bool = False,
    answers_aborts: bool = False,
    cuts: "Sequence[Cut | None]" = (),
) -> "Turns":
    """Executes requests, starting with the first rows. `choose` picks the client for each turn; the run
    ends when no client can go on, or `choose` returns None."""
    place.reset(state, backwards)
    sessions = place.open(len(calls), backwards)
    place.runs += 1
    stops = cuts or [None] * len(calls)
    clients = [
        Client(place, session, call, answers_aborts, stop)
        for session, call, stop in zip(sessions, calls, stops, strict=True)
    ]
    turns = Turns(place, clients)
    try:
        while turns.can_go_on() or turns.waiting:
            if turns.given_up:
                break
            if not turns.can_go_on():
                turns.wake()
                if not turns.can_go_on() and len(turns.waiting) == len(clients):
                    raise Impossible("the requests wait for something that none of them holds")
                continue
            chosen = choose(turns)
            if chosen is None:
                break
            turns.take(chosen)
    finally:
        turns.abandon()
    return turns


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def run_serially(
    place: Place,
    calls: Sequence[Call],
    order: Sequence[int],
    *,
    backwards: bool = False,
    state: str | None = None,
    answers_aborts: bool = False,
    cuts: Sequence[Cut | None] = (),
) -> Outcome | None:
    """Runs requests one at a time."""

    def choose(turns: Turns) -> int | None:
        return next((n for n in order if not turns.clients[n].ended), None)

    return execute(
        place, calls, choose, backwards=backwards, state=state, answers_aborts=answers_aborts, cuts=cuts
    ).outcome()


def next_path(
    place: Place,
    calls: Sequence[Call],
    path: list[int],
    *,
    answers_aborts: bool = False,
    watch: Callable[[Turns], None] | None = None,
    footprints: Footprints | None = None,
) -> tuple[Turns, list[int] | None]:
    """Executes the run that a path chooses, and returns it with the next path; None after the last one.

    A path says for each turn which of the clients that can go on is chosen; after its end, the first one is.
    Of equal requests that have not moved, only the first one starts: the others would do the same. `watch` is
    called before each turn. With footprints, runs that only exchange steps that commute are left out; a run
    may turn out to be one of them, and is then given up.
    """
    taken = list(path)
    widths: list[list[int]] = []
    """For each turn, the places of the clients that may be chosen."""
    sleeping = None if footprints is None else _Sleeping(footprints)

    def choose(turns: Turns) -> int | None:
        ready = [n for n in turns.can_go_on() if not _has_twin_before(turns, n)]
        if watch is not None:
            watch(turns)
        asleep = sleeping.after(turns) if sleeping is not None else frozenset()
        here = len(widths)
        widths.append([place for place, n in enumerate(ready) if n not in asleep])
        if here == len(taken):
            if not widths[here]:
                return None
            taken.append(widths[here][0])
        chosen = min(taken[here], len(ready) - 1)
        if sleeping is not None:
            sleeping.take(turns, ready[chosen], asleep | set(ready[:chosen]))
        return ready[chosen]

    turns = execute(place, calls, choose, answers_aborts=answers_aborts)
    del taken[len(widths) :]
    turns.path = tuple(taken)
    while taken:
        later = [place for place in widths[len(taken) - 1] if place > taken[-1]]
        if later:
            taken[-1] = later[0]
            return turns, taken
        taken.pop()
    return turns, None


class _Sleeping:
    """The clients whose next step need not come now: it came first in a run that was executed, and all steps
    since then commute with it (sleep sets; Godefroid, 1996)."""

    def __init__(self, footprints: Footprints) -> None:
        self.footprints = footprints
        self._asleep: frozenset[int] = frozenset()
        self._waiting: set[int] = set()
        self._events = 0

    def take(self, turns: Turns, chosen: int, others: frozenset[int] | set[int]) -> None:
        """Notes a turn before it is taken."""
        own = self._footprint(turns, chosen)
        commute = self.footprints.commute
        self._asleep = frozenset(n for n in others if commute(own, self._footprint(turns, n)))
        self._waiting, self._events = set(turns.waiting), len(turns.events)

    def after(self, turns: Turns) -> frozenset[int]:
        """The clients asleep after that turn: none if somebody has waited or was woken."""
        quiet = self._waiting == turns.waiting and not any(
            each.waited for each in turns.events[self._events :]
        )
        return self._asleep if quiet else frozenset()

    def _footprint(self, turns: Turns, number: int) -> Footprint:
        client = turns.clients[number]
        return self.footprints.of_step(client.call, client.ahead())


def _has_twin_before(turns: Turns, number: int) -> bool:
    """Whether an equal request that has not moved comes before this one, which has not moved either."""
    own = turns.clients[number]
    return not own.moved and any(
        not other.moved and other.call == own.call for other in turns.clients[:number]
    )


def interleavings(place: Place, calls: Sequence[Call]) -> Iterator[Turns]:
    """The runs of all interleavings of whole statements."""
    path: list[int] | None = []
    while path is not None:
        turns, path = next_path(place, calls, path)
        yield turns
