"""Which rows a transaction will come to need, whatever INSERT meets."""

from collections.abc import Iterator

from seriatim.frontends.sql import upserting
from seriatim.frontends.sql.claims import Claim
from seriatim.frontends.sql.evaluation import SqlError
from seriatim.frontends.sql.inserting import inserted_row, key_values, relevant_keys
from seriatim.frontends.sql.language import Do, Insert
from seriatim.frontends.sql.machine import Machine, OutOfScope
from seriatim.frontends.sql.snapshots import Failed, in_snapshot, keeping_parents, resolved, rush, seen
from seriatim.frontends.sql.states import Done, Local

# What depends on more


def guesses(machine: Machine, local: Local) -> set[frozenset[Claim]]:
    """The claims that some course of the transaction needs in the end."""
    instruction = machine.instruction(local)
    if local.snapshot is None or not isinstance(instruction, Do):
        return {frozenset(local.touched)}
    found: set[frozenset[Claim]] = set()
    for after in _courses(machine, local, instruction):
        found |= guesses(machine, after) if isinstance(after, Local) else {frozenset(after)}
    return found


def _courses(machine: Machine, local: Local, do: Do) -> Iterator[Local | tuple[Claim, ...]]:
    """What may follow a statement, whatever is committed by then: a state, or what is touched at the end."""
    statement = do.statement
    if not isinstance(statement, Insert):
        yield from _after(machine, machine.answered(local, do, None, 0))
        return
    try:
        row = inserted_row(machine, statement, insert_place(local), seen(machine, local), local, do)
    except SqlError:
        yield local.touched
        return
    except OutOfScope:
        return
    number = machine.number[statement.table]
    try:
        kept = keeping_parents(machine, local, number, row)
    except SqlError:
        yield local.touched
        return
    yield from _after(machine, upserting.after_insert(machine, kept, do, statement, number, row))
    if statement.conflict is None:
        yield local.touched
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
                yield local.touched
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
            yield failed.touched
        case Done():
            yield local.touched
        case Local():
            yield rushed


def insert_place(local: Local) -> int:
    return 0 if local.work is None else local.work.inserted
