"""Whether a row can be inserted: that is decided by what is committed now, at every isolation level."""

from collections.abc import Mapping
from dataclasses import dataclass

from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql.claims import Claim, Mark
from seriatim.frontends.sql.evaluation import evaluate
from seriatim.frontends.sql.language import Do, Insert, Key, Table
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.selection import scope_of
from seriatim.frontends.sql.states import Database, Local, RowId, overlaid, row_resource
from seriatim.frontends.sql.terms import Row


@dataclass(frozen=True, slots=True)
class Fresh:
    """No row has a key of the new one; these claims keep others from inserting it."""

    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """There is a row with a key of the new one."""

    id: RowId
    row: Row


def inserted_row(
    machine: Machine,
    statement: Insert,
    place: int,
    tables: Mapping[str, tuple[Row, ...]],
    local: Local,
    do: Do,
) -> Row:
    """One of the rows of an INSERT; raises `SqlError`."""
    scope = scope_of(tables, dict(local.variables))
    row = tuple(evaluate(value, scope) for value in statement.rows[place])
    return machine.written(machine.tables[machine.number[statement.table]], row, do.span)


def key_values(table: Table, key: Key, row: Row) -> Row | None:
    """The values of a key; None where NULL makes a row unlike all others."""
    values = tuple(row[table.place(column)] for column in key.columns)
    return None if None in values else values


def relevant_keys(table: Table, statement: Insert) -> list[Key]:
    """The keys that ON CONFLICT is about come first."""
    columns = statement.conflict.columns if statement.conflict is not None else None
    about = [key for key in table.keys if columns is not None and set(key.columns) == set(columns)]
    return [*about, *(key for key in table.keys if key not in about)]


def insertion(
    machine: Machine, local: Local, database: Database, number: int, row: Row, statement: Insert
) -> Fresh | Conflict | None:
    """What an INSERT meets; None while another transaction decides that, or where another error comes first.

    Raises `SqlError` where the row is a duplicate in a key that ON CONFLICT is not about.
    """
    from seriatim.frontends.sql.evaluation import SqlError
    from seriatim.frontends.sql.machine import UNIQUE_VIOLATION

    table = machine.tables[number]
    about = statement.conflict.columns if statement.conflict is not None else None
    claims: list[Claim] = []
    current = dict(overlaid(database.tables[number], local.changes, number))
    for key in relevant_keys(table, statement):
        values = key_values(table, key, row)
        if values is None:
            continue
        pending: Claim = (("key", number, table.keys.index(key), values), Mark.INSERTED)
        if claims_.held_by_others(database.claims, local.claims, pending[0], (Mark.INSERTED,)):
            return None
        for id_, committed in database.tables[number]:
            if key_values(table, key, committed) == values and claims_.held_by_others(
                database.claims, local.claims, row_resource(number, id_), (Mark.WRITTEN,)
            ):
                return None
        for id_, other in current.items():
            if key_values(table, key, other) == values:
                if about is not None and set(key.columns) != set(about):
                    raise SqlError(UNIQUE_VIOLATION)
                return Conflict(id_, other)
        claims.append(pending)
    return Fresh(tuple(claims))
