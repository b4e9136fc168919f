"""Each operator, function and type that the model accepts has the server's value, or the server's error.

Columns of every type meet in every operator, over small values, NULL and edge values. The model may refuse;
it may not say something else. Types that do not fit are an error on the server whatever the values are, so a
comparison of the statement shows them; with NULL, the model does not notice.
"""

from collections.abc import Iterator, Sequence
from itertools import product

import pytest

from seriatim.frontends.sql.accepting import FUNCTIONS, OPERATORS
from seriatim.frontends.sql.comparing import as_told, without_midnight
from seriatim.frontends.sql.evaluation import SqlError
from seriatim.frontends.sql.language import Select
from seriatim.frontends.sql.live.postgres import PostgresPlace, arena
from seriatim.frontends.sql.live.server import NoServer, shared_server
from seriatim.frontends.sql.live.text import read_text
from seriatim.frontends.sql.live.wire import Failed
from seriatim.frontends.sql.refusal import Refusal
from seriatim.frontends.sql.script import read_script
from seriatim.frontends.sql.selection import scope_of, select
from seriatim.frontends.sql.statements import StatementReader
from seriatim.frontends.sql.terms import Function, Operator, Row
from seriatim.source import SourceText
from testkit.samples import sample

COLUMNS = {
    "i": ("int", ["0", "1", "-1", "7", "NULL", "2147483647", "-2147483648"]),
    "s": ("smallint", ["0", "1", "-3", "NULL"]),
    "b": ("bigint", ["0", "2", "NULL", "9223372036854775807"]),
    "t": ("text", ["''", "'a'", "'B'", "'ab '", "NULL", "'1'"]),
    "w": ("varchar(3)", ["''", "'a'", "'abc'", "NULL"]),
    "f": ("boolean", ["true", "false", "NULL"]),
    "d": ("date", ["'2024-01-01'", "'2023-12-31'", "NULL"]),
    "m": ("timestamp", ["'2024-01-01 00:00:00'", "'2024-01-01 10:30:00'", "NULL"]),
}
"""The types that the model reads, each with values."""

OF_TWO = [
    *(f"x.{{0}} {each} y.{{1}}" for each in Operator),
    *(f"{each}(x.{{0}}, y.{{1}})" for each in ("coalesce", "nullif", "greatest", "least")),
    "x.{0} IS DISTINCT FROM y.{1}",
    "x.{0} IS NOT DISTINCT FROM y.{1}",
    "x.{0} IN (y.{1}, 1)",
    "x.{0} NOT IN (y.{1}, NULL)",
    "x.{0} BETWEEN y.{1} AND x.{0}",
    "CASE WHEN y.{1} IS NULL THEN x.{0} ELSE y.{1} END",
    "CASE x.{0} WHEN y.{1} THEN 1 ELSE 0 END",
]

CASTS = ("int", "text", "boolean", "bigint", "smallint", "varchar(2)", "numeric")
TESTS = ("NULL", "NOT NULL", "TRUE", "FALSE", "NOT TRUE", "NOT FALSE")
WITH_CONSTANTS = ("= 1", "= 'a'", "= '1'", "= true", "+ 1", "/ 2", "% 2", "- 1", "* 3", "/ 0", "+ 0.5")

OF_ONE = [
    *(f"{each}(x.{{0}})" for each in ("abs", "lower", "upper", "length", "round", "trim", "coalesce")),
    *(f"x.{{0}} IS {each}" for each in TESTS),
    *(f"x.{{0}}::{each}" for each in CASTS),
    *(f"x.{{0}} {each}" for each in WITH_CONSTANTS),
    *(f"x.{{0}} {each}" for each in ("|| 'z'", "IN (1, 2)", "IN ('a', NULL)", "> 0", "< '2024-01-01'")),
    "-x.{0}",
    "NOT x.{0}",
    "x.{0} LIKE 'a%'",
]

OF_GROUPS = [
    *(f"{each}(x.{{0}})" for each in ("count", "min", "max", "sum", "avg", "bool_or", "string_agg")),
    "count(DISTINCT x.{0})",
    "sum(DISTINCT x.{0})",
]

DECLARED = ", ".join(f"{name} {type_}" for name, (type_, _) in COLUMNS.items())
ROWS = max(len(values) for _, values in COLUMNS.values())


def row_text(row: int) -> str:
    cells = (values[row] if row < len(values) else "NULL" for _, values in COLUMNS.values())
    return f"INSERT INTO v VALUES ({row}, {', '.join(cells)});\n"


SCHEMA = (
    f"CREATE TABLE v (k int PRIMARY KEY, {DECLARED});\n"
    + "".join(map(row_text, range(ROWS)))
    + "-- transaction: nothing\nSELECT 1;\n"
)

ILL_TYPED = ("42804", "42883", "42725", "42846", "22P02", "22007")
"""Errors about types, which do not depend on values."""


@pytest.fixture(scope="module")
def place() -> Iterator[PostgresPlace]:
    try:
        with arena(shared_server(), read_text(SCHEMA), "read committed") as found:
            yield found
    except NoServer as missing:
        pytest.skip(f"{missing.reason}: {missing.hint}")


Query = tuple[str, list[tuple[int, int]]]
"""A query with the values of `:p` and `:q`, which choose its rows."""


def queries() -> list[Query]:
    rows = {name: range(len(values)) for name, (_, values) in COLUMNS.items()}
    found: list[Query] = []
    for one, other in product(COLUMNS, repeat=2):
        text = "SELECT {0} FROM v x, v y WHERE x.k = :p AND y.k = :q"
        pairs = list(product(rows[one], rows[other]))
        found += [(text.format(each.format(one, other)), pairs) for each in OF_TWO]
    for one in COLUMNS:
        text = "SELECT {0} FROM v x WHERE x.k >= :p AND x.k < :q"
        found += [(text.format(each.format(one)), [(row, row + 1) for row in rows[one]]) for each in OF_ONE]
        found += [(text.format(each.format(one)), [(0, 9), (5, 5), (4, 5)]) for each in OF_GROUPS]
    return found


def differences(place: PostgresPlace, chosen: Sequence[Query]) -> tuple[list[str], int]:
    """The queries whose rows are others in the model, and how many are equal."""
    script = read_script(SourceText("x.sql", SCHEMA))
    reader = StatementReader({each.name: each for each in script.tables})
    tables: dict[str, tuple[Row, ...]] = {each.name: each.rows for each in script.tables}
    found: list[str] = []
    agreed = 0
    for text, cases in chosen:
        try:
            statement = reader.read(text)
        except Refusal:
            continue
        assert isinstance(statement, Select)
        for p, q in cases:
            try:
                model = as_told(tuple(select(statement.query, scope_of(tables, {"p": p, "q": q}))))
            except Refusal:
                continue
            except SqlError as error:
                model = error.code
            asked = text.replace(":p", str(p)).replace(":q", str(q))
            real = answer_of(place, asked)
            if real in ILL_TYPED:
                break
            agreed += model == real
            found += [f"{asked}: {model} in the model, {real} on the server"] if model != real else []
    return found, agreed


def answer_of(place: PostgresPlace, text: str) -> object:
    try:
        rows = place.control.run(text)[0].rows or ()
    except Failed as failed:
        return failed.code
    return tuple(sorted((tuple(map(without_midnight, row)) for row in rows), key=repr))


@pytest.mark.parametrize("number", sample(40, 8))
def test_the_model_says_what_the_server_says(place: PostgresPlace, number: int) -> None:
    found, agreed = differences(place, queries()[number::40])
    assert found == []
    assert agreed > 40


def test_every_operator_and_function_has_a_row() -> None:
    assert set(OPERATORS) == set(Operator)
    assert set(FUNCTIONS) == set(Function)
