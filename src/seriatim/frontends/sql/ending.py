"""Ends of transactions: COMMIT, ROLLBACK, ROLLBACK TO, and statements that fail."""

from collections.abc import Iterator
from dataclasses import replace

from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql.claims import Claim, Mark
from seriatim.frontends.sql.language import Commit, Rollback, RollbackTo, Strength
from seriatim.frontends.sql.machine import AMBIGUOUS, Escape, Machine, Move, end_transaction
from seriatim.frontends.sql.rekeying import frees_key
from seriatim.frontends.sql.sequences import assign_numbers
from seriatim.frontends.sql.states import (
    Change,
    Database,
    Done,
    Local,
    Saved,
    incarnation_resource,
    is_new,
    row_resource,
)

CONFLICTING = {
    Mark.RESERVED: claims_.CONFLICTS[Strength.NO_KEY_UPDATE],
    Mark.WATCHED: claims_.CONFLICTS[Strength.SHARE],
    Mark.KEPT: claims_.CONFLICTS[Strength.KEY_SHARE],
}
"""The locks of others that a transaction has to wait for before it can write or lock a row, by its mark."""


DISTURBED_BY_UPDATE = (Mark.RESERVED, Mark.WATCHED)


DISTURBED_BY_DELETE = claims_.SNAPSHOT_MARKS


def weaken_reserved(touched: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """Weakens RESERVED to WATCHED, for a transaction that commits nothing: it has only locked the rows that
    it wrote. When it is over, others may write them, even if they have read them meanwhile."""
    return tuple((where, Mark.WATCHED if mark is Mark.RESERVED else mark) for where, mark in touched)


def has_guessed_right(local: Local, needed: tuple[Claim, ...]) -> bool:
    """Whether a transaction has claimed exactly the rows that it turned out to need."""
    return {claim for claim in local.claims if claim[1] in claims_.SNAPSHOT_MARKS} == set(needed)


def lost_locks(local: Local, saved: Saved) -> tuple[Claim, ...]:
    """The locks that a transaction loses when it goes back to a savepoint."""
    return tuple(
        claim
        for claim in claims_.of_transaction(local.claims)
        if claim not in saved.claims and claim[1] not in claims_.SNAPSHOT_MARKS
    )


def commit(machine: Machine, local: Local, database: Database) -> Iterator[Move]:
    """Makes the changes visible to all and drops the claims; waits while another transaction needs a row as
    it is."""
    if local.failed:
        yield from roll_back(machine, local, database)
        return
    for change in local.changes:
        resource = row_resource(change.table, change.id)
        disturbed = DISTURBED_BY_DELETE if _frees_key(machine, database, change) else DISTURBED_BY_UPDATE
        if claims_.held_by_others(database.claims, local.claims, resource, disturbed):
            return
    for resource, mode in local.touched:
        if claims_.held_by_others(database.claims, local.claims, resource, CONFLICTING[Mark(mode)]):
            return
    if not all(claims_.is_free(database.claims, local.claims, *lock) for lock in local.looked):
        return
    if not has_guessed_right(local, local.touched):
        return
    if machine.has_sequences:
        local = assign_numbers(machine, local, database)
    there = install(machine, database, local.changes)
    if _has_too_many_rows(machine, local, there):
        return
    yield from let_go(end_transaction(local), there, claims_.of_transaction(local.claims), step=True)


def _frees_key(machine: Machine, database: Database, change: Change) -> bool:
    """Whether a row is deleted or changes its keys, which disturbs rows that refer to it."""
    old = dict(database.tables[change.table]).get(change.id)
    table = machine.tables[change.table]
    return change.row is None or (old is not None and frees_key(table, old, change.row))


def _has_too_many_rows(machine: Machine, local: Local, database: Database) -> bool:
    """Whether a table has more rows than its scope allows; notes an escape."""
    for table, rows in zip(machine.tables, database.tables, strict=True):
        if table.max_rows is not None and len(rows) > table.max_rows:
            instruction = machine.instruction(local)
            assert isinstance(instruction, Commit)
            machine.escapes[Escape(table.name, None, len(rows), instruction.span)] = None
            return True
    return False


def roll_back(machine: Machine, local: Local, database: Database) -> Iterator[Move]:
    if not has_guessed_right(local, weaken_reserved(local.touched)):
        return
    if machine.instruction(local) is None:
        over = replace(end_transaction(local), claims=claims_.known(local.claims))
        yield from let_go(over, database, claims_.without_known(local.claims), step=False)
    else:
        yield from let_go(end_transaction(local), database, claims_.of_transaction(local.claims), step=True)


def roll_back_to(machine: Machine, local: Local, database: Database, name: str) -> Iterator[Move]:
    places = [place for place, each in enumerate(local.saved) if each.name == name]
    if not places:
        yield from fail(machine, local, database, "3B001")
        return
    saved = local.saved[places[-1]]
    back = restore(local, saved)
    back = replace(back, saved=local.saved[: places[-1] + 1], failed=False)
    yield from let_go(back, database, lost_locks(local, saved), step=True)


def restore(local: Local, saved: Saved) -> Local:
    gone = lost_locks(local, saved)
    kept = tuple(claim for claim in local.claims if claim not in gone)
    return replace(local, changes=saved.changes, touched=saved.touched, claims=kept, work=None)


def fail(machine: Machine, local: Local, database: Database, code: str) -> Iterator[Move]:
    """Ends a transaction in which a statement failed: it keeps only what a savepoint keeps."""
    answered = replace(local, answers=(*local.answers, code), work=None)
    if can_recover(machine, local):
        back = replace(restore(answered, local.saved[-1]), failed=True)
        yield from let_go(back, database, lost_locks(local, local.saved[-1]), step=True)
        return
    if not has_guessed_right(local, weaken_reserved(local.touched)):
        return
    after = after_failure(machine, answered)
    gone = claims_.without_known(local.claims)
    if isinstance(after, Local):
        gone = claims_.of_transaction(local.claims)
    for claims in claims_.drop(database.claims, gone):
        yield after, replace(database, claims=claims)


def after_failure(machine: Machine, local: Local) -> Local | Done:
    """The state after the end of a failed transaction that holds nothing any more."""
    ends = [
        place
        for place, each in enumerate(machine.code(local))
        if place >= local.at and isinstance(each, Commit | Rollback)
    ]
    if not ends or not machine.requests[local.request].transaction.is_session:
        return Done(local.answers)
    return replace(end_transaction(local), at=ends[0] + 1)


def can_recover(machine: Machine, local: Local) -> bool:
    """Whether a transaction in which a statement fails can go back to a savepoint."""
    ahead = machine.code(local)[local.at :]
    return bool(local.saved) and any(isinstance(each, RollbackTo) for each in ahead)


def let_go(local: Local, database: Database, claims: tuple[Claim, ...], step: bool) -> Iterator[Move]:
    after = replace(local, at=local.at + 1) if step else local
    for left in claims_.drop(database.claims, claims):
        yield after, replace(database, claims=left)


def install(machine: Machine, database: Database, changes: tuple[Change, ...]) -> Database:
    """The database after these changes are committed."""
    tables = [dict(rows) for rows in database.tables]
    for change in (each for each in changes if not is_new(each.id)):
        if change.row is None:
            tables[change.table].pop(change.id, None)
        else:
            tables[change.table][change.id] = change.row
    for change in (each for each in changes if is_new(each.id)):
        assert change.row is not None
        present = tables[change.table]
        taken = {key for key, _ in present}
        slot = next(n for n in range(len(present) + 1) if (n,) not in taken)
        key = machine.identity(change.table, change.row, slot)
        claimed = {claim for claim, _ in database.claims}
        number = next(
            (
                n
                for n in range(AMBIGUOUS)
                if (incarnation_resource(change.table, (key, n)), Mark.CHOSEN) not in claimed
            ),
            AMBIGUOUS,
        )
        present[key, number] = change.row
    return replace(database, tables=tuple(tuple(sorted(rows.items(), key=repr)) for rows in tables))
