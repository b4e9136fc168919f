"""The live server: what is sent to it, what it may do, and what exploring it tells."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from seriatim.frontends.sql.live.postgres import arena
from seriatim.frontends.sql.live.runs import run_serially, sorts
from seriatim.frontends.sql.live.server import NoServer, Server, private_server, shared_server
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
        "COPY t TO '/tmp/x'",
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
