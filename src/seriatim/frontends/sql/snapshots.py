"""Executes statements that depend on a snapshot alone; no other request affects them, so they run at once."""

from dataclasses import dataclass, replace

from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql import ending, upserting
from seriatim.frontends.sql.at_statement import table_locks
from seriatim.frontends.sql.claims import Claim, Mark
from seriatim.frontends.sql.ending import lost_locks
from seriatim.frontends.sql.evaluation import SqlError
from seriatim.frontends.sql.language import (
    DataStatement,
    Delete,
    Do,
    Insert,
    Rollback,
    RollbackTo,
    Select,
    SelectLocking,
    Strength,
    Table,
    Update,
)
from seriatim.frontends.sql.machine import Machine, end_transaction
from seriatim.frontends.sql.references import parents
from seriatim.frontends.sql.refusal import unsupported
from seriatim.frontends.sql.rekeying import depends_on_now
from seriatim.frontends.sql.rows import Locking, RowScope, condition_of, row_scope
from seriatim.frontends.sql.selection import cells, limit_of, scope_of, select_shown, sort_key
from seriatim.frontends.sql.sequences import fresh_values
from seriatim.frontends.sql.states import (
    Change,
    Database,
    Done,
    Local,
    RowId,
    is_new,
    overlay,
    row_resource,
    with_change,
)
from seriatim.frontends.sql.terms import Row


def resolve_conflict(
    machine: Machine, local: Local, do: Do, statement: Insert, id_: RowId, old: Row, row: Row
) -> Local:
    """Executes ON CONFLICT with a row that has not changed since the snapshot."""
    assert statement.conflict is not None
    number = machine.number[statement.table]
    if statement.conflict.assignments is None:
        watching = touch(local, number, id_, Mark.WATCHED)
        return upserting.count_row(machine, watching, do, statement, None)
    new = upserting.upsert(machine, local, do, statement, old, row)
    local = touch(local, number, id_, Mark.WATCHED if new is None else Mark.RESERVED)
    if new is not None:
        local = with_change(local, Change(number, id_, new))
    return upserting.count_row(machine, local, do, statement, new)


@dataclass(frozen=True, slots=True)
class Failed:
    """The failure of a statement that depends on the snapshot alone."""

    local: Local
    code: str


def run_ahead(machine: Machine, local: Local, alone: bool = False) -> Local | Done | Failed:
    """Executes statements until one depends on more than the snapshot; `snapshot` is None if the transaction
    is over.

    `alone` means that nothing so far depended on more: then a transaction that rolls back ends at once.
    """
    while True:
        settled = machine.settle(local)
        if isinstance(settled, Done) or settled.snapshot is None:
            return settled
        local = settled
        instruction = machine.instruction(local)
        match instruction:
            case RollbackTo(name=name) if not _loses(local, name):
                back, _ = next(ending.roll_back_to(machine, local, Database(()), name))
                if isinstance(back, Done):
                    return back
                local = back
            case Do(statement=statement) if is_about_now(machine, statement):
                return local
            case Do(statement=Select() | SelectLocking() | Update() | Delete()):
                try:
                    local = execute(machine, local, instruction)
                except SqlError as error:
                    if not ending.can_recover(machine, local) or lost_locks(local, local.saved[-1]):
                        return Failed(local, error.code)
                    back = ending.restore(local, local.saved[-1])
                    local = replace(back, answers=(*local.answers, error.code), failed=True)
            case Rollback() | None if alone:
                local = end_transaction(local)
                if instruction is None:
                    return Done(local.answers)
                local = replace(local, at=local.at + 1)
            case _:
                return local


def is_about_now(machine: Machine, statement: DataStatement) -> bool:
    """Whether a statement is a step of its own: it depends on what is committed now, or other requests can
    tell when it locks its rows."""
    shows = machine.shows_locks and isinstance(statement, Update | Delete | SelectLocking)
    return shows or depends_on_now(machine, statement)


def _loses(local: Local, name: str) -> bool:
    """Whether going back to a savepoint drops locks that other requests can see."""
    places = [each for each in local.saved if each.name == name]
    return not places or bool(lost_locks(local, places[-1]))


def snapshot_tables(machine: Machine, local: Local) -> dict[str, tuple[Row, ...]]:
    return {
        table.name: tuple(row for _, row in snapshot_rows(local, number))
        for number, table in enumerate(machine.tables)
    }


def snapshot_rows(local: Local, number: int) -> list[tuple[RowId, Row]]:
    assert local.snapshot is not None
    return list(overlay(local.snapshot[number] or (), local.changes, number))


def execute(machine: Machine, local: Local, do: Do, skipped: frozenset[RowId] = frozenset()) -> Local:
    """The state after a statement that depends only on the snapshot and on the rows that it skips."""
    statement = do.statement
    if machine.locks_tables:
        own = {*local.looked, *table_locks(statement)}
        local = replace(local, looked=tuple(sorted(own, key=claims_.sort_key)))
    if isinstance(statement, Select):
        fresh = None if statement.query.relations else fresh_values(machine, local)
        rows = select_shown(
            statement.query, scope_of(snapshot_tables(machine, local), dict(local.variables), fresh)
        )
        return machine.answer(local, do, tuple(rows), 0, ordered=bool(statement.query.order))
    assert isinstance(statement, Update | Delete | SelectLocking)
    number = machine.number[statement.table]
    scope, picked = pick_rows(machine, local, statement, skipped)
    done: list[Row] = []
    for id_, row in picked:
        mark = KEEPS[statement.strength] if isinstance(statement, SelectLocking) else Mark.RESERVED
        if isinstance(statement, SelectLocking):
            done.append(scope.output_row(statement.query.outputs, row))
        else:
            new = None
            if isinstance(statement, Update):
                new = machine.check_written(
                    scope.table, scope.updated_row(statement.assignments, row), do.span
                )
            done.append(scope.output_row(statement.returning, row if new is None else new))
            local = with_change(local, Change(number, id_, new))
        local = touch(local, number, id_, mark)
    if isinstance(statement, SelectLocking):
        return machine.answer(local, do, tuple(done), 0, ordered=bool(statement.query.order))
    return machine.answer(local, do, tuple(done) if statement.returning is not None else None, len(done))


def choose_rows(
    machine: Machine, local: Local, statement: Locking
) -> tuple[RowScope, list[tuple[RowId, Row]]]:
    """The rows of the snapshot that meet the condition of a statement."""
    number = machine.number[statement.table]
    scope = row_scope(
        machine.tables[number], statement, snapshot_tables(machine, local), dict(local.variables), None
    )
    rows = snapshot_rows(local, number)
    return scope, [(id_, row) for id_, row in rows if scope.wants(condition_of(statement), row)]


def pick_rows(
    machine: Machine, local: Local, statement: Locking, skipped: frozenset[RowId]
) -> tuple[RowScope, list[tuple[RowId, Row]]]:
    """The rows that a statement affects if it skips some."""
    scope, wanted = choose_rows(machine, local, statement)
    return scope, _limit(statement, [each for each in wanted if each[0] not in skipped], local)


KEEPS = {
    Strength.UPDATE: Mark.WATCHED,
    Strength.NO_KEY_UPDATE: Mark.WATCHED,
    Strength.SHARE: Mark.WATCHED,
    Strength.KEY_SHARE: Mark.KEPT,
}


def _limit(statement: Locking, wanted: list[tuple[RowId, Row]], local: Local) -> list[tuple[RowId, Row]]:
    """The rows in the order of ORDER BY, up to LIMIT."""
    if not isinstance(statement, SelectLocking):
        return wanted
    order, name = statement.query.order, statement.query.relations[0]
    base = scope_of({}, dict(local.variables))
    if order:
        keys = {id_: sort_key(order, base.inside(cells(name.name, name.columns, row))) for id_, row in wanted}
        if len(set(keys.values())) < len(keys):
            raise unsupported(
                "ORDER BY without a total order in SELECT … FOR UPDATE", "add columns to ORDER BY"
            )
        wanted = sorted(wanted, key=lambda pair: keys[pair[0]])
    limit = limit_of(statement.query, base)
    if limit is not None and limit < len(wanted) and not order:
        raise unsupported("LIMIT without ORDER BY")
    return wanted if limit is None else wanted[:limit]


def keep_parents(machine: Machine, local: Local, table: Table, row: Row) -> Local:
    """The state with KEPT marks on the snapshot's rows that a new row refers to; raises `SqlError` if one is
    missing."""
    seen = {each.name: dict(snapshot_rows(local, number)) for number, each in enumerate(machine.tables)}
    for number, id_ in parents(machine, table, row, seen):
        local = touch(local, number, id_, Mark.KEPT)
    return local


def lock_parents(
    machine: Machine, local: Local, database: Database, table: Table, row: Row
) -> list[Claim] | None:
    """The locks on the snapshot's rows that a new row refers to, where some transaction may delete them,
    change their keys or skip locked rows; None while one is not free. Raises `SqlError`."""
    seen = {each.name: dict(snapshot_rows(local, number)) for number, each in enumerate(machine.tables)}
    wanted: list[Claim] = []
    for number, id_ in parents(machine, table, row, seen):
        lock: Claim = (row_resource(number, id_), Strength.KEY_SHARE)
        if machine.unlinked[number] or machine.shows_locks:
            if not claims_.is_free(database.claims, local.claims, *lock):
                return None
            wanted.append(lock)
    return wanted


def touch(local: Local, table: int, id_: RowId, mark: Mark) -> Local:
    """The state with a mark on one more row that others may not change meanwhile; the strongest mark
    counts."""
    if is_new(id_):
        return local
    resource = row_resource(table, id_)
    known = [Mark(other) for where, other in local.touched if where == resource]
    strongest = max((mark, *known), key=claims_.SNAPSHOT_MARKS.index)
    others = [claim for claim in local.touched if claim[0] != resource]
    return replace(local, touched=tuple(sorted((*others, (resource, strongest)), key=claims_.sort_key)))
