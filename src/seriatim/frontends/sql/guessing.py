"""Guesses which rows a transaction will claim, for all that its INSERTs may find."""

from collections.abc import Iterator

from seriatim.frontends.sql import at_now, upserting
from seriatim.frontends.sql.claims import Claim
from seriatim.frontends.sql.ending import watched
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
    executed,
    in_snapshot,
    keeping_parents,
    resolved,
    rush,
    seen,
)
from seriatim.frontends.sql.states import Done, Local


def guesses(machine: Machine, local: Local) -> set[frozenset[Claim]]:
    """The sets of claims that the transaction may need, one for each course that it can take."""
    instruction = machine.instruction(local)
    if local.snapshot is None or not isinstance(instruction, Do):
        commits = isinstance(instruction, Commit) and not local.failed
        return {frozenset(local.touched if commits else watched(local.touched))}
    found: set[frozenset[Claim]] = set()
    for after in _courses(machine, local, instruction):
        found |= guesses(machine, after) if isinstance(after, Local) else {frozenset(after)}
    return found


def _courses(machine: Machine, local: Local, do: Do) -> Iterator[Local | tuple[Claim, ...]]:
    """What may follow a statement, for all that may be committed by then: a state, or the claims at the
    end."""
    statement = do.statement
    if isinstance(statement, SelectLocking):
        for passed in at_now.may_pass(machine, local, statement):
            try:
                yield from _after(machine, executed(machine, local, do, passed))
            except SqlError:
                yield watched(local.touched)
        return
    if isinstance(statement, Update | Delete):
        yield from _changes(machine, local, do, statement)
        return
    if not isinstance(statement, Insert):
        yield from _after(machine, machine.answered(local, do, None, 0))
        return
    yield from _inserts(machine, local, do, statement)


def _changes(
    machine: Machine, local: Local, do: Do, statement: Update | Delete
) -> Iterator[Local | tuple[Claim, ...]]:
    """The courses of UPDATE or DELETE: it fails, or it succeeds."""
    yield watched(at_now.watching(machine, local, statement).touched)
    try:
        yield from _after(machine, at_now.succeeded(machine, local, do))
    except (SqlError, OutOfScope):
        return


def _inserts(
    machine: Machine, local: Local, do: Do, statement: Insert
) -> Iterator[Local | tuple[Claim, ...]]:
    """The courses of an INSERT: it finds its keys free, or it finds a row."""
    fresh = fresh_values(machine, local)
    local = with_new_rows(machine, statement, seen(machine, local), local, fresh)
    if inserts_nothing(local):
        yield from _after(machine, upserting.nothing_inserted(machine, local, do, statement))
        return
    try:
        row = next_row(machine, statement, local, do)
    except SqlError:
        yield watched(local.touched)
        return
    except OutOfScope:
        return
    number = machine.number[statement.table]
    try:
        kept = keeping_parents(machine, local, machine.tables[number], row)
    except SqlError:
        yield watched(local.touched)
        return
    yield from _after(machine, upserting.after_insert(machine, kept, do, statement, number, row))
    if statement.conflict is None:
        yield watched(local.touched)
        return
    table = machine.tables[number]
    for id_, other in in_snapshot(local, number):
        same = [
            key_values(table, key, other) == key_values(table, key, row)
            for key in relevant_keys(table, statement)
        ]
        if any(same):
            try:
                yield from _after(machine, resolved(machine, local, do, statement, id_, other, row))
            except SqlError:
                yield watched(local.touched)
            except OutOfScope:
                continue


def _after(machine: Machine, local: Local) -> Iterator[Local | tuple[Claim, ...]]:
    if local.work is not None:
        yield local
        return
    try:
        rushed = rush(machine, local)
    except OutOfScope:
        return
    match rushed:
        case Failed(local=failed):
            yield watched(failed.touched)
        case Done():
            yield watched(local.touched)
        case Local():
            yield rushed
