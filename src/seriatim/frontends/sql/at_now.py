"""Statements at REPEATABLE READ that look at what is committed now: keys, foreign keys, SKIP LOCKED.

These statements choose rows in the snapshot, as all others do. Then they lock these rows, so that
transactions that refer to them wait, and check keys as INSERT does. A statement that fails also needs its
rows as they are in the snapshot: otherwise it would have failed earlier, with a serialization failure.

Where some statement skips locked rows, every row lock is taken when its statement runs, and is visible until
the transaction ends. So would be the lock of an attempt that fails after it has locked a row. That cannot
happen to a transaction that locks a single row: with its first lock it knows that the row has not changed,
and then no other transaction can change it. Transactions that lock several rows are refused.
"""

from collections.abc import Iterator

from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql import current, ending
from seriatim.frontends.sql.claims import Claim, Mark
from seriatim.frontends.sql.evaluation import SqlError
from seriatim.frontends.sql.language import Delete, Do, SelectLocking, Strength, Update, Wait
from seriatim.frontends.sql.machine import Machine, Move
from seriatim.frontends.sql.references import may_delete
from seriatim.frontends.sql.refusal import unsupported
from seriatim.frontends.sql.rekeying import (
    changed_keys,
    claim_keys,
    strength_of_update,
    with_changed_references,
)
from seriatim.frontends.sql.rows import RowScope
from seriatim.frontends.sql.snapshots import (
    choose_rows,
    execute,
    keep_parents,
    lock_parents,
    pick_rows,
    touch,
)
from seriatim.frontends.sql.states import Database, Local, RowId, is_new, row_resource
from seriatim.frontends.sql.terms import Row

Chosen = list[tuple[RowId, Row]]


def change(machine: Machine, local: Local, database: Database, do: Do) -> Iterator[Move]:
    """Executes UPDATE or DELETE: locks its rows, then checks their keys and references."""
    statement = do.statement
    assert isinstance(statement, Update | Delete)
    number = machine.number[statement.table]
    doom = find_doom(machine, local, statement)
    if doom is not None:
        yield from ending.fail(machine, local, database, doom)
        return
    scope, wanted = choose_rows(machine, local, statement)
    locks = _locks(number, scope, statement, wanted)
    refuse_several_rows(machine, local, locks)
    if not all(claims_.is_free(database.claims, local.claims, *lock) for lock in locks):
        current.note_wait(machine, local, do)
        return
    held, there = current.add_claims(local, database, locks)
    try:
        claims = _claims(machine, held, there, scope, statement, wanted)
        if claims is None:
            return
        after = succeed(machine, held, do)
    except SqlError as error:
        yield from ending.fail(machine, watch_rows(machine, local, statement), database, error.code)
        return
    yield current.add_claims(after, there, claims)


def find_doom(machine: Machine, local: Local, statement: Update | Delete) -> str | None:
    """The error of a statement that fails by itself, whatever others have committed: conditions and new
    versions are computed, and new versions checked, before a row is locked."""
    try:
        scope, wanted = choose_rows(machine, local, statement)
    except SqlError as error:
        return error.code
    if isinstance(statement, Delete):
        return None
    found: set[str | None] = set()
    for _, row in wanted:
        try:
            machine.check_row(scope.table, scope.updated_row(statement.assignments, row))
            found.add(None)
        except SqlError as error:
            found.add(error.code)
    if len(found) > 1:
        raise unsupported(
            "UPDATE of several rows of which some fail", "their order matters; update row by row"
        )
    return next(iter(found), None)


def refuse_several_rows(machine: Machine, local: Local, locks: list[Claim]) -> None:
    """Raises `Refusal` if an attempt may fail after others have seen its locks."""
    held = {claim[0] for claim in (*local.claims, *locks) if isinstance(claim[1], Strength)}
    if machine.shows_locks and len(held) > 1:
        raise unsupported(
            "SKIP LOCKED beside a transaction at this level that locks several rows",
            "failed attempts show their locks; lock one row, or run the transactions at READ COMMITTED",
        )


def possible_skips(machine: Machine, local: Local, statement: SelectLocking) -> list[frozenset[RowId]]:
    """The sets of rows that SELECT … FOR UPDATE may skip: none; with SKIP LOCKED, all, or all but one."""
    rows = frozenset(id_ for id_, _ in choose_rows(machine, local, statement)[1])
    if statement.wait is not Wait.SKIP:
        return [frozenset()]
    return [rows, *(rows - {each} for each in sorted(rows))]


def lock_rows(
    machine: Machine, local: Local, database: Database, do: Do, statement: SelectLocking
) -> Iterator[Move]:
    """Executes SELECT … FOR UPDATE where other requests can notice which rows are locked."""
    if statement.gate is not None:
        hint = "leave out the advisory lock, or SKIP LOCKED"
        raise unsupported("SKIP LOCKED beside an advisory lock in WHERE, at this level", hint)
    table = machine.number[statement.table]

    def lock(id_: RowId) -> list[Claim]:
        return [] if is_new(id_) else [(row_resource(table, id_), statement.strength)]

    def is_busy(id_: RowId) -> bool:
        return not all(claims_.is_free(database.claims, local.claims, *each) for each in lock(id_))

    skipped = frozenset[RowId]()
    if statement.wait is Wait.SKIP:
        skipped = frozenset(id_ for id_, _ in choose_rows(machine, local, statement)[1] if is_busy(id_))
    picked = [id_ for id_, _ in pick_rows(machine, local, statement, skipped)[1]]
    locks = [each for id_ in picked for each in lock(id_)]
    refuse_several_rows(machine, local, locks)
    if any(map(is_busy, picked)):
        current.note_wait(machine, local, do)
        return
    yield current.add_claims(execute(machine, local, do, skipped), database, locks)


def lock_behind_gate(
    machine: Machine, local: Local, database: Database, do: Do, statement: SelectLocking
) -> Iterator[Move]:
    """Executes a SELECT … FOR UPDATE that waits for an advisory lock if it finds rows."""
    assert statement.gate is not None
    after, there = execute(machine, local, do), database
    if choose_rows(machine, local, statement)[1]:
        gate = current.advisory_claim(local, statement.gate)
        if not claims_.is_free(database.claims, local.claims, *gate):
            return
        after, there = current.add_claims(after, database, [gate])
    yield after, there


def succeed(machine: Machine, local: Local, do: Do) -> Local:
    """The state after a statement that succeeds; raises `SqlError` or `OutOfScope` if it always fails."""
    statement = do.statement
    assert isinstance(statement, Update | Delete)
    scope, wanted = choose_rows(machine, local, statement)
    after = execute(machine, local, do)
    for _, row in wanted if isinstance(statement, Update) else ():
        assert isinstance(statement, Update)
        new = scope.updated_row(statement.assignments, row)
        after = keep_parents(machine, after, with_changed_references(scope.table, row, new), new)
    return after


def watch_rows(machine: Machine, local: Local, statement: Update | Delete) -> Local:
    """The state with a WATCHED mark on each row that a failing statement needs unchanged."""
    number = machine.number[statement.table]
    for id_, _ in choose_rows(machine, local, statement)[1]:
        local = touch(local, number, id_, Mark.WATCHED)
    return local


def _locks(number: int, scope: RowScope, statement: Update | Delete, wanted: Chosen) -> list[Claim]:
    found: list[Claim] = []
    for id_, row in wanted:
        strength = Strength.UPDATE
        if isinstance(statement, Update):
            strength = strength_of_update(scope.table, row, scope.updated_row(statement.assignments, row))
        if not is_new(id_):
            found.append((row_resource(number, id_), strength))
    return found


def _claims(
    machine: Machine,
    local: Local,
    database: Database,
    scope: RowScope,
    statement: Update | Delete,
    wanted: Chosen,
) -> list[Claim] | None:
    """The claims of the statement beyond its locks; None while it waits for others. Raises `SqlError`."""
    number, found = machine.number[statement.table], list[Claim]()
    for id_, row in wanted:
        if isinstance(statement, Delete):
            if not may_delete(machine, local, database, scope.table, row):
                return None
            continue
        new = scope.updated_row(statement.assignments, row)
        if changed_keys(scope.table, row, new) and len(wanted) > 1:
            raise unsupported("UPDATE of keys of several rows", "its order matters; update row by row")
        claims = claim_keys(machine, local, database, number, id_, row, new)
        children = with_changed_references(scope.table, row, new)
        locks = lock_parents(machine, local, database, children, new)
        if claims is None or locks is None:
            return None
        found += [*claims, *locks]
    return found
