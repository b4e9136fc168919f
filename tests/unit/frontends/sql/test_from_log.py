"""Transactions from logs of SQLAlchemy and Django."""

import pytest

from seriatim.frontends.sql.frontend import read
from seriatim.frontends.sql.language import Commit, Do, Rollback
from seriatim.source import InputError, SourceText

TABLES = SourceText("tables.sql", "CREATE TABLE w (id int PRIMARY KEY, n int NOT NULL, s text);\n")
LEAD = "2024-05-01 12:00:00,123 INFO sqlalchemy.engine.Engine "


def alchemy(*lines: str) -> str:
    return "".join(line if line.startswith(" ") else LEAD + line + "\n" for line in lines)


def spend(id_: int, n: int) -> str:
    return alchemy(
        "BEGIN (implicit)",
        "SELECT w.n ",
        " FROM w WHERE w.id = %(id_1)s\n",
        f"[generated in 0.00013s] {{'id_1': {id_}}}",
        "UPDATE w SET n=%(n)s WHERE w.id = %(w_id)s",
        f"[cached since 1.2s ago] {{'n': {n}, 'w_id': {id_}}}",
        "COMMIT",
    )


def test_values_that_differ_are_parameters_and_equal_ones_are_one() -> None:
    (found,) = read(TABLES, spend(1, 5) + spend(2, 5) + spend(3, 4)).transactions
    assert [(each.name, each.values) for each in found.parameters] == [("p1", (1, 2, 3)), ("p2", (5, 4))]
    texts = [each.text for each in found.items if isinstance(each, Do)]
    assert texts == ["SELECT w.n FROM w WHERE w.id = :p1", "UPDATE w SET n=:p2 WHERE w.id = :p1"]
    assert isinstance(found.items[-1], Commit)


def test_values_that_are_always_the_same_are_constants() -> None:
    (found,) = read(TABLES, spend(1, 5) + spend(1, 5)).transactions
    assert not found.parameters
    assert "id = 1" in next(each.text for each in found.items if isinstance(each, Do))


def test_other_marks_are_read_as_well() -> None:
    log = alchemy(
        "BEGIN (implicit)",
        "UPDATE w SET n=$1::INTEGER WHERE w.id = $2::INTEGER AND s = '%s'",
        "[no key 0.00012s] (7, 1)",
        "DELETE FROM w WHERE id = ? AND s = ?",
        '[generated in 0.1s] (2, "it\'s")',
        "ROLLBACK",
    )
    (found,) = read(TABLES, log).transactions
    assert [each.text for each in found.items if isinstance(each, Do)] == [
        "UPDATE w SET n=7 WHERE w.id = 1 AND s = '%s'",
        "DELETE FROM w WHERE id = 2 AND s = 'it''s'",
    ]
    assert isinstance(found.items[-1], Rollback)


def test_django_writes_values_into_statements() -> None:
    lines = [
        "(0.000) BEGIN; args=None; alias=default",
        '(0.001) SELECT "w"."n" FROM "w" WHERE "w"."id" = {0} LIMIT 21; args=({0},); alias=default',
        '(0.001) UPDATE "w" SET "s" = \'a\' WHERE "w"."id" = {0}; args=(\'a\', {0}); alias=default',
        "(0.000) COMMIT; args=None; alias=default",
    ]
    log = "".join("DEBUG " + line.format(id_) + "\n" for id_ in (1, 2) for line in lines)
    (found,) = read(TABLES, log).transactions
    assert [each.values for each in found.parameters] == [(1, 2)]
    assert [each.span.line for each in found.items if isinstance(each, Do)] == [2, 3]


@pytest.mark.parametrize(
    ("log", "why"),
    [
        ("nothing of interest\n", "no transactions"),
        (alchemy("BEGIN (implicit)", "BEGIN (implicit)"), "overlap"),
        (alchemy("DELETE FROM w WHERE id = ?", "[generated in 0.1s] ()"), "cannot read the values"),
        (
            alchemy("DELETE FROM w WHERE id = ?", "[generated in 0.1s] (datetime(1),)"),
            "cannot read the values",
        ),
    ],
)
def test_what_a_log_does_not_tell_is_refused(log: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        read(TABLES, log)
