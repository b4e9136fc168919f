"""Files about which the model alone was wrong: none of them gets a wrong verdict, and none a traceback.

Each file has the verdict that PostgreSQL itself supports. The answer may be that verdict, or none: a refusal
that names the line, or the difference from the server.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main
from seriatim.frontends.sql.live.server import NoServer, shared_server

ROWS = "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\nINSERT INTO t VALUES (1, 1), (2, 2);\n"
READ_TWICE = "-- transaction: look\nBEGIN;\n{read}\n{read}\nCOMMIT;\n"
WRITE = "-- transaction: change\nUPDATE t SET v = 3 - v WHERE id = 1;\n"


def read_twice(read: str, before: str = ROWS, write: str = WRITE) -> str:
    return before + READ_TWICE.format(read=read) + write


SEEN_AT_READ_COMMITTED = {
    "names fold to lower case": read_twice(
        "SELECT v FROM T WHERE id = 1;", write=WRITE.replace("t SET", "T SET")
    ),
    "variables fold to lower case": read_twice("SELECT v AS V FROM t WHERE id = 1 \\gset\nSELECT :v;"),
    "columns of a CTE": read_twice("WITH x(id, v) AS (SELECT v, id FROM t) SELECT id FROM x WHERE v = 1;"),
    "GROUP BY a place": read_twice("SELECT v, count(*) FROM t GROUP BY 1;"),
    "the order of rows": (
        "CREATE TABLE t (name text PRIMARY KEY, rank int NOT NULL);\n"
        "INSERT INTO t VALUES ('a', 1), ('b', 2);\n"
        "-- transaction: look\nBEGIN;\nSELECT name FROM t ORDER BY rank;\nSELECT name FROM t ORDER BY rank;\n"
        "COMMIT;\n-- transaction: flip\nUPDATE t SET rank = 3 - rank;\n"
    ),
    "a fraction": read_twice("SELECT v / 2.0 FROM t WHERE id = 1;"),
    "a sum of bigint is numeric": read_twice("SELECT sum(v) / 2 FROM t;", ROWS.replace("v int", "v bigint")),
    "COALESCE is lazy": read_twice("SELECT COALESCE(v, 1 / (v - v)) FROM t WHERE id = 1;"),
    "IN is lazy": read_twice("SELECT v IN (v, 1 / (v - v)) FROM t WHERE id = 1;"),
    "a cast to varchar(1) cuts": read_twice("SELECT v::text::varchar(1) FROM t WHERE id = 1;"),
    "a cast to boolean": read_twice("SELECT 't'::boolean, v FROM t WHERE id = 1;"),
    "IS NOT DISTINCT FROM": read_twice("SELECT v IS NOT DISTINCT FROM 2 FROM t WHERE id = 1;"),
    "NULLIF": read_twice("SELECT NULLIF(v, 2) FROM t WHERE id = 1;"),
    "an alias of INSERT": read_twice("SELECT v FROM t WHERE id = 1;", ROWS)
    + "-- transaction: put once\nINSERT INTO t AS z VALUES (9, 9) ON CONFLICT (id) DO UPDATE SET v = z.v;\n",
    "a correlated subquery": read_twice("SELECT (SELECT max(x.v) FROM t x WHERE x.id = y.id) FROM t y;"),
    "a padded CHAR": read_twice(
        "SELECT v FROM t WHERE id = 1;",
        "CREATE TABLE t (id int PRIMARY KEY, v char(3) NOT NULL);\nINSERT INTO t VALUES (1, 'a');\n",
        "-- transaction: change\nUPDATE t SET v = 'b' WHERE id = 1;\n",
    ),
    "nested BEGIN": read_twice("BEGIN;\nSELECT v FROM t WHERE id = 1;"),
}
"""Files with violations at READ COMMITTED: two reads around a write."""

SINGLE = "-- transaction: a\nUPDATE t SET v = v WHERE id = 1;\n"

FAILING = {
    "ORDER BY 7": ROWS + "-- transaction: a\nSELECT v FROM t ORDER BY 7;\n",
    "ORDER BY 1.5": ROWS + "-- transaction: a\nSELECT v FROM t ORDER BY 1.5;\n",
    "smallint overflows": ROWS.replace("v int", "v smallint")
    + "-- transaction: a\nUPDATE t SET v = 40000 WHERE id = 1;\n",
    "varchar(n) overflows": "CREATE TABLE t (id int PRIMARY KEY, v varchar(1));\n"
    "INSERT INTO t VALUES (1, 'a');\n"
    "-- transaction: a\nUPDATE t SET v = 'abc' WHERE id = 1;\n",
    "int overflows": ROWS + "-- transaction: a\nUPDATE t SET v = 2147483647 + v WHERE id = 1;\n",
    "READ ONLY": ROWS + "-- transaction: a\nBEGIN READ ONLY;\nUPDATE t SET v = 1;\nCOMMIT;\n",
    "SAVEPOINT outside": ROWS + "-- transaction: a\nSAVEPOINT s;\nUPDATE t SET v = 1;\n",
    "LOCK outside": ROWS + "-- transaction: a\nLOCK TABLE t;\nUPDATE t SET v = 1;\n",
    "RELEASE outside": ROWS + "-- transaction: a\nRELEASE s;\n",
    "the plan decides": ROWS + "-- transaction: a\nSELECT 1 FROM t WHERE 1 / (v - 1) > 0 AND id = 7;\n",
    "ON CONFLICT with another key": "CREATE TABLE t (id int PRIMARY KEY, v int UNIQUE);\n"
    "INSERT INTO t VALUES (1, 1);\n-- transaction: a\n"
    "INSERT INTO t VALUES (2, 1) ON CONFLICT (id) DO NOTHING;\n",
    "a self-referencing key": "CREATE TABLE t (id int PRIMARY KEY, v int REFERENCES t);\n"
    "-- transaction: a once\nINSERT INTO t VALUES (1, 2), (2, 1);\n",
    "ids by hand before a serial": "CREATE TABLE t (id serial PRIMARY KEY, v int);\n"
    "INSERT INTO t VALUES (1, 1);\n"
    "-- transaction: a once\nINSERT INTO t (v) VALUES (2);\n",
    "RETURNING with a subquery": ROWS
    + "-- transaction: a\nUPDATE t SET v = v WHERE id = 1 RETURNING (SELECT count(*) FROM t);\n",
    "a date cuts the time": "CREATE TABLE t (id int PRIMARY KEY, v date);\n"
    "INSERT INTO t VALUES (1, '2024-01-01 10:00:00');\n-- transaction: a\nSELECT v FROM t;\n",
}
"""Files whose statements fail, or not, in ways that the model may not know; all of them are serializable."""

BAD_SCHEMA = {
    "first rows break CHECK": "CREATE TABLE t (id int PRIMARY KEY, v int CHECK (v > 5));\n"
    "INSERT INTO t VALUES (1, 1);\n" + SINGLE,
    "first rows break a foreign key": "CREATE TABLE p (id int PRIMARY KEY);\n"
    "CREATE TABLE t (id int PRIMARY KEY, v int REFERENCES p);\nINSERT INTO t VALUES (1, 1);\n" + SINGLE,
    "a division by zero": "CREATE TABLE x AS SELECT 1 / 0 AS v;\n" + ROWS + SINGLE,
    "a missing semicolon": ROWS + "-- transaction: a\nUPDATE t SET v = v\n-- transaction: flip\nSELECT 1;\n",
}
"""Files that PostgreSQL refuses, so that no verdict is right."""


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[None]:
    try:
        shared_server()
        yield
    except NoServer as missing:
        pytest.skip(f"{missing.reason}: {missing.hint}")


def code_of(text: str, folder: Path, level: str = "read-committed") -> int:
    path = folder / "x.sql"
    path.write_text(text, "utf-8")
    done = CliRunner().invoke(main, ["check", str(path), "--isolation", level])
    assert "Traceback" not in done.output
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return done.exit_code


@pytest.mark.parametrize("name", SEEN_AT_READ_COMMITTED)
def test_two_reads_around_a_write_are_never_proved(name: str, tmp_path: Path) -> None:
    assert code_of(SEEN_AT_READ_COMMITTED[name], tmp_path) in (1, 2, 3)


@pytest.mark.parametrize("name", FAILING)
def test_serializable_files_get_no_violation(name: str, tmp_path: Path) -> None:
    assert code_of(FAILING[name], tmp_path) in (0, 2, 3)


@pytest.mark.parametrize("name", BAD_SCHEMA)
def test_files_that_the_server_refuses_get_no_verdict(name: str, tmp_path: Path) -> None:
    assert code_of(BAD_SCHEMA[name], tmp_path) in (2, 3)


def test_a_key_that_another_transaction_inserts_is_an_error_at_serializable(tmp_path: Path) -> None:
    """The second one fails with 23505, not with 40001, although it has looked before."""
    text = (
        "CREATE TABLE t (id int PRIMARY KEY, v int);\nINSERT INTO t VALUES (0, 0);\n"
        "-- transaction: put\nBEGIN;\nSELECT max(v) + 1 AS n FROM t \\gset\n"
        "INSERT INTO t VALUES (:n, :n);\nCOMMIT;\n-- ser: t has at most 3 rows\n-- ser: t.v in 0..3\n"
    )
    assert code_of(text, tmp_path, "serializable") in (1, 2, 3)


def test_lock_modes_are_those_of_the_server(tmp_path: Path) -> None:
    """A reader takes ACCESS SHARE, so SHARE does not stop it; a writer is stopped."""
    text = (
        ROWS + "-- transaction: look\nBEGIN;\nLOCK TABLE t IN SHARE MODE;\nSELECT v FROM t WHERE id = 1;\n"
        "SELECT v FROM t WHERE id = 1;\nCOMMIT;\n" + WRITE
    )
    assert code_of(text, tmp_path) in (0, 3)


def test_a_violation_with_rollback_to_is_told(tmp_path: Path) -> None:
    text = (
        "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL CHECK (v < 3));\n"
        "INSERT INTO t VALUES (0, 0), (1, 1);\n-- transaction: look once\nBEGIN;\n"
        "SELECT sum(v) AS s FROM t \\gset\n\\if :s > 0\nINSERT INTO t VALUES (2, 0);\n\\endif\nCOMMIT;\n"
        "-- transaction: undo once\nBEGIN;\nSAVEPOINT s;\nUPDATE t SET v = 2 - v WHERE id = 1;\n"
        "ROLLBACK TO s;\nUPDATE t SET v = 1 WHERE v = 0;\nCOMMIT;\n"
    )
    assert code_of(text, tmp_path, "repeatable-read") == 1


def test_a_system_that_grows_is_no_mistake_in_the_program(tmp_path: Path) -> None:
    text = (
        "CREATE TABLE coupon (code text PRIMARY KEY, uses int NOT NULL, most int NOT NULL);\n"
        "CREATE TABLE used (code text, who int, UNIQUE (code, who));\n"
        "INSERT INTO coupon VALUES ('X', 0, 1);\n"
        "-- transaction: redeem(w in 1..2)\nBEGIN;\n"
        "SELECT uses < most AS ok FROM coupon WHERE code = 'X' \\gset\n\\if :ok\n"
        "INSERT INTO used VALUES ('X', :w) ON CONFLICT DO NOTHING;\n"
        "UPDATE coupon SET uses = uses + 1 WHERE code = 'X';\n\\endif\nCOMMIT;\n"
    )
    assert code_of(text, tmp_path) == 1
