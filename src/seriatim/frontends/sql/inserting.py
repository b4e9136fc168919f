"""Decides whether a row can be inserted: at every isolation level this depends on what is committed now."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql.claims import Claim, Mark
from seriatim.frontends.sql.columns import coerce_row
from seriatim.frontends.sql.evaluation import SqlError
from seriatim.frontends.sql.keys import key_values
from seriatim.frontends.sql.language import Do, Insert, Key, Table
from seriatim.frontends.sql.machine import UNIQUE_VIOLATION, Machine
from seriatim.frontends.sql.selection import new_rows, scope_of
from seriatim.frontends.sql.states import Database, Local, RowId, Work, overlay, row_resource
from seriatim.frontends.sql.terms import New, Row, Value


@dataclass(frozen=True, slots=True)
class Fresh:
    """No row has a key of the new one; the claims keep other transactions from inserting such a key."""

    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A row with a key of the new one exists."""

    id: RowId
    row: Row
    key: Key


def with_new_rows(
    machine: Machine,
    statement: Insert,
    tables: Mapping[str, tuple[Row, ...]],
    local: Local,
    fresh: Iterator[Value],
) -> Local:
    """The state with the rows of an INSERT, computed from what the statement sees at its start."""
    if local.work is not None:
        return local
    table = machine.tables[machine.number[statement.table]]
    rows = new_rows(statement, table, scope_of(tables, dict(local.variables), fresh))
    return replace(local, work=Work((), (), fresh=rows))


def next_row(machine: Machine, statement: Insert, local: Local, do: Do) -> Row:
    """The next row of an INSERT; raises `SqlError` or `OutOfScope`."""
    assert local.work is not None
    row = local.work.fresh[local.work.inserted]
    if isinstance(row, str):
        raise SqlError(row)
    table = machine.tables[machine.number[statement.table]]
    return machine.check_written(table, coerce_row(table, row), do.span)


def inserts_nothing(local: Local) -> bool:
    return local.work is not None and not local.work.fresh


def relevant_keys(table: Table, statement: Insert) -> list[Key]:
    """The keys of a table; those that ON CONFLICT names come first."""
    named = statement.conflict.key if statement.conflict is not None else None
    about = [key for key in table.keys if named is not None and key.is_like(named)]
    return [*about, *(key for key in table.keys if key not in about)]


def try_insert(
    machine: Machine, local: Local, database: Database, number: int, row: Row, statement: Insert
) -> Fresh | Conflict | None:
    """The result of looking for the keys of a new row; None while it waits for another transaction.

    Raises `SqlError` if the row is a duplicate in a key that ON CONFLICT does not name.
    """
    table = machine.tables[number]
    found = find_conflict(machine, local, database, number, row, relevant_keys(table, statement))
    about = statement.conflict.key if statement.conflict is not None else None
    if isinstance(found, Conflict) and about is not None and not found.key.is_like(about):
        raise SqlError(UNIQUE_VIOLATION)
    return found


def find_conflict(
    machine: Machine,
    local: Local,
    database: Database,
    number: int,
    row: Row,
    keys: Iterable[Key],
    itself: RowId | None = None,
) -> Fresh | Conflict | None:
    """Looks for another row with one of these keys of a row. The row is inserted, or it exists as `itself`
    and UPDATE gives it these keys. None while the result depends on another transaction."""
    table = machine.tables[number]
    claims: list[Claim] = []
    current = dict(overlay(database.tables[number], local.changes, number))
    for key in keys:
        values = key_values(table, key, row)
        if values is None or any(isinstance(each, New) and each.number < 0 for each in values):
            continue  # NULL, or a value that no other row can have.
        pending: Claim = (("key", number, table.keys.index(key), values), Mark.INSERTED)
        if claims_.held_by_others(database.claims, local.claims, pending[0], (Mark.INSERTED,)):
            return None
        for id_, committed in database.tables[number]:
            if key_values(table, key, committed) == values and claims_.held_by_others(
                database.claims, local.claims, row_resource(number, id_), (Mark.WRITTEN,)
            ):
                return None
        for id_, other in current.items():
            if id_ != itself and key_values(table, key, other) == values:
                return Conflict(id_, other, key)
        claims.append(pending)
    return Fresh(tuple(claims))
