"""States of a database and of the transactions in flight.

A row has an identity of its own: its key, and which of the rows with that key it is, for a row that is deleted and
one that is inserted later under the same key are two rows. *Incarnations* are numbered 0, then 1 and 2 in turn:
number 0 never comes back, 1 and 2 do.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from seriatim.frontends.sql.claims import Claim, Claims, Resource
from seriatim.frontends.sql.language import Level, Row, Value

RowId = tuple[Row, int]
"""(key, incarnation); for a row that is not committed yet ((), number)."""

Rows = tuple[tuple[RowId, Row], ...]
"""The rows of a table, sorted by identity."""

Stored = tuple[Rows, ...]
"""The rows of all tables, in the order of the script."""


@dataclass(frozen=True, slots=True)
class Database:
    """What all transactions share."""

    tables: Stored
    gone: tuple[tuple[tuple[Row, int], ...], ...] = ()
    """For each table the keys that have no row now, and the incarnation of the last one."""
    claims: Claims = ()
    closed: bool = False
    """Whether the final rows have been looked at: nothing happens after that."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a transaction has done to a row, not yet committed; no row is a deletion."""

    table: int
    id: RowId
    row: Row | None


@dataclass(frozen=True, slots=True)
class Work:
    """A statement under way that locks or inserts rows one by one."""

    rows: tuple[RowId, ...]
    """Candidates that are left; for INSERT there are none."""
    values: tuple[Value, ...]
    """What its subqueries have come to."""
    done: tuple[Row, ...] = ()
    """What it returns so far."""
    inserted: int = 0
    """How many of its rows INSERT has dealt with."""


Answer = int | str | tuple[Row, ...]
"""Of a statement: a row count, an error code, or rows."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What a savepoint remembers."""

    name: str
    changes: tuple[Change, ...]
    touched: tuple[Claim, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Local:
    """A transaction in flight, or the whole of what one client does."""

    request: int
    at: int = 0
    variables: tuple[tuple[str, Value], ...] = ()
    answers: tuple[Answer, ...] = ()
    level: Level | None = None
    """Of the transaction that is open; None outside."""
    snapshot: tuple[Rows | None, ...] | None = None
    """The tables as the transaction sees them, as far as it will look at them."""
    changes: tuple[Change, ...] = ()
    claims: tuple[Claim, ...] = ()
    touched: tuple[Claim, ...] = ()
    """The reservations that it has needed so far."""
    work: Work | None = None
    saved: tuple[Saved, ...] = ()
    failed: bool = False
    """Whether a statement has failed, and nothing is executed until ROLLBACK TO."""


@dataclass(frozen=True, slots=True)
class Done:
    """A request that is answered."""

    answers: tuple[Answer, ...]


def row_resource(table: int, id_: RowId) -> Resource:
    return ("row", table, id_[0])


def overlaid(rows: Rows, changes: tuple[Change, ...], table: int) -> Iterator[tuple[RowId, Row]]:
    """The rows of a table as a transaction sees them that has made these changes."""
    changed = {each.id: each.row for each in changes if each.table == table}
    for id_, row in rows:
        if id_ not in changed:
            yield id_, row
    for id_, own in changed.items():
        if own is not None:
            yield id_, own


def with_change(local: Local, change: Change) -> Local:
    """With one more change; a new row that is deleted again never was."""
    others = [each for each in local.changes if (each.table, each.id) != (change.table, change.id)]
    if change.row is not None or not is_new(change.id):
        others.append(change)
    return replace(local, changes=tuple(sorted(others, key=lambda each: (each.table, repr(each.id)))))


def is_new(id_: RowId) -> bool:
    return not id_[0]


def new_id(local: Local) -> RowId:
    """For a row that a transaction inserts."""
    return (), max((each.id[1] for each in local.changes if is_new(each.id)), default=0) + 1


def next_incarnation(last: int | None) -> int:
    return 0 if last is None else 2 if last == 1 else 1
