"""Transactions on a MariaDB server: a database with the tables of a script, and its sessions."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from secrets import token_hex
from time import monotonic

from seriatim.frontends.sql.live.gates import Gate
from seriatim.frontends.sql.live.mariadb_server import MariaServer
from seriatim.frontends.sql.live.mysql_wire import MyWire
from seriatim.frontends.sql.live.places import Impossible, Rows, Session
from seriatim.frontends.sql.live.postgres import STALLED
from seriatim.frontends.sql.live.runs import (
    BETWEEN_SEQUENCES,
    CONTROL,
    FIRST_NEW,
    literal_of,
    rename_new,
    shown_row,
)
from seriatim.frontends.sql.live.server import NoServer
from seriatim.frontends.sql.live.text import Text
from seriatim.frontends.sql.live.wire import ConnectionLost, Failed, Reply

RETRIED = frozenset({"1213", "1205", "1020"})
"""Errors after which a client starts over: deadlock, lock not available, row changed since the snapshot."""

_BEGIN = re.compile(
    r"\s*(?:begin(?:\s+work|\s+transaction)?|start\s+transaction)\s+isolation\s+level\s+"
    r"(read\s+committed|repeatable\s+read|serializable|read\s+uncommitted)\s*",
    re.I,
)
"""BEGIN with a level, as PostgreSQL has it."""

_DATA = re.compile(
    r"\s*(select|with|values|insert|replace|update|delete|explain|show|set|do|call|flush\s+status|kill)\b",
    re.I,
)
"""Statements that leave tables as they are."""

_TRIGGER = re.compile(r"\s*create\s+(or\s+replace\s+)?(definer\s*=\s*\S+\s+)?trigger\b", re.I)

_RIGHTS = re.compile(r"GRANT (.+?) ON (\S+) TO ")

HARMLESS_RIGHTS = frozenset({"USAGE", "PROCESS"})
"""Rights on everything that a named user may have."""

OWN = "ser_"
"""How the databases of scripts start."""


VOLATILE = frozenset({"rand", "uuid", "uuid_short", "sys_guid", "connection_id", "random_bytes"})
"""Functions that may answer otherwise the next time, besides clocks."""


class MariaPlace:
    """A database of its own with the tables of a script.

    On a private server, scripts run as a user who owns this database and has no other right.
    """

    def __init__(self, server: MariaServer, text: Text, level: str) -> None:
        self.server = server
        self.text = text
        self.level = level
        self.name = f"{OWN}{token_hex(6)}"
        self.first = f"{self.name}_first"
        self.watch = server.connect()
        version = str(_rows(self.watch, "SELECT version()")[0][0])
        self.engine = f"{'MariaDB' if 'maria' in version.lower() else 'MySQL'} {version.split('-')[0]}"
        self.sessions: list[MariaSession] = []
        self.lines: set[int] = set()
        self.complaints: dict[tuple[int, str], str] = {}
        self.notes: dict[int, str] = {}
        self.retried = RETRIED
        self.runs = 0
        self.gates: tuple[Gate, ...] = ()
        self.rebuilds = any(_TRIGGER.match(each.text) for each in text.setup) or any(
            not _DATA.match(each.text) and not CONTROL.match(each.text) for each in text.statements
        )
        """Whether each run needs new tables: requests change them, or triggers would notice the reset."""
        self._reset: list[str] = []
        self._backwards: list[str] = []
        self._values: dict[str, str] = {}
        try:
            self._claim_place()
            self.control = server.connect()
            self.control.run("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
            self._build()
        except Failed as failed:
            self.close()
            raise NoServer(f"MariaDB refuses a database: {failed.message}", GRANTS) from None
        except BaseException:
            self.close()
            raise
        self.notes |= {
            each.line: f"line {each.line}: the level is sent before, with SET TRANSACTION"
            for each in text.statements
            if _BEGIN.fullmatch(each.text)
        }

    def _claim_place(self) -> None:
        if not self.server.is_private:
            refuse_rights([str(each[0]) for each in _rows(self.watch, "SHOW GRANTS")])
            return
        for name in (self.name, self.first):
            self.watch.run(f"CREATE DATABASE {name}")
        self.watch.run(f"CREATE USER {self.name}@localhost")
        self.watch.run(f"GRANT ALL ON {self.name}.* TO {self.name}@localhost")

    @property
    def user(self) -> str | None:
        return self.name if self.server.is_private else None

    def close(self) -> None:
        """Drops everything."""
        for each in self.sessions:
            each.wire.close()
        if hasattr(self, "control"):
            self.control.close()
        try:
            for name in (self.name, self.first):
                self.watch.run(f"DROP DATABASE IF EXISTS {name}")
            if self.server.is_private:
                self.watch.run(f"DROP USER IF EXISTS {self.name}@localhost")
        except (Failed, ConnectionLost):
            pass  # The private server ends with this process, and its databases with it.
        self.watch.close()

    def _build(self) -> None:
        """Creates the tables with their first rows; raises `Impossible`."""
        for session in self.sessions:
            session.leave()
        self.control.run(f"DROP DATABASE IF EXISTS {self.name}")
        self.control.run(f"CREATE DATABASE {self.name}")
        maker = self.server.connect(self.user, self.name)
        try:
            for each in self.text.setup:
                self.lines.add(each.line)
                try:
                    maker.run(each.text)
                except Failed as failed:
                    message = f"{self.engine} refuses it: {failed.message} ({failed.code})"
                    raise Impossible(message, each.line) from None
            if maker.status != "I":
                raise Impossible("the tables are created in a transaction that does not end")
        finally:
            maker.close()
        self.control.run(f"USE {self.name}")
        if not self.rebuilds:
            self._prepare_reset()

    def _tables(self) -> list[str]:
        rows = _rows(self.control, f"SHOW FULL TABLES FROM {self.name} WHERE Table_type = 'BASE TABLE'")
        return sorted(str(row[0]) for row in rows)

    def _prepare_reset(self) -> None:
        if self._reset:
            return
        run = self.control.run
        run(f"CREATE DATABASE IF NOT EXISTS {self.first}")
        forwards, backwards = ["SET foreign_key_checks = 0"], ["SET foreign_key_checks = 0"]
        for place, table in enumerate(self._tables()):
            first = f"{self.first}.{_quote(table)}"
            run(f"CREATE TABLE {first} AS SELECT * FROM {_quote(table)}")
            run(f"ALTER TABLE {first} ADD COLUMN {NUMBER} INT AUTO_INCREMENT UNIQUE")
            columns = _rows(self.control, f"SHOW COLUMNS FROM {_quote(table)}")
            names = ", ".join(_quote(str(row[0])) for row in columns if "GENERATED" not in str(row[5]))
            for way, order in ((forwards, ""), (backwards, " DESC")):
                way.append(f"TRUNCATE {_quote(table)}")
                way.append(
                    f"INSERT INTO {_quote(table)} ({names}) "
                    f"SELECT {names} FROM {first} ORDER BY {NUMBER}{order}"
                )
                if any("auto_increment" in str(row[5]) and _is_wide(str(row[1])) for row in columns):
                    number = FIRST_NEW + 1 + place * BETWEEN_SEQUENCES
                    way.append(f"ALTER TABLE {_quote(table)} AUTO_INCREMENT = {number}")
        self._reset, self._backwards = forwards, backwards

    def use_gates(self, wanted: bool) -> None:
        """Does nothing: functions get no gates here."""

    def volatile(self, words: frozenset[str]) -> set[str]:
        return set(words & VOLATILE)

    def closed_bodies(self) -> list[str]:
        return sorted(self.text.functions)

    def reset(self, state: str | None = None, backwards: bool = False) -> None:
        """Restores the first rows, perhaps in the opposite order."""
        assert state is None, "MariaDB has no model that asks for other states"
        if self.rebuilds:
            self._build()
            return
        for each in self._backwards if backwards else self._reset:
            self.control.run(each)

    def contents(self) -> Rows:
        """The rows of all tables."""
        found = []
        for table in self._tables():
            (reply,) = self.control.run(f"SELECT * FROM {self.name}.{_quote(table)}")
            found.append((table, tuple(shown_row(reply.types, row, keep=True) for row in reply.rows or ())))
        return rename_new(found)

    def peek(self) -> Rows | None:
        """The committed rows in the middle of a run; None if they cannot be read now."""
        try:
            self.control.run("SET lock_wait_timeout = 1")
            return self.contents()
        except Failed:
            return None
        finally:
            self.control.run("SET lock_wait_timeout = DEFAULT")

    def keys(self) -> list[frozenset[str]]:
        """The columns of each key of a table."""
        query = (
            "SELECT group_concat(lower(column_name) SEPARATOR ' ') FROM information_schema.statistics "
            f"WHERE table_schema = '{self.name}' AND non_unique = 0 GROUP BY table_name, index_name"
        )
        return [frozenset(str(names).split()) for (names,) in _rows(self.control, query)]

    def open(self, count: int, backwards: bool = False) -> list[Session]:
        """Sessions without anything left from earlier runs."""
        del backwards
        while len(self.sessions) < count:
            self.sessions.append(MariaSession(self, self.server.connect(self.user, self.name)))
        chosen = self.sessions[:count]
        for each in chosen:
            each.wire.reset()
            each.run(f"USE {self.name}")
            each.run(f"SET SESSION TRANSACTION ISOLATION LEVEL {self.level}")
        return list(chosen)

    def calculate(self, text: str) -> str:
        """The value of an expression, as text that stands in a statement."""
        if text not in self._values:
            maker = self.server.connect(self.user, self.name)
            try:
                (reply,) = maker.run(f"SELECT {text}")
            except Failed as failed:
                raise Impossible(f"{self.engine} cannot compute `{text}`: {failed.message}") from None
            finally:
                maker.close()
            if reply.rows is None or len(reply.rows) != 1 or len(reply.rows[0]) != 1:
                raise Impossible(f"one value is expected, not `{text}`")
            self._values[text] = literal_of(reply.types[0], reply.rows[0][0])
        return self._values[text]

    def has_cycle(self, waiting: list[Session]) -> bool:
        """False: InnoDB looks for deadlocks as soon as a session waits."""
        del waiting
        return False

    def waits(self, thread: int) -> bool:
        """Whether a session waits for a lock: of InnoDB, of a table, or of a name."""
        query = f"SELECT state FROM information_schema.processlist WHERE id = {thread}"
        state = "".join(str(row[0]) for row in _rows(self.watch, query)).lower()
        if "metadata lock" in state or "user lock" in state or "table lock" in state:
            return True
        status = str(_rows(self.watch, "SHOW ENGINE INNODB STATUS")[0][2])
        parts = status.partition("LIST OF TRANSACTIONS FOR EACH SESSION")[2].split("---TRANSACTION")
        own = re.compile(rf"thread id {thread}\b")
        return any("LOCK WAIT" in part and own.search(part) for part in parts)


class MariaSession:
    """A connection of one client."""

    def __init__(self, place: MariaPlace, wire: MyWire) -> None:
        self.place = place
        self.wire = wire

    gate = None
    """No session stands at a gate."""

    def pass_gate(self) -> None:
        """Does nothing."""

    @property
    def status(self) -> str:
        return self.wire.status

    def run(self, text: str) -> list[Reply]:
        return self.wire.run(text)

    def send(self, text: str) -> None:
        found = _BEGIN.fullmatch(text)
        if found is None:
            self.wire.send(text)
            return
        self.wire.run(f"SET TRANSACTION ISOLATION LEVEL {found.group(1)}")
        self.wire.send("START TRANSACTION")

    def settle(self) -> Reply | None:
        """The reply to the statement of a session; None if another session blocks it, as the server says
        twice in a row: a deadlock ends some waits at once."""
        until, pause, seen = monotonic() + STALLED, 0.001, 0
        while (replies := self.wire.poll(pause)) is None:
            seen = seen + 1 if self.place.waits(self.wire.pid) else 0
            if seen == 2:
                ready = self.wire.poll(0.0)
                return None if ready is None else ready[-1]
            if not self.place.server.has_room():
                self.cancel()
                raise Impossible("a statement fills the disk")
            if monotonic() > until:
                self.cancel()
                raise Impossible(f"a statement takes longer than {STALLED:.0f} s")
            pause = min(0.02, pause * 2)
        return replies[-1]

    def cancel(self) -> None:
        while self.wire.busy and self.wire.poll(0.01) is None:
            with suppress(Failed):  # The statement may have ended in the meantime.
                self.place.watch.run(f"KILL QUERY {self.wire.pid}")

    def leave(self) -> None:
        for each in ("ROLLBACK", "UNLOCK TABLES", "DO RELEASE_ALL_LOCKS()"):
            self.wire.run(each)


NUMBER = "ser_number"
"""The column of a copy of first rows with their order."""

GRANTS = "GRANT PROCESS ON *.* TO you, and GRANT ALL ON `ser\\_%`.* TO you"


def refuse_rights(grants: Sequence[str]) -> None:
    """Raises `NoServer` for a user whose rights reach beyond databases of scripts."""
    for each in grants:
        found = _RIGHTS.match(each)
        where = "" if found is None else found.group(2).replace("`", "").replace("\\", "")
        rights = set() if found is None else {part.strip() for part in found.group(1).split(",")}
        if found is not None and (rights <= HARMLESS_RIGHTS if where == "*.*" else where.startswith(OWN)):
            continue
        raise NoServer("this server's user has rights beyond databases named ser_…", GRANTS)


def _is_wide(type_: str) -> bool:
    """Whether a column has room for the numbers that mark new rows."""
    return type_.lower().startswith(("int", "bigint"))


def _quote(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _rows(wire: MyWire, query: str) -> tuple[tuple[str | None, ...], ...]:
    return wire.run(query)[0].rows or ()


@contextmanager
def mariadb_place(server: MariaServer, text: Text, level: str) -> Iterator[MariaPlace]:
    """A place for a script; raises `NoServer` and `Impossible`."""
    found = MariaPlace(server, text, level)
    try:
        yield found
    finally:
        found.close()
