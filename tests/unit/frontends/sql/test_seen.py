"""Files that the model refuses: what the live server shows, and what is never said about it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import seriatim
from seriatim.budget import Deadline
from seriatim.cli.main import main
from seriatim.frontends.sql.engines import place_named
from seriatim.frontends.sql.evaluation import ON_NUMBERS
from seriatim.frontends.sql.exploring import Exploration, depends_on_storage, explore
from seriatim.frontends.sql.live.postgres import PostgresPlace
from seriatim.frontends.sql.live.runs import run_serially
from seriatim.frontends.sql.live.server import NoServer, shared_server
from seriatim.frontends.sql.live.text import read_text
from seriatim.frontends.sql.seen import RUN, translate_seen
from seriatim.frontends.sql.terms import Operator
from seriatim.lsp.tasks import DocumentQuestion, verdict_answer
from seriatim.source import InputError, SourceText
from seriatim.web.answers import answer
from seriatim.web.questions import Room

STOCK = "CREATE TABLE stock (id int PRIMARY KEY, about jsonb);\nINSERT INTO stock VALUES (1, '{\"n\": 1}');\n"
JSON = (
    STOCK + "-- transaction: sell\nBEGIN;\nSELECT (about->>'n')::int AS n FROM stock \\gset\n\\if :n > 0\n"
    "UPDATE stock SET about = jsonb_build_object('n', :n - 1);\n\\endif\nCOMMIT;\n"
)
LOCKED = JSON.replace("FROM stock \\gset", "FROM stock FOR UPDATE \\gset")
TRIGGER = (
    "CREATE TABLE item (id int PRIMARY KEY, n int);\nCREATE TABLE total (n bigint);\n"
    "INSERT INTO total VALUES (0);\n"
    "CREATE FUNCTION add_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN\n"
    "UPDATE total SET n = (SELECT sum(item.n) FROM item); RETURN NULL; END $$;\n"
    "CREATE TRIGGER adding AFTER INSERT ON item FOR EACH ROW EXECUTE FUNCTION add_up();\n"
    "-- transaction: put(i in 1..2)\nINSERT INTO item VALUES (:i, :i);\n"
)
DDL = (
    "CREATE TABLE t (i int);\n-- transaction: migrate\nBEGIN;\n"
    "CREATE TABLE IF NOT EXISTS extra (i int);\nINSERT INTO extra VALUES (1);\nCOMMIT;\n"
)
CHANCE = STOCK + "-- transaction: draw\nDELETE FROM stock WHERE md5(random()::text) < '8';\n"
CLOCK = (
    "CREATE TABLE log (id int PRIMARY KEY, at timestamptz);\n"
    "-- transaction: note\nINSERT INTO log VALUES (1, clock_timestamp()) ON CONFLICT DO NOTHING;\n"
)
QUEUE = (
    "CREATE TABLE job (id int PRIMARY KEY, about jsonb, taken bool NOT NULL DEFAULT false);\n"
    "INSERT INTO job VALUES (1, '{}'), (2, '{}');\n-- transaction: take\nUPDATE job SET taken = true"
    " WHERE id = (SELECT id FROM job WHERE NOT taken LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id;\n"
)


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[None]:
    try:
        shared_server()
        yield
    except NoServer as missing:
        pytest.skip(f"{missing.reason}: {missing.hint}")


def check(text: str, folder: Path, *options: str) -> Result:
    path = folder / "x.sql"
    path.write_text(text, "utf-8")
    return CliRunner().invoke(main, ["check", str(path), *options])


def explored(text: str, level: str = "read-committed") -> Exploration:
    with place_named("", read_text(text), level) as place:
        return explore(place, Deadline(30))


def test_what_the_model_refuses_is_decided_by_runs(tmp_path: Path) -> None:
    saved = tmp_path / "x.json"
    done = check(JSON, tmp_path, "--certificate", str(saved))
    assert done.exit_code == 1
    assert "NOT SERIALIZABLE: lost update (2 requests" in done.stdout
    assert "the type `JSONB` of column `about` is not supported" in " ".join(done.stdout.split())
    again = CliRunner().invoke(main, ["verify", str(saved), str(tmp_path / "x.sql")])
    assert again.exit_code == 0


def test_a_run_of_another_file_is_refused(tmp_path: Path) -> None:
    """The same run, but the file now locks the row: to verify is to repeat it."""
    saved = tmp_path / "x.json"
    assert check(JSON, tmp_path, "--certificate", str(saved)).exit_code == 1
    run = json.loads(saved.read_text("utf-8"))["translation"]["settings"][RUN]
    with pytest.raises(InputError, match="gives what some order gives, too"):
        translate_seen(SourceText("x.sql", LOCKED), {RUN: run})
    (tmp_path / "x.sql").write_text(LOCKED, "utf-8")
    assert CliRunner().invoke(main, ["verify", str(saved), str(tmp_path / "x.sql")]).exit_code in (1, 2)


def test_no_violation_is_never_a_proof(tmp_path: Path) -> None:
    done = check(LOCKED, tmp_path, "--json")
    assert done.exit_code == 3
    found = json.loads(done.stdout)
    assert found["verdict"] == "unknown"
    assert "all interleavings of pairs" in found["reason"]


def test_a_misspelt_name_is_told_by_the_server(tmp_path: Path) -> None:
    done = check(JSON.replace("UPDATE stock", "UPDATE stok"), tmp_path)
    assert done.exit_code == 2
    assert 'relation "stok" does not exist' in done.output
    assert "x.sql:7" in done.output


def test_without_leave_nothing_is_executed(tmp_path: Path) -> None:
    assert check(JSON, tmp_path, "--no-run").exit_code == 2


@pytest.mark.parametrize("text", [TRIGGER, JSON], ids=["trigger", "json"])
def test_exploration_sees_violations(text: str) -> None:
    found = explored(text)
    assert found.violation is not None
    assert not found.doubt


def test_clocks_are_hidden_and_named() -> None:
    found = explored(CLOCK)
    assert found.violation is None
    assert "show no violation" in found.explored
    assert any("clock_timestamp" in each for each in found.notes)


def test_tables_that_requests_create_are_gone_in_the_next_run() -> None:
    """If the first run left its table behind, no later run would race for it."""
    found = explored(DDL)
    assert found.violation is not None
    assert {"23505", "42P07"} & {each.error for given in found.violation.outcome.answers for each in given}


def test_rows_that_come_as_they_lie_make_no_violation(tmp_path: Path) -> None:
    done = check(QUEUE, tmp_path, "--json")
    assert done.exit_code == 3
    keys = [frozenset({"id"})]
    assert depends_on_storage("SELECT v FROM t LIMIT 1", keys)
    assert depends_on_storage("SELECT v FROM t ORDER BY rank LIMIT 1", keys)
    assert not depends_on_storage("SELECT v FROM t ORDER BY rank, id LIMIT 1", keys)
    assert depends_on_storage("SELECT v FROM (SELECT v FROM t LIMIT 1) x ORDER BY id LIMIT 1", keys)


def test_chance_makes_no_violation() -> None:
    found = explored(CHANCE)
    assert found.violation is None or found.doubt
    assert any("random" in each or "different answers" in each for each in found.notes)


def test_the_order_of_rows_counts_where_a_key_gives_it() -> None:
    text = (
        "CREATE TABLE t (name text PRIMARY KEY, rank numeric UNIQUE DEFERRABLE);\n"
        "INSERT INTO t VALUES ('a', 1), ('b', 2);\n"
        "-- transaction: look\nBEGIN;\nSELECT name FROM t ORDER BY rank;\nSELECT name FROM t ORDER BY rank;\n"
        "COMMIT;\n-- transaction: flip\nUPDATE t SET rank = 3 - rank;\n"
    )
    assert explored(text).violation is not None
    assert explored(text.replace("UNIQUE DEFERRABLE", "")).violation is None


def test_a_hidden_cell_still_shows_null() -> None:
    """A time that is masked tells nothing; that it is not NULL tells that the lock is held."""
    text = (
        "CREATE TABLE t (id int PRIMARY KEY, held timestamptz);\nINSERT INTO t VALUES (1, NULL);\n"
        "-- transaction: take\nBEGIN;\nSELECT count(*) AS n FROM t WHERE held IS NULL \\gset\n\\if :n > 0\n"
        "UPDATE t SET held = clock_timestamp();\n\\endif\nSELECT held FROM t;\nCOMMIT;\n"
    )
    found = explored(text)
    assert found.violation is not None
    assert found.violation.orders.hidden


def test_a_statement_by_itself_commits_in_a_step_of_its_own() -> None:
    """What it holds until then makes others wait, or skip."""
    text = QUEUE.replace("NOT taken LIMIT", "NOT taken ORDER BY id LIMIT").replace("(2, '{}')", "(2, 'null')")
    found = explored(text)
    assert found.violation is None
    assert found.clean_up_to == 3
    assert replace(found, notes=()).explored.startswith("all interleavings of pairs (")


def test_numbers_of_sequences_make_no_violation() -> None:
    """Their order is not that of commits, also where each run creates the tables again."""
    text = (
        "CREATE TABLE t (id serial PRIMARY KEY, v int);\n-- transaction: add\nBEGIN;\n"
        "INSERT INTO t (v) VALUES (1) RETURNING id;\nDO $$ BEGIN NULL; END $$;\nCOMMIT;\n"
        "-- transaction: drain\nDELETE FROM t RETURNING v;\n"
    )
    assert explored(text).violation is None


def test_a_call_of_a_function_commits_in_a_step_of_its_own() -> None:
    text = (
        "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\nINSERT INTO t VALUES (1, 1);\n"
        "CREATE FUNCTION take() RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE c int; BEGIN\n"
        "SELECT v INTO c FROM t; IF c > 0 THEN UPDATE t SET v = c - 1; RETURN true; END IF; RETURN false;\n"
        "END $$;\n-- transaction: take\nSELECT take();\n"
    )
    found = explored(text)
    assert found.violation is not None
    assert not found.notes


def test_looking_at_rows_in_the_middle_aborts_nobody() -> None:
    """At SERIALIZABLE, a look by a SERIALIZABLE transaction would be one more conflict."""
    text = (
        "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\nINSERT INTO t VALUES (1, 1), (2, 1);\n"
        "-- transaction: a\nBEGIN;\nSELECT v FROM t WHERE id = 1 \\gset\n"
        "UPDATE t SET v = :v + 1 WHERE id = 2;\nCOMMIT;\n"
    )
    with place_named("", read_text(text), "serializable") as place:
        place.reset()
        assert place.peek() == place.contents()
        assert isinstance(place, PostgresPlace)
        level = place.control.run("SHOW transaction_isolation")[0].rows
    assert level == (("read committed",),)


def test_a_missing_extension_is_named(tmp_path: Path) -> None:
    text = "CREATE EXTENSION no_such_thing;\n" + LOCKED
    done = check(text, tmp_path)
    assert done.exit_code == 3
    assert 'extension "no_such_thing" is not available' in " ".join(done.stdout.split())


def test_rows_behind_policies_are_put_back_and_compared() -> None:
    text = (
        "CREATE TABLE t (id int PRIMARY KEY, who int, n int);\nINSERT INTO t VALUES (1, 1, 0), (2, 2, 0);\n"
        "ALTER TABLE t ENABLE ROW LEVEL SECURITY;\nALTER TABLE t FORCE ROW LEVEL SECURITY;\n"
        "CREATE POLICY p ON t USING (who = current_setting('app.who')::int);\n"
        "-- transaction: bump\nBEGIN;\nSELECT set_config('app.who', '2', true);\n"
        "UPDATE t SET n = n + 1;\nCOMMIT;\n"
    )
    with place_named("", read_text(text), "read-committed") as place:
        for _ in range(2):
            outcome = run_serially(place, place.text.calls, [0])
            assert outcome is not None
            assert outcome.tables == (("t", (("1", "1", "0"), ("2", "2", "1"))),)


SMALL = (
    "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\nINSERT INTO t VALUES (1, 3);\n"
    "-- transaction: double\nSELECT v + v FROM t;\n"
)
READ_TWICE = (
    "-- transaction: look\nBEGIN;\nSELECT v FROM t;\nSELECT v FROM t;\nCOMMIT;\n"
    "-- transaction: change\nUPDATE t SET v = 5 WHERE id = 1;\n"
)


def test_where_the_model_differs_the_server_alone_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here the model adds wrongly."""
    monkeypatch.setitem(ON_NUMBERS, Operator.ADD, lambda one, other: one + other + 1)
    none = check(SMALL, tmp_path, "--json")
    assert none.exit_code == 3
    assert "differ: in line 4" in none.stdout
    assert "show no violation" in none.stdout
    done = check(SMALL + READ_TWICE, tmp_path, "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["anomaly"] == "non-repeatable read"
    assert "alone answers (6) on the server, but (7) in the model" in found["compared"]["difference"]


def test_large_numbers_are_not_taken_for_those_of_sequences() -> None:
    text = (
        "CREATE TABLE t (id int PRIMARY KEY, at numeric NOT NULL);\nINSERT INTO t VALUES (1, 1700000000);\n"
        "-- transaction: look\nBEGIN;\nSELECT at FROM t;\nSELECT at FROM t;\nCOMMIT;\n"
        "-- transaction: tick\nUPDATE t SET at = at + 1;\n"
    )
    assert explored(text).violation is not None


@pytest.mark.parametrize("face", ["api", "editor", "page"])
def test_every_face_runs_what_the_model_refuses_if_it_may(face: str) -> None:
    match face:
        case "api":
            assert isinstance(seriatim.check(JSON, name="a.sql", run=True), seriatim.NotSerializable)
            with pytest.raises(seriatim.BadInput):
                seriatim.check(JSON, name="a.sql")
        case "editor":
            asked = DocumentQuestion("a.sql", JSON, "serializable", {}, 60, replay=True)
            assert '"not_serializable"' in verdict_answer(asked)
            assert "JSONB" in verdict_answer(replace(asked, replay=False))
        case _:
            told: dict[str, object] = {"name": "a.sql", "text": JSON, "run": True}
            found = answer("check", told, Room(60, max_memory=None, may_run=True))
            assert found["verdict"] == "not_serializable"
