"""The transactions of a script, the tables that they share, and the steps that affect no other request."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql.code import Branch, Code, Instruction, Jump, bracket, compile_items, statements
from seriatim.frontends.sql.evaluation import SqlError, evaluate
from seriatim.frontends.sql.language import (
    DEFAULT_LEVEL,
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
    Savepoint,
    Script,
    Select,
    SelectLocking,
    SetVariable,
    Table,
    TableMode,
    Update,
    Wait,
)
from seriatim.frontends.sql.levels import POSTGRESQL, Rules
from seriatim.frontends.sql.refusal import unsupported
from seriatim.frontends.sql.requests import (
    Request,
    assign,
    key_of,
    name_arguments,
    output_names,
    request_name,
)
from seriatim.frontends.sql.selection import scope_of
from seriatim.frontends.sql.states import Database, Done, Local, Saved
from seriatim.frontends.sql.terms import Expression, New, NextValue, Row, Value
from seriatim.source import Span

Move = tuple[Local | Done, Database]


@dataclass(frozen=True, slots=True)
class Escape:
    """A value that is not in the scope of its column, and the statement that would have written it."""

    table: str
    column: str | None
    """The column; None if it is the number of rows that leaves its scope."""
    value: Value
    span: Span


AGAINST_CHECKS = (TableMode.EXCLUSIVE, TableMode.ACCESS_EXCLUSIVE)
"""The modes that conflict with ROW SHARE, which the check of a foreign key takes on the other table when its
statement ends."""


AMBIGUOUS = 2
"""The incarnation of rows for which no other number is free: two such rows with one key are not
distinguished."""


class OutOfScope(Exception):
    """Raised when a value leaves its scope: what happens then is not part of the system."""


class Machine:
    """The transactions of a script; those without a level of their own run at `level`."""

    def __init__(
        self,
        script: Script,
        level: Level,
        rules: dict[Level, Rules] = POSTGRESQL,
        answers_aborts: bool = False,
    ) -> None:
        self.script = script
        self.answers_aborts = answers_aborts
        """Whether a client that the database aborts answers with the error instead of starting over."""
        self.level = level
        self.rules = rules
        self.tables: tuple[Table, ...] = script.tables
        self.number = {table.name: number for number, table in enumerate(script.tables)}
        self.requests = tuple(
            Request(
                request_name(each, values),
                each,
                name_arguments(each, values),
                compile_items(bracket(each.items)[0]),
            )
            for each in script.transactions
            for values in product(*(parameter.values for parameter in each.parameters))
        )
        every = [each for request in self.requests for each in statements(request.code)]
        self.statements = tuple(dict.fromkeys(every))
        inserted = {each.table for each in every if isinstance(each, Insert)}
        deleted = {each.table for each in every if isinstance(each, Delete)}
        self.reborn = tuple(table.name in inserted & deleted for table in self.tables)
        """For each table, whether a key can have one row after another."""
        self.rekeyed = tuple(self._changes_identity(table) for table in self.tables)
        """For each table, whether rows change the key that identifies them: then they are numbered
        instead."""
        self.unlinked = tuple(
            any(
                isinstance(each, Delete) or (isinstance(each, Update) and self._changes_a_key(each))
                for each in self.statements
                if getattr(each, "table", None) == table.name
            )
            for table in self.tables
        )
        """For each table, whether a row to which others may refer can be deleted or get another key."""
        self.drawn = frozenset(self._columns_from_sequences())
        self.has_sequences = bool(self.drawn) or any(
            isinstance(each, Select) and any(isinstance(o.expression, NextValue) for o in each.query.outputs)
            for each in self.statements
        )
        self.locks_tables = any(isinstance(each, LockTable) for each in every)
        linked = {each.name for each in self.tables if each.references}
        linked |= {each.table for table in self.tables for each in table.references}
        for each in self.statements:
            if isinstance(each, LockTable) and each.mode in AGAINST_CHECKS and each.table in linked:
                hint = "leave out LOCK TABLE, or the foreign key"
                raise unsupported(f"{each.mode} on a table of a foreign key, whose check waits for it", hint)
        self.shows_locks = any(isinstance(each, SelectLocking) and each.wait is Wait.SKIP for each in every)
        """Whether some request can notice that a row is locked, with SKIP LOCKED."""
        self.asks_for_level = any(DEFAULT_LEVEL in repr(each) for each in self.statements)
        self.waits: dict[Span, None] = {}
        """The statements in which a request waits for a row lock while it holds another one."""
        self.escapes: dict[Escape, None] = {}

    def _columns_from_sequences(self) -> Iterator[tuple[str, str]]:
        """Tables and their columns that sequences fill."""
        for each in self.statements:
            if isinstance(each, Insert):
                for place, column in enumerate(self.script.table(each.table).fields):
                    is_left_out = each.query is not None and column.name not in each.columns
                    if column.sequence is not None and (
                        is_left_out or any(isinstance(row[place], NextValue) for row in each.rows)
                    ):
                        yield each.table, column.name

    def _changes_a_key(self, update: Update) -> bool:
        keys = {column for key in self.script.table(update.table).keys for column in key.columns}
        return any(column in keys for column, _ in update.assignments)

    def _changes_identity(self, table: Table) -> bool:
        identity = set(table.keys[0].columns) if table.has_primary_key else set()
        return any(
            column in identity
            for each in self.statements
            if isinstance(each, Update) and each.table == table.name
            for column, _ in each.assignments
        )

    def identity(self, number: int, row: Row, slot: int) -> Row:
        """The identity of a row while it exists."""
        return (slot,) if self.rekeyed[number] else key_of(self.tables[number], row, slot)

    def assigned_columns(self, table: str) -> frozenset[str] | None:
        """The columns of a table that statements assign; None if statements insert or delete rows."""
        found: set[str] = set()
        for statement in self.statements:
            match statement:
                case Update(assignments=assignments) if statement.table == table:
                    found |= {column for column, _ in assignments}
                case Insert() | Delete() if statement.table == table:
                    return None
        return frozenset(found)

    def levels(self) -> frozenset[Level]:
        """The isolation levels of the transactions."""
        begins = [each for request in self.requests for each in request.code if isinstance(each, Begin)]
        return frozenset(each.level or self.level for each in begins)

    def second_begins(self) -> tuple[Begin, ...]:
        """The second BEGIN of each request with several transactions: a database promises nothing about what
        happens between the two."""
        begins = ([each for each in request.code if isinstance(each, Begin)] for request in self.requests)
        return tuple(own[1] for own in begins if len(own) > 1)

    def rolls_back(self) -> bool:
        """Whether some transaction may be rolled back: databases promise nothing about what it has read."""
        return any(
            isinstance(each, Rollback | RollbackTo) for request in self.requests for each in request.code
        )

    # States

    def initial(self) -> Database:
        return Database(
            tuple(
                tuple(
                    sorted(
                        (((self.identity(n, row, place), 0), row) for place, row in enumerate(table.rows)),
                        key=repr,
                    )
                )
                for n, table in enumerate(self.tables)
            )
        )

    def start(self, request: int) -> Local:
        arguments = self.requests[request].arguments
        if self.asks_for_level:
            arguments = assign(arguments, {DEFAULT_LEVEL: self.level.value})
        return Local(request, variables=arguments)

    def code(self, local: Local) -> Code:
        return self.requests[local.request].code

    def instruction(self, local: Local) -> Instruction | None:
        """The next instruction; None at the end."""
        code = self.code(local)
        return code[local.at] if local.at < len(code) else None

    def rules_of(self, local: Local) -> Rules:
        return self.rules[local.level or self.level]

    # Moves

    def settle(self, local: Local) -> Local | Done:
        """Executes all instructions up to the next one that affects other requests."""
        while True:
            instruction = self.instruction(local)
            if instruction is None and (local.level is None or is_idle(local)):
                return local if claims_.without_known(local.claims) else Done(local.answers)
            passed = self._pass(local, instruction)
            if passed is None:
                return local
            local = passed

    def _pass(self, local: Local, instruction: Instruction | None) -> Local | None:
        """The state after an instruction that affects no other request; None for other instructions."""
        match instruction:
            case Branch(condition=condition, target=target):
                holds = not local.failed and client_value(condition, local) is True
                return replace(local, at=local.at + 1 if holds else target)
            case Jump(target=target):
                return replace(local, at=target)
            case Begin(level=level) if local.level is None:
                local = replace(local, level=level or self.level)
            case SetVariable(name=name, value=value) if not local.failed:
                given = client_value(value, local)
                local = replace(local, variables=assign(local.variables, {name: given}))
            case Savepoint(name=name) if not local.failed:
                saved = Saved(name, local.changes, local.touched, local.claims)
                local = replace(local, saved=(*local.saved, saved))
            case Release(name=name) if not local.failed:
                local = replace(local, saved=release_savepoint(local.saved, name))
            case Commit() | Rollback() if is_idle(local):
                local = end_transaction(local)
            case Do() | Commit() | Rollback() | RollbackTo() | None if not (
                local.failed and isinstance(instruction, Do)
            ):
                return None
        return replace(local, at=local.at + 1)

    # Answers

    def answer(
        self, local: Local, do: Do, rows: tuple[Row, ...] | None, count: int, ordered: bool = False
    ) -> Local:
        """The state after an executed statement, with its answer."""
        local = replace(local, work=None, at=local.at + 1)
        if rows is None:
            return replace(local, answers=(*local.answers, count))
        shown = tuple(tuple(map(anonymize, row)) for row in rows)
        shown = shown if ordered else tuple(sorted(shown, key=repr))
        local = replace(local, answers=(*local.answers, shown))
        if do.gset is None:
            return local
        if len(rows) != 1:
            raise SqlError(NO_SINGLE_ROW)
        names = [do.gset + each for each in output_names(do)]
        given = dict(zip(names, rows[0], strict=True))
        return replace(local, variables=assign(local.variables, given))

    def check_written(self, table: Table, row: Row, span: Span) -> Row:
        """Checks a row that is about to be written, and returns it; raises `SqlError` or `OutOfScope`."""
        self.check_row(table, row)
        for place, (column, value) in enumerate(zip(table.fields, row, strict=True)):
            is_drawn = isinstance(value, int) and (table.name, column.name) in self.drawn
            if is_drawn and all(value != first[place] for first in table.rows):
                raise unsupported(
                    f"writing a number to `{column.name}`, which a sequence fills,", "leave the column out"
                )
            if column.values is not None and value is not None and value not in column.values:
                self.escapes[Escape(table.name, column.name, value, span)] = None
                raise OutOfScope
        return row

    @staticmethod
    def check_row(table: Table, row: Row) -> None:
        """Raises `SqlError` if a row breaks a constraint."""
        for column, value in zip(table.fields, row, strict=True):
            if value is None and not column.nullable:
                raise SqlError(NOT_NULL_VIOLATION)
            is_type = column.scope_span is None and column.values is not None and value is not None
            if is_type and value not in (column.values or ()):
                raise SqlError(INVALID_TEXT)
        cells = {(table.name, column.name): value for column, value in zip(table.fields, row, strict=True)}
        scope = scope_of({}, {}).inside(cells)
        if any(evaluate(check, scope) is False for check in table.checks):
            raise SqlError(CHECK_VIOLATION)


def anonymize(value: Value) -> Value:
    """A value as answers show it: without the number that a sequence has given."""
    return New(0) if isinstance(value, New) else value


NO_SINGLE_ROW = "\\gset: not one row"


NOT_NULL_VIOLATION = "23502"


CHECK_VIOLATION = "23514"


INVALID_TEXT = "22P02"


UNIQUE_VIOLATION = "23505"


def client_value(expression: Expression, local: Local) -> Value:
    """The value of an expression that the client itself computes; raises `Refusal`."""
    try:
        return evaluate(expression, scope_of({}, dict(local.variables)))
    except SqlError as error:
        raise unsupported(f"an expression of the client that fails with {error.code}") from None


def release_savepoint(saved: tuple[Saved, ...], name: str) -> tuple[Saved, ...]:
    """The savepoints before this one."""
    places = [place for place, each in enumerate(saved) if each.name == name]
    return saved[: places[-1]] if places else saved


def is_idle(local: Local) -> bool:
    """Whether the end of the transaction affects no other request."""
    return not (claims_.of_transaction(local.claims) or local.changes or local.touched)


def end_transaction(local: Local) -> Local:
    """The state after the end of the transaction."""
    return replace(
        local,
        level=None,
        snapshot=None,
        changes=(),
        claims=(*claims_.of_session(local.claims), *claims_.known(local.claims)),
        touched=(),
        looked=(),
        saved=(),
        failed=False,
    )
