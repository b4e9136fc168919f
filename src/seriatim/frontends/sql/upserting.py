"""INSERT and ON CONFLICT at levels where statements see what is committed when they start."""

from collections.abc import Iterator
from dataclasses import replace

from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql.claims import Claim, Mark
from seriatim.frontends.sql.code import reads_rows
from seriatim.frontends.sql.columns import coerce_row
from seriatim.frontends.sql.current import add_claims, visible_tables
from seriatim.frontends.sql.evaluation import SqlError, evaluate, is_true
from seriatim.frontends.sql.inserting import (
    Conflict,
    Fresh,
    inserts_nothing,
    next_row,
    try_insert,
    with_new_rows,
)
from seriatim.frontends.sql.language import Do, Insert, Strength
from seriatim.frontends.sql.machine import UNIQUE_VIOLATION, Machine, Move
from seriatim.frontends.sql.references import lock_parents
from seriatim.frontends.sql.refusal import unsupported
from seriatim.frontends.sql.rekeying import changed_keys
from seriatim.frontends.sql.rows import RowScope
from seriatim.frontends.sql.selection import cells, scope_of
from seriatim.frontends.sql.sequences import fresh_values
from seriatim.frontends.sql.statements import EXCLUDED
from seriatim.frontends.sql.states import (
    Change,
    Database,
    Local,
    RowId,
    is_new,
    new_id,
    row_resource,
    with_change,
)
from seriatim.frontends.sql.terms import Row


def insert(machine: Machine, local: Local, database: Database, do: Do, statement: Insert) -> Iterator[Move]:
    is_start = local.work is None
    fresh = fresh_values(machine, local)
    local = with_new_rows(machine, statement, visible_tables(machine, local, database), local, fresh)
    if inserts_nothing(local):
        yield insert_nothing(machine, local, do, statement), database
        return
    if is_start and reads_rows(statement):
        yield local, database  # It may have to wait, and others may come in between.
        return
    row = next_row(machine, statement, local, do)
    number = machine.number[statement.table]
    match try_insert(machine, local, database, number, row, statement):
        case None:
            return  # Another transaction decides whether the key is free.
        case Fresh(claims=claims):
            locks = lock_parents(machine, local, database, machine.tables[number], row)
            if locks is None:
                return
            after, there = add_claims(local, database, [*claims, *locks])
            after = after_insert(machine, after, do, statement, number, row)
            yield after, there
        case Conflict(id=id_, row=old):
            if statement.conflict is None:
                raise SqlError(UNIQUE_VIOLATION)
            yield from _conflict(machine, local, database, do, statement, id_, old, row)


def after_insert(machine: Machine, local: Local, do: Do, statement: Insert, table: int, row: Row) -> Local:
    """The state after an INSERT has added a row."""
    local = with_change(local, Change(table, new_id(local), row))
    return count_row(machine, local, do, statement, row)


def insert_nothing(machine: Machine, local: Local, do: Do, statement: Insert) -> Local:
    """The state after INSERT … SELECT of no rows."""
    return machine.answer(local, do, None if statement.returning is None else (), 0)


def count_row(machine: Machine, local: Local, do: Do, statement: Insert, row: Row | None) -> Local:
    """The state after an INSERT has handled one row; `row` is None if nothing was written."""
    work = local.work
    assert work is not None
    done = work.done
    if row is not None:
        of = machine.tables[machine.number[statement.table]]
        scope = RowScope(of, statement.name, scope_of({}, dict(local.variables)), {})
        done = (*done, scope.output_row(statement.returning, row))
    work = replace(work, done=done, inserted=work.inserted + 1)
    if work.inserted < len(work.fresh):
        return replace(local, work=work)
    returns = statement.returning is not None
    return machine.answer(local, do, done if returns else None, len(done))


def _conflict(
    machine: Machine,
    local: Local,
    database: Database,
    do: Do,
    statement: Insert,
    id_: RowId,
    old: Row,
    row: Row,
) -> Iterator[Move]:
    """Executes ON CONFLICT on the newest version of the existing row."""
    assert statement.conflict is not None
    number = machine.number[statement.table]
    if statement.conflict.assignments is None:
        yield count_row(machine, local, do, statement, None), database
        return
    lock: Claim = (row_resource(number, id_), Strength.NO_KEY_UPDATE)
    if not is_new(id_) and not claims_.is_free(database.claims, local.claims, *lock):
        return
    held, there = (local, database) if is_new(id_) else add_claims(local, database, [lock])
    new = upsert(machine, held, do, statement, old, row)
    if new is not None:
        held = with_change(held, Change(number, id_, new))
        if not is_new(id_):
            held, there = add_claims(held, there, [(row_resource(number, id_), Mark.WRITTEN)])
    yield count_row(machine, held, do, statement, new), there


def upsert(machine: Machine, local: Local, do: Do, statement: Insert, old: Row, row: Row) -> Row | None:
    """The row after DO UPDATE; None if it does not meet the WHERE condition."""
    conflict = statement.conflict
    assert conflict is not None
    assert conflict.assignments is not None
    table = machine.tables[machine.number[statement.table]]
    scope = scope_of({}, dict(local.variables)).inside(cells(EXCLUDED, table.columns, row))
    scope = scope.inside(cells(statement.name, table.columns, old))
    if not is_true(conflict.where, scope):
        return None
    new = {column: evaluate(value, scope) for column, value in conflict.assignments}
    changed = tuple(new.get(column, value) for column, value in zip(table.columns, old, strict=True))
    written = machine.check_written(table, coerce_row(table, changed), do.span)
    if changed_keys(table, old, written):
        raise unsupported("ON CONFLICT that changes what a unique index is about", "use UPDATE")
    return written
