"""Mistakes easily made about PostgreSQL's levels: each was seen on a live server, none may come back."""

import pytest

from seriatim.frontends.sql.language import Level, Strength
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.moving import moves
from seriatim.frontends.sql.outcomes import outcomes, serial_outcomes
from seriatim.frontends.sql.refusal import Refusal
from seriatim.frontends.sql.scoping import check_scopes
from seriatim.frontends.sql.script import read_script
from seriatim.frontends.sql.spec_file import read_spec
from seriatim.frontends.sql.states import Answer, Local
from seriatim.source import InputError, SourceText

TWO_ROWS = (
    "CREATE TABLE f (id int PRIMARY KEY, v int NOT NULL CHECK (v < 9));\n"
    "INSERT INTO f VALUES (0, 0), (1, 0);\n"
)
READ_COMMITTED, REPEATABLE_READ = Level.READ_COMMITTED, Level.REPEATABLE_READ

Answers = set[tuple[tuple[Answer, ...], ...]]


def machine(level: Level, *bodies: str, schema: str = TWO_ROWS) -> Machine:
    parts = [f"-- transaction: t{n} once\n{body}\n" for n, body in enumerate(bodies)]
    return Machine(read_script(SourceText("x.sql", schema + "".join(parts))), level)


def answers(level: Level, *bodies: str, schema: str = TWO_ROWS) -> Answers:
    found = machine(level, *bodies, schema=schema)
    return {seen.answers for seen in outcomes(found, range(len(bodies)))}


def is_anomalous(level: Level, *bodies: str, schema: str = TWO_ROWS) -> bool:
    found = machine(level, *bodies, schema=schema)
    numbers = range(len(bodies))
    return bool(outcomes(found, numbers) - serial_outcomes(found, numbers))


def test_a_lock_stays_where_the_condition_fails_after_the_wait() -> None:
    waiting = "BEGIN; UPDATE f SET v = 2 WHERE v = 0 AND id = 0; COMMIT;"
    found = machine(READ_COMMITTED, waiting, "UPDATE f SET v = 5 WHERE id = 0;")
    ((chosen, database),) = moves(found, found.start(0), found.initial())
    ((_, database),) = moves(found, found.start(1), database)
    assert isinstance(chosen, Local)
    ((after, database),) = moves(found, chosen, database)
    assert isinstance(after, Local)
    assert after.answers == (0,)
    assert after.claims == ((("row", 0, (0,)), Strength.NO_KEY_UPDATE),)


def test_a_row_that_is_wanted_only_later_is_not_visited() -> None:
    found = answers(READ_COMMITTED, "UPDATE f SET v = 1 WHERE id = 0;", "UPDATE f SET v = 2 WHERE v = 1;")
    assert found == {((1,), (0,)), ((1,), (1,))}


def test_others_come_between_the_choice_and_the_first_row() -> None:
    one = "UPDATE f SET v = v + 1 WHERE v = 0;"
    other = "BEGIN; UPDATE f SET v = 3 WHERE id = 0; UPDATE f SET v = 3 WHERE id = 1; COMMIT;"
    assert any(first == (0,) for first, _ in answers(READ_COMMITTED, one, other))


def test_an_update_does_not_follow_a_key_to_another_row() -> None:
    again = "BEGIN; DELETE FROM f WHERE id = 0; INSERT INTO f VALUES (0, 7); COMMIT;"
    found = answers(READ_COMMITTED, again, "UPDATE f SET v = 8 WHERE id = 0;")
    assert {second for _, second in found} == {(0,), (1,)}


def test_constraints_are_checked_on_the_version_that_was_chosen() -> None:
    schema = TWO_ROWS.replace("(0, 0)", "(0, 8)")
    found = answers(
        READ_COMMITTED,
        "BEGIN; UPDATE f SET v = 0 WHERE id = 0; COMMIT;",
        "UPDATE f SET v = v + 1 WHERE id = 0;",
        schema=schema,
    )
    assert {second for _, second in found} == {("23514",), (1,)}


def test_an_insert_waits_for_the_key_and_then_fails() -> None:
    insert = "BEGIN; INSERT INTO f VALUES (5, 1); COMMIT;"
    assert answers(READ_COMMITTED, insert, insert) == {((1,), ("23505",)), (("23505",), (1,))}
    undone = "BEGIN; INSERT INTO f VALUES (5, 1); ROLLBACK;"
    assert answers(READ_COMMITTED, insert, undone) == {((1,), (1,)), ((1,), ("23505",))}


def test_a_snapshot_is_taken_at_the_first_statement_and_not_at_begin() -> None:
    reader = "BEGIN; SELECT sum(v) AS s FROM f; SELECT sum(v) AS s FROM f; COMMIT;"
    found = answers(REPEATABLE_READ, reader, "UPDATE f SET v = 1 WHERE id = 0;")
    assert {one for one, _ in found} == {(((0,),), ((0,),)), (((1,),), ((1,),))}


def test_a_write_of_the_same_value_is_a_write() -> None:
    same = (
        "BEGIN; SELECT v FROM f WHERE id = 1; UPDATE f SET v = v WHERE id = 0; "
        "UPDATE f SET v = 1 WHERE id = 1; COMMIT;"
    )
    other = "BEGIN; SELECT v FROM f WHERE id = 1; UPDATE f SET v = 0 WHERE id = 0; COMMIT;"
    assert not is_anomalous(REPEATABLE_READ, same, other)


def test_a_rolled_back_transaction_stops_nobody() -> None:
    skew = "BEGIN; SELECT v FROM f WHERE id = 1; UPDATE f SET v = 1 WHERE id = 0; ROLLBACK;"
    other = "BEGIN; SELECT v FROM f WHERE id = 0; UPDATE f SET v = 1 WHERE id = 0; COMMIT;"
    again = "BEGIN; SELECT v FROM f WHERE id = 0; UPDATE f SET v = 1 WHERE id = 1; COMMIT;"
    assert is_anomalous(
        REPEATABLE_READ, other.replace("id = 0; C", "id = 1; C"), skew.replace("ROLLBACK", "COMMIT")
    )
    assert not is_anomalous(REPEATABLE_READ, skew, again)


def test_a_transaction_that_fails_lets_others_write_what_it_has_written() -> None:
    """A transaction that looked before the failure may still write: it has seen no change."""
    schema = TWO_ROWS + "CREATE TABLE u (k int PRIMARY KEY);\n"
    fails = "BEGIN; UPDATE f SET v = v + 1 WHERE id = 0 RETURNING v; INSERT INTO u VALUES (7); COMMIT;"
    writes = "BEGIN; SELECT count(*) AS n FROM u; UPDATE f SET v = 5 WHERE id = 0; COMMIT;"
    adds = "INSERT INTO u VALUES (7);"
    found = answers(REPEATABLE_READ, fails, writes, adds, schema=schema)
    assert ((((1,),), "23505"), (((0,),), 1), (1,)) in found
    undone = fails.replace("COMMIT", "ROLLBACK")
    assert is_anomalous(REPEATABLE_READ, undone, writes, adds, schema=schema)
    assert not is_anomalous(REPEATABLE_READ, undone, adds, schema=schema)


def test_an_insert_is_judged_by_what_is_committed_now() -> None:
    look = "BEGIN; SELECT count(*) AS n FROM f; INSERT INTO f VALUES (5, 0); COMMIT;"
    found = answers(REPEATABLE_READ, look, "INSERT INTO f VALUES (5, 1);")
    assert ((((2,),), "23505"), (1,)) in found


def test_an_old_row_and_a_new_one_with_its_key_are_both_visible() -> None:
    look = (
        "BEGIN; SELECT count(*) AS n FROM f; INSERT INTO f VALUES (0, 1); "
        "SELECT count(*) AS n FROM f; COMMIT;"
    )
    found = answers(REPEATABLE_READ, look, "DELETE FROM f WHERE id = 0;")
    assert ((((2,),), 1, ((3,),)), (1,)) in found


def test_do_nothing_fails_where_the_row_has_changed_since() -> None:
    look = "BEGIN; SELECT sum(v) AS s FROM f; INSERT INTO f VALUES (0, 1) ON CONFLICT DO NOTHING; COMMIT;"
    assert not is_anomalous(REPEATABLE_READ, look, "UPDATE f SET v = 0 WHERE id = 0;")
    found = answers(REPEATABLE_READ, look, "UPDATE f SET v = 5 WHERE id = 0;")
    assert found == {((((0,),), 0), (1,)), ((((5,),), 0), (1,))}


def test_a_row_that_is_only_locked_stops_writers_until_the_end() -> None:
    look = "BEGIN; SELECT v FROM f WHERE id = {0} FOR UPDATE; UPDATE f SET v = 1 WHERE id = {1}; COMMIT;"
    assert not is_anomalous(REPEATABLE_READ, look.format(0, 1), look.format(1, 0))
    assert is_anomalous(
        REPEATABLE_READ, *(look.replace(" FOR UPDATE", "").format(*keys) for keys in ((0, 1), (1, 0)))
    )


def test_two_who_only_lock_a_row_do_not_stop_each_other() -> None:
    look = "BEGIN; SELECT v FROM f WHERE id = 0 FOR UPDATE; UPDATE f SET v = 1 WHERE id = {0}; COMMIT;"
    schema = TWO_ROWS.replace("(1, 0)", "(1, 0), (2, 0)")
    assert len(answers(REPEATABLE_READ, look.format(1), look.format(2), schema=schema)) == 1


def test_key_share_is_not_disturbed_by_updates() -> None:
    look = "BEGIN; SELECT v FROM f WHERE id = {0} FOR KEY SHARE; UPDATE f SET v = 1 WHERE id = {1}; COMMIT;"
    assert is_anomalous(REPEATABLE_READ, look.format(0, 1), look.format(1, 0))


def test_levels_can_be_mixed() -> None:
    snapshot = (
        "BEGIN ISOLATION LEVEL REPEATABLE READ; "
        "SELECT v FROM f WHERE id = 0 \\gset\nUPDATE f SET v = :v + 1 WHERE id = 0; COMMIT;"
    )
    current = "BEGIN; UPDATE f SET v = v + 1 WHERE id = 0; COMMIT;"
    assert not is_anomalous(READ_COMMITTED, snapshot, current)


def test_writes_undone_by_a_savepoint_do_not_conflict() -> None:
    undone = (
        "BEGIN; SELECT v FROM f WHERE id = 0; SAVEPOINT s; UPDATE f SET v = 1 WHERE id = 1; "
        "ROLLBACK TO s; UPDATE f SET v = 2 WHERE id = 0; COMMIT;"
    )
    other = "BEGIN; SELECT v FROM f WHERE id = 0; UPDATE f SET v = 1 WHERE id = 1; COMMIT;"
    assert ((((0,),), 1, 1), (((2,),), 1)) in answers(REPEATABLE_READ, undone, other)


@pytest.mark.parametrize("level", [READ_COMMITTED, REPEATABLE_READ])
def test_an_advisory_lock_makes_one_wait_for_the_other(level: Level) -> None:
    body = (
        "BEGIN; SELECT pg_advisory_xact_lock(1); "
        "SELECT v FROM f WHERE id = 0 \\gset\nUPDATE f SET v = :v + 1 WHERE id = 0; COMMIT;"
    )
    assert not is_anomalous(level, body, body)


def test_an_advisory_lock_does_not_renew_a_snapshot() -> None:
    body = (
        "BEGIN; SELECT pg_advisory_xact_lock(1); SELECT v FROM f WHERE id = {0}; "
        "UPDATE f SET v = 1 WHERE id = {1}; COMMIT;"
    )
    assert is_anomalous(REPEATABLE_READ, body.format(0, 1), body.format(1, 0))
    assert not is_anomalous(READ_COMMITTED, body.format(0, 1), body.format(1, 0))


def test_a_table_lock_makes_others_wait() -> None:
    body = (
        "BEGIN; LOCK TABLE f IN EXCLUSIVE MODE; SELECT v FROM f WHERE id = {0}; "
        "UPDATE f SET v = 1 WHERE id = {1}; COMMIT;"
    )
    assert not is_anomalous(READ_COMMITTED, body.format(0, 1), body.format(1, 0))


def test_each_statement_outside_a_transaction_is_one() -> None:
    body = "SELECT v FROM f WHERE id = 0 \\gset\nUPDATE f SET v = :v + 1 WHERE id = 0;"
    assert is_anomalous(READ_COMMITTED, body, body)
    assert is_anomalous(REPEATABLE_READ, body, body)


CHILDREN = TWO_ROWS + "CREATE TABLE c (k int PRIMARY KEY, p int REFERENCES f);\n"


def test_a_child_keeps_its_parent() -> None:
    child, orphan = "INSERT INTO c VALUES (1, 0);", "DELETE FROM f WHERE id = 0;"
    assert answers(READ_COMMITTED, child, orphan, schema=CHILDREN) == {((1,), ("23503",)), (("23503",), (1,))}
    both = (
        "BEGIN; INSERT INTO c VALUES (1, 0); DELETE FROM c WHERE p = 0; DELETE FROM f WHERE id = 0; COMMIT;"
    )
    assert answers(READ_COMMITTED, both, schema=CHILDREN) == {((1, 1, 1),)}


def test_a_child_does_not_mind_that_its_parent_is_updated() -> None:
    child = "BEGIN; SELECT v FROM f WHERE id = 0; INSERT INTO c VALUES (1, 0); COMMIT;"
    update = "BEGIN; SELECT count(*) AS n FROM c; UPDATE f SET v = 1 WHERE id = 0; COMMIT;"
    for level in (READ_COMMITTED, REPEATABLE_READ):
        assert ((((0,),), 1), (((0,),), 1)) in answers(level, child, update, schema=CHILDREN)


def test_a_snapshot_does_not_show_a_new_parent() -> None:
    child = "BEGIN; SELECT count(*) AS n FROM f; INSERT INTO c VALUES (1, 5); COMMIT;"
    found = answers(REPEATABLE_READ, child, "INSERT INTO f VALUES (5, 0);", schema=CHILDREN)
    assert {one for one, _ in found} == {(((2,),), "23503"), (((3,),), 1)}


def test_skip_locked_passes_over_the_rows_of_others() -> None:
    body = "BEGIN; SELECT id FROM f ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED; COMMIT;"
    assert answers(READ_COMMITTED, body, body) == {
        ((((0,),),), (((0,),),)),
        ((((0,),),), (((1,),),)),
        ((((1,),),), (((0,),),)),
    }


def test_rows_that_are_locked_keep_the_order_in_which_they_were_found() -> None:
    """They are sorted before the statement waits for them, and answered as they are afterwards."""
    schema = TWO_ROWS.replace("(1, 0)", "(1, 1)")
    found = answers(
        READ_COMMITTED,
        "SELECT id, v FROM f ORDER BY v FOR UPDATE;",
        "UPDATE f SET v = 5 WHERE id = 0;",
        schema=schema,
    )
    assert {rows for (rows,), _ in found} == {
        ((0, 0), (1, 1)),
        ((0, 5), (1, 1)),
        ((1, 1), (0, 5)),
    }


def test_skip_locked_of_a_snapshot_sees_locks_when_it_comes() -> None:
    take = "BEGIN; SELECT id FROM f WHERE v = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED \\gset\n"
    mark = take + "UPDATE f SET v = {0} WHERE id = :id; COMMIT;"
    found = answers(REPEATABLE_READ, mark.format(1), mark.format(2))
    assert found == {((((0,),), 1), (((1,),), 1)), ((((1,),), 1), (((0,),), 1))}
    drop = "BEGIN; SELECT count(*) AS n FROM f; UPDATE f SET v = 1 WHERE id = 0; ROLLBACK;"
    seen = {one for one, _ in answers(REPEATABLE_READ, mark.format(1), drop)}
    assert seen == {(((0,),), 1), (((1,),), 1)}, "a lock shows, also if nothing comes of it"


def test_skip_locked_of_a_snapshot_is_refused_where_attempts_that_fail_show() -> None:
    take = "BEGIN; SELECT id FROM f ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED; COMMIT;"
    both = "BEGIN; UPDATE f SET v = 1 WHERE id = 0; UPDATE f SET v = 1 WHERE id = 1; COMMIT;"
    with pytest.raises(Refusal, match="locks several rows"):
        answers(REPEATABLE_READ, take, both)


def test_skip_locked_passes_over_the_parents_of_new_rows() -> None:
    take = "BEGIN; SELECT id FROM f ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED; COMMIT;"
    child = "BEGIN; INSERT INTO c VALUES (1, 0); COMMIT;"
    for level in (READ_COMMITTED, REPEATABLE_READ):
        assert {one for one, _ in answers(level, take, child, schema=CHILDREN)} == {
            (((0,),),),
            (((1,),),),
        }


def test_a_parent_whose_child_comes_later_stays_at_repeatable_read() -> None:
    child = "BEGIN; SELECT count(*) AS n FROM f; INSERT INTO c VALUES (1, 0); COMMIT;"
    orphan = "BEGIN; SELECT count(*) AS n FROM c; DELETE FROM f WHERE id = 0; COMMIT;"
    found = answers(REPEATABLE_READ, child, orphan, schema=CHILDREN)
    assert ((((2,),), 1), (((0,),), "23503")) in found
    assert not any(one[-1] == 1 and other[-1] == 1 for one, other in found)


def test_a_row_is_the_same_under_another_key() -> None:
    moved = "BEGIN; UPDATE f SET id = 7 WHERE id = 0; COMMIT;"
    found = answers(READ_COMMITTED, moved, "UPDATE f SET v = v + 1 WHERE id IN (0, 7);")
    assert {second for _, second in found} == {(1,)}
    assert {second for _, second in answers(READ_COMMITTED, moved, "INSERT INTO f VALUES (0, 5);")} == {
        (1,),
        ("23505",),
    }


def test_a_new_key_is_judged_by_what_is_committed_now() -> None:
    moved = "BEGIN; SELECT count(*) AS n FROM f WHERE id = 7; UPDATE f SET id = 7 WHERE id = 0; COMMIT;"
    for level in (READ_COMMITTED, REPEATABLE_READ):
        found = answers(level, moved, "INSERT INTO f VALUES (7, 5);")
        assert ((((0,),), "23505"), (1,)) in found


def test_rows_of_insert_are_computed_before_it_waits() -> None:
    copy = "INSERT INTO f SELECT id + 7, v FROM f WHERE id = 0;"
    found = machine(
        READ_COMMITTED, "BEGIN; INSERT INTO f VALUES (7, 1); UPDATE f SET v = 8 WHERE id = 0; ROLLBACK;", copy
    )
    assert {seen.answers[1] for seen in outcomes(found, range(2))} == {(1,)}
    other = "BEGIN; UPDATE f SET v = 5 WHERE id = 0; DELETE FROM f WHERE id = 7; COMMIT;"
    schema = TWO_ROWS + "INSERT INTO f VALUES (7, 3);\n"
    copied = machine(READ_COMMITTED, other, copy, schema=schema)
    assert any((7, 0) in seen.tables[0] for seen in outcomes(copied, range(2)))


def test_locks_of_a_session_outlive_its_transactions() -> None:
    body = (
        "SELECT pg_advisory_lock(1);\nSELECT v FROM f WHERE id = 0 \\gset\n"
        "UPDATE f SET v = :v + 1 WHERE id = 0;\nSELECT pg_advisory_unlock(1);"
    )
    for level in (READ_COMMITTED, REPEATABLE_READ):
        assert not is_anomalous(level, body, body)
        assert is_anomalous(level, body, body.replace("lock(1)", "lock(2)"))


def test_a_spec_session_goes_one_of_the_ways_of_its_permutations() -> None:
    text = (
        "setup { CREATE TABLE f (v int); INSERT INTO f VALUES (0); }\n"
        "session s1\nsetup { BEGIN; }\nstep a { UPDATE f SET v = 1; }\nstep b { UPDATE f SET v = 2; }\n"
        "step c { COMMIT; }\nsession s2\nstep r { SELECT v FROM f; }\nteardown { DROP TABLE f; }\n"
        "permutation a c r\npermutation b(r) r c\n"
    )
    with pytest.raises(InputError, match="DROP"):
        read_spec(SourceText("x.spec", text))
    script = read_spec(SourceText("x.spec", text.replace("teardown { DROP TABLE f; }\n", "")))
    assert [(each.name, each.group) for each in script.transactions] == [
        ("s1_1", "s1"),
        ("s1_2", "s1"),
        ("s2", "s2"),
    ]
    found = Machine(script, READ_COMMITTED)
    first = next(there for _, there in moves(found, found.start(0), found.initial()))
    assert not moves(found, found.start(1), first)


def test_a_child_that_gets_another_parent_looks_at_its_snapshot() -> None:
    schema = CHILDREN + "INSERT INTO c VALUES (1, NULL);\n"
    child = "BEGIN; UPDATE c SET p = 0 WHERE k = 1; SELECT p FROM c; COMMIT;"
    for level in (READ_COMMITTED, REPEATABLE_READ):
        found = answers(level, child, "UPDATE f SET v = 1 WHERE id = 0;", schema=schema)
        assert found == {((1, ((0,),)), (1,))}
        gone = answers(level, child, "DELETE FROM f WHERE id = 0;", schema=schema)
        assert gone == {((1, ((0,),)), ("23503",)), (("23503",), (1,))}


@pytest.mark.parametrize(
    "body",
    [
        "UPDATE f SET v = 1 WHERE id = :a AND :a > 50000;",
        "\\if :a > 50000\nUPDATE f SET v = 1;\n\\endif",
        "\\set b :a > 50000\n\\if :b\nUPDATE f SET v = 1;\n\\endif",
    ],
)
def test_a_constant_outside_of_a_scope_is_refused(body: str) -> None:
    script = read_script(SourceText("x.sql", f"{TWO_ROWS}-- transaction: t(a in 0..1)\n{body}\n"))
    with pytest.raises(InputError, match="lies outside its scope"):
        check_scopes(script)


def test_an_upsert_whose_condition_fails_keeps_its_lock() -> None:
    """Another writer of the row waits for it, though it has changed nothing."""
    upsert = (
        "BEGIN; INSERT INTO f VALUES (0, 5) ON CONFLICT (id) DO UPDATE SET v = 5 WHERE f.v > 7;"
        " SELECT v FROM f WHERE id = 1; SELECT v FROM f WHERE id = 1; COMMIT;"
    )
    both = "BEGIN; UPDATE f SET v = 1 WHERE id = 0; UPDATE f SET v = 1 WHERE id = 1; COMMIT;"
    seen = {found[0][1:3] for found in answers(READ_COMMITTED, upsert, both)}
    assert len({str(each) for each in seen}) == 2


@pytest.mark.parametrize(
    "where", ["id IN (SELECT id FROM f WHERE v = 0)", "EXISTS (SELECT 1 FROM f AS g WHERE g.v = f.v)"]
)
def test_a_subquery_that_the_plan_may_evaluate_again_is_refused(where: str) -> None:
    move = f"UPDATE f SET v = v + 1 WHERE {where};"
    with pytest.raises(Refusal, match="is not supported"):
        answers(READ_COMMITTED, move, move)


KEYED = (
    "CREATE TABLE p (id int PRIMARY KEY);\n"
    "CREATE TABLE k (id int PRIMARY KEY, v int UNIQUE CHECK (v < 9), p int REFERENCES p, n int);\n"
    "INSERT INTO k VALUES (0, 0, NULL, 0), (1, 1, NULL, 0);\n"
)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("INSERT INTO k VALUES (2, 1, NULL, 1) ON CONFLICT (id) DO UPDATE SET n = 1;", ("23505",)),
        ("INSERT INTO k VALUES (0, 5, 7, 1) ON CONFLICT (id) DO UPDATE SET n = 1;", (1,)),
        ("INSERT INTO k VALUES (2, 5, 7, 1) ON CONFLICT (id) DO UPDATE SET n = 1;", ("23503",)),
        ("SELECT count(*) AS n FROM k; UPDATE k SET v = 5 WHERE 1 / id > 0;", (((2,),), "22012")),
        ("SELECT count(*) AS n FROM k; UPDATE k SET v = 9 WHERE id = 1;", (((2,),), "23514")),
    ],
)
@pytest.mark.parametrize("level", [READ_COMMITTED, REPEATABLE_READ])
def test_a_request_alone_ends_as_on_the_server(level: Level, body: str, wanted: tuple[Answer, ...]) -> None:
    assert answers(level, f"BEGIN; {body} COMMIT;", schema=KEYED) == {(wanted,)}


@pytest.mark.parametrize("level", [READ_COMMITTED, REPEATABLE_READ])
def test_an_update_fails_before_it_locks(level: Level) -> None:
    """New versions are computed and checked first, so that a row that is gone by then makes no difference."""
    found = answers(
        level,
        "BEGIN; SELECT count(*) AS n FROM k; UPDATE k SET v = v / (id - 1) WHERE id = 1; COMMIT;",
        "DELETE FROM k WHERE id = 1;",
        schema=KEYED,
    )
    assert ((((2,),), "22012"), (1,)) in found


def test_conditions_that_may_fail_beside_joins_are_refused() -> None:
    for query in (
        "SELECT a.v FROM k a JOIN k b ON a.id = b.id WHERE 1 / a.v > 0;",
        "WITH c AS (SELECT id FROM k WHERE 1 / v > 0) SELECT id FROM c WHERE id < 0;",
        "SELECT v FROM k WHERE 1 / v > 0 AND id = 7;",
        "SELECT v IN (v, 1 / v) FROM k;",
    ):
        with pytest.raises(Refusal):
            answers(READ_COMMITTED, query, schema=KEYED)
