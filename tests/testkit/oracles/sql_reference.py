"""A reference for PostgreSQL's isolation levels: versions of rows, snapshots and locks, as a database
keeps them.

Nothing here guesses or reserves: a transaction takes its snapshot, waits for row locks, and fails with
40001 when a row has changed since its snapshot. A statement is a generator that yields while it waits.
Statements are executed whole unless they wait, rows in the order in which they were inserted.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field

from seriatim.frontends.sql.claims import CONFLICTS
from seriatim.frontends.sql.client import Client, Error, Rows
from seriatim.frontends.sql.evaluation import Scope, SqlError, evaluate, is_true
from seriatim.frontends.sql.language import (
    Begin,
    Commit,
    Delete,
    Do,
    Insert,
    Level,
    Rollback,
    Select,
    SelectLocking,
    Strength,
    Table,
    Update,
)
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.outcomes import Seen
from seriatim.frontends.sql.selection import cells, scope_of, select, sort_key
from seriatim.frontends.sql.terms import Expression, Output, Row


class Failure(Exception):
    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass
class Version:
    row: int
    """Which row it is a version of."""
    values: Row
    created: int
    """The transaction that has written it."""
    ended: int | None = None
    """The transaction that has replaced or deleted it."""


@dataclass
class Work:
    """A transaction."""

    number: int
    level: Level
    snapshot: frozenset[int] | None = None
    """The transactions whose changes it sees, beside its own."""


@dataclass
class Store:
    """Tables with all versions of their rows."""

    machine: Machine
    versions: dict[str, list[Version]] = field(default_factory=dict)
    locks: dict[tuple[str, int], list[tuple[int, Strength]]] = field(default_factory=dict)
    committed: set[int] = field(default_factory=lambda: {0})
    aborted: set[int] = field(default_factory=set)
    rows: int = 0
    transactions: int = 0

    def __post_init__(self) -> None:
        for table in self.machine.tables:
            self.versions[table.name] = []
            for values in table.rows:
                self.add(table.name, values, 0)

    def add(self, table: str, values: Row, by: int) -> None:
        self.rows += 1
        self.versions[table].append(Version(self.rows, values, by))

    def is_over(self, number: int) -> bool:
        return number in self.committed or number in self.aborted

    def sees(self, work: Work, version: Version, committed: frozenset[int]) -> bool:
        created = version.created == work.number or version.created in committed
        ended = version.ended is not None and (version.ended == work.number or version.ended in committed)
        return created and not ended

    def visible(self, work: Work, committed: frozenset[int]) -> dict[str, list[Version]]:
        return {
            name: [each for each in versions if self.sees(work, each, committed)]
            for name, versions in self.versions.items()
        }

    def newest(self, table: str, row: int) -> Version | None:
        """The version of a row that is committed last; None if it is deleted."""
        found = [each for each in self.versions[table] if each.row == row and each.created in self.committed]
        alive = [each for each in found if each.ended is None or each.ended not in self.committed]
        return alive[-1] if alive else None


Steps = Generator[None, None, None]
Locked = Generator[None, None, Version | None]
Returned = Generator[None, None, list[Row]]


class Executor:
    """Executes the statements of one transaction."""

    def __init__(self, store: Store, work: Work, client: Client) -> None:
        self.store = store
        self.work = work
        self.client = client

    def statement(self, do: Do) -> Iterator[None]:
        """Yields while it waits; raises `Failure`. Its answer is in `answer`."""
        store, work = self.store, self.work
        now = frozenset(store.committed)
        if work.level is not Level.READ_COMMITTED:
            work.snapshot = work.snapshot or now
            now = work.snapshot
        views = store.visible(work, now)
        tables = {name: tuple(each.values for each in found) for name, found in views.items()}
        scope = scope_of(tables, self.client.variables)
        self.answer = Rows((), 0)
        match do.statement:
            case Select(query=query):
                self.answer = Rows(tuple(select(query, scope)), 0)
            case Update() | Delete() | SelectLocking():
                yield from self._locking(do.statement, views[do.statement.table], scope)
            case Insert():
                yield from self._insert(do.statement, scope, now)
            case other:
                raise AssertionError(f"the reference does not run {type(other).__name__}")

    def _locking(
        self, statement: Update | Delete | SelectLocking, seen: list[Version], scope: Scope
    ) -> Steps:
        table = self.store.machine.script.table(statement.table)
        if isinstance(statement, SelectLocking):
            name, where = statement.query.relations[0].name, statement.query.where
        else:
            name, where = statement.name, statement.where

        def at(row: Row) -> Scope:
            return scope.inside(cells(name, table.columns, row))

        wanted = [each for each in seen if is_true(where, at(each.values))]
        if isinstance(statement, SelectLocking) and statement.query.order:
            order = statement.query.order
            wanted.sort(key=lambda each: sort_key(order, at(each.values)))
        shown: list[Row] = []
        for version in wanted:
            if isinstance(statement, Update):
                self._check(table, self._changed(table, statement, at(version.values), version.values))
            current = yield from self._lock(table.name, version, _strength(statement))
            if current is None or not is_true(where, at(current.values)):
                continue
            shown += self._act(table, statement, at, current)
        returns = isinstance(statement, SelectLocking) or statement.returning is not None
        self.answer = Rows(tuple(shown) if returns else (), len(shown))

    def _act(
        self,
        table: Table,
        statement: Update | Delete | SelectLocking,
        at: Callable[[Row], Scope],
        current: Version,
    ) -> list[Row]:
        if isinstance(statement, SelectLocking):
            return [_returned(statement.query.outputs, at(current.values))]
        new = current.values
        current.ended = self.work.number
        if isinstance(statement, Update):
            new = self._changed(table, statement, at(current.values), current.values)
            self._check(table, new)
            self.store.versions[table.name].append(Version(current.row, new, self.work.number))
        return [_returned(statement.returning or (), at(new))]

    def _lock(self, table: str, version: Version, strength: Strength) -> Locked:
        """Waits for the lock on a row; returns its newest version, None if it is deleted."""
        store, own = self.store, self.work.number
        key = (table, version.row)
        while True:
            if version.created == own:
                return version
            others = [
                number
                for number, held in store.locks.get(key, ())
                if number != own and not store.is_over(number) and held in CONFLICTS[strength]
            ]
            if not others:
                break
            yield
        mine = [each for each in store.versions[table] if each.row == version.row and each.created == own]
        newest = mine[-1] if mine else store.newest(table, version.row)
        if newest is not version and not mine and self.work.level is not Level.READ_COMMITTED:
            raise Failure("40001")
        store.locks.setdefault(key, []).append((own, strength))
        return newest

    def _insert(self, statement: Insert, scope: Scope, now: frozenset[int]) -> Steps:
        store, own = self.store, self.work.number
        table = store.machine.script.table(statement.table)
        shown: list[Row] = []
        for expressions in statement.rows:
            row = tuple(evaluate(each, scope) for each in expressions)
            self._check(table, row)
            rival = yield from self._rival(table, row)
            if rival is None:
                store.add(table.name, row, own)
                shown.append(
                    _returned(statement.returning or (), scope.inside(cells(table.name, table.columns, row)))
                )
            elif statement.conflict is None:
                raise Failure("23505")
            else:
                shown += yield from self._conflict(table, statement, scope, row, rival, now)
        self.answer = Rows(tuple(shown) if statement.returning is not None else (), len(shown))

    def _rival(self, table: Table, row: Row) -> Locked:
        """Waits for transactions that write a row with the same key; returns a row that has it."""
        store, own = self.store, self.work.number
        if not table.has_primary_key:
            return None
        place = table.place(table.keys[0].columns[0])
        while True:
            same = [
                each
                for each in store.versions[table.name]
                if each.values[place] == row[place] and each.created not in store.aborted
            ]
            alive = [each for each in same if each.ended not in store.committed and each.ended != own]
            pending = [
                each
                for each in alive
                if (each.created != own and not store.is_over(each.created))
                or (each.ended is not None and each.ended != own and not store.is_over(each.ended))
            ]
            if not pending:
                return alive[-1] if alive else None
            yield

    def _conflict(
        self, table: Table, statement: Insert, scope: Scope, row: Row, rival: Version, now: frozenset[int]
    ) -> Returned:
        """Returns what ON CONFLICT has written."""
        conflict = statement.conflict
        assert conflict is not None
        is_snapshot = self.work.level is not Level.READ_COMMITTED
        if is_snapshot and not self.store.sees(self.work, rival, now):
            raise Failure("40001")
        if conflict.assignments is None:
            return []
        current = yield from self._lock(table.name, rival, Strength.NO_KEY_UPDATE)
        assert current is not None
        there = scope.inside(cells("excluded", table.columns, row))
        there = there.inside(cells(table.name, table.columns, current.values))
        if not is_true(conflict.where, there):
            return []
        new = _assigned(table, conflict.assignments, there, current.values)
        self._check(table, new)
        current.ended = self.work.number
        self.store.versions[table.name].append(Version(current.row, new, self.work.number))
        return [_returned(statement.returning or (), scope.inside(cells(table.name, table.columns, new)))]

    @staticmethod
    def _changed(table: Table, statement: Update, scope: Scope, row: Row) -> Row:
        return _assigned(table, statement.assignments, scope, row)

    def _check(self, table: Table, row: Row) -> None:
        self.store.machine.check_row(table, row)


def _assigned(table: Table, assignments: tuple[tuple[str, Expression], ...], scope: Scope, row: Row) -> Row:
    new = {column: evaluate(value, scope) for column, value in assignments}
    return tuple(new.get(column, value) for column, value in zip(table.columns, row, strict=True))


def _returned(outputs: Sequence[Output], scope: Scope) -> Row:
    return tuple(evaluate(each.expression, scope) for each in outputs)


def _strength(statement: Update | Delete | SelectLocking) -> Strength:
    if isinstance(statement, SelectLocking):
        return statement.strength
    return Strength.NO_KEY_UPDATE if isinstance(statement, Update) else Strength.UPDATE


class Run:
    """Several clients on one store, by a schedule."""

    def __init__(self, machine: Machine, requests: Sequence[int]) -> None:
        self.store = Store(machine)
        self.clients = [Client(machine.requests[each], machine.level) for each in requests]
        self.works: list[Work | None] = [None] * len(requests)
        self.pending: dict[int, Iterator[None]] = {}
        self.executors: dict[int, Executor] = {}

    def ready(self) -> list[int]:
        if any(client.gave_up for client in self.clients):
            return []
        return [n for n, client in enumerate(self.clients) if not client.ended and n not in self.pending]

    def take(self, number: int) -> None:
        client = self.clients[number]
        instruction = client.instruction
        match instruction:
            case Begin(level=level):
                self.store.transactions += 1
                self.works[number] = Work(self.store.transactions, level or client.level)
                client.receive(Rows((), 0))
                if not client.ended:
                    self.take(number)
                return
            case Do():
                work = self.works[number]
                assert work is not None
                self.executors[number] = Executor(self.store, work, client)
                self.pending[number] = self.executors[number].statement(instruction)
                self._advance(number)
            case Commit() | Rollback() | None:
                self._end(number, isinstance(instruction, Commit))
                client.receive(Rows((), 0))
            case other:
                raise AssertionError(f"the reference does not run {type(other).__name__}")
        self._wake()

    def _end(self, number: int, commits: bool) -> None:
        work = self.works[number]
        assert work is not None
        (self.store.committed if commits else self.store.aborted).add(work.number)
        for versions in self.store.versions.values():
            for version in versions:
                if not commits and version.ended == work.number:
                    version.ended = None

    def _advance(self, number: int) -> bool:
        """Whether the statement of a client has ended."""
        try:
            next(self.pending[number])
            return False
        except StopIteration:
            answer: Rows | Error = self.executors[number].answer
        except Failure as failure:
            answer = Error(failure.code)
        except SqlError as error:
            answer = Error(error.code)
        del self.pending[number]
        if isinstance(answer, Error):
            self._end(number, False)
        self.clients[number].receive(answer)
        return True

    def _wake(self) -> None:
        while [number for number in sorted(self.pending) if self._advance(number)]:
            pass

    def seen(self) -> Seen | None:
        if any(not client.ended or client.gave_up for client in self.clients):
            return None
        work = Work(-1, Level.READ_COMMITTED)
        views = self.store.visible(work, frozenset(self.store.committed))
        tables = tuple(
            tuple(sorted((each.values for each in views[table.name]), key=repr))
            for table in self.store.machine.tables
        )
        return Seen(tuple(tuple(client.answers) for client in self.clients), tables)


def reference_outcomes(machine: Machine, requests: Sequence[int]) -> set[Seen]:
    """What all interleavings of whole statements come to, those left out in which somebody has to start
    over."""
    found: set[Seen] = set()
    path: list[int] = []
    while True:
        run, widths = Run(machine, requests), list[int]()
        while ready := run.ready():
            here = len(widths)
            widths.append(len(ready))
            if here == len(path):
                path.append(0)
            run.take(ready[path[here]])
        seen = run.seen()
        if seen is not None:
            found.add(seen)
        while path and path[-1] + 1 >= widths[len(path) - 1]:
            path.pop()
        if not path:
            return found
        path[-1] += 1
