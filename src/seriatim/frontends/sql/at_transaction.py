"""REPEATABLE READ, which is snapshot isolation: all statements see what was committed at the first one.

Whatever looks only at the snapshot runs at once, in the step that takes the snapshot: no one else can make a
difference to it. What is left is that nobody else may commit a change, between the snapshot and the end of the
transaction, to a row that the transaction writes or locks. Otherwise it fails and starts over, and the attempt is
invisible. So the step that takes the snapshot claims these rows as well:

- RESERVED, those that it writes. A second transaction that would reserve one of them starts later.
- WATCHED, those that it only locks, and those that ON CONFLICT has to find unchanged. Whoever writes such a row
  commits later; any number may watch. KEPT is the same for FOR KEY SHARE, which only deletions disturb.

Claim: the complete runs are those of PostgreSQL in which nothing fails. For a transaction can take its row locks as
late as just before it ends, as far as anyone can tell, and these claims say exactly that the locks it then takes
find the rows of its snapshot. A transaction that rolls back or fails, and depends on its snapshot alone, claims
nothing: it might as well be over at once.

INSERT is judged by what is committed when it is executed, so each one is a step of its own. What the transaction
writes may depend on it; so the first step guesses the claims, among those that some course of the transaction
needs, and a transaction that ends with other needs than it has guessed is stuck: the run with the right guess is
another one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from seriatim.frontends.sql import at_statement
from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql.claims import Claim, Mark
from seriatim.frontends.sql.code import statements, tables_read
from seriatim.frontends.sql.evaluation import SqlError, evaluate
from seriatim.frontends.sql.inserting import (
    Conflict,
    Fresh,
    insertion,
    inserted_row,
    key_values,
    relevant_keys,
)
from seriatim.frontends.sql.language import (
    AdvisoryLock,
    Commit,
    Delete,
    Do,
    Insert,
    LockTable,
    Rollback,
    RollbackTo,
    Row,
    Savepoint,
    Select,
    SelectLocking,
    Strength,
    Update,
    Wait,
)
from seriatim.frontends.sql.machine import UNIQUE_VIOLATION, Machine, Move, OutOfScope, ended, lost
from seriatim.frontends.sql.refusal import UNSUPPORTED, Refusal, unsupported
from seriatim.frontends.sql.rows import Locking, condition_of, row_scope
from seriatim.frontends.sql.selection import limit_of, scope_of, select, sort_key
from seriatim.frontends.sql.states import (
    Change,
    Database,
    Done,
    Local,
    RowId,
    is_new,
    overlaid,
    row_resource,
    with_change,
)


@dataclass(frozen=True, slots=True)
class Failed:
    """A statement that looks at the snapshot alone fails."""

    local: Local
    code: str


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
            own, there = at_statement.claimed(rushed, database, sorted(guess, key=claims_.sort_key))
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
    needed = {name for each in statements(machine.code(local)[local.at :]) for name in tables_read(each)}
    if isinstance(machine.instruction(local), Commit | Rollback):
        needed = set()
    return replace(
        local,
        snapshot=tuple(
            rows if table.name in needed else None
            for table, rows in zip(machine.tables, local.snapshot, strict=True)
        ),
    )


# What depends on the snapshot alone


def rush(machine: Machine, local: Local, alone: bool = False) -> Local | Done | Failed:
    """Goes on until something else than the snapshot matters; `snapshot` is None where the transaction is over.

    `alone` tells that nothing else has mattered so far: then a transaction that is rolled back is over at once.
    """
    while True:
        settled = machine.settle(local)
        if isinstance(settled, Done) or settled.snapshot is None:
            return settled
        local = settled
        instruction = machine.instruction(local)
        match instruction:
            case RollbackTo(name=name) if not _loses(local, name):
                (local, _) = next(iter(machine.rolled_back_to(local, Database(()), name)))
                if isinstance(local, Done):
                    return local
            case Do(statement=Select() | SelectLocking() | Update() | Delete()):
                try:
                    local = _executed(machine, local, instruction)
                except SqlError as error:
                    if not machine.can_recover(local) or lost(local, local.saved[-1]):
                        return Failed(local, error.code)
                    back = machine.restored(local, local.saved[-1])
                    local = replace(back, answers=(*local.answers, error.code), failed=True)
            case Rollback() | None if alone:
                local = ended(local)
                if instruction is None:
                    return Done(local.answers)
                local = replace(local, at=local.at + 1)
            case _:
                return local


def _loses(local: Local, name: str) -> bool:
    """Whether going back to a savepoint gives up something that others can see."""
    places = [each for each in local.saved if each.name == name]
    return not places or bool(lost(local, places[-1]))


def seen(machine: Machine, local: Local) -> dict[str, tuple[Row, ...]]:
    return {
        table.name: tuple(row for _, row in _visible(local, number))
        for number, table in enumerate(machine.tables)
    }


def _visible(local: Local, number: int) -> list[tuple[RowId, Row]]:
    assert local.snapshot is not None
    return list(overlaid(local.snapshot[number] or (), local.changes, number))


def _executed(machine: Machine, local: Local, do: Do) -> Local:
    """After a statement that looks at the snapshot alone."""
    statement = do.statement
    if isinstance(statement, Select):
        rows = select(statement.query, scope_of(seen(machine, local), dict(local.variables)))
        return machine.answered(local, do, tuple(rows), 0)
    assert isinstance(statement, Update | Delete | SelectLocking)
    number = machine.number[statement.table]
    table = machine.tables[number]
    scope = row_scope(table, statement, seen(machine, local), dict(local.variables), None)
    wanted = [(id_, row) for id_, row in _visible(local, number) if scope.wants(condition_of(statement), row)]
    done: list[Row] = []
    for id_, row in _limited(statement, wanted, local):
        mark = KEEPS[statement.strength] if isinstance(statement, SelectLocking) else Mark.RESERVED
        if isinstance(statement, SelectLocking):
            done.append(scope.returned(statement.query.outputs, row))
        else:
            new = None
            if isinstance(statement, Update):
                new = machine.written(table, scope.changed(statement.assignments, row), do.span)
            done.append(scope.returned(statement.returning, row if new is None else new))
            local = with_change(local, Change(number, id_, new))
        local = touching(local, number, id_, mark)
    if isinstance(statement, SelectLocking):
        return machine.answered(local, do, tuple(done), 0, ordered=bool(statement.query.order))
    return machine.answered(local, do, tuple(done) if statement.returning is not None else None, len(done))


KEEPS = {
    Strength.UPDATE: Mark.WATCHED,
    Strength.NO_KEY_UPDATE: Mark.WATCHED,
    Strength.SHARE: Mark.WATCHED,
    Strength.KEY_SHARE: Mark.KEPT,
}


def _limited(statement: Locking, wanted: list[tuple[RowId, Row]], local: Local) -> list[tuple[RowId, Row]]:
    """In the order of ORDER BY, as many as LIMIT says."""
    if not isinstance(statement, SelectLocking):
        return wanted
    if statement.wait is Wait.SKIP:
        raise unsupported("SKIP LOCKED at this level", "run the transaction at READ COMMITTED")
    order, name = statement.query.order, statement.query.relations[0]
    base = scope_of({}, dict(local.variables))
    if order:
        from seriatim.frontends.sql.selection import cells

        keys = {id_: sort_key(order, base.inside(cells(name.name, name.columns, row))) for id_, row in wanted}
        if len(set(keys.values())) < len(keys):
            raise unsupported(
                "ORDER BY without a total order in SELECT … FOR UPDATE", "add columns to ORDER BY"
            )
        wanted = sorted(wanted, key=lambda pair: keys[pair[0]])
    limit = limit_of(statement.query, base)
    if limit is not None and limit < len(wanted) and not order:
        raise unsupported("LIMIT without ORDER BY")
    return wanted if limit is None else wanted[:limit]


def touching(local: Local, table: int, id_: RowId, mark: Mark) -> Local:
    """With one more row that nobody else may change meanwhile; the strongest mark counts."""
    if is_new(id_):
        return local
    resource = row_resource(table, id_)
    known = [Mark(other) for where, other in local.touched if where == resource]
    strongest = max((mark, *known), key=claims_.SNAPSHOT_MARKS.index)
    others = [claim for claim in local.touched if claim[0] != resource]
    return replace(local, touched=tuple(sorted((*others, (resource, strongest)), key=claims_.sort_key)))


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
        row = inserted_row(machine, statement, _place(local), seen(machine, local), local, do)
    except SqlError:
        yield local.touched
        return
    except OutOfScope:
        return
    number = machine.number[statement.table]
    yield from _after(machine, at_statement.after_insert(machine, local, do, statement, number, row))
    if statement.conflict is None:
        yield local.touched
        return
    table = machine.tables[number]
    for id_, other in _visible(local, number):
        same = [
            key_values(table, key, other) == key_values(table, key, row)
            for key in relevant_keys(table, statement)
        ]
        if any(same):
            try:
                yield from _after(machine, _resolved(machine, local, do, statement, id_, other, row))
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


def _place(local: Local) -> int:
    return 0 if local.work is None else local.work.inserted


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
            yield from machine.failed(failed, database, code)
        case Local() if rushed.snapshot is not None:
            yield _pruned(machine, rushed), database
        case Local() | Done():
            yield rushed, database


def _judged(machine: Machine, local: Local, database: Database, do: Do) -> Iterator[Move]:
    statement = do.statement
    if isinstance(statement, AdvisoryLock):
        number = evaluate(statement.key, scope_of({}, dict(local.variables)))
        mode = Mark.SHARED if statement.shared else Mark.EXCLUSIVE
        yield from at_statement.taken(machine, local, database, do, (("number", number), mode))
        return
    if isinstance(statement, LockTable):
        raise unsupported(
            "LOCK TABLE at this level", "run the transactions at READ COMMITTED, or take an advisory lock"
        )
    assert isinstance(statement, Insert)
    row = inserted_row(machine, statement, _place(local), seen(machine, local), local, do)
    table = machine.number[statement.table]
    match insertion(machine, local, database, table, row, statement):
        case None:
            return
        case Fresh(claims=claims):
            after, there = at_statement.claimed(local, database, list(claims))
            yield at_statement.after_insert(machine, after, do, statement, table, row), there
        case Conflict(id=id_, row=old):
            if statement.conflict is None:
                raise SqlError(UNIQUE_VIOLATION)
            mine = dict(_visible(local, table)).get(id_)
            resource = row_resource(table, id_)
            kept: Iterable[Mark] = (Mark.RESERVED, Mark.WATCHED)
            if mine is None or not (is_new(id_) or any((resource, mark) in local.claims for mark in kept)):
                return  # It has changed since the snapshot: the transaction fails, and starts over.
            yield _resolved(machine, local, do, statement, id_, old, row), database


def _resolved(
    machine: Machine, local: Local, do: Do, statement: Insert, id_: RowId, old: Row, row: Row
) -> Local:
    """ON CONFLICT with a row of the snapshot that is still what it was."""
    assert statement.conflict is not None
    number = machine.number[statement.table]
    if statement.conflict.assignments is None:
        watching = touching(local, number, id_, Mark.WATCHED)
        return at_statement.counted(machine, watching, do, statement, None, None)
    new = at_statement.upserted(machine, local, do, statement, old, row)
    local = touching(local, number, id_, Mark.WATCHED if new is None else Mark.RESERVED)
    if new is not None:
        local = with_change(local, Change(number, id_, new))
    return at_statement.counted(machine, local, do, statement, None, new)
