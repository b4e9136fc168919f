"""UPDATE of columns that are part of a key, or that refer to another row.

A row stays the same row under another key: a transaction that waits for it finds it there. The new key counts
as inserted and the old one as deleted. At every level, both are checked against what is committed now.
"""

from dataclasses import replace

from seriatim.frontends.sql.claims import Claim
from seriatim.frontends.sql.evaluation import SqlError
from seriatim.frontends.sql.inserting import Conflict, find_conflict
from seriatim.frontends.sql.keys import key_values
from seriatim.frontends.sql.language import DataStatement, Delete, Key, SelectLocking, Strength, Table, Update
from seriatim.frontends.sql.machine import UNIQUE_VIOLATION, Machine
from seriatim.frontends.sql.references import is_parent, may_delete
from seriatim.frontends.sql.states import Database, Local, RowId
from seriatim.frontends.sql.terms import Row


def changed_keys(table: Table, old: Row, new: Row) -> list[Key]:
    return [key for key in table.keys if key_values(table, key, old) != key_values(table, key, new)]


def with_changed_references(table: Table, old: Row, new: Row) -> Table:
    """A table with only the references that an UPDATE changes: others need no check."""
    changed = tuple(
        reference
        for reference in table.references
        if any(old[table.place(column)] != new[table.place(column)] for column in reference.columns)
    )
    return replace(table, references=changed)


def strength_of_update(table: Table, old: Row, new: Row) -> Strength:
    """The strength of UPDATE's lock: it blocks rows that refer to this one only where it changes a key to
    which they can refer."""
    return Strength.UPDATE if frees_key(table, old, new) else Strength.NO_KEY_UPDATE


def frees_key(table: Table, old: Row, new: Row) -> bool:
    """Whether a row gets another key to which other rows can refer. They cannot refer to indexes on
    expressions."""
    return any(key.values is None for key in changed_keys(table, old, new))


def depends_on_now(machine: Machine, statement: DataStatement) -> bool:
    """Whether a statement depends on what is committed now, even at levels where others read a snapshot."""
    match statement:
        case Update(table=name, assignments=assignments):
            table = machine.script.table(name)
            checked = {column for key in table.keys for column in key.columns}
            checked |= {column for reference in table.references for column in reference.columns}
            return any(column in checked for column, _ in assignments)
        case Delete(table=name):
            return is_parent(machine, name)
        case SelectLocking(gate=gate):
            return gate is not None
        case _:
            return False


def claim_keys(
    machine: Machine, local: Local, database: Database, number: int, id_: RowId, old: Row, new: Row
) -> list[Claim] | None:
    """The claims on the new keys of an updated row; None while the result depends on another transaction.
    Raises `SqlError`."""
    table = machine.tables[number]
    keys = changed_keys(table, old, new)
    found = find_conflict(machine, local, database, number, new, keys, id_)
    if isinstance(found, Conflict):
        raise SqlError(UNIQUE_VIOLATION)
    if found is None or (keys and not may_delete(machine, local, database, table, old, new)):
        return None
    return list(found.claims)
