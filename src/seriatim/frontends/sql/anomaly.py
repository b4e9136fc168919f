"""Common names of violations: lost update, write skew, read skew, phantom and so on.

The name helps readers. It follows from the reads and writes of one run; another module proves that the run is
not serial. A request *read past* another one if it read rows, or a condition that the other request's rows
meet, and did not see what the other one wrote, or would have written, before its own end.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from seriatim.frontends.sql.aborting import DEADLOCK
from seriatim.frontends.sql.code import tables_read
from seriatim.frontends.sql.evaluation import SqlError
from seriatim.frontends.sql.language import Commit, DataStatement, Delete, Do, Select, SelectLocking, Update
from seriatim.frontends.sql.levels import Sees
from seriatim.frontends.sql.refusal import Refusal
from seriatim.frontends.sql.rows import RowScope
from seriatim.frontends.sql.selection import scope_of
from seriatim.frontends.sql.states import Change, Database, RowId
from seriatim.frontends.sql.story import Step, Story
from seriatim.frontends.sql.system import SqlSystem
from seriatim.frontends.sql.terms import Expression, Query, Row


class Anomaly(StrEnum):
    LOST_UPDATE = "lost update"
    WRITE_SKEW = "write skew"
    READ_SKEW = "read skew"
    PHANTOM = "phantom"
    READ_ONLY = "read-only anomaly"
    NON_REPEATABLE_READ = "non-repeatable read"
    DEADLOCK = "deadlock"
    OTHER = "serialization anomaly"


Item = tuple[int, Row]
"""(table, key)."""


@dataclass
class Footprint:
    """The rows that one request reads and writes in a run."""

    reads: list[tuple[int, str, frozenset[Item], frozenset[int]]] = field(default_factory=list)
    """(step, statement, rows, tables that it searched beyond these rows)."""
    tried: list[tuple[int, Item]] = field(default_factory=list)
    """(step, row) for each row that the request wrote or tried to write."""
    changed: set[Item] = field(default_factory=set)
    created: set[Item] = field(default_factory=set)
    """The rows that the request inserted or deleted."""
    committed: int = -1
    """The step at which the changes of the request became visible to all."""
    answers: dict[str, list[object]] = field(default_factory=dict)

    @property
    def written(self) -> set[Item]:
        return self.changed | self.created


def name_anomaly(system: SqlSystem, story: Story) -> Anomaly:
    """Chooses the common name that fits a run best."""
    if any(DEADLOCK in (step.answers or ()) for step in story.steps):
        return Anomaly.DEADLOCK
    footprints = _footprints(system, story)
    all_requests = list(footprints.values())
    pairs = [(one, other) for one in all_requests for other in all_requests if one is not other]
    for one, other in pairs:
        if _rereads(one) and other.written:
            return Anomaly.PHANTOM if other.created else Anomaly.NON_REPEATABLE_READ
    for one, other in pairs:
        late = {item for when, item in one.tried if when > other.committed and item in other.changed}
        if any(_has_read_before(one, item, other.committed) for item in late):
            return Anomaly.LOST_UPDATE
    readers = [each for each in all_requests if not each.written and each.reads]
    writers = [each for each in all_requests if each.written]
    if readers and len(writers) >= 2 and not _is_skewed(readers, writers):
        return Anomaly.READ_ONLY
    for one, other in pairs:
        if _reads_past(one, other) and (_reads_past(other, one) or not one.written):
            if _misses_created(one, other) or _misses_created(other, one):
                return Anomaly.PHANTOM
            return Anomaly.WRITE_SKEW if one.written and other.written else Anomaly.READ_SKEW
    for one, other in pairs:
        if _reads_past(one, other):
            return Anomaly.PHANTOM if _misses_created(one, other) else Anomaly.READ_SKEW
    return Anomaly.OTHER


def _is_skewed(readers: list[Footprint], writers: list[Footprint]) -> bool:
    """Whether some reader saw only a part of one writer's changes."""
    return any(
        any(when < writer.committed for when, _, items, _ in reader.reads if items & writer.written)
        and any(when > writer.committed for when, *_ in reader.reads)
        for reader in readers
        for writer in writers
    )


def _rereads(one: Footprint) -> bool:
    """Whether a statement returned different rows when repeated, though the request itself wrote nothing."""
    return not one.written and any(len({str(each) for each in found}) > 1 for found in one.answers.values())


def _has_read_before(one: Footprint, item: Item, when: int) -> bool:
    return any(read < when and item in items for read, _, items, _ in one.reads)


def _reads_past(one: Footprint, other: Footprint) -> bool:
    """Whether one read something before the other one changed it."""
    return any(
        when < other.committed and (items & other.written or {table for table, _ in other.created} & tables)
        for when, _, items, tables in one.reads
    )


def _misses_created(one: Footprint, other: Footprint) -> bool:
    return any(
        when < other.committed and {table for table, _ in other.created} & tables
        for when, _, _, tables in one.reads
    )


def _footprints(system: SqlSystem, story: Story) -> dict[int, Footprint]:
    found: dict[int, Footprint] = {}
    snapshots: dict[int, tuple[int, Database]] = {}
    for when, step in enumerate(story.steps):
        own = found.setdefault(step.request, Footprint())
        is_snapshot = system.machine.rules_of(step.local).sees is Sees.AT_TRANSACTION
        if not is_snapshot or step.local.snapshot is None:
            snapshots[step.request] = (when, step.before)
        seen_at, database = snapshots.get(step.request, (when, step.before))
        for event in step.events:
            if not isinstance(event.instruction, Do) or not event.is_over:
                continue
            own.answers.setdefault(event.text, []).append(event.answer)
            items, tables = _rows_read(system, step, event.instruction.statement, database)
            if isinstance(event.instruction.statement, Update | Delete):
                own.tried += [(when, item) for item in items]
            own.reads.append((seen_at, event.text, items, tables))
        _note_changes(own, when, step)
    return found


def _note_changes(own: Footprint, when: int, step: Step) -> None:
    if any(isinstance(event.instruction, Commit) for event in step.events):
        own.committed = when if step.local.changes else own.committed
        own.changed |= {
            (change.table, change.id[0]) for change in step.local.changes if change.row is not None
        }
    for table, (old, new) in enumerate(zip(step.before.tables, step.after.tables, strict=True)):
        before, after = dict(old), dict(new)
        for change in _changes(table, before, after):
            own.committed = when
            item = (change.table, change.id[0])
            is_created = change.id not in before or change.id not in after
            (own.created if is_created else own.changed).add(item)


def _changes(table: int, before: dict[RowId, Row], after: dict[RowId, Row]) -> Iterator[Change]:
    for id_ in before.keys() | after.keys():
        if before.get(id_) != after.get(id_):
            yield Change(table, id_, after.get(id_))


def _rows_read(
    system: SqlSystem, step: Step, statement: DataStatement, database: Database
) -> tuple[frozenset[Item], frozenset[int]]:
    """The rows that a statement read, and the tables that it searched."""
    machine = system.machine
    tables = frozenset(machine.number[name] for name in tables_read(statement))
    condition = _condition(statement)
    if condition is None:
        return frozenset((table, id_[0]) for table in tables for id_, _ in database.tables[table]), tables
    name, table_name, where = condition
    number = machine.number[table_name]
    rows = RowScope(machine.tables[number], name, scope_of({}, dict(step.local.variables)), {})
    items: set[Item] = set()
    for id_, row in database.tables[number]:
        try:
            if rows.wants(where, row):
                items.add((number, id_[0]))
        except (SqlError, Refusal, KeyError):
            items.add((number, id_[0]))
    return frozenset(items), tables


def _condition(statement: DataStatement) -> tuple[str, str, Expression] | None:
    """(name, table, condition) of a statement about one table."""
    match statement:
        case Select(query=Query(relations=(relation,), where=where)) if isinstance(relation.content, str):
            return relation.name, relation.content, where
        case SelectLocking(query=query, table=table):
            return query.relations[0].name, table, query.where
        case Update(name=name, table=table, where=where) | Delete(name=name, table=table, where=where):
            return name, table, where
        case Select(query=Query(relations=())):
            return None
        case _:
            return None
