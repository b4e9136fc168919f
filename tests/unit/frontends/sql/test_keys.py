"""Unique indexes on expressions: what is unique, ON CONFLICT, and which transaction waits for which."""

import pytest

from seriatim.frontends.sql.language import Level, Strength
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.outcomes import outcomes
from seriatim.frontends.sql.refusal import Refusal
from seriatim.frontends.sql.rekeying import strength_of_update
from seriatim.frontends.sql.script import read_script
from seriatim.source import InputError, SourceText

SCHEMA = (
    "CREATE TABLE account (id int PRIMARY KEY, email text);\n"
    "CREATE UNIQUE INDEX ON account (lower(email)) INCLUDE (id);\n"
    "INSERT INTO account VALUES (1, 'Eve');\n"
)
UNIQUE_VIOLATION = "23505"


def machine(*bodies: str, level: Level = Level.READ_COMMITTED, schema: str = SCHEMA) -> Machine:
    parts = [f"-- transaction: t{n} once\n{body}\n" for n, body in enumerate(bodies)]
    return Machine(read_script(SourceText("x.sql", schema + "".join(parts))), level)


@pytest.mark.parametrize("level", [Level.READ_COMMITTED, Level.REPEATABLE_READ])
def test_of_two_spellings_one_is_inserted(level: Level) -> None:
    found = machine(
        "INSERT INTO account VALUES (2, 'Ann');", "INSERT INTO account VALUES (3, 'ANN');", level=level
    )
    answers = {seen.answers for seen in outcomes(found, range(2))}
    assert answers == {((1,), (UNIQUE_VIOLATION,)), ((UNIQUE_VIOLATION,), (1,))}


def test_null_is_like_nothing() -> None:
    insert = "INSERT INTO account VALUES ({}, NULL);"
    found = machine(insert.format(2), insert.format(3))
    assert {seen.answers for seen in outcomes(found, range(2))} == {((1,), (1,))}


def test_on_conflict_names_the_index_and_may_change_the_spelling() -> None:
    upsert = "INSERT INTO account VALUES ({}, '{}') ON CONFLICT (lower(email)) DO UPDATE SET email = {};"
    found = machine(upsert.format(2, "ANN", "EXCLUDED.email"), upsert.format(3, "ann", "excluded.email"))
    ends = {seen.tables[0] for seen in outcomes(found, range(2))}
    assert ends == {((1, "Eve"), (2, "ann")), ((1, "Eve"), (3, "ANN"))}


def test_on_conflict_that_changes_the_value_of_the_index_is_refused() -> None:
    found = machine(
        "INSERT INTO account VALUES (2, 'eve') ON CONFLICT (lower(email)) DO UPDATE SET email = 'Bob';"
    )
    with pytest.raises(Refusal, match="ON CONFLICT that changes"):
        outcomes(found, range(1))


def test_on_conflict_needs_the_same_expression() -> None:
    with pytest.raises(InputError) as refused:
        machine("INSERT INTO account VALUES (2, 'eve') ON CONFLICT (upper(email)) DO NOTHING;")
    assert "no key of `account` consists of UPPER(email)" in refused.value.diagnostics[0].message
    with pytest.raises(InputError):
        machine("INSERT INTO account VALUES (2, 'eve') ON CONFLICT (email) DO NOTHING;")


def test_nobody_can_refer_to_an_expression() -> None:
    """So a change of it does not lock the row against those who refer to the row."""
    table = machine("UPDATE account SET email = 'bob';").tables[0]
    assert strength_of_update(table, (1, "Eve"), (1, "Bob")) is Strength.NO_KEY_UPDATE
    assert strength_of_update(table, (1, "Eve"), (2, "Eve")) is Strength.UPDATE


def test_first_rows_keep_the_index() -> None:
    with pytest.raises(InputError) as refused:
        machine("SELECT 1;", schema=SCHEMA + "INSERT INTO account VALUES (2, 'EVE');\n")
    assert "two rows of `account`" in refused.value.diagnostics[0].message


def test_an_index_on_part_of_the_rows_is_refused() -> None:
    with pytest.raises(InputError):
        machine("SELECT 1;", schema=SCHEMA + "CREATE UNIQUE INDEX ON account (email) WHERE id > 1;\n")
