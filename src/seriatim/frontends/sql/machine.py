"""How transactions move: all that one request can do next, in some state of the database.

A move is one *unit*: a SELECT; the choice of the rows that an UPDATE, DELETE or SELECT … FOR UPDATE is about; the
lock on one of these rows and what is done to it; one row of an INSERT; a COMMIT. Between two units everybody else
may move. What concerns no one else (BEGIN, `\\if`, the COMMIT of a transaction that holds nothing) comes along
with the unit before it.

How a unit works depends on the rules of the level: `at_statement` has those of statements that see rows of their
own time, `at_transaction` those of snapshots.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import assert_never

from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql.claims import Claim, Mark
from seriatim.frontends.sql.code import Branch, Code, Instruction, Jump, bracketed, compiled, statements
from seriatim.frontends.sql.evaluation import SqlError, evaluate, is_true
from seriatim.frontends.sql.language import (
    Begin,
    Commit,
    Delete,
    Do,
    Insert,
    Level,
    LockTable,
    Release,
    Rollback,
    RollbackTo,
    Row,
    Savepoint,
    Script,
    Select,
    SelectLocking,
    SetVariable,
    Table,
    Transaction,
    Update,
    Value,
    Wait,
)
from seriatim.frontends.sql.levels import POSTGRESQL, Rules
from seriatim.frontends.sql.refusal import Refusal
from seriatim.frontends.sql.selection import scope_of
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
from seriatim.source import Span

Move = tuple[Local | Done, Database]


@dataclass(frozen=True, slots=True)
class Request:
    """A transaction with its arguments."""

    name: str
    transaction: Transaction
    arguments: tuple[tuple[str, Value], ...]
    code: Code


@dataclass(frozen=True, slots=True)
class Escape:
    """A value that is not in the scope of its column, and the statement that would have written it."""

    table: str
    column: str
    value: Value
    span: Span


AMBIGUOUS = 2
"""The incarnation of rows for which no other number is free: two such rows with one key are not told apart."""


class OutOfScope(Exception):
    """A value leaves its scope: what happens then is not part of the system."""


class Machine:
    """The transactions of a script, where those without a level of their own run at `level`."""

    def __init__(self, script: Script, level: Level, rules: dict[Level, Rules] = POSTGRESQL) -> None:
        self.script = script
        self.level = level
        self.rules = rules
        self.tables: tuple[Table, ...] = script.tables
        self.number = {table.name: number for number, table in enumerate(script.tables)}
        self.requests = tuple(
            Request(request_name(each, values), each, named(each, values), compiled(bracketed(each.items)[0]))
            for each in script.transactions
            for values in product(*(parameter.values for parameter in each.parameters))
        )
        every = [each for request in self.requests for each in statements(request.code)]
        self.statements = tuple(dict.fromkeys(every))
        inserted = {each.table for each in every if isinstance(each, Insert)}
        deleted = {each.table for each in every if isinstance(each, Delete)}
        self.reborn = tuple(table.name in inserted & deleted for table in self.tables)
        """Whether a key of the table can have one row after another."""
        self.locks_tables = any(isinstance(each, LockTable) for each in every)
        self.shows_locks = any(isinstance(each, SelectLocking) and each.wait is Wait.SKIP for each in every)
        """Whether somebody can tell that a row is locked."""
        self.escapes: dict[Escape, None] = {}

    def assigned_columns(self, table: str) -> frozenset[str] | None:
        """The columns that some statement assigns; None where rows come or go."""
        found: set[str] = set()
        for statement in self.statements:
            match statement:
                case Update(assignments=assignments) if statement.table == table:
                    found |= {column for column, _ in assignments}
                case Insert() | Delete() if statement.table == table:
                    return None
        return frozenset(found)

    def levels(self) -> frozenset[Level]:
        """Those that some transaction runs at."""
        begins = [each for request in self.requests for each in request.code if isinstance(each, Begin)]
        return frozenset(each.level or self.level for each in begins)

    # States

    def initial(self) -> Database:
        return Database(
            tuple(
                tuple(
                    sorted(
                        (((key_of(table, row, place), 0), row) for place, row in enumerate(table.rows)),
                        key=repr,
                    )
                )
                for table in self.tables
            )
        )

    def start(self, request: int) -> Local:
        return Local(request, variables=self.requests[request].arguments)

    def code(self, local: Local) -> Code:
        return self.requests[local.request].code

    def instruction(self, local: Local) -> Instruction | None:
        """What comes next; None at the end."""
        code = self.code(local)
        return code[local.at] if local.at < len(code) else None

    def rules_of(self, local: Local) -> Rules:
        return self.rules[local.level or self.level]

    # Moves

    def moves(self, local: Local, database: Database) -> list[Move]:
        """All that a request can do next; nothing where it waits, or where the two do not go together."""
        if database.closed or not claims_.covers(database.claims, local.claims):
            return []
        request = self.requests[local.request]
        if local == self.start(local.request) and request.transaction.once:
            done: Claim = (("once", request.transaction.name), Mark.DONE)
            if not claims_.is_free(database.claims, (), *done):
                return []
            database = replace(database, claims=claims_.add(database.claims, [done]))
        begun = self.settle(local)
        if isinstance(begun, Done):
            return [(begun, database)]
        found: dict[Move, None] = {}
        for after, there in self.unit(begun, database):
            settled = self.settle(after) if isinstance(after, Local) else after
            for end in self._committed_at_once(settled, there):
                found[end] = None
        return list(found)

    def _committed_at_once(self, after: Local | Done, there: Database) -> Iterator[Move]:
        """The COMMIT of a single statement comes with its last unit, unless it depends on a snapshot."""
        if isinstance(after, Done) or after.snapshot is not None or self.shows_locks:
            yield after, there
            return
        instruction = self.instruction(after)
        if not isinstance(instruction, Commit) or not instruction.implicit:
            yield after, there
            return
        for committed, then in self.commit(after, there):
            yield (self.settle(committed) if isinstance(committed, Local) else committed), then

    def unit(self, local: Local, database: Database) -> Iterator[Move]:
        """One unit; raises `Refusal` with the place of the statement."""
        instruction = self.instruction(local)
        match instruction:
            case Do():
                try:
                    yield from self._statement(local, database, instruction)
                except Refusal as refusal:
                    refusal.span = refusal.span or instruction.span
                    raise
            case Commit():
                yield from self.commit(local, database)
            case Rollback() | None:
                yield from self.rolled_back(local, database)
            case RollbackTo(name=name):
                yield from self.rolled_back_to(local, database, name)
            case _:
                raise AssertionError(instruction)

    def _statement(self, local: Local, database: Database, do: Do) -> Iterator[Move]:
        from seriatim.frontends.sql import at_statement, at_transaction
        from seriatim.frontends.sql.levels import Sees

        room = at_statement if self.rules_of(local).sees is Sees.AT_STATEMENT else at_transaction
        try:
            yield from room.unit(self, local, database, do)
        except OutOfScope:
            return
        except SqlError as error:
            yield from self.failed(local, database, error.code)

    def settle(self, local: Local) -> Local | Done:
        """Goes on over all that concerns no one else."""
        while True:
            instruction = self.instruction(local)
            match instruction:
                case None if local.level is None or is_idle(local):
                    return Done(local.answers)
                case Begin(level=level) if local.level is None:
                    local = replace(local, level=level or self.level)
                case Begin():
                    pass  # PostgreSQL warns: there is a transaction already.
                case Branch(condition=condition, target=target):
                    scope = scope_of({}, dict(local.variables))
                    if local.failed or not is_true(condition, scope):
                        local = replace(local, at=target)
                        continue
                case Jump(target=target):
                    local = replace(local, at=target)
                    continue
                case SetVariable(name=name, value=value):
                    given = evaluate(value, scope_of({}, dict(local.variables)))
                    local = replace(local, variables=assigned(local.variables, {name: given}))
                case Savepoint(name=name) if not local.failed:
                    saved = Saved(name, local.changes, local.touched, local.claims)
                    local = replace(local, saved=(*local.saved, saved))
                case Release(name=name):
                    kept = tuple(each for each in local.saved if each.name != name)
                    local = replace(local, saved=kept)
                case Do() if not local.failed:
                    return local
                case Do() | Savepoint():
                    pass
                case Commit() | Rollback() if is_idle(local):
                    local = ended(local)
                case Commit() | Rollback() | RollbackTo() | None:
                    return local
            local = replace(local, at=local.at + 1)

    # Ends of transactions

    def commit(self, local: Local, database: Database) -> Iterator[Move]:
        """Makes the changes everybody's, and lets go of all claims; waits where somebody still needs a row as it is."""
        if local.failed:
            yield from self.rolled_back(local, database)
            return
        for change in local.changes:
            resource = row_resource(change.table, change.id)
            disturbed = DISTURBED_BY_DELETE if change.row is None else DISTURBED_BY_UPDATE
            if claims_.held_by_others(database.claims, local.claims, resource, disturbed):
                return
        for resource, mode in local.touched:
            if claims_.held_by_others(database.claims, local.claims, resource, CONFLICTING[Mark(mode)]):
                return
        if not has_guessed_right(local):
            return
        installed = self.installed(database, local.changes)
        yield from self._let_go(ended(local), installed, local.claims, step=True)

    def rolled_back(self, local: Local, database: Database) -> Iterator[Move]:
        if not has_guessed_right(local):
            return
        at_end = self.instruction(local) is None
        yield from self._let_go(ended(local), database, local.claims, step=not at_end)

    def rolled_back_to(self, local: Local, database: Database, name: str) -> Iterator[Move]:
        places = [place for place, each in enumerate(local.saved) if each.name == name]
        if not places:
            yield from self.failed(local, database, "3B001")
            return
        saved = local.saved[places[-1]]
        back = self.restored(local, saved)
        back = replace(back, saved=local.saved[: places[-1] + 1], failed=False)
        yield from self._let_go(back, database, lost(local, saved), step=True)

    @staticmethod
    def restored(local: Local, saved: Saved) -> Local:
        gone = lost(local, saved)
        kept = tuple(claim for claim in local.claims if claim not in gone)
        return replace(local, changes=saved.changes, touched=saved.touched, claims=kept, work=None)

    def failed(self, local: Local, database: Database, code: str) -> Iterator[Move]:
        """A statement has failed: its transaction holds nothing any more, except what a savepoint keeps."""
        answered = replace(local, answers=(*local.answers, code), work=None)
        if self.can_recover(local):
            back = replace(self.restored(answered, local.saved[-1]), failed=True)
            yield from self._let_go(back, database, lost(local, local.saved[-1]), step=True)
            return
        if not has_guessed_right(local):
            return
        for claims in claims_.drop(database.claims, local.claims):
            yield Done(answered.answers), replace(database, claims=claims)

    def can_recover(self, local: Local) -> bool:
        """Whether a savepoint helps a transaction in which a statement fails."""
        ahead = self.code(local)[local.at :]
        return bool(local.saved) and any(isinstance(each, RollbackTo) for each in ahead)

    @staticmethod
    def _let_go(local: Local, database: Database, claims: tuple[Claim, ...], step: bool) -> Iterator[Move]:
        after = replace(local, at=local.at + 1) if step else local
        for left in claims_.drop(database.claims, claims):
            yield after, replace(database, claims=left)

    def installed(self, database: Database, changes: tuple[Change, ...]) -> Database:
        """The database with these changes."""
        tables = [dict(rows) for rows in database.tables]
        for change in (each for each in changes if not is_new(each.id)):
            if change.row is None:
                tables[change.table].pop(change.id, None)
            else:
                tables[change.table][change.id] = change.row
        for change in (each for each in changes if is_new(each.id)):
            assert change.row is not None
            table, present = self.tables[change.table], tables[change.table]
            taken = {key for key, _ in present}
            slot = next(n for n in range(len(present) + 1) if (n,) not in taken)
            key = key_of(table, change.row, slot)
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

    # Answers

    def answered(
        self, local: Local, do: Do, rows: tuple[Row, ...] | None, count: int, ordered: bool = False
    ) -> Local:
        """With the answer of a statement that has been executed, and past it."""
        local = replace(local, work=None, at=local.at + 1)
        if rows is None:
            return replace(local, answers=(*local.answers, count))
        shown = rows if ordered else tuple(sorted(rows, key=repr))
        local = replace(local, answers=(*local.answers, shown))
        if do.gset is None:
            return local
        if len(rows) != 1:
            raise SqlError(NO_SINGLE_ROW)
        names = [do.gset + each for each in output_names(do)]
        given = dict(zip(names, rows[0], strict=True))
        return replace(local, variables=assigned(local.variables, given))

    def written(self, table: Table, row: Row, span: Span) -> Row:
        """A row that is about to be written; raises `SqlError` or `OutOfScope`."""
        self.check_row(table, row)
        for column, value in zip(table.fields, row, strict=True):
            if column.values is not None and value is not None and value not in column.values:
                self.escapes[Escape(table.name, column.name, value, span)] = None
                raise OutOfScope
        return row

    @staticmethod
    def check_row(table: Table, row: Row) -> None:
        """Whether a row keeps the constraints; raises `SqlError`."""
        for column, value in zip(table.fields, row, strict=True):
            if value is None and not column.nullable:
                raise SqlError(NOT_NULL_VIOLATION)
            if column.scope_span is None and column.values is not None and value is not None:
                if value not in column.values:
                    raise SqlError(INVALID_TEXT)
        cells = {(table.name, column.name): value for column, value in zip(table.fields, row, strict=True)}
        scope = scope_of({}, {}).inside(cells)
        if any(evaluate(check, scope) is False for check in table.checks):
            raise SqlError(CHECK_VIOLATION)


NO_SINGLE_ROW = "\\gset: not one row"
NOT_NULL_VIOLATION = "23502"
CHECK_VIOLATION = "23514"
INVALID_TEXT = "22P02"
UNIQUE_VIOLATION = "23505"

CONFLICTING = {
    Mark.RESERVED: claims_.CONFLICTS[claims_.Strength.NO_KEY_UPDATE],
    Mark.WATCHED: claims_.CONFLICTS[claims_.Strength.SHARE],
    Mark.KEPT: claims_.CONFLICTS[claims_.Strength.KEY_SHARE],
}
"""The locks of others that a transaction has to wait for before it can have written, or locked, a row."""


DISTURBED_BY_UPDATE = (Mark.RESERVED, Mark.WATCHED)
DISTURBED_BY_DELETE = claims_.SNAPSHOT_MARKS


def is_idle(local: Local) -> bool:
    """Whether the end of the transaction concerns no one."""
    return not (local.claims or local.changes or local.touched)


def has_guessed_right(local: Local) -> bool:
    """Whether a transaction has claimed those rows that it has come to need."""
    return {claim for claim in local.claims if claim[1] in claims_.SNAPSHOT_MARKS} == set(local.touched)


def lost(local: Local, saved: Saved) -> tuple[Claim, ...]:
    """The locks that a transaction loses that goes back to a savepoint."""
    return tuple(
        claim
        for claim in local.claims
        if claim not in saved.claims and claim[1] not in claims_.SNAPSHOT_MARKS
    )


def ended(local: Local) -> Local:
    """Outside a transaction."""
    return replace(
        local,
        level=None,
        snapshot=None,
        changes=(),
        claims=(),
        touched=(),
        saved=(),
        failed=False,
    )


def assigned(
    variables: tuple[tuple[str, Value], ...], given: dict[str, Value]
) -> tuple[tuple[str, Value], ...]:
    return tuple(sorted({**dict(variables), **given}.items()))


def output_names(do: Do) -> list[str]:
    """The names of the columns that a statement returns."""
    match do.statement:
        case Select(query=query) | SelectLocking(query=query):
            return [each.name for each in query.outputs]
        case Update(returning=outputs) | Delete(returning=outputs) | Insert(returning=outputs):
            return [each.name for each in outputs or ()]
        case _:
            return []


def key_of(table: Table, row: Row, slot: int) -> Row:
    """The first key of a row; where a table has none, a number."""
    if not table.has_primary_key:
        return (slot,)
    return tuple(row[table.place(column)] for column in table.keys[0].columns)


def request_name(transaction: Transaction, values: tuple[Value, ...]) -> str:
    if not values:
        return transaction.name
    return f"{transaction.name}({', '.join(shown(each) for each in values)})"


def named(transaction: Transaction, values: tuple[Value, ...]) -> tuple[tuple[str, Value], ...]:
    names = [parameter.name for parameter in transaction.parameters]
    return tuple(sorted(zip(names, values, strict=True)))


def shown(value: Value) -> str:
    """A value as SQL writes it."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case str():
            return "'" + value.replace("'", "''") + "'"
        case _:
            assert_never(value)
