"""Logs of PostgreSQL servers: their three formats, what is left out, and what is missing."""

import json
import struct
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from time import sleep

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main
from seriatim.frontends.sql.from_log import read_log
from seriatim.frontends.sql.live import server as servers
from seriatim.frontends.sql.live.server import NoServer, Server, private_server
from seriatim.frontends.sql.live.wire import Failed, Wire
from seriatim.frontends.sql.pieces import Kind
from seriatim.source import InputError

TEXT = """2026-01-01 10:00:00.000 UTC [7] LOG:  starting PostgreSQL 16.4
2026-01-01 10:00:00.001 UTC [10] LOG:  statement: BEGIN
2026-01-01 10:00:00.002 UTC [11] LOG:  statement: BEGIN ISOLATION LEVEL REPEATABLE READ;
2026-01-01 10:00:00.003 UTC [10] LOG:  execute <unnamed>: SELECT n FROM t
\tWHERE id = $1
2026-01-01 10:00:00.003 UTC [10] DETAIL:  parameters: $1 = '1'
2026-01-01 10:00:00.004 UTC [11] LOG:  duration: 0.1 ms  statement: SELECT n FROM t WHERE s = 'it''s'
2026-01-01 10:00:00.005 UTC [10] LOG:  execute s1/p1: UPDATE t SET n = $2 WHERE id = $1
2026-01-01 10:00:00.005 UTC [10] DETAIL:  Parameters: $1 = '1', $2 = NULL
2026-01-01 10:00:00.006 UTC [11] ERROR:  could not serialize access due to concurrent update
2026-01-01 10:00:00.006 UTC [11] STATEMENT:  SELECT n FROM t WHERE id = 5
2026-01-01 10:00:00.007 UTC [11] LOG:  statement: ROLLBACK
2026-01-01 10:00:00.008 UTC [10] LOG:  statement: COMMIT
2026-01-01 10:00:00.009 UTC [12] LOG:  statement: SET search_path = x
2026-01-01 10:00:00.010 UTC [12] LOG:  statement: UPDATE t SET n = 3 WHERE id = 1; DELETE FROM t WHERE id = 2
2026-01-01 10:00:00.011 UTC [12] LOG:  statement: DELETE FROM missing
2026-01-01 10:00:00.011 UTC [12] ERROR:  relation "missing" does not exist at character 13
"""


def statements(text: str) -> list[str]:
    return [each.text for each in read_log(text) if each.kind is Kind.STATEMENT]


def test_sessions_are_told_apart_and_what_failed_is_left_out() -> None:
    assert statements(TEXT) == [
        "BEGIN",
        "SELECT n FROM t\nWHERE id = 1",
        "UPDATE t SET n = NULL WHERE id = 1",
        "COMMIT",
        "BEGIN",
        "UPDATE t SET n = 3 WHERE id = 1",
        "DELETE FROM t WHERE id = 2",
        "COMMIT",
    ]


PREFIXES = ["%m [%p] ", "[%p] ", "%t pid=%p ", "%m:%c:", "%t [%p-1] app@db "]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_prefixes_that_name_the_session_are_read(prefix: str) -> None:
    values = {"%m": "2026-01-01 10:00:00.000 UTC", "%t": "2026-01-01 10:00:00 UTC", "%c": "65a1b2c3.4d2"}
    for name, value in {**values, "%p": "10"}.items():
        prefix = prefix.replace(name, value)
    assert statements(f"{prefix}LOG:  statement: DELETE FROM t\n") == ["DELETE FROM t"]


LEAD = "2026-01-01 10:00:00.000 UTC [1] "


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (f"{LEAD}LOG:  database system is ready to accept connections\n", "log_statement = all"),
        ("2026-01-01 10:00:00 UTC LOG:  statement: DELETE FROM t\n", "log_line_prefix needs %p"),
        (f"{LEAD}LOG:  execute <unnamed>: DELETE FROM t WHERE id = $1\n", "log_parameter_max_length = -1"),
        (
            f"{LEAD}LOG:  execute a: DELETE FROM t WHERE s = $1\n{LEAD}DETAIL:  parameters: $1 = 'lon'...\n",
            "log_parameter_max_length = -1",
        ),
        (f"{LEAD}LOG:  statement: BEGIN\n{LEAD}LOG:  statement: ROLLBACK\n", "rolled back"),
    ],
)
def test_what_is_missing_is_told(text: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        read_log(text)
    assert hint in str(caught.value.diagnostics[0].hint)


def test_a_log_of_a_server_has_no_answers(tmp_path: Path) -> None:
    csv_line = "2026-01-01 10:00:00.000 UTC,a,d,7,,65a1b2c3.7,1,,,,,LOG,00000,statement: BEGIN,,,,,,,,,\n"
    json_line = json.dumps({"pid": 1, "error_severity": "LOG", "message": "statement: BEGIN"}) + "\n"
    for name, text in (("a.log", TEXT), ("a.csv", csv_line), ("a.jsonl", json_line)):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        done = CliRunner().invoke(main, ["history", "register", str(path)])
        assert done.exit_code == 2
        assert "--from-log" in done.output, name


# --- a live server ------------------------------------------------------------------------------------------

LOGGING = """
logging_collector = on
log_destination = 'stderr,csvlog,jsonlog'
log_directory = 'log'
log_filename = 'all'
log_statement = all
"""


@pytest.fixture(scope="module")
def logging_server() -> Iterator[Server]:
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(servers, "CONFIGURATION", servers.CONFIGURATION + LOGGING)
        try:
            server = stack.enter_context(private_server())
        except NoServer as problem:
            pytest.skip(problem.reason)
        yield server


def execute(wire: Wire, text: str, *values: str | None) -> None:
    """Runs a prepared statement with values."""
    wire.put(b"P", b"\0" + text.encode() + b"\0" + struct.pack("!h", 0))
    bound = b"".join(
        struct.pack("!i", -1) if each is None else struct.pack("!i", len(each)) + each.encode()
        for each in values
    )
    wire.put(b"B", b"\0\0" + struct.pack("!hh", 0, len(values)) + bound + struct.pack("!h", 0))
    wire.put(b"E", b"\0" + struct.pack("!i", 0))
    wire.put(b"S", b"")
    while wire.next_message()[0] != b"Z":
        pass


def when_written(path: Path) -> str:
    """The text of a log, when the last statement of the test is in it: the collector takes its time."""
    for _ in range(200):
        text = path.read_text("utf-8")
        if text.count("ROLLBACK") == 2:
            return text
        sleep(0.05)
    raise AssertionError(f"{path.name} is not complete")


def test_what_a_live_server_logs_is_what_was_sent(logging_server: Server, tmp_path: Path) -> None:
    schema = (
        "CREATE TABLE stock (id int PRIMARY KEY, n int NOT NULL);\nINSERT INTO stock VALUES (1, 5), (2, 5);\n"
    )
    setup = logging_server.connect()
    setup.run("SET log_statement = none")
    setup.run(schema)
    setup.close()
    wires = [logging_server.connect() for _ in range(2)]
    for wire in wires:
        wire.run("BEGIN ISOLATION LEVEL READ COMMITTED")
        execute(wire, "SELECT n FROM stock WHERE id = $1", "1")
    for value, wire in ((4, wires[0]), (3, wires[1])):
        execute(wire, "UPDATE stock\n SET n = $1\n WHERE id = $2", str(value), "1")
        wire.run("COMMIT")
    wires[0].run("BEGIN; UPDATE stock SET n = 9 WHERE id = 2; ROLLBACK")
    with pytest.raises(Failed, match="missing"):
        wires[0].run("DELETE FROM missing")
    with pytest.raises(Failed, match="missing"):
        wires[0].run("BEGIN; DELETE FROM stock; DELETE FROM missing; COMMIT")
    wires[0].run("ROLLBACK")
    for wire in wires:
        wire.close()
    folder = Path(logging_server.address.host) / "data" / "log"
    expected = [
        "BEGIN ISOLATION LEVEL READ COMMITTED",
        "SELECT n FROM stock WHERE id = 1",
        "UPDATE stock\n SET n = :p1\n WHERE id = 1",
        "COMMIT",
    ]
    tables = tmp_path / "tables.sql"
    tables.write_text(schema, "utf-8")
    names = [each for each in ("all", "all.csv", "all.json") if (folder / each).exists()]
    assert names[:2] == ["all", "all.csv"]
    for name in names:
        text = when_written(folder / name)
        assert statements(text) == expected, name
        log = tmp_path / f"{name}.log"
        log.write_text(text, "utf-8")
        done = CliRunner().invoke(main, ["check", str(tables), "--from-log", str(log), "--no-cache"])
        assert done.exit_code == 1, done.output
        assert "lost update" in done.output
