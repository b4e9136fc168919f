"""SQLite: what is explored there, and what scripts may not do."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seriatim.budget import Deadline
from seriatim.cli.main import main
from seriatim.frontends.sql.exploring import Exploration, explore
from seriatim.frontends.sql.live.places import Impossible
from seriatim.frontends.sql.live.runs import run_serially
from seriatim.frontends.sql.live.sqlite import adapted, sqlite_place
from seriatim.frontends.sql.live.text import read_text

TABLE = "CREATE TABLE c (id INTEGER PRIMARY KEY, n INTEGER NOT NULL);\nINSERT INTO c VALUES (1, 0), (2, 0);\n"
READ_THEN_WRITE = "SELECT n FROM c WHERE id = {0} \\gset\nUPDATE c SET n = :n + 1 WHERE id = {1};\n"
LOST = f"{TABLE}-- transaction: inc\n{READ_THEN_WRITE.format(1, 1)}"
LOCKED = f"{TABLE}-- transaction: inc\nBEGIN;\n{READ_THEN_WRITE.format(1, 1)}COMMIT;\n"
SKEW = (
    f"{TABLE}-- transaction: a\nBEGIN;\n{READ_THEN_WRITE.format(1, 2)}COMMIT;\n"
    f"-- transaction: b\nBEGIN;\n{READ_THEN_WRITE.format(2, 1)}COMMIT;\n"
)


def explored(text: str) -> Exploration:
    with sqlite_place(read_text(text)) as place:
        return explore(place, Deadline(30))


def check(text: str, folder: Path, *options: str) -> Result:
    path = folder / "x.sql"
    path.write_text(text, "utf-8")
    return CliRunner().invoke(main, ["check", str(path), *options])


def test_without_begin_updates_are_lost() -> None:
    assert explored(LOST).violation is not None


@pytest.mark.parametrize("text", [LOCKED, SKEW])
def test_transactions_are_serializable(text: str) -> None:
    """The second writer has an old snapshot: it starts over, and that run is not compared."""
    found = explored(text)
    assert found.violation is None
    assert found.clean_up_to == 3


def test_a_writer_waits_for_another_and_then_goes_on() -> None:
    text = (
        f"{TABLE}-- transaction: put(i in 3..4)\nBEGIN IMMEDIATE;\nINSERT INTO c VALUES (:i, 0);\nCOMMIT;\n"
    )
    found = explored(text)
    assert found.violation is None
    assert found.clean_up_to == 3


def test_rows_come_back_after_each_run() -> None:
    text = (
        "CREATE TABLE p (id INTEGER PRIMARY KEY AUTOINCREMENT, v TEXT);\n"
        "CREATE TABLE log (v TEXT);\nINSERT INTO p (v) VALUES ('a');\n"
        "CREATE TRIGGER t AFTER INSERT ON p BEGIN INSERT INTO log VALUES (new.v); END;\n"
        "-- transaction: put\nINSERT INTO p (v) VALUES ('b') RETURNING id;\n"
    )
    with sqlite_place(read_text(text)) as place:
        first = place.contents()
        for backwards in (False, True):
            outcome = run_serially(place, place.text.calls, [0], backwards=backwards)
            assert outcome is not None
            assert outcome.tables == (("log", (("b",),)), ("p", (("1", "a"), ("new 0", "b"))))
        place.reset()
        assert place.contents() == first


@pytest.mark.parametrize(
    "statement",
    ["ATTACH DATABASE '/etc/other' AS other", "SELECT load_extension('x')", "PRAGMA journal_mode = DELETE"],
)
def test_scripts_stay_in_their_database(statement: str) -> None:
    with sqlite_place(read_text(f"{TABLE}-- transaction: a\n{statement};\n")) as place:
        outcome = run_serially(place, place.text.calls, [0])
        assert outcome is not None
        assert outcome.answers[0][0].error in ("SQLITE_AUTH", "SQLITE_ERROR")
    with (
        pytest.raises(Impossible),
        sqlite_place(read_text(f"{statement};\n-- transaction: a\nSELECT 1;\n")),
    ):
        pass


def test_the_folder_is_gone_afterwards() -> None:
    with sqlite_place(read_text(LOST)) as place:
        run_serially(place, place.text.calls, [0])
        folder = place.path.parent
    assert not folder.exists()


def test_begin_names_no_level() -> None:
    assert adapted("BEGIN ISOLATION LEVEL SERIALIZABLE") == "BEGIN"
    assert adapted("START TRANSACTION READ ONLY") == "BEGIN"
    assert adapted("begin immediate transaction") == "begin immediate"
    assert adapted("SELECT 'BEGIN'") == "SELECT 'BEGIN'"


def test_a_verdict_about_sqlite_is_repeated_there(tmp_path: Path) -> None:
    saved = tmp_path / "x.json"
    done = check(LOST, tmp_path, "--engine", "sqlite", "--certificate", str(saved))
    assert done.exit_code == 1
    assert "lost update" in done.stdout
    assert "Seen on SQLite" in done.stdout
    assert CliRunner().invoke(main, ["verify", str(saved), str(tmp_path / "x.sql")]).exit_code == 0
    assert check(LOCKED, tmp_path, "--engine", "sqlite").exit_code == 0, "by SQLite's promise"


def test_what_sqlite_cannot_read_is_its_own_message(tmp_path: Path) -> None:
    done = check(LOCKED.replace("id = 1 \\gset", "id = 1 FOR UPDATE \\gset"), tmp_path, "--engine", "sqlite")
    assert done.exit_code == 2
    assert 'near "FOR": syntax error' in done.output
    assert "x.sql:5" in done.output


def test_engines_and_levels_stand_side_by_side(tmp_path: Path) -> None:
    page = tmp_path / "x.html"
    text = LOST.replace("INTEGER", "int")
    done = check(text, tmp_path, "--engine", "all", "--json", "--html", str(page))
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    verdicts = {
        (engine, level): result["verdict"]
        for engine, results in found["engines"].items()
        for level, result in results["levels"].items()
    }
    assert verdicts["sqlite", "serializable"] == "not_serializable"
    assert {engine for engine, _ in verdicts} == {"postgresql", "mariadb", "sqlite"}
    assert verdicts["mariadb", "repeatable-read"] in ("not_serializable", "error")  # It may not be installed.
    shown = page.read_text("utf-8")
    assert "No level is known to be enough on sqlite." in shown
    told = check(text, tmp_path, "--engine", "all").stdout
    assert "sqlite      serializable     not serializable (lost update, 2 requests)" in told
