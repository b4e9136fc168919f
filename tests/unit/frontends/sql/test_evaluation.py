"""Expressions and queries have the values that PostgreSQL gives them."""

import pytest

from seriatim.frontends.sql.evaluation import SqlError, evaluate
from seriatim.frontends.sql.language import Do, Select
from seriatim.frontends.sql.refusal import Refusal
from seriatim.frontends.sql.script import read_script, read_value
from seriatim.frontends.sql.selection import scope_of, select
from seriatim.frontends.sql.terms import Row, Value
from seriatim.source import SourceText

SCHEMA = "CREATE TABLE t (id int PRIMARY KEY, v int);\nCREATE TABLE u (k int, w int);\n-- transaction: go\n"
TABLES: dict[str, tuple[Row, ...]] = {"t": ((1, 10), (2, None), (3, 30)), "u": ((1, 5), (1, 6), (4, 7))}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("NULL = NULL", None),
        ("NULL AND 1 = 2", False),
        ("1 = 1 OR NULL", True),
        ("NOT NULL", None),
        ("1 IN (2, NULL)", None),
        ("1 IN (1, NULL)", True),
        ("1 NOT IN (2, 3)", True),
        ("2 BETWEEN 1 AND 3", True),
        ("NULL IS NULL", True),
        ("1 IS NOT NULL", True),
        ("NULL IS DISTINCT FROM 1", True),
        ("NULL IS NOT DISTINCT FROM NULL", True),
        ("coalesce(NULL, 4)", 4),
        ("greatest(1, NULL, 3)", 3),
        ("nullif(2, 2)", None),
        ("abs(-2)", 2),
        ("CASE WHEN 1 = 2 THEN 5 END", None),
        ("CASE 3 WHEN 3 THEN 5 ELSE 6 END", 5),
        ("'a' <> 'b'", True),
        ("(1 = 1) IS TRUE", True),
        ("true::int", 1),
    ],
)
def test_expressions(text: str, value: Value) -> None:
    found = evaluate(read_value(text), scope_of({}, {}))
    assert (type(found), found) == (type(value), value)


def test_errors_and_what_depends_on_the_collation() -> None:
    with pytest.raises(SqlError, match="22012"):
        evaluate(read_value("1 / (1 - 1)"), scope_of({}, {}))
    with pytest.raises(Refusal, match="when it is planned"):
        read_value("1 / 0")
    for text in ("'a' < 'b'", "'a' = 1", "greatest('a', 'b')"):
        with pytest.raises(Refusal):
            evaluate(read_value(text), scope_of({}, {}))


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT v FROM t WHERE v > 5", [(10,), (30,)]),
        ("SELECT count(*), count(v), sum(v), min(v), max(v) FROM t", [(3, 2, 40, 10, 30)]),
        ("SELECT sum(v) FROM t WHERE id > 9", [(None,)]),
        ("SELECT count(DISTINCT k) FROM u", [(2,)]),
        ("SELECT k, sum(w) FROM u GROUP BY k HAVING count(*) > 1", [(1, 11)]),
        ("SELECT DISTINCT k FROM u", [(1,), (4,)]),
        ("SELECT t.id, u.w FROM t JOIN u ON u.k = t.id", [(1, 5), (1, 6)]),
        ("SELECT t.id, u.w FROM t LEFT JOIN u ON u.k = t.id WHERE t.id < 3", [(1, 5), (1, 6), (2, None)]),
        ("SELECT id FROM t ORDER BY v DESC LIMIT 1", [(2,)]),
        ("SELECT id FROM t ORDER BY v DESC NULLS LAST LIMIT 1 OFFSET 1", [(1,)]),
        ("SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.id)", [(1,)]),
        ("SELECT id FROM t WHERE id IN (SELECT k FROM u)", [(1,)]),
        ("SELECT (SELECT max(w) FROM u) + id FROM t WHERE id = 1", [(8,)]),
        ("WITH big AS (SELECT k FROM u WHERE w > 5) SELECT count(*) FROM big", [(2,)]),
        ("SELECT s.k FROM (SELECT k, w FROM u) AS s WHERE s.w = 7", [(4,)]),
        ("SELECT * FROM t WHERE id = 1", [(1, 10)]),
        ("SELECT 1", [(1,)]),
    ],
)
def test_queries(query: str, rows: list[Row]) -> None:
    assert sorted(run(query), key=repr) == rows


def test_a_limit_needs_a_total_order() -> None:
    with pytest.raises(Refusal, match="total order"):
        run("SELECT w FROM u ORDER BY k LIMIT 1")
    assert run("SELECT k FROM u ORDER BY k LIMIT 1") == [(1,)]


def run(query: str) -> list[Row]:
    (transaction,) = read_script(SourceText("x.sql", f"{SCHEMA}{query};\n")).transactions
    (do,) = transaction.items
    assert isinstance(do, Do)
    assert isinstance(do.statement, Select)
    return select(do.statement.query, scope_of(TABLES, {}))
