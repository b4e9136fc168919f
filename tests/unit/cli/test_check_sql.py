"""`ser check` on SQL files: verdicts, exit codes, JSON, certificates, levels side by side."""

import json
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from seriatim.cli.main import main
from seriatim.frontends.protocol import ISOLATION_LEVELS, Comparison
from seriatim.frontends.sql import comparing
from seriatim.frontends.sql.live.server import NoServer, Server, named_server, shared_server
from seriatim.frontends.sql.live.wire import PATIENCE, Address
from seriatim.report.result_from_json import result_from_json
from seriatim.report.result_json import result_json
from testkit.samples import deep, deep_cases

EXAMPLES = Path(__file__).parents[3] / "examples" / "sql"


def ser(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments], prog_name="ser")


WEAKEST: dict[str, tuple[str, list[str | None]]] = {
    "bookings": ("serializable", ["phantom", "phantom", None]),
    "bookings_unique": ("read-committed", [None, None, None]),
    "counters": ("repeatable-read", ["lost update", None, None]),
    "double_spending": ("repeatable-read", ["lost update", None, None]),
    "double_spending_locked": ("read-committed", [None, None, None]),
    "inventory": ("read-committed", [None, None, None]),
    "job_queue": ("read-committed", [None, None, None]),
    "on_call": ("serializable", ["write skew", "write skew", None]),
    "report": ("serializable", ["read-only anomaly", "read-only anomaly", None]),
    "usernames": ("serializable", ["phantom", "phantom", None]),
}


def test_every_example_is_listed() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.sql")} == set(WEAKEST)


@deep_cases("job_queue")
@pytest.mark.parametrize("name", WEAKEST)
def test_levels_side_by_side(name: str) -> None:
    found = json.loads(ser("check", EXAMPLES / f"{name}.sql", "--isolation", "all", "--json").stdout)
    weakest, anomalies = WEAKEST[name]
    assert found["weakest"] == weakest
    assert [each.get("anomaly") for each in found["levels"].values()] == anomalies


def test_a_violation_is_told_in_statements_and_reads_back() -> None:
    done = ser("check", EXAMPLES / "double_spending.sql", "--isolation", "read-committed", "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["verdict"] == "not_serializable"
    assert found["anomaly"] == "lost update"
    lines = [line["code"] for turn in found["trace"] for line in turn["lines"]]
    assert lines.count("SELECT coins FROM wallet WHERE id = 1") == 2
    assert "UPDATE wallet SET coins = 2 - 1 WHERE id = 1" in lines
    assert "wallet: (1, 2) becomes (1, 1)" in {
        line["result"] for turn in found["trace"] for line in turn["lines"]
    }
    again = result_json(result_from_json(done.stdout))
    assert again == found
    shipped = Path(result_json.__code__.co_filename).with_name("result.schema.json")
    jsonschema.validate(found, json.loads(shipped.read_text("utf-8")))


def test_text_shows_both_columns_and_the_rows_in_the_end() -> None:
    done = ser("check", EXAMPLES / "on_call.sql", "--isolation", "repeatable-read")
    assert done.exit_code == 1
    assert "NOT SERIALIZABLE: write skew (2 requests" in done.stdout
    assert "request 1: go_home(1)" in done.stdout
    assert "final values: doctor: (1, false) (2, false)" in done.stdout
    assert "the transactions run at REPEATABLE READ" in done.stdout


def test_evidence_is_checked_again(tmp_path: Path) -> None:
    for name, level, code in (("on_call", "repeatable-read", 1), ("double_spending", "repeatable-read", 0)):
        certificate = tmp_path / f"{name}.json"
        options = ("--isolation", level, "--certificate", certificate)
        assert ser("check", EXAMPLES / f"{name}.sql", *options).exit_code == code
        assert ser("verify", certificate, EXAMPLES / f"{name}.sql").exit_code == 0
        assert ser("verify", certificate, EXAMPLES / "inventory.sql").exit_code == 1


def write(folder: Path, text: str, name: str = "x.sql") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


COUNTER = """CREATE TABLE c (n int NOT NULL);
INSERT INTO c VALUES (0);
-- ser: c.n in 0..2
-- transaction: add
BEGIN;
SELECT n FROM c \\gset
UPDATE c SET n = :n + 1;
COMMIT;
"""


def test_transactions_without_a_level_run_at_the_default(tmp_path: Path) -> None:
    done = ser("check", write(tmp_path, COUNTER))
    assert done.exit_code == 1
    assert "at READ COMMITTED" in done.stdout
    assert "whose default is READ COMMITTED" in " ".join(done.stdout.split())
    named = ser("check", write(tmp_path, COUNTER), "--isolation", "read-committed")
    assert "default" not in named.stdout


def test_a_violation_inside_the_scope_comes_before_leaving_it(tmp_path: Path) -> None:
    path = write(tmp_path, COUNTER)
    assert ser("check", path, "--isolation", "read-committed").exit_code == 1
    done = ser("check", path, "--isolation", "repeatable-read")
    assert done.exit_code == 2
    assert "may become 3, which is not in its scope" in done.stderr


def test_what_grows_is_named(tmp_path: Path) -> None:
    done = ser(
        "check",
        write(tmp_path, COUNTER.replace("-- ser: c.n in 0..2\n", "")),
        "--isolation",
        "repeatable-read",
    )
    assert done.exit_code == 3
    told = " ".join(done.stdout.split())
    assert "`c.n` can take more and more values: while it holds 0..7, no violation was found" in told
    assert "hint: to look further, write -- ser: c.n in 0..14" in told
    assert "c.n holds only 0..7: chosen, because the file names no scope" in told


def test_constants_outside_a_scope_are_refused(tmp_path: Path) -> None:
    text = COUNTER.replace("UPDATE c SET n = :n + 1;", "UPDATE c SET n = 1 WHERE n > 50000;")
    done = ser("check", write(tmp_path, text), "--isolation", "read-committed")
    assert done.exit_code == 2
    assert "compared with 50000" in done.stderr


def test_scopes_can_come_from_another_file(tmp_path: Path) -> None:
    path = write(tmp_path, COUNTER.replace("-- ser: c.n in 0..2\n", ""))
    scope = write(tmp_path, "c.n in 0..2\n", "scope.txt")
    assert ser("check", path, "--isolation", "read-committed", "--scope", scope).exit_code == 1
    bad = write(tmp_path, "c.m in 0..2\n", "bad.txt")
    assert "--scope, line 1" in ser("check", path, "--isolation", "read-committed", "--scope", bad).stderr


def test_options_of_sql_are_refused_for_other_files(tmp_path: Path) -> None:
    path = write(tmp_path, "request main { return 1 }\n", "x.ser")
    assert ser("check", path, "--isolation", "serializable").exit_code == 2


def test_fixes_are_proved() -> None:
    done = ser("check", EXAMPLES / "double_spending.sql", "--isolation", "read-committed", "--json")
    assert json.loads(done.stdout)["fixes"] == [
        "add FOR UPDATE to the SELECT in line 8 (proved)",
        "instead of the SELECT in line 8 and the UPDATE in line 10, one statement:"
        " UPDATE wallet SET coins = coins - 1 WHERE id = 1 AND coins > 0 (proved)",
        "run the transactions at REPEATABLE READ (proved)",
        "run the transactions at SERIALIZABLE (by PostgreSQL's promise)",
    ]
    done = ser("check", EXAMPLES / "on_call.sql", "--isolation", "read-committed", "--json")
    assert json.loads(done.stdout)["fixes"] == [
        "run the transactions one at a time: begin each with SELECT pg_advisory_xact_lock(1) (proved)",
        "run the transactions at SERIALIZABLE (by PostgreSQL's promise)",
    ]


def test_other_properties_are_refused() -> None:
    done = ser(
        "check", EXAMPLES / "on_call.sql", "--isolation", "serializable", "--property", "deadlock-free"
    )
    assert done.exit_code == 2
    assert "SER950" in done.stderr


def test_serializable_that_fails_is_taken_for_repeatable_read(tmp_path: Path) -> None:
    text = COUNTER.replace("-- ser: c.n in 0..2\n", "").replace("int NOT NULL", "int NOT NULL CHECK (n < 3)")
    done = ser("check", write(tmp_path, text), "--isolation", "serializable")
    assert done.exit_code == 0
    assert "SERIALIZABLE transactions are treated as REPEATABLE READ" in done.stdout


needs_server = pytest.mark.usefixtures("server")


@needs_server
@pytest.mark.parametrize("around", [("", ""), ("BEGIN;", "COMMIT;")])
def test_no_promise_covers_what_happens_between_two_transactions(
    around: tuple[str, str], tmp_path: Path
) -> None:
    """Each of them is SERIALIZABLE; a request that consists of two of them need not be."""
    begin, commit = around
    look = f"{begin}\nSELECT stock FROM item WHERE id = 1;\n{commit}\n"
    text = (
        "CREATE TABLE item (id int PRIMARY KEY, stock int NOT NULL);\nINSERT INTO item VALUES (1, 2);\n"
        "-- transaction: take\nUPDATE item SET stock = stock - 1 WHERE id = 1 AND stock > 0;\n"
        f"-- transaction: look\n{look}{look}"
    )
    done = ser("check", write(tmp_path, text), "--isolation", "serializable")
    assert done.exit_code == 1, done.output
    assert "answers (2); (1)" in done.stdout
    assert "Confirmed on PostgreSQL" in done.stdout
    once = text.replace(f"{look}{look}", f"BEGIN;\n{look * 2}COMMIT;\n" if not begin else look)
    assert ser("check", write(tmp_path, once), "--isolation", "serializable").exit_code == 0


@deep
@needs_server
def test_no_promise_covers_locks_that_are_seen(tmp_path: Path) -> None:
    """A transaction that skips a locked row comes before the one that locks it, and after it: the row stays
    as it is."""
    text = (
        "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\nINSERT INTO t VALUES (0, 0);\n"
        "-- transaction: take once\nBEGIN;\nSELECT id FROM t WHERE id = 0 FOR UPDATE SKIP LOCKED;\nCOMMIT;\n"
        "-- transaction: touch once\nBEGIN;\nUPDATE t SET v = 0 WHERE id = 0;\nCOMMIT;\n"
    )
    path = write(tmp_path, text)
    done = ser("check", path, "--isolation", "serializable")
    assert done.exit_code == 1, done.output
    assert "Confirmed on PostgreSQL" in done.stdout


OVERTAKEN = (
    "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\nINSERT INTO t VALUES (0, 1), (1, 1);\n"
    "-- transaction: take once\nBEGIN;\n"
    "SELECT id FROM t ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;\nCOMMIT;\n"
    "-- transaction: move once\nBEGIN;\nUPDATE t SET id = 2 WHERE id = 0;\nCOMMIT;\n"
)
"""`take` finds row 0, and before it has the lock, `move` makes it row 2; alone, `take` answers 0 or 1."""


@deep
@needs_server
def test_a_switch_within_a_statement_cannot_be_repeated(tmp_path: Path) -> None:
    path = write(tmp_path, OVERTAKEN)
    done = ser("check", path, "--isolation", "read-committed")
    assert done.exit_code == 1
    assert "answers (2)" in done.stdout
    told = " ".join(done.stdout.split())
    assert "in the middle of the statement in line 5, but a replay can only switch between" in told


def test_a_server_switches_within_a_statement(server: Server) -> None:
    """The statement stops at an advisory lock, after it has found its rows, so that the switch is sure."""
    select = "SELECT id FROM t WHERE pg_advisory_xact_lock_shared(7) IS NOT NULL ORDER BY id LIMIT 1"
    holder = server.connect()
    holder.run("CREATE SCHEMA overtaken; SET search_path TO overtaken")
    holder.run(OVERTAKEN.split("--")[0])
    holder.run("SELECT pg_advisory_lock(7)")
    take = server.connect()
    take.run("SET search_path TO overtaken")
    take.send(f"{select} FOR UPDATE SKIP LOCKED")
    blocked = f"SELECT pg_isolation_test_session_is_blocked({take.pid}, '{{{holder.pid}}}')"
    while holder.run(blocked)[0].rows != (("t",),):
        assert take.poll(0.01) is None
    holder.run("UPDATE t SET id = 2 WHERE id = 0")
    holder.run("SELECT pg_advisory_unlock(7)")
    replies = take.poll(PATIENCE)
    assert replies is not None
    assert [reply.rows for reply in replies] == [(("2",),)]
    take.close()
    holder.run("DROP SCHEMA overtaken CASCADE")
    holder.close()


@pytest.mark.parametrize("level", ["read-committed", "repeatable-read"])
def test_what_runs_once_adds_one_row(level: str, tmp_path: Path) -> None:
    """Between its statements it holds no lock, and still it cannot be there twice."""
    text = (
        "CREATE TABLE log (n int);\nCREATE TABLE t (id int PRIMARY KEY, v int);\n"
        "INSERT INTO t VALUES (1, 0);\n-- transaction: note once\n"
        "BEGIN;\nSELECT v FROM t;\nINSERT INTO log VALUES (1);\nCOMMIT;\n"
        "-- transaction: twice once\nSELECT v FROM t;\nINSERT INTO log VALUES (1);\n"
    )
    done = ser("check", write(tmp_path, text), "--isolation", level, "--json")
    assert done.exit_code == 0, done.output


def test_a_spec_of_the_isolation_tester_is_read(tmp_path: Path) -> None:
    spec = """# Two who write skew.
setup { CREATE TABLE a (i int PRIMARY KEY, v int); INSERT INTO a VALUES (1, 0), (2, 0); }
teardown { DROP TABLE a; }
session "s1"
setup { BEGIN ISOLATION LEVEL REPEATABLE READ; }
step "r1" { SELECT sum(v) FROM a; }
step "w1" { UPDATE a SET v = 1 WHERE i = 1; }
step "c1" { COMMIT; }
session s2
setup { BEGIN ISOLATION LEVEL REPEATABLE READ; }
step r2 { SELECT sum(v) FROM a; }
step w2 { UPDATE a SET v = 1 WHERE i = 2; }
step c2 { COMMIT; }
permutation r1 r2 w1 w2 c1 c2
"""
    done = ser("check", write(tmp_path, spec, "skew.spec"))
    assert done.exit_code == 1, done.output
    assert "write skew" in done.stdout


def test_a_session_of_a_spec_goes_on_after_an_error(tmp_path: Path) -> None:
    """Its next statement shows what the other session has done; a client of a script has stopped by then."""
    spec = """setup { CREATE TABLE a (i int PRIMARY KEY); CREATE TABLE b (i int); }
session s1
setup { BEGIN ISOLATION LEVEL READ COMMITTED; }
step w1 { INSERT INTO a VALUES (1); }
step c1 { COMMIT; }
session s2
setup { BEGIN ISOLATION LEVEL READ COMMITTED; }
step w2 { INSERT INTO a VALUES (1); }
step c2 { COMMIT; }
step b2 { BEGIN ISOLATION LEVEL READ COMMITTED; INSERT INTO b VALUES (2); COMMIT; }
"""
    certificate = tmp_path / "proof.json"
    done = ser("check", write(tmp_path, spec, "on.spec"), "--certificate", certificate)
    assert done.exit_code == 0, done.output
    assert "23505; 1 row" in certificate.read_text("utf-8")


def test_a_folder_stands_for_no_specs(tmp_path: Path) -> None:
    write(tmp_path, "request main { return 1 }\n", "x.ser")
    write(tmp_path, "request main { return 1 }\n", "x.spec")
    done = ser("check", tmp_path, "--quiet")
    assert done.exit_code == 0, done.output


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A private server for several checks; where there is none, these tests are skipped."""
    try:
        yield shared_server()
    except NoServer as missing:
        pytest.skip(f"{missing.reason}: {missing.hint}")


REFUTED = [
    (name, level)
    for name, (_, anomalies) in WEAKEST.items()
    for level, anomaly in zip(ISOLATION_LEVELS, anomalies, strict=True)
    if anomaly is not None
]


@deep
@pytest.mark.parametrize(("name", "level"), REFUTED)
@needs_server
def test_every_violation_of_an_example_is_confirmed_on_a_live_server(name: str, level: str) -> None:
    options = ("--isolation", level, "--json")
    found = json.loads(ser("check", EXAMPLES / f"{name}.sql", *options).stdout)
    assert found["verdict"] == "not_serializable"
    assert found["replayed"]["confirmed"]
    assert "Confirmed on PostgreSQL" in found["replayed"]["sentence"]


def test_a_server_that_is_not_there_is_no_confirmation() -> None:
    url = "postgresql://nobody@localhost:1/none"
    done = ser("check", EXAMPLES / "on_call.sql", "--isolation", "repeatable-read", "--engine", url)
    assert done.exit_code == 1
    assert "Not confirmed: no connection" in done.stdout
    assert "Not compared with a server: no connection" in done.stdout


def test_a_url_may_name_the_folder_of_a_socket() -> None:
    found = named_server("postgresql://me@/shop?host=/run/postgresql").address
    assert found == Address("/run/postgresql", 5432, "me", "shop")
    with pytest.raises(NoServer, match="sslmode"):
        named_server("postgresql://me@localhost/shop?sslmode=require")


def test_a_transaction_without_its_comment_is_told_how_to_begin(tmp_path: Path) -> None:
    path = tmp_path / "seats.sql"
    path.write_text("CREATE TABLE t (id int PRIMARY KEY);\n\n-- transaction get\nBEGIN;\nCOMMIT;\n")
    result = CliRunner().invoke(main, ["check", str(path)])
    assert result.exit_code == 2
    assert "-- transaction: NAME" in result.output


def test_a_log_gives_transactions(tmp_path: Path) -> None:
    tables = write(
        tmp_path, "CREATE TABLE w (id int PRIMARY KEY, n int);\nINSERT INTO w VALUES (1, 2);\n", "t.sql"
    )
    lead = "2024-05-01 12:00:00,123 INFO sqlalchemy.engine.Engine "
    lines = [
        "BEGIN (implicit)",
        "SELECT w.n FROM w WHERE w.id = %(a)s",
        "[generated in 0.1s] {'a': 1}",
        "UPDATE w SET n=%(n)s WHERE w.id = %(a)s",
        "[generated in 0.1s] {'n': 1, 'a': 1}",
        "COMMIT",
    ]
    log = write(tmp_path, "".join(f"{lead}{line}\n" for line in lines), "app.log")
    done = ser("check", tables, "--from-log", log, "--isolation", "read-committed")
    assert done.exit_code == 1
    assert "lost update" in done.stdout
    assert "each value in the log is taken as an argument" in done.stdout
    assert ser("check", tables, "--from-log", log, "--isolation", "repeatable-read").exit_code == 0
    assert (
        "no transactions" in ser("check", tables, "--from-log", tables, "--isolation", "serializable").stderr
    )


def test_aborts_are_answered_on_demand(tmp_path: Path) -> None:
    text = (
        "CREATE TABLE f (id int PRIMARY KEY, v int NOT NULL);\nINSERT INTO f VALUES (0, 0), (1, 0);\n"
        "-- transaction: up\nBEGIN;\nUPDATE f SET v = 1 WHERE id = 0;\n"
        "UPDATE f SET v = 1 WHERE id = 1;\nCOMMIT;\n"
        "-- transaction: down\nBEGIN;\nUPDATE f SET v = 1 WHERE id = 1;\n"
        "UPDATE f SET v = 1 WHERE id = 0;\nCOMMIT;\n"
    )
    path = write(tmp_path, text, "cross.sql")
    done = ser("check", path, "--isolation", "read-committed")
    assert done.exit_code == 0
    assert "deadlock, which can happen: `up` in line 6 and `down` in line 11" in " ".join(done.stdout.split())
    answered = ser("check", path, "--isolation", "read-committed", "--on-abort", "answer")
    assert answered.exit_code == 0
    assert "aborts answers with the error" in " ".join(answered.stdout.split())


def test_many_first_rows_are_not_growth(tmp_path: Path) -> None:
    text = (
        "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\n"
        "INSERT INTO t SELECT g, 0 FROM generate_series(1, 50) g;\n"
        "-- transaction: go\nBEGIN;\nSELECT v FROM t WHERE id = 1 \\gset\n"
        "UPDATE t SET v = 1 - :v WHERE id = 1;\nCOMMIT;\n"
    )
    done = ser("check", write(tmp_path, text, "many.sql"), "--isolation", "read-committed", "--quiet")
    assert "lost update" in done.stdout


def test_a_certificate_says_what_was_compared_and_that_is_repeated(tmp_path: Path) -> None:
    saved = tmp_path / "x.json"
    path = EXAMPLES / "on_call.sql"
    assert ser("check", path, "--isolation", "read-committed", "--certificate", saved).exit_code == 1
    recorded = json.loads(saved.read_text("utf-8"))["translation"]["settings"]["compared"]
    assert "runs of two, no difference" in recorded
    again = ser("verify", saved, path)
    assert again.exit_code == 0
    assert recorded in again.stdout
    assert json.loads(ser("verify", saved, path, "--json").stdout)["compared"] == recorded


def test_a_certificate_about_a_model_that_differs_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = tmp_path / "x.json"
    path = EXAMPLES / "on_call.sql"
    assert ser("check", path, "--isolation", "read-committed", "--certificate", saved).exit_code == 1
    differs = Comparison("PostgreSQL 99", "", "line 1 answers otherwise")
    monkeypatch.setattr(comparing, "compare", lambda *_: differs)
    done = ser("verify", saved, path)
    assert done.exit_code == 3
    assert "The model and PostgreSQL 99 differ: line 1 answers otherwise" in done.stdout
