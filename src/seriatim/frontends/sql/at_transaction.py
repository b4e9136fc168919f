"""REPEATABLE READ, which is snapshot isolation: all statements see what was committed at the first one.

Whatever looks only at the snapshot runs at once, in the step that takes the snapshot: no one else can make
a difference to it. What is left is that nobody else may commit a change, between the snapshot and the end
of the transaction, to a row that the transaction writes or locks. Otherwise it fails and starts over, and
the attempt is invisible. So the step that takes the snapshot claims these rows as well:

- RESERVED, those that it writes. A second transaction that would reserve one of them starts later.
- WATCHED, those that it only locks, and those that ON CONFLICT has to find unchanged. Whoever writes such a
  row commits later; any number may watch. KEPT is the same for FOR KEY SHARE, which only deletions disturb.

Claim: the complete runs are those of PostgreSQL in which nothing fails. For a transaction can take its row
locks as late as just before it ends, as far as anyone can tell, and these claims say exactly that the locks
it then takes find the rows of its snapshot. A transaction that rolls back or fails, and depends on its
snapshot alone, claims nothing: it might as well be over at once.

INSERT is judged by what is committed when it is executed, so each one is a step of its own. What the
transaction writes may depend on it; so the first step guesses the claims, among those that some course of
the transaction needs, and a transaction that ends with other needs than it has guessed is stuck: the run
with the right guess is another one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql import current, ending, upserting
from seriatim.frontends.sql.claims import Mark
from seriatim.frontends.sql.code import statements, tables_read
from seriatim.frontends.sql.evaluation import SqlError, evaluate
from seriatim.frontends.sql.guessing import guesses, insert_place
from seriatim.frontends.sql.inserting import Conflict, Fresh, inserted_row, insertion
from seriatim.frontends.sql.language import (
    AdvisoryLock,
    Commit,
    Delete,
    Do,
    Insert,
    LockTable,
    Rollback,
    Savepoint,
    Select,
    SelectLocking,
    Update,
)
from seriatim.frontends.sql.machine import UNIQUE_VIOLATION, Machine, Move, OutOfScope
from seriatim.frontends.sql.refusal import UNSUPPORTED, Refusal, unsupported
from seriatim.frontends.sql.selection import scope_of
from seriatim.frontends.sql.snapshots import Failed, in_snapshot, keeping_parents, resolved, rush, seen
from seriatim.frontends.sql.states import Database, Done, Local, is_new, row_resource


def unit(machine: Machine, local: Local, database: Database, do: Do) -> Iterator[Move]:
    """What a transaction can do next."""
    if local.snapshot is not None:
        yield from _go_on(machine, local, database, do)
        return
    for begun, there in _begun(machine, local, database):
        if isinstance(begun, Local) and begun.at == local.at and not _is_dated(begun):
            yield from _go_on(machine, begun, there, do)
        else:
            yield begun, there


def _is_dated(local: Local) -> bool:
    """Whether it matters that the snapshot is older than the statement that comes next."""
    return bool(local.claims) or any(rows is not None for rows in local.snapshot or ())


def _begun(machine: Machine, local: Local, database: Database) -> Iterator[Move]:
    """Takes the snapshot, and the claims; runs all that depends on these alone."""
    _refuse_savepoints(machine, local)
    try:
        rushed = rush(machine, replace(local, snapshot=database.tables), alone=True)
    except OutOfScope:
        return
    if isinstance(rushed, Failed):
        yield Done((*rushed.local.answers, rushed.code)), database
        return
    if isinstance(rushed, Done) or rushed.snapshot is None:
        yield rushed, database
        return
    for guess in guesses(machine, rushed):
        if all(claims_.is_free(database.claims, local.claims, *claim) for claim in guess):
            own, there = current.claimed(rushed, database, sorted(guess, key=claims_.sort_key))
            yield _pruned(machine, own), there


def _refuse_savepoints(machine: Machine, local: Local) -> None:
    """What is undone cannot be guessed together with what others decide."""
    code = machine.code(local)
    saves = [each for each in code if isinstance(each, Savepoint)]
    if saves and any(isinstance(each, Insert | AdvisoryLock) for each in statements(code)):
        hint = "leave the savepoint out, or run the transaction at READ COMMITTED"
        raise Refusal(
            UNSUPPORTED, "SAVEPOINT beside INSERT is not supported at this level", hint, saves[0].span
        )


def _pruned(machine: Machine, local: Local) -> Local:
    """Without the tables that the transaction will not look at any more."""
    assert local.snapshot is not None
    ahead = list(statements(machine.code(local)[local.at :]))
    needed = {name for each in ahead for name in tables_read(each)}
    inserted = [machine.script.table(each.table) for each in ahead if isinstance(each, Insert)]
    needed |= {reference.table for table in inserted for reference in table.references}
    if isinstance(machine.instruction(local), Commit | Rollback):
        needed = set()
    return replace(
        local,
        snapshot=tuple(
            rows if table.name in needed else None
            for table, rows in zip(machine.tables, local.snapshot, strict=True)
        ),
    )


def _go_on(machine: Machine, local: Local, database: Database, do: Do) -> Iterator[Move]:
    """A statement that looks at what is committed now; then all that does not, up to the next one."""
    if isinstance(do.statement, Select | SelectLocking | Update | Delete):
        yield from _rushed(machine, local, database)
        return
    for after, there in _judged(machine, local, database, do):
        if isinstance(after, Done) or after.work is not None:
            yield after, there
        else:
            yield from _rushed(machine, after, there)


def _rushed(machine: Machine, local: Local, database: Database) -> Iterator[Move]:
    try:
        rushed = rush(machine, local)
    except OutOfScope:
        return
    match rushed:
        case Failed(local=failed, code=code):
            yield from ending.failed(machine, failed, database, code)
        case Local() if rushed.snapshot is not None:
            yield _pruned(machine, rushed), database
        case Local() | Done():
            yield rushed, database


def _judged(machine: Machine, local: Local, database: Database, do: Do) -> Iterator[Move]:
    statement = do.statement
    if isinstance(statement, AdvisoryLock):
        number = evaluate(statement.key, scope_of({}, dict(local.variables)))
        mode = Mark.SHARED if statement.shared else Mark.EXCLUSIVE
        yield from current.taken(machine, local, database, do, (("number", number), mode))
        return
    if isinstance(statement, LockTable):
        raise unsupported(
            "LOCK TABLE at this level", "run the transactions at READ COMMITTED, or take an advisory lock"
        )
    assert isinstance(statement, Insert)
    row = inserted_row(machine, statement, insert_place(local), seen(machine, local), local, do)
    table = machine.number[statement.table]
    match insertion(machine, local, database, table, row, statement):
        case None:
            return
        case Fresh(claims=claims):
            after, there = current.claimed(
                keeping_parents(machine, local, table, row), database, list(claims)
            )
            yield upserting.after_insert(machine, after, do, statement, table, row), there
        case Conflict(id=id_, row=old):
            if statement.conflict is None:
                raise SqlError(UNIQUE_VIOLATION)
            mine = dict(in_snapshot(local, table)).get(id_)
            resource = row_resource(table, id_)
            kept: Iterable[Mark] = (Mark.RESERVED, Mark.WATCHED)
            if mine is None or not (is_new(id_) or any((resource, mark) in local.claims for mark in kept)):
                return  # It has changed since the snapshot: the transaction fails, and starts over.
            yield resolved(machine, local, do, statement, id_, old, row), database
