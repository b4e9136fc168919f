"""Values of sequences: new ones, told apart while somebody knows them, and not compared otherwise."""

import pytest

from seriatim.frontends.sql.language import Level
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.outcomes import outcomes, serial_outcomes
from seriatim.frontends.sql.refusal import Refusal
from seriatim.frontends.sql.script import read_script
from seriatim.frontends.sql.sequences import rename_values
from seriatim.frontends.sql.terms import New
from seriatim.source import SourceText

SCHEMA = (
    "CREATE TABLE o (id serial PRIMARY KEY, v int NOT NULL);\nINSERT INTO o (v) VALUES (7);\n"
    "CREATE TABLE i (o int REFERENCES o, n int);\n"
)


def machine(level: Level, *bodies: str) -> Machine:
    parts = [f"-- transaction: t{n} once\n{body}\n" for n, body in enumerate(bodies)]
    return Machine(read_script(SourceText("x.sql", SCHEMA + "".join(parts))), level)


PLACE = (
    "BEGIN;\nINSERT INTO o (v) VALUES ({0}) RETURNING id \\gset\nINSERT INTO i VALUES (:id, {0});\nCOMMIT;"
)


@pytest.mark.parametrize("level", [Level.READ_COMMITTED, Level.REPEATABLE_READ])
def test_which_number_comes_first_does_not_matter(level: Level) -> None:
    found = machine(level, PLACE.format(1), PLACE.format(2), "SELECT count(*) AS n FROM i;")
    assert outcomes(found, range(3)) == serial_outcomes(found, range(3))
    tables = {seen.tables for seen in outcomes(found, range(3))}
    assert tables == {(((1, 7), (New(1), 1), (New(2), 2)), ((New(1), 1), (New(2), 2)))}


def test_a_value_stays_that_of_a_row_that_is_gone() -> None:
    add = "INSERT INTO o (v) VALUES (1);"
    look = "SELECT id FROM o WHERE v = 1 \\gset\nUPDATE o SET v = 5 WHERE id = :id;"
    found = machine(
        Level.READ_COMMITTED, add, look, "DELETE FROM o WHERE v = 1;", "INSERT INTO o (v) VALUES (2);"
    )
    assert not any(
        (New(1), 5) in seen.tables[0] and seen.answers[2] == (1,) for seen in outcomes(found, range(4))
    )


@pytest.mark.parametrize(
    "body",
    [
        "SELECT v FROM o WHERE id > 1;",
        "SELECT v FROM o WHERE id = 2;",
        "SELECT v FROM o ORDER BY id LIMIT 1;",
        "INSERT INTO o VALUES (2, 2);",
        "SELECT sum(id) AS s FROM o;",
    ],
)
def test_what_would_need_the_number_is_refused(body: str) -> None:
    found = machine(Level.READ_COMMITTED, "INSERT INTO o (v) VALUES (1);", body)
    with pytest.raises(Refusal, match="sequence"):
        outcomes(found, range(2))


def test_numbers_of_first_rows_are_known() -> None:
    found = machine(Level.READ_COMMITTED, "INSERT INTO o (v) VALUES (1);", "SELECT v FROM o WHERE id = 1;")
    assert {seen.answers[1] for seen in outcomes(found, range(2))} == {(((7,),),)}


def test_rows_are_compared_up_to_names() -> None:
    one = rename_values([((New(4), 1), (New(2), 2)), ((New(2), 0),)])
    assert one == rename_values([((New(9), 2), (New(3), 1)), ((New(9), 0),)])
    assert one != rename_values([((New(4), 1), (New(2), 2)), ((New(4), 0),)])
