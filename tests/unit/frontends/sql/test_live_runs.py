"""What runs on a live PostgreSQL get wrong easily; docs/theory/transactions.md lists the rules."""

from collections.abc import Iterator, Sequence

import pytest

from seriatim.budget import Deadline
from seriatim.frontends.sql.engines import place_named
from seriatim.frontends.sql.exploring import Exploration, explore
from seriatim.frontends.sql.live.places import Place
from seriatim.frontends.sql.live.runs import Turns, execute, run_serially
from seriatim.frontends.sql.live.server import NoServer, shared_server
from seriatim.frontends.sql.live.text import read_text

ROWS = "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\nINSERT INTO t VALUES (1, 0), (2, 0);\n"
CROSSED = (
    ROWS + "-- transaction: a\nBEGIN;\nUPDATE t SET v = v + 1 WHERE id = 1;\n"
    "UPDATE t SET v = v + 1 WHERE id = 2;\n"
    "COMMIT;\n-- transaction: b\nBEGIN;\nUPDATE t SET v = v + 1 WHERE id = 2;\n"
    "UPDATE t SET v = v + 1 WHERE id = 1;\nCOMMIT;\n"
)


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[None]:
    try:
        shared_server()
        yield
    except NoServer as missing:
        pytest.skip(f"{missing.reason}: {missing.hint}")


def explored(text: str, level: str = "read-committed") -> Exploration:
    with place_named("", read_text(text), level) as place:
        return explore(place, Deadline(30))


def taken(place: Place, order: Sequence[int]) -> Turns:
    """The run in which clients move in this order, as far as they can."""
    left = list(order)

    def choose(turns: Turns) -> int | None:
        wanted = left.pop(0) if left else turns.can_go_on()[0]
        return wanted if wanted in turns.can_go_on() else turns.can_go_on()[0]

    return execute(place, place.text.calls[:2], choose)


@pytest.mark.parametrize(
    ("leave", "look"),
    [
        (
            "SELECT set_config('app.seen', 'yes', false) AS s;",
            "SELECT current_setting('app.seen', true) AS s;",
        ),
        ("CREATE TEMP TABLE own AS SELECT 1 AS x;", "SELECT to_regclass('own') IS NOT NULL AS s;"),
        ("SELECT pg_advisory_lock(7);", "SELECT pg_try_advisory_lock(7) AS s;"),
        ("PREPARE own AS SELECT 1;", "SELECT count(*) AS s FROM pg_prepared_statements;"),
        ("SET search_path TO pg_catalog;", "SELECT current_schema() AS s;"),
    ],
)
def test_nothing_of_a_session_is_left_for_the_next_run(leave: str, look: str) -> None:
    """What a session keeps is gone in the next run, so a request alone answers the same each time."""
    text = read_text(f"{ROWS}-- transaction: leave\n{leave}\n-- transaction: look\n{look}\n")
    with place_named("", text, "read-committed") as place:
        first = run_serially(place, text.calls[1:], (0,))
        run_serially(place, text.calls[:1], (0,))
        assert run_serially(place, text.calls[1:], (0,)) == first


def test_to_sleep_is_not_to_wait() -> None:
    text = (
        ROWS + "-- transaction: a\nSELECT pg_sleep(0.1);\n-- transaction: b\nSELECT v FROM t WHERE id = 1;\n"
    )
    with place_named("", read_text(text), "read-committed") as place:
        turns = taken(place, (0, 1))
    assert not any(each.waited for each in turns.events)


def test_a_deferrable_snapshot_that_is_not_safe_yet_is_a_wait() -> None:
    """No lock shows it: the reader waits for a writer that may still make its snapshot unsafe."""
    text = read_text(
        ROWS + "-- transaction: write\nBEGIN ISOLATION LEVEL SERIALIZABLE;\n"
        "UPDATE t SET v = 1 WHERE id = 1;\nCOMMIT;\n"
        "-- transaction: read\nBEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;\n"
        "SELECT sum(v) AS s FROM t;\n"
        "COMMIT;\n"
    )
    with place_named("", text, "read-committed") as place:
        turns = taken(place, (0, 1, 0, 1))
        assert [each.client for each in turns.events if each.waited] == [1]
        assert turns.outcome() is not None


def test_the_same_run_has_the_same_victim() -> None:
    """Each waits for the other: the one that came last has to start over."""
    with place_named("", read_text(CROSSED), "read-committed") as place:
        for _ in range(5):
            turns = taken(place, (0, 1, 0, 1))
            assert [client.aborted for client in turns.clients] == [False, True]
            assert turns.outcome() is None


def test_a_request_that_has_to_start_over_is_no_outcome() -> None:
    """Its first transaction has committed by then; to repeat the whole request would commit it twice."""
    text = ROWS + (
        "-- transaction: a\nBEGIN;\nUPDATE t SET v = v + 1 WHERE id = 1;\nCOMMIT;\n"
        "BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT v FROM t WHERE id = 2;\n"
        "UPDATE t SET v = v + 1 WHERE id = 2;\nCOMMIT;\n"
    )
    with place_named("", read_text(text), "read-committed") as place:
        calls = place.text.calls * 2
        order = [0, 0, 1, 1, 0, 1, 0, 0, 1]
        turns = execute(place, calls, lambda turns: order.pop(0) if order else turns.can_go_on()[0])
        assert any(client.aborted for client in turns.clients)
        assert turns.outcome() is None


@pytest.mark.parametrize("limit", ["lock_timeout", "statement_timeout"])
def test_a_limit_of_time_makes_no_violation(limit: str) -> None:
    found = explored(CROSSED.replace("BEGIN;", f"BEGIN;\nSET LOCAL {limit} = 40;"))
    assert found.violation is None
    assert any(limit in each for each in found.notes)


def test_an_own_setting_is_the_same_at_the_start_of_each_run() -> None:
    """PostgreSQL keeps an empty text in the session, which COALESCE tells from NULL."""
    text = ROWS + "-- transaction: a\nSELECT COALESCE(current_setting('app.x', true), 'none') AS x;\n"
    found = explored(text + "-- transaction: b\nSELECT set_config('app.x', '1', false) AS x;\n")
    assert (found.violation, found.clean_up_to) == (None, 3)


@pytest.mark.parametrize(
    ("statement", "code"), [("LOCK TABLE t", "25P01"), ("SAVEPOINT s", "25P01"), ("VACUUM t", None)]
)
def test_statements_that_need_no_transaction_or_forbid_it_are_sent_alone(
    statement: str, code: str | None
) -> None:
    text = read_text(f"{ROWS}-- transaction: a\n{statement};\n")
    with place_named("", text, "read-committed") as place:
        outcome = run_serially(place, text.calls, (0,))
    assert outcome is not None
    assert [each.error for each in outcome.answers[0] if each.error] == ([code] if code else [])


def test_reset_is_not_seen_by_the_script() -> None:
    """No trigger fires, generated columns and parts of a table come back, and so do foreign keys."""
    text = read_text(
        "CREATE TABLE p (id int PRIMARY KEY) PARTITION BY LIST (id);\n"
        "CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);\n"
        "CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2);\n"
        "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p ON DELETE CASCADE, "
        "d int GENERATED ALWAYS AS (id * 2) STORED);\n"
        "CREATE TABLE log (n int GENERATED ALWAYS AS IDENTITY, what text);\n"
        "INSERT INTO p VALUES (1), (2);\nINSERT INTO c VALUES (1, 1), (2, 2);\n"
        "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "INSERT INTO log (what) VALUES (TG_OP); RETURN NULL; END $$;\n"
        "CREATE TRIGGER note AFTER INSERT OR DELETE OR TRUNCATE ON c EXECUTE FUNCTION note();\n"
        "-- transaction: clear\nDELETE FROM p WHERE id = 1;\n"
    )
    with place_named("", text, "read-committed") as place:
        place.reset()
        first = place.contents()
        assert dict(first)["log"] == ()
        once = run_serially(place, text.calls, (0,))
        place.reset()
        assert place.contents() == first
        assert run_serially(place, text.calls, (0,), backwards=True) == once


def test_functions_that_may_answer_otherwise_are_named() -> None:
    text = "CREATE TABLE t (id uuid);\n-- transaction: a\nINSERT INTO t VALUES (gen_random_uuid());\n"
    found = explored(text)
    assert found.violation is None
    assert any("gen_random_uuid" in each for each in found.notes)


def test_nothing_is_said_about_answers_that_differ_from_run_to_run() -> None:
    text = ROWS + "-- transaction: a\nSELECT 1 AS x WHERE clock_timestamp()::text ~ '[02468].....$';\n"
    found = explored(text.replace("-- transaction: a\n", "-- transaction: a\nUPDATE t SET v = 1 - v;\n"))
    assert found.violation is None or found.doubt
