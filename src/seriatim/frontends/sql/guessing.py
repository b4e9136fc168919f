"""Guesses which rows a transaction will claim, for all that its INSERTs may find."""

from collections.abc import Iterator

from seriatim.frontends.sql import at_now, upserting
from seriatim.frontends.sql.claims import Claim
from seriatim.frontends.sql.ending import weaken_reserved
from seriatim.frontends.sql.evaluation import SqlError
from seriatim.frontends.sql.inserting import (
    inserts_nothing,
    next_row,
    relevant_keys,
    with_new_rows,
)
from seriatim.frontends.sql.keys import key_values
from seriatim.frontends.sql.language import Commit, Delete, Do, Insert, SelectLocking, Update
from seriatim.frontends.sql.machine import Machine, OutOfScope
from seriatim.frontends.sql.sequences import fresh_values
from seriatim.frontends.sql.snapshots import (
    Failed,
    execute,
    keep_parents,
    resolve_conflict,
    run_ahead,
    snapshot_rows,
    snapshot_tables,
)
from seriatim.frontends.sql.states import Done, Local


def guesses(machine: Machine, local: Local) -> set[frozenset[Claim]]:
    """The sets of claims that the transaction may need, one for each course that it can take."""
    instruction = machine.instruction(local)
    if local.snapshot is None or not isinstance(instruction, Do):
        commits = isinstance(instruction, Commit) and not local.failed
        return {frozenset(local.touched if commits else weaken_reserved(local.touched))}
    found: set[frozenset[Claim]] = set()
    for after in _courses(machine, local, instruction):
        found |= guesses(machine, after) if isinstance(after, Local) else {frozenset(after)}
    return found


def _courses(machine: Machine, local: Local, do: Do) -> Iterator[Local | tuple[Claim, ...]]:
    """What may follow a statement, for all that may be committed by then: a state, or the claims at the
    end."""
    statement = do.statement
    if isinstance(statement, SelectLocking):
        for skipped in at_now.possible_skips(machine, local, statement):
            try:
                yield from _run_ahead(machine, execute(machine, local, do, skipped))
            except SqlError:
                yield weaken_reserved(local.touched)
        return
    if isinstance(statement, Update | Delete):
        yield from _courses_of_change(machine, local, do, statement)
        return
    if not isinstance(statement, Insert):
        yield from _run_ahead(machine, machine.answer(local, do, None, 0))
        return
    yield from _courses_of_insert(machine, local, do, statement)


def _courses_of_change(
    machine: Machine, local: Local, do: Do, statement: Update | Delete
) -> Iterator[Local | tuple[Claim, ...]]:
    """The courses of UPDATE or DELETE: it fails, or it succeeds."""
    if at_now.find_doom(machine, local, statement) is not None:
        yield weaken_reserved(local.touched)
        return
    yield weaken_reserved(at_now.watch_rows(machine, local, statement).touched)
    try:
        yield from _run_ahead(machine, at_now.succeed(machine, local, do))
    except (SqlError, OutOfScope):
        return


def _courses_of_insert(
    machine: Machine, local: Local, do: Do, statement: Insert
) -> Iterator[Local | tuple[Claim, ...]]:
    """The courses of an INSERT: it finds its keys free, or it finds a row."""
    fresh = fresh_values(machine, local)
    local = with_new_rows(machine, statement, snapshot_tables(machine, local), local, fresh)
    if inserts_nothing(local):
        yield from _run_ahead(machine, upserting.insert_nothing(machine, local, do, statement))
        return
    try:
        row = next_row(machine, statement, local, do)
    except SqlError:
        yield weaken_reserved(local.touched)
        return
    except OutOfScope:
        return
    number = machine.number[statement.table]
    try:
        kept = keep_parents(machine, local, machine.tables[number], row)
        yield from _run_ahead(machine, upserting.after_insert(machine, kept, do, statement, number, row))
    except SqlError:
        yield weaken_reserved(local.touched)  # Unless a row is there that ON CONFLICT changes instead.
    if statement.conflict is None or statement.conflict.key is not None:
        yield weaken_reserved(local.touched)  # It fails on a key, perhaps one that ON CONFLICT does not name.
    if statement.conflict is None:
        return
    table = machine.tables[number]
    for id_, other in snapshot_rows(local, number):
        same = [
            key_values(table, key, other) == key_values(table, key, row)
            for key in relevant_keys(table, statement)
        ]
        if any(same):
            try:
                yield from _run_ahead(
                    machine, resolve_conflict(machine, local, do, statement, id_, other, row)
                )
            except SqlError:
                yield weaken_reserved(local.touched)
            except OutOfScope:
                continue


def _run_ahead(machine: Machine, local: Local) -> Iterator[Local | tuple[Claim, ...]]:
    if local.work is not None:
        yield local
        return
    try:
        reached = run_ahead(machine, local)
    except OutOfScope:
        return
    match reached:
        case Failed(local=failed):
            yield weaken_reserved(failed.touched)
        case Done():
            yield weaken_reserved(local.touched)
        case Local():
            yield reached
