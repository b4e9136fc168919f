"""Transactions on a PostgreSQL server: a database with the tables of a script, and its sessions."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_hex
from time import monotonic

from seriatim.frontends.sql.live.gates import (
    CREATE,
    FIRST,
    SCHEMA,
    Gate,
    close_gate,
    closed_bodies,
    open_gate,
    with_gates,
)
from seriatim.frontends.sql.live.places import Impossible, Rows, Session
from seriatim.frontends.sql.live.reach import refuse_reach
from seriatim.frontends.sql.live.runs import (
    BETWEEN_SEQUENCES,
    CONTROL,
    FIRST_NEW,
    MOST_DRAWN,
    literal_of,
    quote,
    rename_new,
    shown_row,
)
from seriatim.frontends.sql.live.server import NoServer, Server
from seriatim.frontends.sql.live.text import Text
from seriatim.frontends.sql.live.wire import Cells, ConnectionLost, Failed, Reply, Wire

RETRIED = frozenset({"40001", "40P01", "55P03", "57014"})
"""Errors after which a client starts over: serialization failure, deadlock, lock not available, and a limit
of time that the script sets."""

STALLED = 5.0
"""The seconds after which a statement that neither ends nor waits is cancelled."""

_DATA = re.compile(
    r"\s*(select|with|values|table|insert|update|delete|merge|lock|explain|show|fetch|declare|close|move"
    r"|notify|listen|unlisten)\b",
    re.I,
)
"""Statements that leave tables as they are."""

_OWN_SETTING = re.compile(
    r"\bset_config\s*\(\s*'(\w+\.\w+)'|\bset\s+(?:local\s+|session\s+)?(\w+\.\w+)", re.I
)
"""Settings with names of the script."""

_EXTENSION = re.compile(r"\s*create\s+extension\b", re.I)


class PostgresPlace:
    """A database of its own with the tables of a script, on a private server; on another server, a schema.

    Scripts run as a role that owns this database and has no other right. The rows are put back by a role that
    may switch triggers off; neither is a superuser, so nothing that a script defines runs as one.
    """

    def __init__(self, server: Server, text: Text, level: str) -> None:
        self.server = server
        self.text = self.own_text = text
        self.gates: tuple[Gate, ...] = ()
        self._may_have_gates = server.is_private
        self.level = level
        self.name = f"ser_{token_hex(6)}"
        self.watch = server.connect()
        self.engine = f"PostgreSQL {_cell(self.watch, 'SHOW server_version').split()[0]}"
        self.sessions: list[PostgresSession] = []
        self.lines: set[int] = set()
        """The lines of the statements that were executed."""
        self.complaints: dict[tuple[int, str], str] = {}
        self.notes: dict[int, str] = {}
        self.retried = RETRIED
        self.runs = 0
        self.tables: tuple[str, ...] = ()
        self._reset = ""
        self._backwards = ""
        self._values: dict[str, str] = {}
        self.rebuilds = not server.is_private or any(
            not _DATA.match(each.text) and not CONTROL.match(each.text) for each in text.statements
        )
        """Whether each run needs new tables, because requests change them or the server is not ours."""
        every = "\n".join(each.text for each in (*text.setup, *text.statements))
        self._own_settings = {one or other for one, other in _OWN_SETTING.findall(every)}
        self.keeps_sequences = False
        """Whether sequences go on where the script has left them."""
        try:
            self._claim_place()
            self.control = self._connect(f"{self.name}_control" if server.is_private else None)
            self.build()
        except BaseException:
            self.close()
            raise

    def _claim_place(self) -> None:
        run = self.watch.run
        if self.server.is_private:
            run(f"CREATE ROLE {self.name} LOGIN")
            run(f"CREATE ROLE {self.name}_control LOGIN BYPASSRLS IN ROLE {self.name}")
            if int(_cell(self.watch, "SHOW server_version_num")) >= 150000:
                run(f"GRANT SET ON PARAMETER session_replication_role TO {self.name}_control")
            else:
                self.rebuilds = True
            run(f"CREATE DATABASE {self.name} OWNER {self.name}")
            return
        if _cell(self.watch, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") == "t":
            raise NoServer(
                "this server's user is a superuser, whose functions may do anything",
                "name a user without rights beyond a database of its own",
            )
        refuse_reach((*self.text.setup, *self.text.statements))

    def _connect(self, user: str | None) -> Wire:
        if self.server.is_private:
            return self.server.connect(self.name, user or self.name)
        return self.server.connect()

    @property
    def schema(self) -> str:
        return "public" if self.server.is_private else self.name

    def close(self) -> None:
        """Drops everything."""
        for each in self.sessions:
            each.close()
        if hasattr(self, "control"):
            self.control.close()
        try:
            if self.server.is_private:
                self.watch.run(f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)")
                self.watch.run(f"DROP OWNED BY {self.name}_control")  # Its right to switch triggers off.
                self.watch.run(f"DROP ROLE IF EXISTS {self.name}_control")
                self.watch.run(f"DROP ROLE IF EXISTS {self.name}")
            else:
                self.watch.run(f"DROP SCHEMA IF EXISTS {self.name} CASCADE")
        except (Failed, ConnectionLost):
            pass  # The private server ends with this process, and its databases with it.
        self.watch.close()

    def _settings(self) -> str:
        return (
            f"SET search_path TO {self.schema}; SET TimeZone TO 'UTC'; SET client_min_messages TO warning; "
            f"SET default_transaction_isolation TO '{self.level}'"
        )

    def build(self) -> None:
        """Creates the tables with their first rows; raises `Impossible`."""
        run = self.control.run
        run(self._settings())
        try:
            owner = f"SET ROLE {self.name}; " if self.server.is_private else ""
            run(f"{owner}DROP SCHEMA IF EXISTS {self.schema} CASCADE")
            run(f"CREATE SCHEMA {self.schema}")
            if self.gates:
                run(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}")
                run(CREATE)
            for each in self.text.setup:
                self.lines.add(each.line)
                try:
                    run(each.text)
                except Failed as failed:
                    if _EXTENSION.match(each.text):
                        self.notes[each.line] = f"line {each.line}: {failed.message}"
                        continue
                    message = f"PostgreSQL refuses it: {failed.message} ({failed.code})"
                    raise Impossible(message, each.line) from None
            if self.control.status != "I":
                raise Impossible("the tables are created in a transaction that does not end")
            run("RESET ROLE" if self.server.is_private else "SELECT 1")
            run(self._settings())
            run("SET default_transaction_isolation TO 'read committed'")  # To look must not cause conflicts.
        except Failed as failed:
            raise Impossible(failed.message) from None
        self.tables = self._table_names()
        if not self.rebuilds:
            self._prepare_reset()

    def use_gates(self, wanted: bool) -> None:
        """Puts gates into the functions of the script, or takes them away. Functions that the server refuses
        with gates get none."""
        text, gates = with_gates(self.own_text) if wanted and self._may_have_gates else (self.own_text, ())
        if gates == self.gates:
            return
        self.text, self.gates = text, gates
        try:
            self.build()
        except Impossible:
            if not gates:
                raise
            self._may_have_gates = False
            self.use_gates(False)

    def volatile(self, words: frozenset[str]) -> set[str]:
        named = ", ".join(f"'{each}'" for each in sorted(words)) or "NULL"
        query = (
            f"SELECT DISTINCT proname FROM pg_proc WHERE proname IN ({named}) AND provolatile = 'v' "
            "AND pronamespace = 'pg_catalog'::regnamespace AND NOT proname ~ "
            "'^(nextval|setval|currval|lastval|set_config|pg_(try_)?advisory.*|pg_sleep.*|pg_notify)$'"
        )
        return {str(name) for (name,) in self.control.run(query)[0].rows or ()}

    def closed_bodies(self) -> list[str]:
        gates = with_gates(self.own_text)[1] if self._may_have_gates else ()
        return sorted(closed_bodies(self.own_text, gates))

    def _table_names(self) -> tuple[str, ...]:
        kinds = "('r', 'p')"
        query = (
            f"SELECT relname FROM pg_class WHERE relnamespace = '{self.schema}'::regnamespace "
            f"AND relkind IN {kinds} AND NOT relispartition ORDER BY 1"
        )
        return tuple(str(name) for (name,) in self.control.run(query)[0].rows or ())

    def _prepare_reset(self) -> None:
        run = self.control.run
        run("DROP SCHEMA IF EXISTS ser_first CASCADE")
        try:
            run(f"SET ROLE {self.name}; CREATE SCHEMA ser_first; RESET ROLE")
        except Failed as failed:
            raise Impossible(failed.message) from None
        run("SET session_replication_role TO replica")
        forwards, backwards = ["BEGIN"], ["BEGIN"]
        for way in (forwards, backwards):
            way.append(
                f"TRUNCATE {', '.join(map(quote, self.tables))} CASCADE" if self.tables else "SELECT 1"
            )
        for table in self.tables:
            first = f"ser_first.{quote(table)}"
            run(f"CREATE TABLE {first} AS TABLE {quote(table)}")
            query = (
                f"SELECT attname FROM pg_attribute WHERE attrelid = '{self.schema}.{quote(table)}'::regclass "
                "AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum"
            )
            names = ", ".join(quote(str(name)) for (name,) in run(query)[0].rows or ())
            if not names:
                continue
            fill = f"INSERT INTO {quote(table)} ({names}) OVERRIDING SYSTEM VALUE"
            copy = f"{fill} SELECT {names} FROM {first}"
            forwards.append(copy)
            backwards.append(f"{copy} ORDER BY ctid DESC")
        restarts = self._restarts()
        forwards += restarts
        backwards += restarts
        self._reset = "; ".join([*forwards, "COMMIT"])
        self._backwards = "; ".join([*backwards, "COMMIT"])

    def _restarts(self) -> list[str]:
        """Statements after which sequences give numbers that no script names."""
        query = (
            "SELECT sequencename FROM pg_sequences "
            f"WHERE schemaname = '{self.schema}' AND increment_by > 0 "
            f"AND max_value > {FIRST_NEW + MOST_DRAWN} ORDER BY 1"
        )
        names = [quote(str(name)) for (name,) in self.control.run(query)[0].rows or ()]
        return [
            f"SELECT setval('{self.schema}.{name}', {FIRST_NEW + n * BETWEEN_SEQUENCES})"
            for n, name in enumerate(names)
        ]

    def reset(self, state: str | None = None, backwards: bool = False) -> None:
        """Restores the first rows; or other ones, by statements that fill empty tables."""
        if self.rebuilds:
            self.build()
            if not self.keeps_sequences:
                self.control.run("; ".join(["SELECT 1", *self._restarts()]))
        else:
            self.control.run(self._backwards if backwards else self._reset)
        if state is not None:
            clear = f"TRUNCATE {', '.join(map(quote, self.tables))} CASCADE; " if self.tables else ""
            self.control.run(f"BEGIN; {clear}{state}; COMMIT")

    def contents(self) -> tuple[tuple[str, tuple[Cells, ...]], ...]:
        """The rows of all tables."""
        if self.rebuilds:
            self.tables = self._table_names()
        if not self.tables:
            return ()
        replies = self.control.run("; ".join(f"SELECT * FROM {quote(table)}" for table in self.tables))
        found = []
        for table, reply in zip(self.tables, replies, strict=True):
            rows = (shown_row(reply.types, row, keep=True) for row in reply.rows or ())
            found.append((table, tuple(rows)))
        return rename_new(found)

    def calculate(self, text: str) -> str:
        """The value of an expression, as text that stands in a statement."""
        if text not in self._values:
            try:
                reply = self.control.run(f"SELECT {text}")[0]
            except Failed as failed:
                raise Impossible(f"PostgreSQL cannot compute `{text}`: {failed.message}") from None
            if reply.rows is None or len(reply.rows) != 1 or len(reply.rows[0]) != 1:
                raise Impossible(f"one value is expected, not `{text}`")
            self._values[text] = literal_of(reply.types[0], reply.rows[0][0])
        return self._values[text]

    def open(self, count: int, backwards: bool = False) -> list[Session]:
        """Opens sessions in which nothing is left from earlier runs; `backwards` makes the server prefer
        other query plans, which visit rows in another order."""
        while len(self.sessions) < count:
            self.sessions.append(PostgresSession(self, self._connect(None)))
            for name in self._own_settings:  # To discard one leaves an empty text, here and in a pool.
                self.sessions[-1].run(f"SELECT set_config('{name}', '', false)")
        chosen = self.sessions[:count]
        for session in chosen:
            session.run("DISCARD ALL")
            session.run(self._settings() + ("; SET enable_seqscan TO off" if backwards else ""))
            if self.gates:
                session.close_gate()
        return list(chosen)

    def keys(self) -> list[frozenset[str]]:
        """The columns of each key of a table."""
        query = (
            "SELECT array_to_string(array(SELECT attname FROM pg_attribute WHERE attrelid = indrelid "
            "AND attnum = ANY (indkey)), ' ') FROM pg_index JOIN pg_class ON pg_class.oid = indrelid "
            f"WHERE indisunique AND indpred IS NULL AND relnamespace = '{self.schema}'::regnamespace"
        )
        return [frozenset(str(names).split()) for (names,) in self.control.run(query)[0].rows or ()]

    def peek(self) -> Rows | None:
        """The committed rows in the middle of a run; None if they cannot be read now."""
        try:
            self.control.run("SET lock_timeout TO '20ms'")
            return self.contents()
        except Failed:
            return None
        finally:
            self.control.run("SET lock_timeout TO 0")

    def has_cycle(self, waiting: list[Session]) -> bool:
        """Whether these sessions block each other, so that the server will end one of them."""
        pids = [each.wire.pid for each in waiting if isinstance(each, PostgresSession)]
        blocked = {pid: self._blockers(pid) & set(pids) for pid in pids}
        for first in blocked:
            seen: set[int] = set()
            todo = [first]
            while todo:
                for each in blocked[todo.pop()] - seen:
                    if each == first:
                        return True
                    seen.add(each)
                    todo.append(each)
        return False

    def _blockers(self, pid: int) -> set[int]:
        query = f"SELECT array_to_string(pg_blocking_pids({pid}), ' ')"
        return set(map(int, _cell(self.watch, query).split()))


class PostgresSession:
    """A connection of one client."""

    def __init__(self, place: PostgresPlace, wire: Wire) -> None:
        self.place = place
        self.wire = wire
        self.gate: int | None = None
        """The number of the gate at which the session stands; None elsewhere."""
        self._has_gate = False

    @property
    def status(self) -> str:
        return self.wire.status

    def close_gate(self) -> None:
        """Makes the session stop at gates."""
        if not self._has_gate:
            self.place.control.run(close_gate(self.wire.pid))
            self._has_gate = True

    def pass_gate(self) -> None:
        self.gate = None
        self.place.control.run(open_gate(self.wire.pid))

    def run(self, text: str) -> list[Reply]:
        return self.wire.run(text)

    def send(self, text: str) -> None:
        self.wire.send(text)

    def close(self) -> None:
        self.wire.close()

    def settle(self) -> Reply | None:
        """The reply to the statement of a session; None if another session blocks it, or it stands at a
        gate."""
        until, pause = monotonic() + STALLED, 0.001
        while (replies := self.wire.poll(pause)) is None:
            self.gate = self._gate() if self.place.gates else None
            if self.gate is not None or self._is_blocked():
                ready = self.wire.poll(0.0)
                return None if ready is None else _last(ready)
            if not self.place.server.has_room():
                self.cancel()
                raise Impossible("a statement fills the disk")
            if monotonic() > until:
                self._cancel()
                self.wire.poll(STALLED)
                raise Impossible(f"a statement takes longer than {STALLED:.0f} s")
            pause = min(0.02, pause * 2)
        return _last(replies)

    def _is_blocked(self) -> bool:
        pids = ",".join(str(each.wire.pid) for each in self.place.sessions)
        query = f"SELECT pg_isolation_test_session_is_blocked({self.wire.pid}, '{{{pids}}}')"
        return _cell(self.place.watch, query) == "t"

    def _gate(self) -> int | None:
        query = (
            "SELECT split_part(application_name, ' ', 2) FROM pg_stat_activity JOIN pg_locks USING (pid) "
            f"WHERE pid = {self.wire.pid} AND NOT granted AND locktype = 'advisory' AND classid = {FIRST}"
        )
        found = _cell(self.place.watch, query)
        return int(found) if found else None

    def _cancel(self) -> None:
        self.place.watch.run(f"SELECT pg_cancel_backend({self.wire.pid})")

    def cancel(self) -> None:
        self.gate = None
        while self.wire.busy and self.wire.poll(0.01) is None:
            self._cancel()

    def leave(self) -> None:
        if self.status != "I":
            self.run("ROLLBACK")
        self.run("SELECT pg_advisory_unlock_all()")


def _last(replies: list[Reply]) -> Reply:
    return replies[-1] if replies else Reply()


@contextmanager
def arena(server: Server, text: Text, level: str) -> Iterator[PostgresPlace]:
    found = PostgresPlace(server, text, level)
    try:
        yield found
    finally:
        found.close()


def _cell(wire: Wire, query: str) -> str:
    rows = wire.run(query)[0].rows
    return str(rows[0][0]) if rows else ""
