"""Footprints: which steps commute, and which statements may touch anything."""

import pytest

from seriatim.frontends.sql.live.footprints import Footprints
from seriatim.frontends.sql.live.text import read_text

SCHEMA = (
    "CREATE TABLE p (id int PRIMARY KEY);\nCREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p);\n"
    "CREATE TABLE t (id int PRIMARY KEY, v int);\nCREATE TABLE u (id int PRIMARY KEY, v int);\n"
)
READ_T, WRITE_T, READ_U = "SELECT v FROM t WHERE id = 1", "UPDATE t SET v = 2", "SELECT max(v) FROM u"


def commute(one: str, other: str, level: str = "read committed", more: str = "") -> bool:
    """Whether two statements commute, each the first one after BEGIN of a request that then ends."""
    text = read_text(
        f"{SCHEMA}{more}-- transaction: a\nBEGIN;\n{one};\nCOMMIT;\n"
        f"-- transaction: b\nBEGIN;\n{other};\nCOMMIT;\n"
    )
    found = Footprints(text, level)
    a, b = (found.of_step(call, ["BEGIN", own]) for call, own in zip(text.calls, (one, other), strict=True))
    assert found.commute(a, b) == found.commute(b, a)
    return found.commute(a, b)


@pytest.mark.parametrize(
    ("one", "other", "level", "expected"),
    [
        (READ_T, READ_T, "serializable", True),
        (READ_T, WRITE_T, "read committed", True),
        (READ_T, WRITE_T, "serializable", False),
        (WRITE_T, WRITE_T, "read committed", False),
        (WRITE_T, "DELETE FROM u", "serializable", True),
        (READ_T, "COMMIT", "repeatable read", False),
        (READ_U, "COMMIT", "read committed", True),
        ("INSERT INTO c VALUES (1, 1)", "DELETE FROM p", "read committed", False),
        ("INSERT INTO t SELECT id, v FROM u", "UPDATE u SET v = 1", "read committed", True),
        ("SELECT v FROM t FOR UPDATE", WRITE_T, "read committed", False),
        ("SELECT v FROM t FOR SHARE SKIP LOCKED", WRITE_T, "read committed", False),
        ("SELECT pg_advisory_xact_lock(1)", READ_T, "read committed", False),
        ("SELECT nextval('s')", READ_U, "read committed", False),
        ("TRUNCATE t", READ_U, "read committed", False),
        ("LOCK TABLE t", READ_U, "read committed", False),
        (
            "WITH x AS (DELETE FROM t RETURNING v) INSERT INTO u SELECT v, v FROM x",
            READ_U,
            "read committed",
            True,
        ),
        ("UPDATE elsewhere SET v = 1", READ_U, "read committed", False),
        ("SET lock_timeout = 1", READ_U, "read committed", False),
    ],
)
def test_steps_that_commute(one: str, other: str, level: str, expected: bool) -> None:
    assert commute(one, other, level) == expected


@pytest.mark.parametrize(
    "more",
    [
        "CREATE VIEW x AS SELECT v FROM u;\n",
        "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;\n",
        "CREATE TABLE k (LIKE t) INHERITS (t);\n",
    ],
)
def test_what_may_reach_elsewhere_commutes_with_nothing(more: str) -> None:
    assert commute(WRITE_T, READ_U)
    assert not commute(WRITE_T, READ_U, more=more)


def test_an_end_is_about_all_that_its_request_writes() -> None:
    text = read_text(f"{SCHEMA}-- transaction: a\nBEGIN;\n{WRITE_T};\n{READ_U};\nCOMMIT;\n")
    found = Footprints(text, "read committed")
    (call,) = text.calls
    end = found.of_step(call, ["COMMIT"])
    assert end.ends
    assert end.writes == {"t"}
    assert not found.commute(end, found.of_step(call, [READ_T]))
    assert found.of_step(call, None).opaque
