"""The committed rows as a transaction sees them now, and the locks that it takes and releases."""

from collections.abc import Iterator
from dataclasses import replace

from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql.claims import Claim, Mark
from seriatim.frontends.sql.evaluation import evaluate
from seriatim.frontends.sql.language import AdvisoryLock, AdvisoryUnlock, Do, Strength
from seriatim.frontends.sql.machine import Machine, Move
from seriatim.frontends.sql.refusal import unsupported
from seriatim.frontends.sql.selection import scope_of
from seriatim.frontends.sql.states import Database, Local, RowId, overlay
from seriatim.frontends.sql.terms import Row


def take_lock(machine: Machine, local: Local, database: Database, do: Do, claim: Claim) -> Iterator[Move]:
    """Executes a statement that only takes a lock."""
    if claims_.is_free(database.claims, local.claims, *claim):
        after, there = add_claims(local, database, [claim])
        yield machine.answer(after, do, None, 0), there


def advisory_claim(local: Local, lock: AdvisoryLock) -> Claim:
    """The claim of an advisory lock; raises `Refusal`."""
    number = evaluate(lock.key, scope_of({}, dict(local.variables)))
    exclusive, shared = (
        (Mark.SESSION_EXCLUSIVE, Mark.SESSION_SHARED) if lock.session else (Mark.EXCLUSIVE, Mark.SHARED)
    )
    claim: Claim = (("number", number), shared if lock.shared else exclusive)
    if lock.session and claim in local.claims:
        raise unsupported("taking an advisory lock twice in one session", "take it once")
    return claim


def release_locks(
    machine: Machine, local: Local, database: Database, do: Do, unlock: AdvisoryUnlock
) -> Iterator[Move]:
    """Releases locks of the session; the answer is whether it held one."""
    held = claims_.of_session(local.claims)
    if unlock.key is not None:
        number = evaluate(unlock.key, scope_of({}, dict(local.variables)))
        mark = Mark.SESSION_SHARED if unlock.shared else Mark.SESSION_EXCLUSIVE
        held = tuple(claim for claim in held if claim == (("number", number), mark))
    left = replace(local, claims=tuple(claim for claim in local.claims if claim not in held))
    for claims in claims_.drop(database.claims, held):
        there = replace(database, claims=claims)
        if unlock.key is None:
            yield machine.answer(left, do, None, 0), there
        else:
            yield machine.answer(left, do, ((bool(held),),), 0), there


def add_claims(local: Local, database: Database, wanted: list[Claim]) -> tuple[Local, Database]:
    """Adds claims to the state, unless it already has them."""
    new = [claim for claim in wanted if claim not in local.claims]
    if not new:
        return local, database
    own = tuple(sorted((*local.claims, *new), key=claims_.sort_key))
    return replace(local, claims=own), replace(database, claims=claims_.add(database.claims, new))


def note_wait(machine: Machine, local: Local, do: Do) -> None:
    """Notes that a statement waits for a row while its transaction holds another one: a possible deadlock."""
    if any(isinstance(mode, Strength) for _, mode in local.claims):
        machine.waits[do.span] = None


def visible_rows(machine: Machine, local: Local, database: Database, table: str) -> dict[RowId, Row]:
    number = machine.number[table]
    return dict(overlay(database.tables[number], local.changes, number))


def visible_tables(machine: Machine, local: Local, database: Database) -> dict[str, tuple[Row, ...]]:
    """The rows of all tables, as a statement that starts now sees them."""
    return {
        each.name: tuple(visible_rows(machine, local, database, each.name).values())
        for each in machine.tables
    }
