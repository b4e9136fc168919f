"""What the promises of SQLite and InnoDB cover, and that a verdict rests on them in words."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seriatim.cli.main import main
from seriatim.frontends.sql.engines import MARIADB, SQLITE
from seriatim.frontends.sql.live.text import read_text
from seriatim.frontends.sql.promised import NotPromised, accept

ROWS = "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\nINSERT INTO t VALUES (1, 0);\n"
ADD = "SELECT v FROM t WHERE id = 1 \\gset\nUPDATE t SET v = :v + 1 WHERE id = 1;\n"
BOTH = (SQLITE, MARIADB)


def script(body: str, setup: str = ROWS) -> str:
    return f"{setup}-- transaction: a\n{body}"


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    "body",
    [
        f"BEGIN;\n{ADD}COMMIT;\n",
        f"BEGIN;\n{ADD}ROLLBACK;\n",
        f"START TRANSACTION;\n{ADD}",
        "UPDATE t SET v = v + 1;\n",
        "WITH x (v) AS (SELECT v FROM t) SELECT max(v) FROM x;\n",
        "INSERT INTO t SELECT id + 1, count(*) OVER (PARTITION BY v) FROM t;\n",
        "BEGIN;\nSELECT v FROM t \\gset\n\\if :v > 0\nDELETE FROM t;\nCOMMIT;\n\\else\nROLLBACK;\n\\endif\n",
    ],
)
def test_one_transaction_about_own_tables_is_covered(kind: str, body: str) -> None:
    accept(read_text(script(body)), kind, "serializable")


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        (ADD, BOTH),
        (f"BEGIN;\n{ADD}COMMIT;\n{ADD}", BOTH),
        (f"BEGIN;\n{ADD}COMMIT;\nBEGIN;\n{ADD}COMMIT;\n", BOTH),
        ("\\if true\nBEGIN;\n\\endif\n" + ADD, BOTH),
        ("UPDATE t SET v = random();\n", BOTH),
        ('UPDATE t SET v = "random"();\n', BOTH),
        ("UPDATE t SET v = random /* */ ();\n", BOTH),
        ("UPDATE t SET v = CURRENT_TIMESTAMP;\n", BOTH),
        ("SELECT name FROM sqlite_schema;\n", BOTH),
        ("SELECT v FROM t, information_schema.tables;\n", BOTH),
        ("PRAGMA user_version = 1;\n", BOTH),
        ("CREATE TABLE u (i int);\n", BOTH),
        ("\\set x sqlite_version()\nUPDATE t SET v = :x;\n", BOTH),
        ("BEGIN;\nSAVEPOINT s;\nDELETE FROM t;\nROLLBACK TO s;\nCOMMIT;\n", (MARIADB,)),
        ("SELECT v FROM t FOR UPDATE SKIP LOCKED;\n", (MARIADB,)),
        ("INSERT IGNORE INTO t VALUES (1, 1);\n", (MARIADB,)),
        ("SELECT GET_LOCK('a', 1);\n", BOTH),
        ("SELECT @x := v FROM t;\n", BOTH),
        ("BEGIN;\nSET TRANSACTION ISOLATION LEVEL READ COMMITTED;\nDELETE FROM t;\nCOMMIT;\n", BOTH),
        ("BEGIN ISOLATION LEVEL READ COMMITTED;\nDELETE FROM t;\nCOMMIT;\n", (MARIADB,)),
        ("START TRANSACTION READ ONLY;\nSELECT v FROM t;\nCOMMIT;\n", BOTH),
        ("LOCK TABLES t WRITE;\n", BOTH),
    ],
)
def test_what_is_beyond_the_promise_is_not_covered(body: str, kinds: tuple[str, ...]) -> None:
    for kind in kinds:
        with pytest.raises(NotPromised):
            accept(read_text(script(body)), kind, "serializable")


@pytest.mark.parametrize(
    "setup",
    [
        "CREATE TABLE t (id int, v int) ENGINE=MyISAM;\n",
        "CREATE TEMPORARY TABLE t (id int, v int);\n",
        "CREATE TABLE t (id int AUTO_INCREMENT PRIMARY KEY, v int);\n",
        "CREATE TABLE t (id int, v timestamp DEFAULT CURRENT_TIMESTAMP);\n",
        "CREATE TABLE t (id int, v text DEFAULT (uuid()));\n",
        ROWS + "CREATE VIEW x AS SELECT v FROM t;\n",
        ROWS + "CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW DELETE FROM t;\n",
        ROWS + "SET GLOBAL max_connections = 1;\n",
    ],
)
def test_other_tables_are_not_covered(setup: str) -> None:
    with pytest.raises(NotPromised):
        accept(read_text(script("SELECT v FROM t;\n", setup)), MARIADB, "serializable")


def test_weaker_levels_of_innodb_promise_nothing() -> None:
    with pytest.raises(NotPromised, match="only SERIALIZABLE"):
        accept(read_text(script(f"BEGIN;\n{ADD}COMMIT;\n")), MARIADB, "repeatable read")
    begin = "BEGIN ISOLATION LEVEL SERIALIZABLE;\n"
    accept(read_text(script(f"{begin}{ADD}COMMIT;\n")), MARIADB, "repeatable read")


def check(tmp_path: Path, text: str, *options: str) -> Result:
    path = tmp_path / "x.sql"
    path.write_text(text)
    return CliRunner().invoke(main, ["check", str(path), "--engine", "sqlite", *options])


def test_a_verdict_about_sqlite_rests_on_its_promise(tmp_path: Path) -> None:
    saved = tmp_path / "c.json"
    found = check(tmp_path, script(f"BEGIN;\n{ADD}COMMIT;\n"), "--certificate", str(saved))
    assert found.exit_code == 0, found.output
    words = " ".join(found.output.split())
    assert "SQLite promises to run these transactions as if one at a time: not proved here" in words
    assert "all interleavings of pairs" in words
    again = CliRunner().invoke(main, ["verify", str(saved), str(tmp_path / "x.sql")])
    assert again.exit_code == 0, again.output
    assert "Compared with SQLite" in again.output


def test_what_sqlite_cannot_execute_has_no_verdict(tmp_path: Path) -> None:
    found = check(tmp_path, script("BEGIN;\nSELECT v FROM t FOR UPDATE;\nCOMMIT;\n"))
    assert found.exit_code in (2, 3)
    assert "syntax error" in " ".join(found.output.split())


def test_a_file_beyond_the_promise_is_run(tmp_path: Path) -> None:
    found = check(tmp_path, script(ADD))
    assert found.exit_code == 1, found.output
    assert "says nothing about this file (line 5: a request of several transactions" in " ".join(
        found.output.split()
    )
