"""The live server: what is sent to it, what it may do, and what exploring it tells."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import pytest
from click.testing import CliRunner

from seriatim.budget import OutOfTime
from seriatim.cli.main import main
from seriatim.frontends.sql.live.places import Impossible
from seriatim.frontends.sql.live.postgres import arena
from seriatim.frontends.sql.live.reach import refuse_reach
from seriatim.frontends.sql.live.runs import run_serially, sorts
from seriatim.frontends.sql.live.server import NoServer, Server, private_server, shared_server, written_in
from seriatim.frontends.sql.live.text import Unreadable, fill_in, read_text


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    try:
        yield shared_server()
    except NoServer as missing:
        pytest.skip(f"{missing.reason}: {missing.hint}")


def test_statements_are_sent_as_they_are_written() -> None:
    text = read_text(
        "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1; $$; -- a; comment\n"
        "INSERT INTO t VALUES ('a;b'); /* c; /* d */ */\n"
        "-- transaction: x(a in 1..2, b in {'p', NULL})\nSELECT 1 AS v \\gset p_\n\\if :p_v = 1\nSELECT 2;\n"
        "\\else\nSELECT 3;\n\\endif\n"
    )
    assert [each.text for each in text.setup] == [
        "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1; $$",
        "INSERT INTO t VALUES ('a;b')",
    ]
    assert [call.title for call in text.calls] == ["x(1, 'p')", "x(1, NULL)", "x(2, 'p')", "x(2, NULL)"]
    assert [each.line for each in text.statements] == [4, 6, 8]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("CREATE TABLE t (i int)\n-- transaction: a\nSELECT 1;\n", 2),
        ("-- transaction: a\n\\! rm -rf /\n", 2),
        ("-- transaction: a\n\\i other.sql\n", 2),
        ("-- transaction: a\nSELECT 1; /* no end", 2),
        ("-- transaction: a\n\\if true\nSELECT 1;\n", 1),
        ("-- transaction: a\n\\if (SELECT count(*) > 0 FROM t)\nSELECT 1;\n\\endif\n", 2),
        ("-- transaction: a\nSELECT 1;\n-- transaction: a(x in 1..2)\nSELECT 2;\n", 3),
        ("-- transaction: a\n\\set x (SELECT 1)\nSELECT :x;\n", 2),
    ],
)
def test_what_cannot_be_sent_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(Unreadable) as wrong:
        read_text(text)
    assert wrong.value.line == line


def test_variables_are_filled_in_outside_of_quotes() -> None:
    assert fill_in("SELECT ':a', :a::int, :b, $$:a$$", {"a": "1"}) == "SELECT ':a', 1::int, :b, $$:a$$"


def test_only_an_order_of_the_whole_statement_sorts() -> None:
    assert sorts("SELECT 1 FROM t ORDER BY x")
    assert not sorts("SELECT (SELECT a FROM t ORDER BY (a) LIMIT 1)")


@pytest.mark.parametrize(
    "statement",
    [
        "COPY t FROM PROGRAM 'id'",
        "COPY t TO '/etc/copy'",
        "SELECT lo_import('/etc/passwd')",
        "CREATE ROLE other",
        "ALTER SYSTEM SET fsync = on",
        "SET session_replication_role TO replica",
    ],
)
def test_scripts_have_no_rights_beyond_their_database(server: Server, statement: str) -> None:
    text = read_text(f"CREATE TABLE t (i int);\n-- transaction: a\n{statement};\n")
    with arena(server, text, "read committed") as place:
        outcome = run_serially(place, text.calls, [0])
    assert outcome is not None
    assert [answer.error for answer in outcome.answers[0]] == ["42501"]


def test_nothing_of_a_script_stays_on_the_server(server: Server) -> None:
    text = read_text("CREATE TABLE t (i int);\n-- transaction: a\nINSERT INTO t VALUES (1);\n")
    with arena(server, text, "read committed") as place:
        run_serially(place, text.calls, [0])
    for catalog, column in (("pg_database", "datname"), ("pg_roles", "rolname")):
        found = server.connect()
        assert found.run(f"SELECT 1 FROM {catalog} WHERE {column} LIKE 'ser_%'")[0].rows == ()
        found.close()


def test_a_superuser_of_a_url_is_refused(server: Server) -> None:
    named = replace(server, is_private=False)
    with pytest.raises(NoServer, match="superuser"), arena(named, read_text(""), "read committed"):
        pass


@pytest.mark.parametrize(
    "statement",
    [
        "COPY t TO PROGRAM 'id'",
        "COPY t FROM '/etc/passwd'",
        "ALTER SYSTEM SET fsync = off",
        "CREATE ROLE other",
        "CREATE EXTENSION dblink",
        "SET ROLE other",
        "SET SESSION AUTHORIZATION other",
        "GRANT ALL ON t TO PUBLIC",
        "NOTIFY everybody",
        "SET search_path TO public",
        "SELECT set_config('x', '1', true); SELECT dblink('host=h', 'SELECT 1')",
        "SELECT lo_import('/etc/passwd')",
        "SELECT pg_read_file('x')",
        "SELECT v FROM public.account",
        "UPDATE shop.account SET v = 1",
        'DELETE FROM "shop"."account"',
        "DROP TABLE shop.account",
        "DO $$ BEGIN EXECUTE 'DROP TABLE x'; END $$",
        "DO $$ BEGIN DELETE FROM shop.account; END $$",
        "CREATE SCHEMA other",
    ],
)
def test_a_url_is_not_told_what_leaves_the_schema(statement: str) -> None:
    text = read_text(f"CREATE TABLE t (v int);\n-- transaction: a\n{statement};\n")
    with pytest.raises(Impossible) as wrong:
        refuse_reach((*text.setup, *text.statements))
    assert wrong.value.line == 3


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT a.v FROM t a JOIN t b ON a.v = b.v WHERE EXISTS (SELECT 1 FROM t c WHERE c.v = a.v)",
        "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING",
        "UPDATE t SET v = t.v + 1 FROM t AS x WHERE x.v = t.v",
        "SELECT 'copy x from program', v FROM t -- notify\n",
        "SELECT count(*) FROM information_schema.tables",
        "LOCK TABLE t",
    ],
)
def test_a_url_is_told_all_the_rest(statement: str) -> None:
    text = read_text(f"CREATE TABLE t (v int);\n-- transaction: a\n{statement};\n")
    refuse_reach((*text.setup, *text.statements))


def test_a_script_cannot_lift_the_limit_of_time(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seriatim.frontends.sql.live.postgres.STALLED", 0.2)
    text = read_text("-- transaction: a\nSET statement_timeout = 0;\nSELECT pg_sleep(60);\n")
    began = monotonic()
    with arena(server, text, "read committed") as place, pytest.raises(Impossible, match="takes longer"):
        run_serially(place, text.calls, [0])
    assert monotonic() - began < 20


def test_a_script_cannot_fill_the_disk(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seriatim.frontends.sql.live.server.MOST_WRITTEN", 8 << 20)
    tight = replace(server, used=written_in(Path(server.address.host)))
    text = read_text(
        "CREATE TABLE t (v text);\n-- transaction: a\n"
        "INSERT INTO t SELECT repeat('x', 900) FROM generate_series(1, 100000000);\n"
    )
    with arena(tight, text, "read committed") as place, pytest.raises(Impossible, match="fills the disk"):
        run_serially(place, text.calls, [0])


def test_a_private_server_ends_with_a_process_that_is_killed() -> None:
    program = (
        "from seriatim.frontends.sql.live.server import shared_server\n"
        "print(shared_server().address.host, flush=True)\nimport time\ntime.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert folder.is_dir()
        assert folder.stat().st_mode & 0o077 == 0
        process.kill()
        process.wait(30)
    until = monotonic() + 30
    while folder.exists() and monotonic() < until:
        sleep(0.05)
    assert not folder.exists()


def test_a_url_gets_a_schema_of_its_own(server: Server) -> None:
    control = server.connect()
    control.run("CREATE ROLE guest LOGIN; GRANT CREATE ON DATABASE postgres TO guest")
    try:
        named = Server(replace(server.address, user="guest"))
        text = read_text("CREATE TABLE t (i int);\n-- transaction: a\nINSERT INTO t VALUES (1);\n")
        with arena(named, text, "read committed") as place:
            outcome = run_serially(place, text.calls, [0])
            assert outcome is not None
            assert outcome.tables == (("t", (("1",),)),)
        assert control.run("SELECT 1 FROM pg_namespace WHERE nspname LIKE 'ser\\_%'")[0].rows == ()
    finally:
        control.run("DROP OWNED BY guest; DROP ROLE guest")
        control.close()


def test_passwords_are_proved_by_scram() -> None:
    try:
        with private_server() as own:
            control = own.connect()
            control.run("CREATE ROLE careful LOGIN PASSWORD 'x y'")
            rules = Path(own.address.host) / "data" / "pg_hba.conf"
            rules.write_text("local all careful scram-sha-256\nlocal all all trust\n")
            control.run("SELECT pg_reload_conf()")
            control.run("SELECT pg_sleep(0.2)")
            careful = replace(own, address=replace(own.address, user="careful", password="x y"))
            found = careful.connect()
            assert found.run("SELECT current_user")[0].rows == (("careful",),)
            found.close()
            with pytest.raises(NoServer, match="password"):
                replace(careful, address=replace(careful.address, password="z")).connect()
            control.close()
    except NoServer as missing:
        pytest.skip(f"{missing.reason}: {missing.hint}")
    assert not Path(own.address.host).exists()
    with pytest.raises(NoServer):
        own.connect()


def test_time_that_ends_while_the_model_is_compared_leaves_the_question_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was a traceback."""

    def compare(*_: object) -> None:
        raise OutOfTime

    monkeypatch.setattr("seriatim.frontends.sql.comparing.compare", compare)
    file = Path(__file__).parents[4] / "examples" / "sql" / "bookings.sql"
    done = CliRunner().invoke(main, ["check", str(file), "--no-cache"])
    assert done.exit_code == 3, done.output
    assert "before the model was compared" in " ".join(done.output.split())
