"""States of a database and of the transactions in flight.

A row is identified by its key and its *incarnation*: a row that is deleted, and a row that is inserted later
under the same key, are two rows. That matters to statements that have chosen the first one and not yet
visited it. They claim its incarnation, and the later row gets another one. Where no statement claims one,
incarnations are forgotten: each row has number 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from seriatim.frontends.sql.claims import Claim, Claims, Resource
from seriatim.frontends.sql.language import Level
from seriatim.frontends.sql.terms import Row, Value

RowId = tuple[Row, int]
"""(key, incarnation); ((), number) for a new row that is not committed yet."""


Rows = tuple[tuple[RowId, Row], ...]
"""The rows of a table, sorted by identity."""


Stored = tuple[Rows, ...]
"""The rows of all tables, in the order of the script."""


@dataclass(frozen=True, slots=True)
class Database:
    """The state that all transactions share."""

    tables: Stored
    claims: Claims = ()
    closed: bool = False
    """Whether the observer has read the final rows: nothing happens after that."""


@dataclass(frozen=True, slots=True)
class Change:
    """An uncommitted change of a row; None as the new row is a deletion."""

    table: int
    id: RowId
    row: Row | None


@dataclass(frozen=True, slots=True)
class Work:
    """The progress of a statement that locks or inserts rows one by one."""

    rows: tuple[RowId, ...]
    """The remaining candidates; empty for INSERT."""
    values: tuple[Value, ...]
    """The values of the statement's subqueries."""
    done: tuple[Row, ...] = ()
    """The rows that the statement returns so far."""
    doomed: tuple[tuple[RowId, str], ...] = ()
    """The candidates for which UPDATE fails, with the error code. UPDATE checks constraints on the version
    that it has chosen, before it waits for a newer one."""
    inserted: int = 0
    """The number of rows that INSERT has handled."""
    gated: bool = False
    """Whether the statement waits for an advisory lock before it locks rows."""
    fresh: tuple[Row | str, ...] = ()
    """The rows of INSERT, computed at its start; the last one may be an error code."""


Answer = int | str | tuple[Row, ...]
"""The answer of a statement: a row count, an error code, or rows."""


@dataclass(frozen=True, slots=True)
class Saved:
    """The state that a savepoint remembers."""

    name: str
    changes: tuple[Change, ...]
    touched: tuple[Claim, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Local:
    """The state of a request that has not ended."""

    request: int
    at: int = 0
    variables: tuple[tuple[str, Value], ...] = ()
    answers: tuple[Answer, ...] = ()
    level: Level | None = None
    """The level of the open transaction; None outside transactions."""
    snapshot: tuple[Rows | None, ...] | None = None
    """The snapshot of the transaction; None for each table that it will not read any more."""
    changes: tuple[Change, ...] = ()
    claims: tuple[Claim, ...] = ()
    touched: tuple[Claim, ...] = ()
    """The snapshot claims that the transaction has needed so far."""
    looked: tuple[Claim, ...] = ()
    """The table locks of the transaction's statements, if some transaction locks whole tables. A transaction
    with a snapshot needs them to be free at its end."""
    work: Work | None = None
    saved: tuple[Saved, ...] = ()
    failed: bool = False
    """Whether a statement has failed: nothing is executed until ROLLBACK TO."""


@dataclass(frozen=True, slots=True)
class Done:
    """A request that has ended, with its answers."""

    answers: tuple[Answer, ...]


def row_resource(table: int, id_: RowId) -> Resource:
    return ("row", table, id_[0])


def incarnation_resource(table: int, id_: RowId) -> Resource:
    return ("incarnation", table, *id_)


def overlay(rows: Rows, changes: tuple[Change, ...], table: int) -> Iterator[tuple[RowId, Row]]:
    """The rows of a table as a transaction with these changes sees them."""
    changed = {each.id: each.row for each in changes if each.table == table}
    for id_, row in rows:
        if id_ not in changed:
            yield id_, row
    for id_, own in changed.items():
        if own is not None:
            yield id_, own


def with_change(local: Local, change: Change) -> Local:
    """The state with one more change; a new row that is deleted again disappears."""
    others = [each for each in local.changes if (each.table, each.id) != (change.table, change.id)]
    if change.row is not None or not is_new(change.id):
        others.append(change)
    return replace(local, changes=tuple(sorted(others, key=lambda each: (each.table, repr(each.id)))))


def is_new(id_: RowId) -> bool:
    return not id_[0]


def new_id(local: Local) -> RowId:
    """A new id for a row that a transaction inserts."""
    return (), max((each.id[1] for each in local.changes if is_new(each.id)), default=0) + 1
