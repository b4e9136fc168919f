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


LOOK_TWICE = "-- transaction: look once\nBEGIN;\nSELECT v FROM t;\nSELECT v FROM t;\nCOMMIT;\n"
RANKS = "INSERT INTO t VALUES ('a', 1), ('b', 2);\n"
FLIP = (
    "-- transaction: look\nBEGIN;\n{read}\n{read}\nCOMMIT;\n"
    "-- transaction: flip\nUPDATE t SET rank = 3 - rank;\n"
)
OF_A = "SELECT rank FROM t WHERE name = 'a';"
LOCKED = "-- transaction: look\nBEGIN;\nLOCK TABLE {table} IN {mode} MODE;\n{read}\n{read}\nCOMMIT;\n"
PARENTS = "CREATE TABLE p (id int PRIMARY KEY);\nINSERT INTO p VALUES (1);\n"
CHILDREN = PARENTS + "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p);\n"
ADD_CHILD = "-- transaction: add once\nINSERT INTO c VALUES (1, 1);\n"
COUNT = "SELECT count(*) FROM c;"
ONE = "SELECT v FROM t WHERE id = 1;"

VIOLATED_AT_READ_COMMITTED = {
    "unquoted names fold": read_twice("SELECT v FROM T WHERE id = 1;", write=WRITE.replace("t SET", "T SET")),
    "variables fold": read_twice("SELECT v AS V FROM t WHERE id = 1 \\gset\nSELECT :v;"),
    "quoted names of variables stay": read_twice('SELECT v AS "V" FROM t WHERE id = 1 \\gset\nSELECT :V;'),
    "columns of a CTE": read_twice("WITH x(id, v) AS (SELECT v, id FROM t) SELECT id FROM x WHERE v = 1;"),
    "GROUP BY a place": read_twice("SELECT v, count(*) FROM t GROUP BY 1;"),
    "the order of rows": "CREATE TABLE t (name text PRIMARY KEY, rank int NOT NULL);\n"
    + RANKS
    + FLIP.format(read="SELECT name FROM t ORDER BY rank;"),
    "a fraction": read_twice("SELECT v / 2.0 FROM t WHERE id = 1;"),
    "a sum of bigint is numeric": read_twice("SELECT sum(v) / 2 FROM t;", ROWS.replace("v int", "v bigint")),
    "COALESCE is lazy": read_twice("SELECT COALESCE(v, 1 / (v - v)) FROM t WHERE id = 1;"),
    "a cast to varchar(n) cuts": read_twice("SELECT 'abc'::varchar(2), v FROM t WHERE id = 1;"),
    "a cast to boolean": read_twice("SELECT 't'::boolean, v FROM t WHERE id = 1;"),
    "IS NOT DISTINCT FROM": read_twice("SELECT v IS NOT DISTINCT FROM 2 FROM t WHERE id = 1;"),
    "IS NOT DISTINCT FROM between types": read_twice(
        "SELECT v IS NOT DISTINCT FROM '2' FROM t WHERE id = 1;"
    ),
    "NULLIF": read_twice("SELECT NULLIF(v, 2) FROM t WHERE id = 1;"),
    "NULLIF between types": read_twice("SELECT NULLIF(v, '2') FROM t WHERE id = 1;"),
    "a padded CHAR": read_twice(
        "SELECT count(*) FROM t WHERE v = 'a ';",
        "CREATE TABLE t (id int PRIMARY KEY, v char(3) NOT NULL);\nINSERT INTO t VALUES (1, 'a');\n",
        "-- transaction: change once\nUPDATE t SET v = 'b' WHERE id = 1;\n",
    ),
    "a DATE cuts the time": read_twice(
        "SELECT count(*) FROM t WHERE v = '2024-01-01';",
        "CREATE TABLE t (id int PRIMARY KEY, v date);\nINSERT INTO t VALUES (1, '2024-01-02');\n",
        "-- transaction: change once\nUPDATE t SET v = '2024-01-01 10:00:00' WHERE id = 1;\n",
    ),
    "an alias of INSERT": ROWS
    + "-- transaction: put once\nINSERT INTO t AS z VALUES (1, 9) ON CONFLICT (id) "
    "DO UPDATE SET v = z.v + 1;\n" + LOOK_TWICE,
    "a correlated subquery": read_twice("SELECT (SELECT max(x.v) FROM t x WHERE x.id = y.id) FROM t y;"),
    "a correlated subquery in HAVING": read_twice(
        "SELECT id FROM t y GROUP BY id HAVING (SELECT max(x.v) FROM t x WHERE x.id = y.id) > 1;"
    ),
    "a correlated subquery in SET": read_twice(
        ONE,
        write="-- transaction: change once\n"
        "UPDATE t y SET v = (SELECT 3 - x.v FROM t x WHERE x.id = y.id) WHERE id = 1;\n",
    ),
    "nested BEGIN": read_twice("BEGIN;\nSELECT v FROM t WHERE id = 1;"),
    "the last level counts": read_twice(ONE).replace(
        "BEGIN;", "BEGIN ISOLATION LEVEL REPEATABLE READ;\nSET TRANSACTION ISOLATION LEVEL READ COMMITTED;"
    ),
    "the last of two levels counts": read_twice(ONE).replace(
        "BEGIN;", "BEGIN ISOLATION LEVEL REPEATABLE READ, ISOLATION LEVEL READ COMMITTED;"
    ),
    "ROW EXCLUSIVE stops no writer": ROWS + LOCKED.format(table="t", mode="ROW EXCLUSIVE", read=ONE) + WRITE,
    "a writer takes ACCESS SHARE on what it reads": ROWS
    + "CREATE TABLE u (id int PRIMARY KEY, w int);\nINSERT INTO u VALUES (1, 1);\n"
    + LOCKED.format(table="u", mode="EXCLUSIVE", read=ONE)
    + WRITE.replace("= 1;", "= (SELECT w FROM u WHERE id = 1);"),
    "a check of a foreign key takes ROW SHARE": CHILDREN
    + LOCKED.format(table="p", mode="SHARE", read=COUNT)
    + ADD_CHILD,
    "DROP … CASCADE": "CREATE TABLE p (id int PRIMARY KEY);\n"
    "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p);\nDROP TABLE p CASCADE;\n"
    + ADD_CHILD
    + f"-- transaction: look once\nBEGIN;\n{COUNT}\n{COUNT}\nCOMMIT;\n",
    "CREATE UNIQUE INDEX IF NOT EXISTS": "CREATE TABLE t (id int PRIMARY KEY, v int);\n"
    "CREATE INDEX i ON t (v);\nCREATE UNIQUE INDEX IF NOT EXISTS i ON t (v);\nINSERT INTO t VALUES (1, 1);\n"
    "-- transaction: add once\nINSERT INTO t VALUES (2, 1);\n" + LOOK_TWICE,
    **{
        f"a DEFERRABLE key, spelling {number}": f"CREATE TABLE t (name text PRIMARY KEY, {declared});\n{more}"
        + RANKS
        + FLIP.format(read=OF_A)
        for number, (declared, more) in enumerate(
            [
                ("rank int UNIQUE DEFERRABLE INITIALLY DEFERRED", ""),
                ("rank int, UNIQUE (rank) DEFERRABLE", ""),
                ("rank int, CONSTRAINT u UNIQUE (rank) DEFERRABLE INITIALLY IMMEDIATE", ""),
                ("rank int", "ALTER TABLE t ADD UNIQUE (rank) DEFERRABLE;\n"),
            ]
        )
    },
    "a DEFERRABLE foreign key": PARENTS.replace("INSERT INTO p VALUES (1);\n", "")
    + "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p DEFERRABLE INITIALLY DEFERRED);\n"
    "-- transaction: add once\nBEGIN;\nINSERT INTO c VALUES (1, 1);\nINSERT INTO p VALUES (1);\nCOMMIT;\n"
    f"-- transaction: look once\nBEGIN;\n{COUNT}\n{COUNT}\nCOMMIT;\n",
    "a self-referencing key": "CREATE TABLE t (id int PRIMARY KEY, v int REFERENCES t);\n"
    "-- transaction: add once\nINSERT INTO t VALUES (1, 2), (2, 1);\n" + LOOK_TWICE,
    "first rows that refer to themselves": "CREATE TABLE t (id int PRIMARY KEY, v int REFERENCES t);\n"
    "INSERT INTO t VALUES (1, 2), (2, 1);\n-- transaction: clear once\nDELETE FROM t;\n" + LOOK_TWICE,
    "a script without BEGIN": ROWS
    + "-- transaction: change\nSELECT v FROM t WHERE id = 1 \\gset\nUPDATE t SET v = 3 - :v WHERE id = 1;\n",
}
"""Files of which the server shows that they are not serializable at READ COMMITTED."""

SINGLE = "-- transaction: a\nUPDATE t SET v = v WHERE id = 1;\n"

WITHOUT_VIOLATION = {
    "a quoted name does not fold": read_twice(
        'SELECT v FROM "T" WHERE id = 1;',
        ROWS + 'CREATE TABLE "T" (id int PRIMARY KEY, v int NOT NULL);\nINSERT INTO "T" VALUES (1, 1);\n',
    ),
    "IN is lazy": read_twice("SELECT v IN (v, 1 / (v - v)) FROM t WHERE id = 1;"),
    "SHARE stops a writer": ROWS + LOCKED.format(table="t", mode="SHARE", read=ONE) + WRITE,
    "EXCLUSIVE stops a check of a foreign key": CHILDREN
    + LOCKED.format(table="p", mode="EXCLUSIVE", read=COUNT)
    + ADD_CHILD,
    "smallint overflows": ROWS.replace("v int", "v smallint")
    + "-- transaction: a\nUPDATE t SET v = 40000 WHERE id = 1;\n",
    "a sum of smallint overflows": ROWS.replace("v int", "v smallint")
    + "-- transaction: a\nUPDATE t SET v = v + 20000 WHERE id = 1 AND v < 30000;\n",
    "varchar(n) overflows": "CREATE TABLE t (id int PRIMARY KEY, v varchar(1));\n"
    "INSERT INTO t VALUES (1, 'a');\n-- transaction: a\nUPDATE t SET v = 'abc' WHERE id = 1;\n",
    "varchar(n) cuts blanks": "CREATE TABLE t (id int PRIMARY KEY, v varchar(1));\n"
    "INSERT INTO t VALUES (1, 'a');\n-- transaction: a\nUPDATE t SET v = 'b  ' WHERE id = 1;\n",
    "int overflows": ROWS + "-- transaction: a\nUPDATE t SET v = 2147483647 + v WHERE id = 1;\n",
    "READ ONLY": ROWS + "-- transaction: a\nBEGIN READ ONLY;\nUPDATE t SET v = 1;\nCOMMIT;\n" + LOOK_TWICE,
    "SET TRANSACTION READ ONLY": ROWS
    + "-- transaction: a\nBEGIN;\nSET TRANSACTION READ ONLY;\nUPDATE t SET v = 3;\nCOMMIT;\n"
    + LOOK_TWICE,
    "SAVEPOINT outside": ROWS + "-- transaction: a\nSAVEPOINT s;\nUPDATE t SET v = 1;\n" + LOOK_TWICE,
    "LOCK outside": ROWS + "-- transaction: a\nLOCK TABLE t;\nUPDATE t SET v = 1;\n" + LOOK_TWICE,
    "RELEASE outside": ROWS + "-- transaction: a\nRELEASE s;\nUPDATE t SET v = 1;\n" + LOOK_TWICE,
    "the plan decides": ROWS + "-- transaction: a\nSELECT 1 FROM t WHERE 1 / (v - 1) > 0 AND id = 7;\n",
    "ON CONFLICT with another key": "CREATE TABLE t (id int PRIMARY KEY, v int UNIQUE);\n"
    "INSERT INTO t VALUES (1, 1);\n-- transaction: a\n"
    "INSERT INTO t VALUES (2, 1) ON CONFLICT (id) DO NOTHING;\n",
    "ON CONFLICT with another key in flight": "CREATE TABLE t (id int PRIMARY KEY, v int UNIQUE);\n"
    + "".join(
        f"-- transaction: t{n} once\nINSERT INTO t VALUES ({n}, 1) ON CONFLICT (id) DO NOTHING;\n"
        for n in range(2)
    ),
    "DROP INDEX": "CREATE TABLE t (id int, v int);\nCREATE UNIQUE INDEX i ON t (id);\nDROP INDEX i;\n"
    "INSERT INTO t VALUES (1, 1);\n-- transaction: a once\nINSERT INTO t VALUES (1, 1);\n",
    "ids by hand before a serial": "CREATE TABLE t (id serial PRIMARY KEY, v int);\n"
    "INSERT INTO t VALUES (1, 1);\n-- transaction: a once\nINSERT INTO t (v) VALUES (2);\n",
    "RETURNING with a subquery": ROWS
    + "-- transaction: a\nUPDATE t SET v = v WHERE id = 1 RETURNING (SELECT count(*) FROM t);\n",
    "a first row with a date cuts the time": "CREATE TABLE t (id int PRIMARY KEY, v date);\n"
    "INSERT INTO t VALUES (1, '2024-01-01 10:00:00');\n-- transaction: a\nSELECT v FROM t;\n",
    "the last level counts": read_twice(ONE).replace(
        "BEGIN;",
        "BEGIN ISOLATION LEVEL READ COMMITTED;\nSET TRANSACTION ISOLATION LEVEL SERIALIZABLE;\n"
        "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;",
    ),
}
"""Files of which the server shows no violation: they are serializable, or the answer is open."""

REFUSED_BY_THE_SERVER = {
    "ORDER BY 7": ROWS + "-- transaction: a\nSELECT v FROM t ORDER BY 7;\n",
    "ORDER BY 1.5": ROWS + "-- transaction: a\nSELECT v FROM t ORDER BY 1.5;\n",
    "first rows break CHECK": "CREATE TABLE t (id int PRIMARY KEY, v int CHECK (v > 5));\n"
    "INSERT INTO t VALUES (1, 1);\n" + SINGLE,
    "first rows break a foreign key": "CREATE TABLE p (id int PRIMARY KEY);\n"
    "CREATE TABLE t (id int PRIMARY KEY, v int REFERENCES p);\nINSERT INTO t VALUES (1, 1);\n" + SINGLE,
    "a first row overflows": "CREATE TABLE t (id int PRIMARY KEY, v varchar(1));\n"
    "INSERT INTO t VALUES (1, 'abc');\n" + SINGLE,
    "a division by zero": "CREATE TABLE x AS SELECT 1 / 0 AS v;\n" + ROWS + SINGLE,
    "a missing semicolon": ROWS + "-- transaction: a\nUPDATE t SET v = v\n-- transaction: flip\nSELECT 1;\n",
    "a semicolon on the next line": ROWS
    + "-- transaction: a\nUPDATE t SET v = v\n-- transaction: flip\n;\nSELECT 1;\n",
}
"""Files that PostgreSQL or the reader refuses: the answer is an error with its line."""


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


@pytest.mark.parametrize("name", VIOLATED_AT_READ_COMMITTED)
def test_what_the_server_shows_is_found(name: str, tmp_path: Path) -> None:
    assert code_of(VIOLATED_AT_READ_COMMITTED[name], tmp_path) == 1


@pytest.mark.parametrize("name", WITHOUT_VIOLATION)
def test_what_the_server_never_shows_is_not_claimed(name: str, tmp_path: Path) -> None:
    assert code_of(WITHOUT_VIOLATION[name], tmp_path) in (0, 3)


@pytest.mark.parametrize("name", REFUSED_BY_THE_SERVER)
def test_files_that_the_server_refuses_are_errors(name: str, tmp_path: Path) -> None:
    assert code_of(REFUSED_BY_THE_SERVER[name], tmp_path) == 2


def test_rows_that_order_by_leaves_open_are_no_violation(tmp_path: Path) -> None:
    """Both rows have rank 1 in between, and may come in either order then."""
    text = (
        "CREATE TABLE t (name text PRIMARY KEY, rank int NOT NULL);\n"
        "INSERT INTO t VALUES ('a', 2), ('b', 1);\n"
        "-- transaction: look\nSELECT name FROM t ORDER BY rank;\n"
        "-- transaction: tie once\nUPDATE t SET rank = 1;\n"
    )
    assert code_of(text, tmp_path) in (0, 3)


def test_the_promise_leaves_out_keys_that_nobody_has_looked_for(tmp_path: Path) -> None:
    """Alone, one of them sees what the other has done and inserts nothing; together, one may answer 23505."""
    text = (
        "CREATE TABLE t (id int PRIMARY KEY);\nCREATE TABLE u (v int NOT NULL);\n"
        "CREATE TABLE w (v int NOT NULL);\nINSERT INTO u VALUES (0);\nINSERT INTO w VALUES (0);\n"
        "-- transaction: a once\nBEGIN;\nSELECT v FROM u \\gset\n\\if :v = 0\nINSERT INTO t VALUES (1);\n"
        "UPDATE w SET v = 1;\n\\endif\nCOMMIT;\n-- transaction: b once\nBEGIN;\nSELECT v FROM w \\gset\n"
        "\\if :v = 0\nUPDATE u SET v = 1;\nINSERT INTO t VALUES (1);\n\\endif\nCOMMIT;\n"
    )
    assert code_of(text, tmp_path, "serializable") == 1


def test_the_promise_covers_keys_that_were_looked_for(tmp_path: Path) -> None:
    text = (
        "CREATE TABLE t (id int PRIMARY KEY);\n-- transaction: a\nBEGIN;\n"
        "SELECT count(*) AS n FROM t WHERE id = 1 \\gset\n\\if :n = 0\nINSERT INTO t VALUES (1);\n\\endif\n"
        "COMMIT;\n"
    )
    assert code_of(text, tmp_path, "serializable") == 0
    assert code_of(text.replace("id = 1 ", "id = 2 "), tmp_path, "serializable") in (0, 3)


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
