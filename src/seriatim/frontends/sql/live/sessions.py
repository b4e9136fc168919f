"""Connections that execute statements in the background, so that one can block while others go on."""

from queue import SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import Any

from seriatim.frontends.sql.client import Error, Rows
from seriatim.frontends.sql.live.server import Server

PATIENCE = 30.0
"""The seconds after which a statement counts as lost if it neither ends nor is blocked."""


class Lost(Exception):
    """Raised when a statement neither ends nor waits for a lock."""


class Session:
    """A connection, and a thread that waits for its answers."""

    def __init__(self, server: Server, schema: str) -> None:
        self.connection: Any = server.connect()
        self.connection.run(f"SET search_path TO {schema}; SET TimeZone TO 'UTC'")
        self.pid: int = self.connection.run("SELECT pg_backend_pid()")[0][0]
        self._orders: SimpleQueue[str | None] = SimpleQueue()
        self._done = Event()
        self._done.set()
        self.answer: Rows | Error = Rows((), 0)
        self._thread = Thread(target=self._work, daemon=True)
        self._thread.start()

    def send(self, text: str) -> None:
        """Starts a statement, after the one before has ended."""
        assert self._done.is_set(), "the last statement has not ended"
        self._done.clear()
        self._orders.put(text)

    def is_done(self, seconds: float = 0.0) -> bool:
        """Whether the statement has ended; waits up to `seconds` for it."""
        return self._done.wait(seconds)

    def _work(self) -> None:
        while (text := self._orders.get()) is not None:
            self.answer = execute(self.connection, text)
            self._done.set()

    def close(self) -> None:
        self._orders.put(None)
        self._thread.join(PATIENCE)
        self.connection.close()


def execute(connection: Any, text: str) -> Rows | Error:
    """Executes a statement and returns its answer."""
    from pg8000.exceptions import DatabaseError

    try:
        rows = connection.run(text)
    except DatabaseError as error:
        return Error(str(error.args[0]["C"]))
    return Rows(tuple(map(tuple, rows or ())), max(0, connection.row_count))


class Watcher:
    """Tells whether sessions wait for locks, by asking the server."""

    def __init__(self, server: Server) -> None:
        self.connection: Any = server.connect()
        self.version: str = self.connection.run("SHOW server_version")[0][0].split()[0]

    def settles(self, session: Session) -> bool:
        """Waits until the statement of a session ends, or is blocked by another session; whether it has
        ended."""
        until = monotonic() + PATIENCE
        pause = 0.0005
        while not session.is_done(pause):
            if self.is_blocked(session):
                return session.is_done()
            if monotonic() > until:
                raise Lost
            pause = min(0.02, pause * 2)
        return True

    def is_blocked(self, session: Session) -> bool:
        rows = self.connection.run(f"SELECT pg_blocking_pids({session.pid})")
        return bool(rows[0][0])

    def close(self) -> None:
        self.connection.close()
