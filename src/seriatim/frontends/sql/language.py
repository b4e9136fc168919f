"""Statements, tables and transactions, as plain data."""

from dataclasses import dataclass, field
from enum import StrEnum

from seriatim.frontends.sql.terms import TRUE, Constant, Expression, NextValue, Output, Query, Row, Value
from seriatim.source import Span

DEFAULT_LEVEL = "default_transaction_isolation"
"""The PostgreSQL setting with the level of transactions that name none."""


class Strength(StrEnum):
    """Modes of row locks, weakest first."""

    KEY_SHARE = "FOR KEY SHARE"
    SHARE = "FOR SHARE"
    NO_KEY_UPDATE = "FOR NO KEY UPDATE"
    UPDATE = "FOR UPDATE"


class Wait(StrEnum):
    """What a statement does when another transaction holds the lock that it needs."""

    WAIT = "wait"
    NOWAIT = "NOWAIT"
    SKIP = "SKIP LOCKED"


@dataclass(frozen=True, slots=True)
class Select:
    query: Query


@dataclass(frozen=True, slots=True)
class AdvisoryLock:
    """`SELECT pg_advisory_xact_lock(key)`, held until the transaction ends. Without `xact`, it is held until
    the session releases it or ends."""

    key: Expression
    shared: bool
    session: bool = False


@dataclass(frozen=True, slots=True)
class SelectLocking:
    """SELECT … FOR UPDATE, or a weaker lock, on one table."""

    table: str
    query: Query
    strength: Strength
    wait: Wait
    gate: AdvisoryLock | None = None
    """The advisory lock of `WHERE pg_advisory_lock(1) IS NOT NULL`: the statement waits for it after it has
    read the rows and before it locks one."""


@dataclass(frozen=True, slots=True)
class Update:
    table: str
    name: str
    """The name that the statement gives to the table."""
    assignments: tuple[tuple[str, Expression], ...]
    where: Expression
    returning: tuple[Output, ...] | None


@dataclass(frozen=True, slots=True)
class Delete:
    table: str
    name: str
    where: Expression
    returning: tuple[Output, ...] | None


@dataclass(frozen=True, slots=True)
class OnConflict:
    """ON CONFLICT of an INSERT; DO NOTHING if it has no assignments."""

    key: "Key | None"
    """The key that ON CONFLICT names; None for any key."""
    assignments: tuple[tuple[str, Expression], ...] | None
    where: Expression = TRUE


@dataclass(frozen=True, slots=True)
class Insert:
    table: str
    rows: tuple[tuple[Expression, ...], ...]
    """The rows of VALUES, with an expression for each column of the table."""
    conflict: OnConflict | None
    returning: tuple[Output, ...] | None
    query: Query | None = None
    """The query of INSERT … SELECT, which has no `rows`."""
    columns: tuple[str, ...] = ()
    """The columns of the table that the query fills."""
    alias: str = ""
    """The name that the statement gives to the table; empty for the table's own."""

    @property
    def name(self) -> str:
        return self.alias or self.table


class TableMode(StrEnum):
    """Modes of table locks."""

    ACCESS_SHARE = "ACCESS SHARE"
    ROW_SHARE = "ROW SHARE"
    ROW_EXCLUSIVE = "ROW EXCLUSIVE"
    SHARE_UPDATE_EXCLUSIVE = "SHARE UPDATE EXCLUSIVE"
    SHARE = "SHARE"
    SHARE_ROW_EXCLUSIVE = "SHARE ROW EXCLUSIVE"
    EXCLUSIVE = "EXCLUSIVE"
    ACCESS_EXCLUSIVE = "ACCESS EXCLUSIVE"


@dataclass(frozen=True, slots=True)
class LockTable:
    table: str
    mode: TableMode
    nowait: bool


@dataclass(frozen=True, slots=True)
class AdvisoryUnlock:
    """`SELECT pg_advisory_unlock(key)`: releases a lock of the session at once; without a key, all of
    them."""

    key: Expression | None
    shared: bool = False


DataStatement = Select | SelectLocking | Update | Delete | Insert | LockTable | AdvisoryLock | AdvisoryUnlock


@dataclass(frozen=True, slots=True)
class Do:
    """A statement that reads or writes; `\\gset` stores the columns of its only row in variables."""

    statement: DataStatement
    text: str
    span: Span
    gset: str | None = None
    """The prefix that `\\gset` puts before the names of its variables; None without `\\gset`."""


class Level(StrEnum):
    """Isolation levels by name, weakest first; `levels` has their rules."""

    READ_COMMITTED = "read committed"
    REPEATABLE_READ = "repeatable read"
    SERIALIZABLE = "serializable"


@dataclass(frozen=True, slots=True)
class Begin:
    level: Level | None
    span: Span
    read_only: bool = False
    """Whether the transaction is READ ONLY; statements that write are refused there."""


@dataclass(frozen=True, slots=True)
class Commit:
    span: Span
    implicit: bool = False
    """Whether the COMMIT is implicit, because the transaction is a single statement."""


@dataclass(frozen=True, slots=True)
class Rollback:
    span: Span


@dataclass(frozen=True, slots=True)
class Savepoint:
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class RollbackTo:
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Release:
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class SetVariable:
    """`\\set name expression`."""

    name: str
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    """`\\if condition … \\else … \\endif`."""

    condition: Expression
    then: tuple["Item", ...]
    otherwise: tuple["Item", ...]
    span: Span


Item = Do | Begin | Commit | Rollback | Savepoint | RollbackTo | Release | SetVariable | If


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Transaction:
    """A request: all statements of one client."""

    name: str
    parameters: tuple[Parameter, ...]
    items: tuple[Item, ...]
    once: bool
    span: Span
    group: str | None = None
    """The group of transactions of which only one runs, and only once; None for the transaction alone."""

    @property
    def is_session(self) -> bool:
        """Whether this is a session of a spec: after an error, a session goes on after the failed
        transaction, where any other client stops."""
        return self.group is not None


class Type(StrEnum):
    INTEGER = "integer"
    BOOLEAN = "boolean"
    TEXT = "text"
    MOMENT = "date or time"


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a table."""

    name: str
    type: Type
    nullable: bool
    default: Value
    values: tuple[Value, ...] | None = None
    """The scope: the values that the column may hold besides NULL; None is any value."""
    scope_span: Span | None = None
    labels: tuple[str, ...] | None = None
    """The labels of an enumeration, in their order."""
    decimal: bool = False
    """Whether the type of the column has fractions, which are refused."""
    size: int | None = None
    """Of an integer, its bits; of a text, the most characters; of a moment, the seconds that are kept apart.
    None is no limit."""
    sequence: str | None = None
    """The sequence that fills the column by default."""
    always: bool = False
    """Whether statements may not give the column another value."""

    @property
    def given(self) -> Expression:
        """The value of the column if an INSERT gives none."""
        return Constant(self.default) if self.sequence is None else NextValue(self.sequence)


@dataclass(frozen=True, slots=True)
class Key:
    """A primary key, a UNIQUE constraint, or a unique index."""

    columns: tuple[str, ...]
    """The columns that the key depends on."""
    values: tuple[Expression, ...] | None = None
    """The expressions of a unique index; None if the key consists of the columns themselves."""

    def is_like(self, other: "Key") -> bool:
        """Whether both keys have the same columns or expressions, in any order."""
        return set(self.values or self.columns) == set(other.values or other.columns)


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key: its columns name a row of another table."""

    columns: tuple[str, ...]
    table: str
    target: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    fields: tuple[Field, ...]
    keys: tuple[Key, ...]
    """The keys of the table; the primary key comes first, if there is one."""
    has_primary_key: bool
    checks: tuple[Expression, ...] = ()
    references: tuple[Reference, ...] = ()
    rows: tuple[Row, ...] = ()
    max_rows: int | None = None
    """The scope: the largest number of rows to look at; None is any number."""
    rows_span: Span | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.fields)

    def place(self, column: str) -> int:
        return self.columns.index(column)


@dataclass(frozen=True, slots=True)
class Script:
    """A file: tables with their first rows, and the transactions."""

    tables: tuple[Table, ...]
    transactions: tuple[Transaction, ...]
    floor: int = 0
    """The largest number that a sequence has given to the first rows."""
    schema_text: tuple[str, ...] = field(default=(), compare=False)
    """The text of the statements that create and fill the tables."""

    def table(self, name: str) -> Table:
        return next(each for each in self.tables if each.name == name)
