"""States of a database and of the transactions in flight.

A row has an identity of its own: its key, and its *incarnation*, for a row that is deleted and one that is
inserted later under the same key are two rows. That matters to statements that have chosen the first one
and not yet come to it. They claim its incarnation, and the later row gets another one. Where nobody claims
one, incarnations are forgotten: each row has number 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from seriatim.frontends.sql.claims import Claim, Claims, Resource
from seriatim.frontends.sql.language import Level
from seriatim.frontends.sql.terms import Row, Value

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
    """The remaining candidates; empty for INSERT."""
    values: tuple[Value, ...]
    """What its subqueries have come to."""
    done: tuple[Row, ...] = ()
    """What it returns so far."""
    doomed: tuple[tuple[RowId, str], ...] = ()
    """Candidates for which UPDATE fails, and how: constraints hold for what becomes of the version that it
    has chosen, before it waits for a newer one."""
    inserted: int = 0
    """How many of its rows INSERT has dealt with."""
    gated: bool = False
    """Whether it waits for an advisory lock before it locks rows."""
    fresh: tuple[Row | str, ...] = ()
    """The rows of INSERT, computed at its start; the last one may be an error."""


Answer = int | str | tuple[Row, ...]
"""The answer of a statement: a row count, an error code, or rows."""


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
    """The level of the open transaction; None outside."""
    snapshot: tuple[Rows | None, ...] | None = None
    """The tables as the transaction sees them, as far as it will look at them."""
    changes: tuple[Change, ...] = ()
    claims: tuple[Claim, ...] = ()
    touched: tuple[Claim, ...] = ()
    """The reservations that it has needed so far."""
    looked: tuple[Claim, ...] = ()
    """The locks on tables that its statements take, where somebody locks whole tables: at a snapshot's level
    it has to have had them by its end."""
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


def incarnation_resource(table: int, id_: RowId) -> Resource:
    return ("incarnation", table, *id_)


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
