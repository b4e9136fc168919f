"""Aborts that are answered, deadlocks by name, and changes that leave out a read."""

import pytest

from seriatim.frontends.sql.aborting import is_aborted
from seriatim.frontends.sql.deadlocks import find_deadlock
from seriatim.frontends.sql.fixes import candidates
from seriatim.frontends.sql.language import Level
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.outcomes import outcomes, serial_outcomes
from seriatim.frontends.sql.refusal import Refusal
from seriatim.frontends.sql.script import read_script
from seriatim.frontends.sql.system import build
from seriatim.source import SourceText

ROWS = "CREATE TABLE f (id int PRIMARY KEY, v int NOT NULL);\nINSERT INTO f VALUES (0, 0), (1, 0), (2, 0);\n"
UP = "BEGIN; UPDATE f SET v = 1 WHERE id = 0; UPDATE f SET v = 1 WHERE id = 1; COMMIT;"
DOWN = "BEGIN; UPDATE f SET v = 2 WHERE id = 1; UPDATE f SET v = 2 WHERE id = 0; COMMIT;"


def machine(level: Level, *bodies: str, answers_aborts: bool = False, schema: str = ROWS) -> Machine:
    parts = [f"-- transaction: t{n} once\n{body}\n" for n, body in enumerate(bodies)]
    script = read_script(SourceText("x.sql", schema + "".join(parts)))
    return Machine(script, level, answers_aborts=answers_aborts)


@pytest.mark.parametrize("level", [Level.READ_COMMITTED, Level.REPEATABLE_READ])
def test_an_abort_that_is_answered_is_no_violation_by_itself(level: Level) -> None:
    found = machine(level, UP, DOWN, answers_aborts=True)
    every, alone = outcomes(found, range(2)), serial_outcomes(found, range(2))
    assert any(is_aborted(answers) for seen in every for answers in seen.answers)
    assert every == alone


def test_what_an_aborted_transaction_has_read_counts() -> None:
    reads = (
        "BEGIN; UPDATE f SET v = 1 WHERE id = 0; SELECT v FROM f WHERE id = 2; SELECT v FROM f WHERE id = 2;"
        " UPDATE f SET v = 1 WHERE id = 1; COMMIT;"
    )
    found = machine(
        Level.READ_COMMITTED, reads, DOWN, "UPDATE f SET v = 5 WHERE id = 2;", answers_aborts=True
    )
    bad = outcomes(found, range(3)) - serial_outcomes(found, range(3))
    assert any(seen.answers[0] == (1, ((0,),), ((5,),), "40P01") for seen in bad)


def test_a_request_that_commits_twice_cannot_have_done_nothing() -> None:
    script = machine(Level.READ_COMMITTED, UP + DOWN).script
    with pytest.raises(Refusal, match="several transactions"):
        build(script, Level.READ_COMMITTED, answers_aborts=True)


def test_a_deadlock_is_named_with_its_lines() -> None:
    assert str(find_deadlock(machine(Level.READ_COMMITTED, UP, DOWN))) == (
        "`t0` in line 4 and `t1` in line 6 wait for each other"
    )
    assert find_deadlock(machine(Level.READ_COMMITTED, UP, UP)) is None


@pytest.mark.parametrize("level", [Level.READ_COMMITTED, Level.REPEATABLE_READ])
def test_a_locked_table_keeps_others_out(level: Level) -> None:
    body = (
        "BEGIN;\nLOCK TABLE f IN SHARE ROW EXCLUSIVE MODE;\nSELECT sum(v) AS s FROM f \\gset\n"
        "UPDATE f SET v = :s + 1 WHERE id = {};\nCOMMIT;"
    )
    found = machine(level, body.format(0), body.format(1))
    assert outcomes(found, range(2)) == serial_outcomes(found, range(2))
    weaker = body.replace("SHARE ROW EXCLUSIVE", "ROW SHARE")
    open_ = machine(level, weaker.format(0), weaker.format(1))
    assert outcomes(open_, range(2)) - serial_outcomes(open_, range(2))


def words(text: str) -> list[str]:
    script = read_script(SourceText("x.sql", text))
    return [each.words for each in candidates(script, Level.READ_COMMITTED)]


def test_a_read_and_its_write_become_one_statement() -> None:
    text = (
        ROWS + "-- transaction: go(i in 0..1)\nBEGIN;\nSELECT v AS n, id FROM f WHERE id = :i \\gset\n"
        "\\if :n < 2\nUPDATE f SET v = :n + 1 WHERE id = :i;\n\\endif\nCOMMIT;\n"
    )
    assert (
        "instead of the SELECT in line 5 and the UPDATE in line 7, one statement:"
        " UPDATE f SET v = v + 1 WHERE id = :i AND v < 2"
    ) in words(text)
    later = text.replace("COMMIT;", "UPDATE f SET v = :n WHERE id = 2;\nCOMMIT;")
    assert not any("one statement" in each for each in words(later))


def test_a_look_and_its_insert_become_a_constraint() -> None:
    text = (
        "CREATE TABLE b (room int, night int);\n-- ser: b has at most 2 rows\n"
        "-- transaction: go(r in 0..1)\nBEGIN;\n"
        "SELECT count(*) AS n FROM b WHERE room = :r AND night = 1 \\gset\n"
        "\\if :n = 0\nINSERT INTO b VALUES (:r, 1);\n\\endif\nCOMMIT;\n"
    )
    assert (
        "add UNIQUE (room, night) to b, and instead of the SELECT in line 5 and the INSERT in line 7,"
        " INSERT … ON CONFLICT (room, night) DO NOTHING"
    ) in words(text)
    other = text.replace("VALUES (:r, 1)", "VALUES (:r, 2)")
    assert not any("UNIQUE" in each for each in words(other))
