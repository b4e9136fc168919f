"""What is committed now, as a transaction sees it, and how it takes claims."""

from collections.abc import Iterator
from dataclasses import replace

from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql.claims import Claim
from seriatim.frontends.sql.language import Do
from seriatim.frontends.sql.machine import Machine, Move
from seriatim.frontends.sql.states import Database, Local, RowId, overlaid
from seriatim.frontends.sql.terms import Row


def taken(machine: Machine, local: Local, database: Database, do: Do, claim: Claim) -> Iterator[Move]:
    """A statement that only takes a lock."""
    if claims_.is_free(database.claims, local.claims, *claim):
        after, there = claimed(local, database, [claim])
        yield machine.answered(after, do, None, 0), there


def claimed(local: Local, database: Database, wanted: list[Claim]) -> tuple[Local, Database]:
    """With these claims, as far as it does not have them."""
    new = [claim for claim in wanted if claim not in local.claims]
    if not new:
        return local, database
    own = tuple(sorted((*local.claims, *new), key=claims_.sort_key))
    return replace(local, claims=own), replace(database, claims=claims_.add(database.claims, new))


def visible(machine: Machine, local: Local, database: Database, table: str) -> dict[RowId, Row]:
    number = machine.number[table]
    return dict(overlaid(database.tables[number], local.changes, number))


def seen(machine: Machine, local: Local, database: Database) -> dict[str, tuple[Row, ...]]:
    """The rows of all tables, as a statement sees them that starts now."""
    return {
        each.name: tuple(visible(machine, local, database, each.name).values()) for each in machine.tables
    }
