"""READ COMMITTED: each statement sees what is committed when it starts.

A statement that locks rows chooses *candidates* among the rows that it sees. Then it visits them one by one,
in any order: it waits for the lock, reads the newest version and, if that version still meets the condition,
acts on it. In any case it keeps the lock until the transaction ends. It leaves out a candidate that was
deleted meanwhile, even if a new row has the same key. It does not visit rows that meet the condition only
later.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql.claims import Claim, Mark
from seriatim.frontends.sql.code import parts, table_written, tables_read
from seriatim.frontends.sql.current import (
    add_claims,
    advisory_claim,
    note_wait,
    release_locks,
    take_lock,
    visible_rows,
    visible_tables,
)
from seriatim.frontends.sql.evaluation import SqlError, evaluate
from seriatim.frontends.sql.language import (
    AdvisoryLock,
    AdvisoryUnlock,
    DataStatement,
    Delete,
    Do,
    Insert,
    LockTable,
    Select,
    SelectLocking,
    Strength,
    TableMode,
    Update,
    Wait,
)
from seriatim.frontends.sql.machine import AMBIGUOUS, Machine, Move
from seriatim.frontends.sql.references import lock_parents, may_delete
from seriatim.frontends.sql.refusal import unsupported
from seriatim.frontends.sql.rekeying import (
    changed_keys,
    claim_keys,
    depends_on_now,
    strength_of_update,
    with_changed_references,
)
from seriatim.frontends.sql.rows import (
    Locking,
    RowScope,
    condition_of,
    name_of,
    refuse_plan_dependent,
    row_scope,
    strength_of,
    subqueries,
)
from seriatim.frontends.sql.selection import limit_of, scope_of, select_shown, sort_key
from seriatim.frontends.sql.sequences import fresh_values
from seriatim.frontends.sql.states import (
    Change,
    Database,
    Local,
    RowId,
    Work,
    incarnation_resource,
    is_new,
    row_resource,
    with_change,
)
from seriatim.frontends.sql.terms import Column, Row
from seriatim.frontends.sql.upserting import insert

TABLE_MODES: dict[type, TableMode] = {
    Select: TableMode.ACCESS_SHARE,
    SelectLocking: TableMode.ROW_SHARE,
    Update: TableMode.ROW_EXCLUSIVE,
    Delete: TableMode.ROW_EXCLUSIVE,
    Insert: TableMode.ROW_EXCLUSIVE,
}


def run_unit(machine: Machine, local: Local, database: Database, do: Do) -> Iterator[Move]:
    """All next moves of a statement."""
    for ready, there in lock_tables(machine, local, database, do):
        yield from _run_statement(machine, ready, there, do)


def lock_tables(
    machine: Machine, local: Local, database: Database, do: Do
) -> Iterator[tuple[Local, Database]]:
    """Takes the table lock that every statement takes, if some transaction locks whole tables."""
    wanted = table_locks(do.statement)
    if not machine.locks_tables or not wanted or local.work is not None:
        yield local, database
        return
    if all(claims_.is_free(database.claims, local.claims, *claim) for claim in wanted):
        yield add_claims(local, database, wanted)


def table_locks(statement: DataStatement) -> list[Claim]:
    """The locks on tables that a statement takes."""
    mode = TABLE_MODES.get(type(statement))
    names = set(tables_read(statement)) | ({table_written(statement)} - {None})
    return [] if mode is None else [(("table", name), mode) for name in sorted(filter(None, names))]


def _run_statement(machine: Machine, local: Local, database: Database, do: Do) -> Iterator[Move]:
    statement = do.statement
    match statement:
        case Select(query=query):
            fresh = None if query.relations else fresh_values(machine, local)
            rows = select_shown(
                query, scope_of(visible_tables(machine, local, database), dict(local.variables), fresh)
            )
            yield machine.answer(local, do, tuple(rows), 0, ordered=bool(query.order)), database
        case Update() | Delete() | SelectLocking():
            yield from _lock_rows(machine, local, database, do, statement)
        case Insert():
            yield from insert(machine, local, database, do, statement)
        case LockTable(table=table, mode=mode):
            yield from take_lock(machine, local, database, do, (("table", table), mode))
        case AdvisoryLock():
            yield from take_lock(machine, local, database, do, advisory_claim(local, statement))
        case AdvisoryUnlock():
            yield from release_locks(machine, local, database, do, statement)
        case _:
            assert_never(statement)


# Statements that lock rows


def _lock_rows(
    machine: Machine, local: Local, database: Database, do: Do, statement: Locking
) -> Iterator[Move]:
    if local.work is None:
        local = _choose_candidates(machine, local, database, statement)
        assert local.work is not None
        if local.work.rows and not has_fixed_candidates(machine, statement):
            # Other requests may move before the first visit.
            yield add_claims(local, database, _candidate_claims(machine, local, statement))
            return
    assert local.work is not None
    if local.work.gated:
        assert isinstance(statement, SelectLocking)
        assert statement.gate is not None
        gate = advisory_claim(local, statement.gate)
        if not claims_.is_free(database.claims, local.claims, *gate):
            return
        local, database = add_claims(replace(local, work=replace(local.work, gated=False)), database, [gate])
    work = local.work
    assert work is not None
    if not work.rows or _is_full(local, work, statement):
        yield from _finish(machine, local, database, do, statement)
        return
    is_ordered = isinstance(statement, SelectLocking) and bool(statement.query.order)
    for candidate in work.rows[:1] if is_ordered else work.rows:
        rest = tuple(each for each in work.rows if each != candidate)
        for after, there in _visit(
            machine, local, database, do, statement, candidate, replace(work, rows=rest)
        ):
            now = after.work
            assert now is not None
            if not now.rows or _is_full(after, now, statement):
                yield from _finish(machine, after, there, do, statement)
            else:
                yield from drop_visited(machine, after, there, statement)


def _candidate_claims(machine: Machine, local: Local, statement: Locking) -> list[Claim]:
    """The claims on candidates not yet visited, where a key can have one row after another."""
    number = machine.number[statement.table]
    if not machine.reborn[number] or local.work is None:
        return []
    return [(incarnation_resource(number, id_), Mark.CHOSEN) for id_ in local.work.rows if not is_new(id_)]


def drop_visited(
    machine: Machine, local: Local, database: Database, statement: Locking
) -> Iterator[tuple[Local, Database]]:
    """Drops the claims on candidates that the statement has visited."""
    needed = _candidate_claims(machine, local, statement)
    old = [claim for claim in local.claims if claim[1] is Mark.CHOSEN and claim not in needed]
    kept = tuple(claim for claim in local.claims if claim not in old)
    for claims in claims_.drop(database.claims, old):
        yield replace(local, claims=kept), replace(database, claims=claims)


def _choose_candidates(machine: Machine, local: Local, database: Database, statement: Locking) -> Local:
    """Chooses the candidates, and evaluates the subqueries."""
    refuse_plan_dependent(statement)
    tables = visible_tables(machine, local, database)
    scope = scope_of(tables, dict(local.variables))
    values = tuple(evaluate(each, scope) for each in subqueries(statement))
    table = machine.tables[machine.number[statement.table]]
    rows = row_scope(table, statement, tables, dict(local.variables), values)
    here = visible_rows(machine, local, database, statement.table)
    chosen = [id_ for id_, row in here.items() if rows.wants(condition_of(statement), row)]
    if isinstance(statement, SelectLocking) and statement.query.order:
        order = statement.query.order
        chosen.sort(key=lambda id_: sort_key(order, rows.at(here[id_])))
        keys = [sort_key(order, rows.at(here[id_])) for id_ in chosen]
        if len(set(keys)) < len(keys):
            raise unsupported(
                "ORDER BY without a total order in SELECT … FOR UPDATE", "add columns to ORDER BY"
            )
    else:
        chosen.sort(key=repr)
    doomed: list[tuple[RowId, str]] = []
    for id_ in chosen if isinstance(statement, Update) else ():
        assert isinstance(statement, Update)
        try:
            machine.check_row(table, rows.updated_row(statement.assignments, here[id_]))
        except SqlError as error:
            doomed.append((id_, error.code))
    gated = isinstance(statement, SelectLocking) and statement.gate is not None and bool(chosen)
    return replace(local, work=Work(tuple(chosen), values, doomed=tuple(doomed), gated=gated))


def _is_full(local: Local, work: Work, statement: Locking) -> bool:
    """Whether LIMIT is reached."""
    if not isinstance(statement, SelectLocking):
        return False
    limit = limit_of(statement.query, scope_of({}, dict(local.variables)))
    return limit is not None and len(work.done) >= limit


def _finish(
    machine: Machine, local: Local, database: Database, do: Do, statement: Locking
) -> Iterator[tuple[Local, Database]]:
    work = local.work
    assert work is not None
    over = replace(local, work=None)
    for after, there in drop_visited(machine, over, database, statement):
        if isinstance(statement, SelectLocking):
            yield machine.answer(after, do, work.done, 0, ordered=bool(statement.query.order)), there
        else:
            rows = None if statement.returning is None else work.done
            yield machine.answer(after, do, rows, len(work.done)), there


def _visit(
    machine: Machine, local: Local, database: Database, do: Do, statement: Locking, id_: RowId, work: Work
) -> Iterator[tuple[Local, Database]]:
    """Locks a row that a statement has found, and updates or deletes it if it still meets the condition."""
    doom = dict(work.doomed).get(id_)
    if doom is not None:
        raise SqlError(doom)
    work = replace(work, doomed=tuple(each for each in work.doomed if each[0] in work.rows))
    skipped = replace(local, work=work)
    number = machine.number[statement.table]
    row = visible_rows(machine, local, database, statement.table).get(id_)
    if row is None:
        yield skipped, database  # The row is deleted; a row with the same key is another row.
        return
    if id_[1] == AMBIGUOUS and not is_new(id_):
        yield skipped, database  # Perhaps the statement had chosen another row with this key.
    table = machine.tables[number]
    rows = row_scope(
        table, statement, visible_tables(machine, local, database), dict(local.variables), work.values
    )
    lock: Claim = (row_resource(number, id_), _strength(machine, statement, rows, row))
    if not is_new(id_) and not claims_.is_free(database.claims, local.claims, *lock):
        if isinstance(statement, SelectLocking) and statement.wait is Wait.SKIP:
            yield skipped, database
        else:
            note_wait(machine, local, do)
        return
    held, there = (local, database) if is_new(id_) else add_claims(local, database, [lock])
    if not rows.wants(condition_of(statement), row):
        yield replace(held, work=work), there
        return
    if isinstance(statement, Delete) and not may_delete(machine, held, there, table, row):
        return
    if isinstance(statement, Update) and depends_on_now(machine, statement):
        new = rows.updated_row(statement.assignments, row)
        if changed_keys(table, row, new) and work.rows:
            raise unsupported("UPDATE of keys of several rows", "its order matters; update row by row")
        claims = claim_keys(machine, held, there, number, id_, row, new)
        children = with_changed_references(table, row, new)
        locks = lock_parents(machine, held, there, children, new)
        if claims is None or locks is None:
            return
        held, there = add_claims(held, there, [*claims, *locks])
    yield _act(machine, held, there, do, statement, rows, Change(number, id_, row), work)


def _strength(machine: Machine, statement: Locking, rows: RowScope, row: Row) -> Strength:
    """The strength of a row lock: UPDATE takes the strongest one where it changes a key."""
    if not isinstance(statement, Update) or not depends_on_now(machine, statement):
        return strength_of(statement)
    if not rows.wants(statement.where, row):
        return strength_of(statement)
    return strength_of_update(rows.table, row, rows.updated_row(statement.assignments, row))


def _act(
    machine: Machine,
    local: Local,
    database: Database,
    do: Do,
    statement: Locking,
    rows: RowScope,
    old: Change,
    work: Work,
) -> tuple[Local, Database]:
    assert old.row is not None
    if isinstance(statement, SelectLocking):
        shown = rows.output_row(statement.query.outputs, old.row)
        return replace(local, work=replace(work, done=(*work.done, shown))), database
    new: Row | None = None
    if isinstance(statement, Update):
        new = machine.check_written(rows.table, rows.updated_row(statement.assignments, old.row), do.span)
    shown = rows.output_row(statement.returning, old.row if new is None else new)
    local = with_change(local, Change(old.table, old.id, new))
    if not is_new(old.id):
        local, database = add_claims(local, database, [(row_resource(old.table, old.id), Mark.WRITTEN)])
    return replace(local, work=replace(work, done=(*work.done, shown))), database


def has_fixed_candidates(machine: Machine, statement: Locking) -> bool:
    """Whether no other request can change which rows a statement affects: then it need not choose them first.

    This holds if its condition uses only columns that no statement assigns, it has no subqueries, and no
    statement inserts into its table or deletes from it.
    """
    if subqueries(statement):
        return False
    if isinstance(statement, SelectLocking) and (statement.query.order or statement.gate):
        return False
    name, changing = name_of(statement), machine.assigned_columns(statement.table)
    if changing is None:
        return False
    return not any(
        isinstance(part, Column) and part.relation == name and part.name in changing
        for part in parts(condition_of(statement))
    )
