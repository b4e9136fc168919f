"""Foreign keys: a child locks its parent against deletion, and a parent with children cannot be deleted."""

from collections.abc import Iterator, Mapping

from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql.claims import CONFLICTS, Claim
from seriatim.frontends.sql.current import visible_rows
from seriatim.frontends.sql.evaluation import SqlError
from seriatim.frontends.sql.language import Reference, Strength, Table
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.states import Database, Local, RowId, is_new, row_resource
from seriatim.frontends.sql.terms import Row

FOREIGN_KEY_VIOLATION = "23503"


def parents(machine: Machine, table: Table, row: Row, seen: "Rows") -> Iterator[tuple[int, RowId]]:
    """The rows, among those seen, that a new row refers to; raises `SqlError` if one is missing."""
    for reference in table.references:
        values = tuple(row[table.place(column)] for column in reference.columns)
        if None in values:
            continue
        parent = machine.script.table(reference.table)
        found = [
            id_ for id_, other in seen[parent.name].items() if _values(parent, reference, other) == values
        ]
        if not found:
            raise SqlError(FOREIGN_KEY_VIOLATION)
        if not is_new(found[0]):
            yield machine.number[parent.name], found[0]


Rows = Mapping[str, Mapping[RowId, Row]]
"""The rows of each table, by identity."""


def _values(parent: Table, reference: Reference, row: Row) -> Row:
    return tuple(row[parent.place(column)] for column in reference.target)


def rows_seen(machine: Machine, local: Local, database: Database) -> Rows:
    """The rows that a statement sees if it starts now."""
    return {table.name: visible_rows(machine, local, database, table.name) for table in machine.tables}


def lock_parents(
    machine: Machine, local: Local, database: Database, table: Table, row: Row
) -> list[Claim] | None:
    """The locks that a new row takes on the rows that it refers to; None while it has to wait for one."""
    wanted: list[Claim] = []
    for number, id_ in parents(machine, table, row, rows_seen(machine, local, database)):
        lock: Claim = (row_resource(number, id_), Strength.KEY_SHARE)
        if not claims_.is_free(database.claims, local.claims, *lock):
            return None
        wanted.append(lock)
    return wanted


def may_delete(
    machine: Machine, local: Local, database: Database, table: Table, row: Row, new: Row | None = None
) -> bool:
    """Whether a row can be deleted, or replaced by `new`, because no row refers to it. False while that
    depends on another transaction. Raises `SqlError` if a row refers to it."""
    for child in machine.tables:
        for reference in (each for each in child.references if each.table == table.name):
            key = _values(table, reference, row)
            if new is not None and _values(table, reference, new) == key:
                continue
            for id_, other in visible_rows(machine, local, database, child.name).items():
                if tuple(other[child.place(column)] for column in reference.columns) != key:
                    continue
                resource = row_resource(machine.number[child.name], id_)
                modes = CONFLICTS[Strength.KEY_SHARE]
                if not is_new(id_) and claims_.held_by_others(database.claims, local.claims, resource, modes):
                    return False
                raise SqlError(FOREIGN_KEY_VIOLATION)
    return True


def is_parent(machine: Machine, table: str) -> bool:
    """Whether other rows can refer to rows of a table."""
    return any(each.table == table for child in machine.tables for each in child.references)
