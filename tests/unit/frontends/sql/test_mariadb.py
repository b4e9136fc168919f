"""MariaDB: what its levels allow, what a script may do on the private server, and what is left behind."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import pytest
from click.testing import CliRunner, Result

from seriatim.budget import Deadline
from seriatim.cli.main import main
from seriatim.frontends.sql.exploring import Exploration, explore
from seriatim.frontends.sql.live.footprints import Footprints
from seriatim.frontends.sql.live.mariadb import mariadb_place, refuse_rights
from seriatim.frontends.sql.live.mariadb_server import (
    MariaServer,
    named_mariadb,
    private_mariadb,
    shared_mariadb,
)
from seriatim.frontends.sql.live.places import Impossible
from seriatim.frontends.sql.live.runs import execute, next_path, run_serially
from seriatim.frontends.sql.live.server import NoServer
from seriatim.frontends.sql.live.text import read_text

EXAMPLES = Path(__file__).parents[4] / "examples" / "sql"
LEVELS = ("read committed", "repeatable read", "serializable")
TABLE = "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\nINSERT INTO t VALUES (1, 1), (2, 1);\n"
SPEND = (
    TABLE + "-- transaction: spend\nBEGIN;\nSELECT v FROM t WHERE id = 1 \\gset\n\\if :v > 0\n"
    "UPDATE t SET v = :v - 1 WHERE id = 1;\n\\endif\nCOMMIT;\n"
)


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[MariaServer]:
    try:
        yield shared_mariadb()
    except NoServer as missing:
        pytest.skip(f"{missing.reason}: {missing.hint}")


def explored(server: MariaServer, text: str, level: str = "repeatable read") -> Exploration:
    with mariadb_place(server, read_text(text), level) as place:
        return explore(place, Deadline(60))


def check(text: str, folder: Path, *options: str) -> Result:
    path = folder / "x.sql"
    path.write_text(text, "utf-8")
    return CliRunner().invoke(main, ["check", str(path), "--engine", "mariadb", *options])


@pytest.mark.parametrize("name", ["on_call", "double_spending", "report"])
@pytest.mark.parametrize("level", LEVELS)
def test_levels_allow_what_they_are_known_for(server: MariaServer, name: str, level: str) -> None:
    """Both of the weaker ones lose updates: REPEATABLE READ reads old rows and writes new ones."""
    found = explored(server, (EXAMPLES / f"{name}.sql").read_text("utf-8"), level)
    assert (found.violation is not None) == (level != "serializable")
    assert not found.doubt


def test_a_snapshot_that_is_checked_loses_no_update(server: MariaServer) -> None:
    text = SPEND.replace("BEGIN;", "SET SESSION innodb_snapshot_isolation = ON;\nBEGIN;")
    assert explored(server, SPEND).violation is not None
    assert explored(server, text).violation is None


@pytest.mark.parametrize("level", LEVELS)
def test_runs_that_are_left_out_show_nothing_else(server: MariaServer, level: str) -> None:
    """Two tables, one of which a foreign key joins to a third one."""
    text = read_text(
        TABLE + "CREATE TABLE u (id int PRIMARY KEY, t int REFERENCES t (id), n int NOT NULL);\n"
        "CREATE TABLE w (n int NOT NULL);\nINSERT INTO w VALUES (0);\n"
        "-- transaction: a\nBEGIN;\nSELECT n FROM w \\gset\nINSERT INTO u VALUES (1, 1, :n);\nCOMMIT;\n"
        "-- transaction: b\nBEGIN;\nUPDATE w SET n = n + 1;\nSELECT count(*) FROM u;\n"
        "UPDATE t SET v = v + 1 WHERE id = 1;\nCOMMIT;\n"
    )
    footprints = Footprints(text, level)
    runs = []
    with mariadb_place(server, text, level) as place:
        for given in (None, footprints):
            path: list[int] | None = []
            found = []
            while path is not None:
                turns, path = next_path(place, text.calls, path, footprints=given)
                found.append(turns.outcome())
            runs.append(found)
    assert set(runs[0]) - {None} == set(runs[1]) - {None}
    assert len(runs[1]) < len(runs[0])


def test_the_verdict_names_the_default_of_the_database(tmp_path: Path) -> None:
    saved = tmp_path / "x.json"
    done = check(SPEND, tmp_path, "--certificate", str(saved))
    assert done.exit_code == 1
    told = " ".join(done.stdout.split())
    assert "NOT SERIALIZABLE: lost update (2 requests" in told
    assert "MariaDB" in told
    assert "at REPEATABLE READ" in told
    again = CliRunner().invoke(main, ["verify", str(saved), str(tmp_path / "x.sql")])
    assert again.exit_code == 0


def test_without_a_violation_nothing_is_proved(tmp_path: Path) -> None:
    done = check(SPEND.replace("id = 1 \\gset", "id = 1 FOR UPDATE \\gset"), tmp_path)
    assert done.exit_code == 3
    assert "no number of runs is a proof" in " ".join(done.stdout.split())


def test_rows_are_counted_that_are_found(server: MariaServer) -> None:
    """By itself, the server counts rows that change."""
    text = read_text(TABLE + "-- transaction: a\nUPDATE t SET v = 1;\n")
    with mariadb_place(server, text, "repeatable read") as place:
        outcome = run_serially(place, text.calls, [0])
    assert outcome is not None
    assert [answer.count for answer in outcome.answers[0]] == [2]


def test_a_deadlock_starts_one_over_and_is_no_outcome(server: MariaServer) -> None:
    text = read_text(
        TABLE
        + "-- transaction: a\nBEGIN;\nUPDATE t SET v = 2 WHERE id = 1;\nUPDATE t SET v = 2 WHERE id = 2;\n"
        "COMMIT;\n-- transaction: b\nBEGIN;\nUPDATE t SET v = 3 WHERE id = 2;\n"
        "UPDATE t SET v = 3 WHERE id = 1;\nCOMMIT;\n"
    )
    order = iter([0, 1, 0, 1])
    with mariadb_place(server, text, "repeatable read") as place:
        turns = execute(place, text.calls, lambda turns: next(order, turns.can_go_on()[0]))
    assert turns.given_up
    assert turns.outcome() is None


def test_a_slow_statement_is_not_a_blocked_one(server: MariaServer) -> None:
    text = read_text(TABLE + "-- transaction: a\nSELECT sleep(0.2);\n")
    with mariadb_place(server, text, "repeatable read") as place:
        turns = execute(place, text.calls, lambda turns: turns.can_go_on()[0])
    assert not any(event.waited for event in turns.events)


def test_new_numbers_are_told_from_others(server: MariaServer) -> None:
    text = (
        "CREATE TABLE t (id int AUTO_INCREMENT PRIMARY KEY, v int);\nINSERT INTO t (v) VALUES (7);\n"
        "-- transaction: add\nINSERT INTO t (v) VALUES (1);\n"
    )
    with mariadb_place(server, read_text(text), "repeatable read") as place:
        for _ in range(2):
            outcome = run_serially(place, place.text.calls, [0])
            assert outcome is not None
            assert outcome.tables == (("t", (("1", "7"), ("new 0", "1"))),)
    assert explored(server, text).violation is None


def test_procedures_and_triggers_keep_their_bodies(server: MariaServer) -> None:
    text = read_text(
        TABLE + "CREATE TABLE log (n int);\n"
        "CREATE TRIGGER note AFTER UPDATE ON t FOR EACH ROW BEGIN\nINSERT INTO log VALUES (NEW.v); END;\n"
        "CREATE PROCEDURE raise_it(IN k int) BEGIN\nDECLARE c int;\nSELECT v INTO c FROM t WHERE id = k;\n"
        "IF c < 5 THEN UPDATE t SET v = CASE WHEN c = 1 THEN 2 ELSE 3 END WHERE id = k; END IF;\nEND;\n"
        "-- transaction: up\nCALL raise_it(1);\n"
    )
    assert len(text.setup) == 5
    with mariadb_place(server, text, "repeatable read") as place:
        for _ in range(2):
            outcome = run_serially(place, text.calls, [0])
            assert outcome is not None
            assert dict(outcome.tables) == {"log": (("2",),), "t": (("1", "2"), ("2", "1"))}


def test_a_table_that_the_server_refuses_is_an_error_with_its_line(tmp_path: Path) -> None:
    done = check("CREATE TABLE t (a text PRIMARY KEY);\n-- transaction: a\nSELECT 1;\n", tmp_path)
    assert done.exit_code == 2
    assert "x.sql:1" in done.output
    done = check(TABLE + "-- transaction: a\nSELECT w FROM t;\n", tmp_path)
    assert done.exit_code == 2
    assert "Unknown column" in done.output


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1 INTO OUTFILE '/etc/copy'",
        "LOAD DATA INFILE '/etc/passwd' INTO TABLE t",
        "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t",
        "SET GLOBAL max_connections = 1",
        "CREATE USER other",
        "CREATE DATABASE other",
        "SELECT * FROM mysql.user",
        "INSTALL SONAME 'ha_example'",
        "SHUTDOWN",
    ],
)
def test_scripts_have_no_rights_beyond_their_database(server: MariaServer, statement: str) -> None:
    text = read_text(f"CREATE TABLE t (i int);\n-- transaction: a\n{statement};\n")
    with mariadb_place(server, text, "repeatable read") as place:
        outcome = run_serially(place, text.calls, [0])
    assert outcome is not None
    (answer,) = outcome.answers[0]
    assert answer.error in {"1044", "1045", "1142", "1227", "1290", "4166"}, answer


def test_files_are_not_read(server: MariaServer) -> None:
    text = read_text("-- transaction: a\nSELECT load_file('/etc/passwd');\n")
    with mariadb_place(server, text, "repeatable read") as place:
        outcome = run_serially(place, text.calls, [0])
    assert outcome is not None
    assert outcome.answers[0][0].rows == ((None,),)


def test_nothing_of_a_script_stays_on_the_server(server: MariaServer) -> None:
    with mariadb_place(server, read_text(SPEND), "repeatable read") as place:
        run_serially(place, place.text.calls, [0])
    found = server.connect()
    assert found.run("SHOW DATABASES LIKE 'ser\\_%'")[0].rows == ()
    assert found.run("SELECT user FROM mysql.user WHERE user LIKE 'ser\\_%'")[0].rows == ()
    found.close()


def test_a_statement_that_does_not_end_is_given_up(
    server: MariaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seriatim.frontends.sql.live.mariadb.STALLED", 0.2)
    text = read_text("-- transaction: a\nSELECT sleep(30);\n")
    began = monotonic()
    with mariadb_place(server, text, "repeatable read") as place, pytest.raises(Impossible):
        run_serially(place, text.calls, [0])
    assert monotonic() - began < 10


def test_a_named_user_may_only_own_databases_of_scripts(server: MariaServer) -> None:
    control = server.connect()
    control.run("CREATE USER guest@localhost IDENTIFIED BY 'x y'")
    try:
        url = f"mariadb://guest:x%20y@/?socket={server.address.host}"
        named = named_mariadb(url)
        with pytest.raises(NoServer, match="denied"):
            named_mariadb(url.replace("x%20y", "z")).connect()
        control.run("GRANT PROCESS ON *.* TO guest@localhost")
        control.run("GRANT ALL ON `ser\\_%`.* TO guest@localhost")
        with mariadb_place(named, read_text(SPEND), "repeatable read") as place:
            assert explore(place, Deadline(60)).violation is not None
        assert control.run("SHOW DATABASES LIKE 'ser\\_%'")[0].rows == ()
        control.run("GRANT SELECT ON mysql.* TO guest@localhost")
        with pytest.raises(NoServer, match="beyond"), mariadb_place(named, read_text(SPEND), "serializable"):
            pass
    finally:
        control.run("DROP USER guest@localhost")
        control.close()


@pytest.mark.parametrize(
    "grant",
    [
        "GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION",
        "GRANT FILE ON *.* TO `a`@`%`",
        "GRANT SELECT ON `shop`.* TO `a`@`%`",
        "GRANT `admin` TO `a`@`%`",
    ],
)
def test_rights_beyond_are_refused(grant: str) -> None:
    with pytest.raises(NoServer, match="beyond"):
        refuse_rights(["GRANT USAGE ON *.* TO `a`@`%`", grant])


def test_a_private_server_ends_with_its_block() -> None:
    with private_mariadb() as own:
        folder = Path(own.address.host).parent
        assert folder.stat().st_mode & 0o777 == 0o700
        own.connect().close()
    assert not folder.exists()
    with pytest.raises(NoServer):
        own.connect()


def test_a_private_server_ends_with_a_process_that_is_killed() -> None:
    program = (
        "from seriatim.frontends.sql.live.mariadb_server import shared_mariadb\n"
        "print(shared_mariadb().address.host, flush=True)\nimport time\ntime.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        socket = process.stdout.readline().strip()
        assert os.path.exists(socket)
        process.kill()
        process.wait(30)
    until = monotonic() + 30
    while Path(socket).parent.exists() and monotonic() < until:
        sleep(0.05)
    assert not Path(socket).parent.exists()


def test_a_wrong_url_is_named() -> None:
    for url in ("mariadb://me@h/shop", "mariadb://me@h?x=1"):
        with pytest.raises(NoServer, match="not the URL"):
            named_mariadb(url)
    with pytest.raises(NoServer, match="no connection"):
        replace(named_mariadb("mariadb://me@localhost:1")).connect()
