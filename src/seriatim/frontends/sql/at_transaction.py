"""REPEATABLE READ, which is snapshot isolation: all statements see what was committed at the first one.

Statements that read only the snapshot run at once, in the step that takes the snapshot: no other request can
affect them. One condition remains: between the snapshot and the end of the transaction, no other transaction
may commit a change to a row that this one writes or locks. Otherwise this one fails and starts over, and the
attempt is invisible. So the step that takes the snapshot also claims these rows:

- RESERVED: rows that it writes. A second transaction that would reserve one of them starts later.
- WATCHED: rows that it only locks, and rows that ON CONFLICT has to find unchanged. A writer of such a row
  commits later; any number may watch. KEPT is the same for FOR KEY SHARE, which only deletions disturb.

Claim: the complete runs are those of PostgreSQL in which nothing fails. For no other request can tell whether
a transaction takes its row locks only just before it ends, and these claims say exactly that the locks it
then takes find the rows of its snapshot. A transaction that rolls back or fails, and depends on its snapshot
alone, claims nothing: it might as well end at once.

INSERT depends on what is committed when it is executed, so each INSERT is a step of its own. What the
transaction writes may depend on it. So the first step guesses the claims, among those that some course of the
transaction needs. A transaction that ends with other needs than it has guessed is stuck: the run with the
right guess is another one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from seriatim.frontends.sql import at_now, current, ending, upserting
from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql.at_statement import lock_tables
from seriatim.frontends.sql.claims import Claim, Mark
from seriatim.frontends.sql.code import statements, tables_read
from seriatim.frontends.sql.evaluation import SqlError
from seriatim.frontends.sql.guessing import guesses
from seriatim.frontends.sql.inserting import (
    Conflict,
    Fresh,
    inserts_nothing,
    next_row,
    try_insert,
    with_new_rows,
)
from seriatim.frontends.sql.language import (
    AdvisoryLock,
    AdvisoryUnlock,
    Commit,
    Delete,
    Do,
    Insert,
    LockTable,
    Rollback,
    Savepoint,
    Select,
    SelectLocking,
    Update,
)
from seriatim.frontends.sql.machine import UNIQUE_VIOLATION, Machine, Move, OutOfScope
from seriatim.frontends.sql.refusal import UNSUPPORTED, Refusal, unsupported
from seriatim.frontends.sql.sequences import fresh_values
from seriatim.frontends.sql.snapshots import (
    Failed,
    is_about_now,
    keep_parents,
    lock_parents,
    resolve_conflict,
    run_ahead,
    snapshot_rows,
    snapshot_tables,
)
from seriatim.frontends.sql.states import Database, Done, Local, is_new, row_resource


def run_unit(machine: Machine, local: Local, database: Database, do: Do) -> Iterator[Move]:
    """All next moves of a transaction."""
    if local.snapshot is not None:
        yield from _go_on(machine, local, database, do)
        return
    if isinstance(do.statement, LockTable):  # It reads no rows, so it takes no snapshot.
        lock: Claim = (("table", do.statement.table), do.statement.mode)
        yield from current.take_lock(machine, local, database, do, lock)
        return
    for begun, there in _begin(machine, local, database):
        if isinstance(begun, Local) and begun.at == local.at and not _is_dated(begun):
            yield from _go_on(machine, begun, there, do)
        else:
            yield begun, there


def _is_dated(local: Local) -> bool:
    """Whether it matters that the snapshot is older than the next statement."""
    return bool(local.claims) or any(rows is not None for rows in local.snapshot or ())


def _begin(machine: Machine, local: Local, database: Database) -> Iterator[Move]:
    """Takes the snapshot and the claims, and runs all statements that depend on these alone."""
    _refuse_savepoints(machine, local)
    try:
        reached = run_ahead(machine, replace(local, snapshot=database.tables), alone=True)
    except OutOfScope:
        return
    if isinstance(reached, Failed):
        failed = replace(reached.local, answers=(*reached.local.answers, reached.code))
        yield ending.after_failure(machine, failed), database
        return
    if isinstance(reached, Done) or reached.snapshot is None:
        yield reached, database
        return
    for guess in guesses(machine, reached):
        if all(claims_.is_free(database.claims, local.claims, *claim) for claim in guess):
            own, there = current.add_claims(reached, database, sorted(guess, key=claims_.sort_key))
            yield _prune(machine, own), there


def _refuse_savepoints(machine: Machine, local: Local) -> None:
    """Raises `Refusal` for savepoints beside statements that depend on other transactions: the claims that a
    rollback gives up cannot be guessed."""
    code = machine.code(local)
    saves = [each for each in code if isinstance(each, Savepoint)]
    is_open = Insert | AdvisoryLock | AdvisoryUnlock
    if saves and any(isinstance(each, is_open) or is_about_now(machine, each) for each in statements(code)):
        hint = "leave the savepoint out, or run the transaction at READ COMMITTED"
        raise Refusal(
            UNSUPPORTED,
            "SAVEPOINT beside INSERT, advisory locks, SKIP LOCKED or keys that change is not supported at"
            " this level",
            hint,
            saves[0].span,
        )


def _prune(machine: Machine, local: Local) -> Local:
    """The state without the tables that the transaction will not read any more."""
    assert local.snapshot is not None
    ahead = list(statements(machine.code(local)[local.at :]))
    needed = {name for each in ahead for name in tables_read(each)}
    written = [machine.script.table(each.table) for each in ahead if isinstance(each, Insert | Update)]
    needed |= {reference.table for table in written for reference in table.references}
    if isinstance(machine.instruction(local), Commit | Rollback):
        needed = set()
    return replace(
        local,
        snapshot=tuple(
            rows if table.name in needed else None
            for table, rows in zip(machine.tables, local.snapshot, strict=True)
        ),
    )


def _go_on(machine: Machine, local: Local, database: Database, do: Do) -> Iterator[Move]:
    """Executes a statement that depends on what is committed now, then runs ahead to the next such
    statement."""
    is_of_snapshot = isinstance(do.statement, Select | SelectLocking | Update | Delete)
    if is_of_snapshot and not is_about_now(machine, do.statement):
        yield from _run_ahead(machine, local, database)
        return
    for ready, here in lock_tables(machine, local, database, do):
        yield from _execute_and_run_ahead(machine, ready, here, do)


def _execute_and_run_ahead(machine: Machine, local: Local, database: Database, do: Do) -> Iterator[Move]:
    for after, there in _execute_now(machine, local, database, do):
        if isinstance(after, Done) or after.work is not None:
            yield after, there
        else:
            yield from _run_ahead(machine, after, there)


def _run_ahead(machine: Machine, local: Local, database: Database) -> Iterator[Move]:
    try:
        reached = run_ahead(machine, local)
    except OutOfScope:
        return
    match reached:
        case Failed(local=failed, code=code):
            yield from ending.fail(machine, failed, database, code)
        case Local() if reached.snapshot is not None:
            yield _prune(machine, reached), database
        case Local() | Done():
            yield reached, database


def _execute_now(machine: Machine, local: Local, database: Database, do: Do) -> Iterator[Move]:
    statement = do.statement
    if isinstance(statement, Insert):
        yield from _insert(machine, local, database, do, statement)
        return
    if isinstance(statement, AdvisoryLock):
        yield from current.take_lock(machine, local, database, do, current.advisory_claim(local, statement))
        return
    if isinstance(statement, AdvisoryUnlock):
        yield from current.release_locks(machine, local, database, do, statement)
        return
    if isinstance(statement, SelectLocking):
        lock = at_now.lock_rows if machine.shows_locks else at_now.lock_behind_gate
        yield from lock(machine, local, database, do, statement)
        return
    if isinstance(statement, LockTable):
        yield from current.take_lock(
            machine, local, database, do, (("table", statement.table), statement.mode)
        )
        return
    if isinstance(statement, Update | Delete):
        yield from at_now.change(machine, local, database, do)


def _insert(machine: Machine, local: Local, database: Database, do: Do, statement: Insert) -> Iterator[Move]:
    """Inserts one row of an INSERT."""
    fresh = fresh_values(machine, local)
    local = with_new_rows(machine, statement, snapshot_tables(machine, local), local, fresh)
    if inserts_nothing(local):
        yield upserting.insert_nothing(machine, local, do, statement), database
        return
    row = next_row(machine, statement, local, do)
    table = machine.number[statement.table]
    if statement.conflict is not None and machine.shows_locks:
        hint = "leave out ON CONFLICT, or run the transactions at READ COMMITTED"
        raise unsupported("ON CONFLICT beside SKIP LOCKED, at this level", hint)
    match try_insert(machine, local, database, table, row, statement):
        case None:
            current.note_wait(machine, local, do)
            return
        case Fresh(claims=claims):
            locks = lock_parents(machine, local, database, machine.tables[table], row)
            if locks is None:
                current.note_wait(machine, local, do)
                return
            at_now.refuse_several_rows(machine, local, locks)
            keeping = keep_parents(machine, local, machine.tables[table], row)
            after, there = current.add_claims(keeping, database, [*claims, *locks])
            yield upserting.after_insert(machine, after, do, statement, table, row), there
        case Conflict(id=id_, row=old):
            if statement.conflict is None:
                raise SqlError(UNIQUE_VIOLATION)
            mine = dict(snapshot_rows(local, table)).get(id_)
            resource = row_resource(table, id_)
            kept: Iterable[Mark] = (Mark.RESERVED, Mark.WATCHED)
            if mine is None or not (is_new(id_) or any((resource, mark) in local.claims for mark in kept)):
                return  # The row has changed since the snapshot: the transaction fails and starts over.
            yield resolve_conflict(machine, local, do, statement, id_, old, row), database
