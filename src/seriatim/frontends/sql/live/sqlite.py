"""Transactions on SQLite: a database in a folder of its own, and its connections.

SQLite comes with Python. A statement that finds the database locked fails at once here and is tried again
after others have moved, as a client with a busy handler would; so one thread drives all connections. SQLite
locks the whole database, so there is one level, and a file says nothing about it.
"""

import re
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from seriatim.frontends.sql.live.gates import Gate
from seriatim.frontends.sql.live.places import Impossible, Rows, Session
from seriatim.frontends.sql.live.runs import (
    BETWEEN_SEQUENCES,
    FIRST_NEW,
    literal_of,
    quote,
    rename_new,
    shown_row,
)
from seriatim.frontends.sql.live.text import Text
from seriatim.frontends.sql.live.wire import Cells, Failed, Reply

SNAPSHOT = "SQLITE_BUSY_SNAPSHOT"
"""Another connection has written since this one has read: waiting does not help."""

RETRIED = frozenset({SNAPSHOT, "SQLITE_BUSY"})

BIGINT, TEXT, REAL, BLOB = 20, 25, 701, 17
"""Types by their numbers in PostgreSQL, as far as values of SQLite have them."""

LEVEL = "serializable"
"""What SQLite calls its only level."""

MOST_STEPS = 10_000_000
"""Steps of SQLite's machine after which a statement is taken for endless."""

_LEVEL = re.compile(r"\s*(begin|start\s+transaction)\b.*", re.I | re.S)
_KIND = re.compile(r"\s*(begin\s+(?:deferred|immediate|exclusive))\b", re.I)
_SET = re.compile(r"\s*set\s", re.I)
_CHANGES = re.compile(r"\s*(?:with\b.*?\)\s*)?(insert|replace|update|delete)\b", re.I | re.S)
_DEFINES = re.compile(r"\s*(create|alter|drop|vacuum|reindex|analyze|pragma)\b", re.I)

DENIED = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})


def authorize(action: int, first: str | None, *_: str | None) -> int:
    """Denies what leaves the database of the script."""
    if action in DENIED:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and (first or "").lower() == "load_extension":
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_PRAGMA and (first or "").lower() not in ("foreign_keys", "table_info"):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


VOLATILE = frozenset({"random", "randomblob"})
"""Functions that may answer otherwise the next time, besides clocks."""


class SqlitePlace:
    """A database with the tables of a script, in a folder that is removed at the end."""

    def __init__(self, folder: Path, text: Text) -> None:
        self.text = text
        self.level = LEVEL
        self.engine = f"SQLite {sqlite3.sqlite_version}"
        self.retried = RETRIED
        self.lines: set[int] = set()
        self.complaints: dict[tuple[int, str], str] = {}
        self.notes: dict[int, str] = {}
        self.runs = 0
        self.gates: tuple[Gate, ...] = ()
        self.path = folder / "database"
        self.sessions: list[SqliteSession] = []
        self.rebuilds = any(_DEFINES.match(each.text) for each in text.statements)
        self._first: dict[str, list[tuple[object, ...]]] = {}
        self.control = self._connect()
        self._build()

    def close(self) -> None:
        for each in self.sessions:
            each.connection.close()
        self.control.close()

    def _connect(self) -> sqlite3.Connection:
        found = sqlite3.connect(self.path, timeout=0, isolation_level=None)
        found.execute("PRAGMA foreign_keys = ON")
        found.execute("PRAGMA synchronous = OFF")
        return found

    def _build(self) -> None:
        """Creates the tables with their first rows; raises `Impossible`."""
        for session in self.sessions:
            session.connection.close()
        self.sessions = []
        self.control.close()
        for each in self.path.parent.iterdir():
            each.unlink()
        self.control = self._connect()
        self.control.execute("PRAGMA journal_mode = WAL")
        self.control.set_authorizer(authorize)
        for statement in self.text.setup:
            self.lines.add(statement.line)
            try:
                self.control.execute(adapted(statement.text))
            except (sqlite3.Error, sqlite3.Warning) as error:
                raise Impossible(f"SQLite refuses it: {error}", statement.line) from None
        if self.control.in_transaction:
            raise Impossible("the tables are created in a transaction that does not end")
        self.control.set_authorizer(None)
        self._first = {name: self._rows(name) for name in self._tables()}

    def _tables(self) -> list[str]:
        query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1"
        return [str(name) for (name,) in self.control.execute(query)]

    def _rows(self, table: str) -> list[tuple[object, ...]]:
        return list(self.control.execute(f"SELECT * FROM {quote(table)}"))

    def keys(self) -> list[frozenset[str]]:
        """The columns of each key of a table."""
        found: list[frozenset[str]] = []
        for table in self._tables():
            columns = list(self.control.execute(f"PRAGMA table_info({quote(table)})"))
            own = frozenset(str(each[1]).lower() for each in columns if each[5])
            found += [own] if own else []
            for index in list(self.control.execute(f"PRAGMA index_list({quote(table)})")):
                if index[2] and not index[4]:
                    parts = self.control.execute(f"PRAGMA index_info({quote(str(index[1]))})")
                    found.append(frozenset(str(each[2]).lower() for each in parts))
        return found

    def use_gates(self, wanted: bool) -> None:
        """Does nothing: functions get no gates here."""

    def volatile(self, words: frozenset[str]) -> set[str]:
        return set(words & VOLATILE)

    def closed_bodies(self) -> list[str]:
        """None: who writes has locked the whole database."""
        return []

    def reset(self, state: str | None = None, backwards: bool = False) -> None:
        """Restores the first rows; stored the other way round, they get other numbers of rows."""
        if self.rebuilds:
            self._build()
            return
        run = self.control.execute
        run("PRAGMA foreign_keys = OFF")
        triggers = list(run("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"))
        run("BEGIN IMMEDIATE")
        for name, _ in triggers:
            run(f"DROP TRIGGER {quote(str(name))}")
        for table, rows in self._first.items():
            run(f"DELETE FROM {quote(table)}")
            for row in reversed(rows) if backwards else rows:
                self._insert(table, row)
        for _, text in triggers:
            run(str(text))
        if list(run("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'")):
            run("DELETE FROM sqlite_sequence")
            filled = list(run("SELECT name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%' ORDER BY 1"))
            for place, (name,) in enumerate(filled):
                first = FIRST_NEW + place * BETWEEN_SEQUENCES
                run("INSERT INTO sqlite_sequence VALUES (?, ?)", (name, first))
        run("COMMIT")
        run("PRAGMA foreign_keys = ON")
        assert state is None, "SQLite has no model that asks for other states"

    def _insert(self, table: str, row: tuple[object, ...]) -> None:
        columns = list(self.control.execute(f"PRAGMA table_xinfo({quote(table)})"))
        names = [quote(str(each[1])) for each in columns if each[6] == 0]
        marks = ", ".join("?" * len(names))
        own = [cell for each, cell in zip(columns, row, strict=False) if each[6] == 0]
        self.control.execute(f"INSERT INTO {quote(table)} ({', '.join(names)}) VALUES ({marks})", own)

    def contents(self) -> Rows:
        """The rows of all tables."""
        found = [
            (table, tuple(shown_row(*_row(row), keep=True) for row in self._rows(table)))
            for table in self._tables()
        ]
        return rename_new(found)

    def peek(self) -> Rows | None:
        """The committed rows in the middle of a run; None if they cannot be read now."""
        try:
            return self.contents()
        except sqlite3.OperationalError:
            return None

    def open(self, count: int, backwards: bool = False) -> list[Session]:
        """Sessions without anything left from earlier runs."""
        del backwards
        for each in self.sessions:
            each.connection.close()
        self.sessions = [SqliteSession(self._connect()) for _ in range(count)]
        return list(self.sessions)

    def calculate(self, text: str) -> str:
        """The value of an expression, as text that stands in a statement."""
        try:
            (row,) = self.control.execute(f"SELECT {adapted(text)}").fetchall()
        except (sqlite3.Error, ValueError) as error:
            raise Impossible(f"SQLite cannot compute `{text}`: {error}") from None
        types, cells = _row(row)
        return literal_of(types[0], cells[0])

    def has_cycle(self, waiting: list[Session]) -> bool:
        """Whether these sessions block each other. If all others wait, the one that has read and wants to
        write has to give way, as SQLite would tell it."""
        holding = [each for each in self.sessions if each.status == "T"]
        victim = next((each for each in holding if each.pending is not None), None)
        if victim is None or len(waiting) < 2 or any(each.pending is None for each in holding):
            return False
        victim.gives_way = True
        return True


class SqliteSession:
    """A connection of one client."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.pending: str | None = None
        """The statement that waits."""
        self.gives_way = False
        connection.set_authorizer(authorize)
        connection.set_progress_handler(lambda: 1, MOST_STEPS)

    gate = None
    """No session stands at a gate."""

    def pass_gate(self) -> None:
        """Does nothing."""

    @property
    def status(self) -> str:
        return "T" if self.connection.in_transaction else "I"

    def run(self, text: str) -> list[Reply]:
        """Executes a statement of ours; raises `Failed`."""
        try:
            return [self._execute(text)]
        except sqlite3.OperationalError as error:
            raise Failed("SQLITE_BUSY", str(error)) from None

    def send(self, text: str) -> None:
        self.pending = text

    def settle(self) -> Reply | None:
        """The reply to the statement; None if the database is locked."""
        assert self.pending is not None
        try:
            reply = self._execute(self.pending)
        except sqlite3.OperationalError as error:
            code = getattr(error, "sqlite_errorname", "SQLITE_BUSY")
            if code == SNAPSHOT or self.gives_way:
                reply = Reply(error=SNAPSHOT if code == SNAPSHOT else "SQLITE_BUSY", message=str(error))
            else:
                return None
        self.pending = None
        self.gives_way = False
        return reply

    def _execute(self, text: str) -> Reply:
        """The reply to a statement; lets pass the error that says that the database is locked."""
        if _SET.match(text):
            return Reply("SET")
        try:
            cursor = self.connection.execute(adapted(text))
            rows = cursor.fetchall()
        except (sqlite3.Error, sqlite3.Warning, OverflowError) as error:
            code = str(getattr(error, "sqlite_errorname", "SQLITE_ERROR"))
            if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                raise
            if self.connection.in_transaction and code == "SQLITE_FULL":
                self.connection.execute("ROLLBACK")
            return Reply(error=code, message=str(error))
        if cursor.description is not None:
            typed = [_row(row) for row in rows]
            types = typed[0][0] if typed else (TEXT,) * len(cursor.description)
            columns = tuple(str(each[0]) for each in cursor.description)
            return Reply(f"SELECT {len(rows)}", columns, types, tuple(cells for _, cells in typed))
        return Reply(f"CHANGE {cursor.rowcount}" if _CHANGES.match(text) else "DONE")

    def cancel(self) -> None:
        self.pending = None

    def leave(self) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")


def adapted(text: str) -> str:
    """A statement as SQLite reads it: it has one level, so BEGIN names none."""
    kind = _KIND.match(text)
    if kind is not None:
        return kind.group(1)
    return "BEGIN" if _LEVEL.fullmatch(text) else text


def _row(row: tuple[object, ...]) -> tuple[tuple[int, ...], Cells]:
    """The types and the texts of a row."""
    return tuple(map(_type, row)), tuple(None if cell is None else _text(cell) for cell in row)


def _type(cell: object) -> int:
    kinds = {int: BIGINT, float: REAL, bytes: BLOB}
    return next((number for kind, number in kinds.items() if isinstance(cell, kind)), TEXT)


def _text(cell: object) -> str:
    return cell.hex() if isinstance(cell, bytes) else str(cell)


@contextmanager
def sqlite_place(text: Text) -> Iterator[SqlitePlace]:
    """A place for a script; raises `Impossible`."""
    with tempfile.TemporaryDirectory(prefix="ser-sqlite-") as folder:
        found = SqlitePlace(Path(folder), text)
        try:
            yield found
        finally:
            found.close()
