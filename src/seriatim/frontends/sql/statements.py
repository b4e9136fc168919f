"""Translates the text of one statement that reads, writes or locks."""

import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass

import sqlglot
from sqlglot import expressions as sql
from sqlglot.errors import SqlglotError

from seriatim.frontends.sql.control import name_of_statement
from seriatim.frontends.sql.expressions import ExpressionReader, Names, check_clauses, check_fields, unwrap
from seriatim.frontends.sql.keys import read_key
from seriatim.frontends.sql.language import (
    AdvisoryLock,
    AdvisoryUnlock,
    DataStatement,
    Delete,
    Insert,
    Key,
    LockTable,
    OnConflict,
    Select,
    SelectLocking,
    Table,
    TableMode,
    Update,
)
from seriatim.frontends.sql.queries import QueryReader, alias_of
from seriatim.frontends.sql.refusal import SYNTAX, UNKNOWN, Refusal, unsupported
from seriatim.frontends.sql.terms import Constant, Expression, Output, Relation
from seriatim.source import quote

EXCLUDED = "excluded"
"""The name of the row that ON CONFLICT did not insert."""


def parse(text: str) -> sql.Expression:
    """The parser's tree of one statement; raises `Refusal`."""
    logger = logging.getLogger("sqlglot")
    was_disabled, logger.disabled = logger.disabled, True  # The parser would warn on standard error.
    try:
        found = sqlglot.parse(text, dialect="postgres")
    except SqlglotError as error:
        errors = getattr(error, "errors", None) or [{}]
        reason = str(errors[0].get("description") or error).split("\n")[0].rstrip(".")
        raise Refusal(SYNTAX, f"not PostgreSQL's SQL: {reason}") from None
    except RecursionError:
        raise Refusal(SYNTAX, "nested too deeply") from None
    finally:
        logger.disabled = was_disabled
    if len(found) != 1 or found[0] is None:
        raise Refusal(SYNTAX, "one statement is expected")
    tree = found[0]
    assert isinstance(tree, sql.Expression)
    _refuse_schemas(tree)
    for each in tree.find_all(sql.Identifier):
        if not each.args.get("quoted"):
            each.set("this", each.name.lower())
    return tree


def _refuse_schemas(tree: sql.Expression) -> None:
    """Raises `Refusal` for names with a schema: on a live server, `public.account` would be an existing
    table, not the one of the file."""
    for table in tree.find_all(sql.Table):
        if table.db or table.catalog:
            hint = f"write {table.name}: --confirm works in its own schema and touches no other"
            raise unsupported(f"the name of a schema in {quote(table.sql('postgres'))}", hint)


@dataclass(frozen=True, slots=True)
class StatementReader:
    """Reads statements about these tables."""

    tables: dict[str, Table]

    def read(self, text: str) -> DataStatement:
        """Reads a statement that reads, writes or locks; raises `Refusal`."""
        if text.lower().startswith("lock"):
            return self._lock_table(text)
        node = parse(text)
        match node:
            case sql.Select():
                return self._select(node)
            case sql.Update():
                return self._update(node)
            case sql.Delete():
                return self._delete(node)
            case sql.Insert():
                return self._insert(node)
        raise unsupported(node.key.upper() if isinstance(node, sql.SetOperation) else name_of_statement(text))

    @property
    def queries(self) -> QueryReader:
        return QueryReader({name: table.columns for name, table in self.tables.items()})

    def _select(self, node: sql.Select) -> DataStatement:
        advisory = self._advisory(node)
        if advisory is not None:
            return advisory
        gate = self._gate(node)
        query, lock = self.queries.read_locking(node, Names())
        if lock is None:
            return Select(query)
        if len(query.relations) != 1 or not isinstance(query.relations[0].content, str):
            raise unsupported("FOR UPDATE on several tables", "lock the rows of one table at a time")
        if query.grouped or query.distinct or query.offset is not None:
            raise unsupported("FOR UPDATE with aggregates, DISTINCT or OFFSET")
        strength, wait = lock
        return SelectLocking(query.relations[0].content, query, strength, wait, gate)

    def _gate(self, node: sql.Select) -> AdvisoryLock | None:
        """Takes `pg_advisory_lock(1) IS NOT NULL` out of the condition of a SELECT that locks rows."""
        where = node.args.get("where")
        if where is None or not node.args.get("locks"):
            return None
        conditions = list(where.this.flatten()) if isinstance(where.this, sql.And) else [where.this]
        gates = [(each, gate) for each in conditions if (gate := self._gate_in(each)) is not None]
        if len(gates) != 1:
            return None
        others = [each for each in conditions if each is not gates[0][0]]
        node.set("where", sql.Where(this=sql.and_(*others)) if others else None)
        return gates[0][1]

    def _gate_in(self, condition: sql.Expr) -> AdvisoryLock | None:
        is_negated = isinstance(condition, sql.Not) or bool(condition.args.get("negate"))
        test = condition.this if isinstance(condition, sql.Not) else condition
        if not is_negated or not isinstance(test, sql.Is) or not isinstance(test.this, sql.Anonymous):
            return None
        lock = self._advisory_call(test.this)
        return lock if isinstance(lock, AdvisoryLock) and isinstance(test.expression, sql.Null) else None

    def _advisory(self, node: sql.Select) -> AdvisoryLock | AdvisoryUnlock | None:
        if len(node.expressions) != 1 or not isinstance(node.expressions[0], sql.Anonymous):
            return None
        found = self._advisory_call(node.expressions[0])
        if found is not None:
            check_fields(node, "expressions")
        return found

    def _advisory_call(self, call: sql.Anonymous) -> AdvisoryLock | AdvisoryUnlock | None:
        name, arguments = str(call.this).lower(), call.expressions
        if name == "pg_advisory_unlock_all" and not arguments:
            return AdvisoryUnlock(None)
        shape = re.fullmatch(r"pg_advisory_(xact_)?(lock|unlock)(_shared)?", name)
        if shape is None or len(arguments) != 1 or (shape[1] and shape[2] == "unlock"):
            return None
        key, shared = ExpressionReader(Names(), self.queries.read).read(arguments[0]), shape[3] is not None
        if shape[2] == "unlock":
            return AdvisoryUnlock(key, shared)
        return AdvisoryLock(key, shared, session=shape[1] is None)

    def _target(self, node: sql.Expression) -> tuple[Table, str]:
        """The table that a statement writes, and its name in the statement."""
        self.queries.columns_of(node)
        check_fields(node, "this", "alias")
        return self.tables[node.name], alias_of(node)

    def _reader(self, table: Table, *names: str) -> ExpressionReader:
        relations = tuple(Relation(name, table.name, table.columns) for name in names)
        return ExpressionReader(Names(relations), self.queries.read)

    def _update(self, node: sql.Update) -> Update:
        check_clauses(node)
        table, name = self._target(node.this)
        reader = self._reader(table, name)
        assignments = self._assignments(node.expressions, table, reader)
        where = node.args.get("where")
        condition = Constant(True) if where is None else reader.read(where.this)
        return Update(table.name, name, assignments, condition, self._returning(node, table, reader))

    def _assignments(
        self, nodes: Iterable[sql.Expression], table: Table, reader: ExpressionReader
    ) -> tuple[tuple[str, Expression], ...]:
        found: list[tuple[str, Expression]] = []
        for each in nodes:
            if not isinstance(each, sql.EQ) or not isinstance(each.this, sql.Column):
                raise unsupported(f"the assignment {quote(each.sql('postgres'))}", "assign column by column")
            column = each.this.name
            if column not in table.columns:
                raise Refusal(
                    UNKNOWN, f"unknown column {quote(column)}", f"there are {', '.join(table.columns)}"
                )
            is_default = isinstance(each.expression, sql.Column) and each.expression.name.upper() == "DEFAULT"
            field = table.fields[table.place(column)]
            if field.always and not is_default:
                raise unsupported(f"a value for {quote(column)}, which is GENERATED ALWAYS")
            found.append((column, field.given if is_default else reader.read(each.expression)))
        return tuple(found)

    def _returning(
        self, node: sql.Expression, table: Table, reader: ExpressionReader
    ) -> tuple[Output, ...] | None:
        returning = node.args.get("returning")
        if returning is None:
            return None
        check_fields(returning, "expressions")
        found: list[Output] = []
        for each in returning.expressions:
            if isinstance(each, sql.Star):
                found.extend(
                    Output(reader.names.column(c, reader.names.relations[0].name), c) for c in table.columns
                )
            else:
                found.append(self.queries.output(each, reader))
        return tuple(found)

    def _delete(self, node: sql.Delete) -> Delete:
        check_clauses(node)
        table, name = self._target(node.this)
        reader = self._reader(table, name)
        where = node.args.get("where")
        condition = Constant(True) if where is None else reader.read(where.this)
        return Delete(table.name, name, condition, self._returning(node, table, reader))

    def _insert(self, node: sql.Insert) -> Insert:
        check_clauses(node)
        target = node.this
        listed: tuple[str, ...] | None = None
        if isinstance(target, sql.Schema):
            check_fields(target, "this", "expressions")
            listed = tuple(each.name for each in target.expressions)
            target = target.this
        table, name = self._target(target)
        columns = listed or table.columns
        for column in columns:
            if column not in table.columns:
                raise Refusal(
                    UNKNOWN, f"unknown column {quote(column)}", f"there are {', '.join(table.columns)}"
                )
        always = [each.name for each in table.fields if each.always and each.name in columns]
        if always and not node.args.get("default"):
            raise unsupported(f"a value for {quote(always[0])}, which is GENERATED ALWAYS", "leave it out")
        conflict = self._conflict(node.args.get("conflict"), table, name)
        returning = self._returning(node, table, self._reader(table, name))
        source = node.expression
        if node.args.get("default"):
            return Insert(table.name, (self._defaults(table),), conflict, returning, alias=name)
        if not isinstance(source, sql.Values):
            query = self.queries.read(unwrap(source), Names())
            if len(query.outputs) > len(columns):
                raise Refusal(SYNTAX, "more values than columns")
            return Insert(table.name, (), conflict, returning, query, columns[: len(query.outputs)], name)
        check_fields(source, "expressions")
        rows = tuple(self._row(each, columns, table) for each in source.expressions)
        return Insert(table.name, rows, conflict, returning, alias=name)

    @staticmethod
    def _defaults(table: Table) -> tuple[Expression, ...]:
        return tuple(each.given for each in table.fields)

    def _row(self, node: sql.Expression, columns: tuple[str, ...], table: Table) -> tuple[Expression, ...]:
        check_fields(node, "expressions")
        if len(node.expressions) > len(columns):
            raise Refusal(SYNTAX, "more values than columns")
        reader = ExpressionReader(Names(), self.queries.read)
        given = {
            column: reader.read(each)
            for column, each in zip(columns, node.expressions, strict=False)
            if not (isinstance(each, sql.Var | sql.Column) and each.name.upper() == "DEFAULT")
        }
        return tuple(given.get(each.name, each.given) for each in table.fields)

    def _conflict(self, node: sql.Expression | None, table: Table, name: str) -> OnConflict | None:
        if node is None:
            return None
        check_clauses(node)
        about: Key | None = None
        if parts := node.args.get("conflict_keys"):
            about = read_key(parts, table)
            if not any(map(about.is_like, table.keys)):
                texts = ", ".join(each.sql("postgres").removesuffix(" NULLS LAST") for each in parts)
                raise Refusal(UNKNOWN, f"no key of {quote(table.name)} consists of {texts}")
        if "NOTHING" in node.args["action"].name.upper():
            return OnConflict(about, None)
        reader = self._reader(table, name, EXCLUDED)
        own = ExpressionReader(
            Names((reader.names.relations[0],), Names(reader.names.relations)), self.queries.read
        )
        where = node.args.get("where")
        condition = Constant(True) if where is None else own.read(where.this)
        assignments = self._assignments(node.expressions, table, own)
        plain = [key for key in table.keys if key.values is None]
        checked = {column for key in plain for column in key.columns}
        checked |= {column for reference in table.references for column in reference.columns}
        for column, _ in assignments:
            if column in checked:
                raise unsupported(
                    f"changing {quote(column)}, a column of a key, in ON CONFLICT", "use UPDATE"
                )
        return OnConflict(about, assignments, condition)

    def _lock_table(self, text: str) -> LockTable:
        found = re.fullmatch(
            r'lock\s+(?:table\s+)?(?:only\s+)?(\w+|"\w+")(?:\s+in\s+([a-z ]+?)\s+mode)?(\s+nowait)?\s*',
            text,
            re.IGNORECASE,
        )
        if found is None:
            raise unsupported(f"{quote(text)}", "write LOCK TABLE name IN … MODE")
        named, mode, nowait = found.groups()
        table = named.strip('"') if named.startswith('"') else named.lower()
        if table not in self.tables:
            raise Refusal(UNKNOWN, f"unknown table {quote(table)}")
        try:
            return LockTable(
                table, TableMode(" ".join((mode or "access exclusive").upper().split())), bool(nowait)
            )
        except ValueError:
            raise Refusal(SYNTAX, f"unknown lock mode {quote(mode)}") from None
