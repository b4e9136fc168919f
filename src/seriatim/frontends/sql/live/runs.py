"""Runs of several clients on a server: by a schedule, one at a time, or in all interleavings."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

from seriatim.frontends.sql.client import FIRST_NEW, Client, from_driver
from seriatim.frontends.sql.language import DEFAULT_LEVEL, Level, Script
from seriatim.frontends.sql.live.server import Server
from seriatim.frontends.sql.live.sessions import Session, Watcher, execute
from seriatim.frontends.sql.requests import Request
from seriatim.frontends.sql.sequences import rename_values
from seriatim.frontends.sql.states import Answer
from seriatim.frontends.sql.terms import Row

Tables = tuple[tuple[Row, ...], ...]


FIRST = "ser_first_"
"""The prefix of tables that keep the first rows."""


UNLOCK = "SELECT pg_advisory_unlock_all()"


@dataclass(frozen=True, slots=True)
class Seen:
    """The outcome of a run in which no request had to start over."""

    answers: tuple[tuple[Answer, ...], ...]
    """The answers of each request."""
    tables: Tables
    """The final rows, sorted."""


@dataclass(frozen=True, slots=True)
class Event:
    """A statement that a client has sent."""

    client: int
    text: str
    blocked: bool


class Arena:
    """A scratch schema with the tables of a script. Nothing outside it is touched, and it is dropped at the
    end."""

    def __init__(self, server: Server, script: Script, level: Level, answers_aborts: bool = False) -> None:
        self.server = server
        self.answers_aborts = answers_aborts
        self.script = script
        self.level = level
        self.schema = f"ser_{token_hex(6)}"
        self.control: Any = server.connect()
        self.watcher = Watcher(server)
        self.sessions: list[Session] = []
        self.control.run(f"CREATE SCHEMA {self.schema}")
        self.control.run(f"SET search_path TO {self.schema}; SET TimeZone TO 'UTC'")
        for text in script.schema_text:
            self.control.run(text)
        for (name,) in self.control.run(
            f"SELECT sequencename FROM pg_sequences WHERE schemaname = '{self.schema}'"
        ):
            self.control.run(f"ALTER SEQUENCE {name} RESTART WITH {FIRST_NEW + 1}")
        for table in script.tables:
            self.control.run(f"CREATE TABLE {FIRST}{table.name} AS TABLE {table.name}")

    def close(self) -> None:
        for session in self.sessions:
            session.close()
        self.control.run(f"DROP SCHEMA {self.schema} CASCADE")
        self.control.close()
        self.watcher.close()

    def reset(self) -> None:
        """Restores the first rows."""
        names = [table.name for table in self.script.tables]
        if not names:
            return
        self.control.run(f"TRUNCATE {', '.join(names)}")
        for name in names:
            rows = f"OVERRIDING SYSTEM VALUE SELECT * FROM {FIRST}{name}"
            self.control.run(f"INSERT INTO {name} {rows}")

    def tables(self) -> Tables:
        return rename_values(self._rows(table.name) for table in self.script.tables)

    def _rows(self, name: str) -> tuple[Row, ...]:
        rows = self.control.run(f"SELECT * FROM {name}")
        return tuple(sorted((tuple(map(from_driver, row)) for row in rows), key=repr))

    def run(
        self,
        requests: Sequence[Request],
        choose: Callable[["Turns"], int | None],
        cuts: Sequence[tuple[int, str] | None] = (),
    ) -> "Turns":
        """Executes requests, starting with the first rows. `choose` picks the client for each turn; the run
        ends when no client can go on, or `choose` returns None."""
        self.reset()
        while len(self.sessions) < len(requests):
            session = Session(self.server, self.schema)
            execute(session.connection, f"SET {DEFAULT_LEVEL} TO '{self.level.value}'")
            self.sessions.append(session)
        stops = cuts or [None] * len(requests)
        clients = [
            Client(each, self.level, self.answers_aborts, stop)
            for each, stop in zip(requests, stops, strict=True)
        ]
        turns = Turns(self, clients)
        try:
            while turns.can_go_on():
                chosen = choose(turns)
                if chosen is None:
                    break
                turns.take(chosen)
        finally:
            turns.abandon()
        return turns


class Turns:
    """A run in progress: clients take turns."""

    def __init__(self, arena: Arena, clients: list[Client]) -> None:
        self.arena = arena
        self.clients = clients
        self.waiting: set[int] = set()
        """The clients whose statement is blocked."""
        self.events: list[Event] = []
        self.final: Tables | None = None

    def can_go_on(self) -> list[int]:
        """The clients that have not ended and are not blocked."""
        if any(client.gave_up for client in self.clients):
            return []
        return [n for n, client in enumerate(self.clients) if not client.ended and n not in self.waiting]

    def take(self, chosen: int) -> None:
        """Executes one statement of a client; then clients that are no longer blocked receive their
        answers."""
        client, session = self.clients[chosen], self.arena.sessions[chosen]
        text = client.text()
        session.send(text)
        ended = self.arena.watcher.settles(session)
        self.events.append(Event(chosen, text, blocked=not ended))
        if ended:
            self._receive(chosen)
            if text.startswith("BEGIN") and not client.ended:
                self.take(chosen)  # BEGIN affects no other client.
                return
        else:
            self.waiting.add(chosen)
        self._wake()

    def _receive(self, number: int) -> None:
        """Hands an answer to a client; a client that has ended releases its locks."""
        client, session = self.clients[number], self.arena.sessions[number]
        client.receive(session.answer)
        if client.ended and client.keeps_locks:
            execute(session.connection, UNLOCK)

    def _wake(self) -> None:
        """Wakes the clients that are no longer blocked."""
        changed = True
        while changed:
            changed = False
            for waiting in sorted(self.waiting):
                session = self.arena.sessions[waiting]
                if self.arena.watcher.settles(session):
                    self.waiting.discard(waiting)
                    self._receive(waiting)
                    changed = True

    def abandon(self) -> None:
        """Ends open transactions; then reads the rows, if all clients have ended."""
        complete = all(client.ended and not client.gave_up for client in self.clients)
        for number in range(len(self.clients)):
            if number not in self.waiting:
                execute(self.arena.sessions[number].connection, "ROLLBACK")
                if self.clients[number].keeps_locks:
                    execute(self.arena.sessions[number].connection, UNLOCK)
        for number in self.waiting:
            session = self.arena.sessions[number]
            while not session.is_done(0.05):
                pass  # A deadlock ends by itself.
            execute(session.connection, "ROLLBACK")
            if self.clients[number].keeps_locks:
                execute(session.connection, UNLOCK)
        if complete:
            self.final = self.arena.tables()

    def seen(self) -> Seen | None:
        """The outcome; None if a client would have to start over, or a deadlock remains."""
        if self.final is None:
            return None
        return Seen(tuple(tuple(client.answers) for client in self.clients), self.final)


@contextmanager
def arena(server: Server, script: Script, level: Level, answers_aborts: bool = False) -> Iterator[Arena]:
    found = Arena(server, script, level, answers_aborts)
    try:
        yield found
    finally:
        found.close()


def run_serially(
    place: Arena,
    requests: Sequence[Request],
    order: Sequence[int],
    cuts: Sequence[tuple[int, str] | None] = (),
) -> Seen | None:
    """Runs requests one at a time; requests with a cut give up there."""

    def choose(turns: Turns) -> int | None:
        return next((n for n in order if not turns.clients[n].ended), None)

    return place.run(requests, choose, cuts).seen()


def next_path(place: Arena, requests: Sequence[Request], path: list[int]) -> tuple[Turns, list[int] | None]:
    """Executes the run that a path chooses, and returns it with the next path; None after the last one.

    A path says for each turn which of the clients that can go on is chosen; after its end, the first one is.
    """
    taken = list(path)
    widths: list[int] = []

    def choose(turns: Turns) -> int | None:
        ready = turns.can_go_on()
        here = len(widths)
        widths.append(len(ready))
        if here == len(taken):
            taken.append(0)
        return ready[taken[here]]

    turns = place.run(requests, choose)
    while taken and taken[-1] + 1 >= widths[len(taken) - 1]:
        taken.pop()
    if not taken:
        return turns, None
    taken[-1] += 1
    return turns, taken


def interleavings(place: Arena, requests: Sequence[Request]) -> Iterator[Seen]:
    """The outcomes of all interleavings of whole statements."""
    path: list[int] | None = []
    while path is not None:
        turns, path = next_path(place, requests, path)
        seen = turns.seen()
        if seen is not None:
            yield seen
