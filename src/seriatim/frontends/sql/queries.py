"""Translates the parser's SELECT to our queries."""

from dataclasses import dataclass, field

from sqlglot import expressions as sql

from seriatim.frontends.sql.expressions import (
    INTEGERS,
    ExpressionReader,
    Names,
    check_clauses,
    check_fields,
    literal,
    type_name,
)
from seriatim.frontends.sql.language import Strength, Wait
from seriatim.frontends.sql.refusal import UNKNOWN, Refusal, unsupported
from seriatim.frontends.sql.terms import (
    Aggregate,
    Among,
    AmongRows,
    Call,
    Case,
    Constant,
    Expression,
    Join,
    Operation,
    Order,
    Output,
    Query,
    Relation,
    Series,
)
from seriatim.source import quote


@dataclass(frozen=True, slots=True)
class QueryReader:
    """Reads queries about these tables."""

    tables: dict[str, tuple[str, ...]]
    """The columns of each table."""
    named: dict[str, Query] = field(default_factory=dict)
    """The queries that WITH names."""

    def read(self, node: sql.Expression, outer: Names) -> Query:
        """Reads a SELECT without locks; raises `Refusal`."""
        query, locks = self.read_locking(node, outer)
        if locks is not None:
            hint = "lock first: SELECT … FOR UPDATE \\gset, then use :id in the statement, in one transaction"
            raise unsupported("FOR UPDATE in a subquery", hint)
        return query

    def read_locking(self, node: sql.Expression, outer: Names) -> tuple[Query, tuple[Strength, Wait] | None]:
        """Reads a SELECT, and the locks that it takes."""
        if not isinstance(node, sql.Select):
            raise unsupported(f"{quote(node.sql('postgres'))} ({node.key.upper()}) as a query")
        check_clauses(node)
        inner = self.with_named(node.args.get("with_"))
        return inner._body(node, outer), inner._locks(node)

    def with_named(self, node: sql.Expression | None) -> "QueryReader":
        """A reader that also knows the queries of a WITH."""
        reader = self
        if node is None:
            return reader
        check_clauses(node)
        for each in node.expressions:
            check_fields(each, "this", "alias")
            if not isinstance(each.this, sql.Select):
                raise unsupported(
                    f"a WITH query that writes ({each.this.key.upper()})", "write a separate statement"
                )
            query = reader.read(each.this, Names())
            reader = QueryReader(self.tables, {**reader.named, each.alias: query})
        return reader

    def _body(self, node: sql.Select, outer: Names) -> Query:
        relations = (*self._relations(node, outer), *(_projected_series(each) for each in _series(node)))
        names = Names(relations, outer)
        plain = ExpressionReader(names, self.read)
        summing = ExpressionReader(names, self.read, aggregates=True)
        group_node, having_node = node.args.get("group"), node.args.get("having")
        group: tuple[Expression, ...] = ()
        if group_node is not None:
            check_fields(group_node, "expressions")
            group = plain.read_all(group_node.expressions)
        having = summing.read(having_node.this) if having_node is not None else Constant(True)
        outputs = tuple(out for each in node.expressions for out in self._outputs(each, relations, summing))
        order = self._order(node.args.get("order"), outputs, summing)
        expressions = [*(each.expression for each in outputs), having, *(each.expression for each in order)]
        distinct = node.args.get("distinct")
        if distinct is not None:
            check_fields(distinct)
        return Query(
            relations,
            self._condition(node.args.get("where"), plain),
            outputs,
            group,
            having,
            bool(group) or having_node is not None or any(has_aggregate(each) for each in expressions),
            distinct is not None,
            order,
            self._count(node.args.get("limit"), plain),
            self._count(node.args.get("offset"), plain),
        )

    @staticmethod
    def _condition(node: sql.Expression | None, reader: ExpressionReader) -> Expression:
        if node is None:
            return Constant(True)
        check_fields(node, "this")
        return reader.read(node.this)

    @staticmethod
    def _count(node: sql.Expression | None, reader: ExpressionReader) -> Expression | None:
        if node is None:
            return None
        check_fields(node, "expression")
        return reader.read(node.expression)

    def _relations(self, node: sql.Select, outer: Names) -> tuple[Relation, ...]:
        source = node.args.get("from_")
        if source is None:
            return ()
        check_fields(source, "this")
        found = [self._relation(source.this)]
        for join in node.args.get("joins") or ():
            check_clauses(join)
            if join.kind not in ("", "INNER", "CROSS", "OUTER") or join.side not in ("", "LEFT"):
                raise unsupported(f"{join.side} {join.kind} JOIN".replace("  ", " ").strip())
            there = self._relation(join.this)
            names = Names((*found, there), outer)
            on = join.args.get("on")
            condition = Constant(True) if on is None else ExpressionReader(names, self.read).read(on)
            kind = Join.LEFT if join.side == "LEFT" else Join.INNER
            found.append(Relation(there.name, there.content, there.columns, kind, condition))
        if len({each.name for each in found}) < len(found):
            raise Refusal(UNKNOWN, "two tables of FROM have the same name", "give one of them an alias")
        return tuple(found)

    def _relation(self, node: sql.Expression) -> Relation:
        match node:
            case sql.Table(this=sql.ExplodingGenerateSeries() as series):
                check_fields(node, "this", "alias")
                name = node.alias or "generate_series"
                return Relation(name, series_of(series), columns_of_alias(node) or (name,))
            case sql.Table():
                check_fields(node, "this", "alias")
                if isinstance(node.this, sql.Identifier) and node.name in self.named:
                    query = self.named[node.name]
                    return Relation(alias_of(node), query, tuple(each.name for each in query.outputs))
                return Relation(alias_of(node), node.name, self.columns_of(node))
            case sql.Subquery():
                check_fields(node, "this", "alias")
                query = self.read(node.this, Names())
                columns = columns_of_alias(node) or tuple(each.name for each in query.outputs)
                if len(columns) != len(query.outputs):
                    raise unsupported("an alias that names some columns only")
                return Relation(node.alias, query, columns)
        raise unsupported(f"{quote(node.sql('postgres'))} in FROM")

    def columns_of(self, node: sql.Expression) -> tuple[str, ...]:
        """The columns of a table; raises `Refusal` if it does not exist."""
        if not isinstance(node, sql.Table) or not isinstance(node.this, sql.Identifier):
            raise unsupported(f"{quote(node.sql('postgres'))} as a table")
        columns = self.tables.get(node.name)
        if columns is None:
            hint = "put CREATE TABLE, with a few first rows, at the top of the file"
            if self.tables:
                hint = f"there are {', '.join(sorted(self.tables))}"
            raise Refusal(UNKNOWN, f"unknown table {quote(node.name)}", hint)
        return columns

    def _outputs(
        self, node: sql.Expression, relations: tuple[Relation, ...], reader: ExpressionReader
    ) -> list[Output]:
        if isinstance(node, sql.Star) or (isinstance(node, sql.Column) and isinstance(node.this, sql.Star)):
            check_fields(node, "this", "table")
            of = node.table if isinstance(node, sql.Column) else ""
            return [
                Output(reader.names.column(column, each.name), column)
                for each in relations
                if of in ("", each.name)
                for column in each.columns
            ]
        return [self.output(node, reader)]

    @staticmethod
    def output(node: sql.Expression, reader: ExpressionReader) -> Output:
        """Reads an item of SELECT or RETURNING other than a star."""
        inner, name = node, node.alias_or_name
        if (series := series_in(node)) is not None:
            relation = _projected_series(series)
            return Output(reader.names.column(relation.name, relation.name), node.alias or relation.name)
        if isinstance(node, sql.Alias):
            check_fields(node, "this", "alias")
            inner = node.this
        elif not isinstance(node, sql.Column):
            name = node.key if isinstance(node, sql.Func) else "?column?"
        return Output(reader.read(inner), name)

    @staticmethod
    def _order(
        node: sql.Expression | None, outputs: tuple[Output, ...], reader: ExpressionReader
    ) -> tuple[Order, ...]:
        if node is None:
            return ()
        check_fields(node, "expressions")
        found: list[Order] = []
        for each in node.expressions:
            check_clauses(each)
            key, by_name = each.this, {out.name: out.expression for out in outputs}
            if isinstance(key, sql.Literal):
                place = int(key.this) if not key.is_string and key.this.isdigit() else 0
                if not 0 < place <= len(outputs):
                    raise unsupported("ORDER BY a constant that is not the place of a column")
                expression = outputs[place - 1].expression
            elif isinstance(key, sql.Column) and not key.table and key.name in by_name:
                expression = by_name[key.name]
            else:
                expression = reader.read(key)
            found.append(Order(expression, bool(each.args.get("desc")), bool(each.args.get("nulls_first"))))
        return tuple(found)

    def _locks(self, node: sql.Select) -> tuple[Strength, Wait] | None:
        locks = node.args.get("locks") or ()
        if not locks:
            return None
        if len(locks) > 1:
            raise unsupported("more than one FOR UPDATE")
        (lock,) = locks
        check_clauses(lock)
        strength = {
            (True, False): Strength.UPDATE,
            (True, True): Strength.NO_KEY_UPDATE,
            (False, False): Strength.SHARE,
            (False, True): Strength.KEY_SHARE,
        }[bool(lock.args.get("update")), bool(lock.args.get("key"))]
        waits = {None: Wait.WAIT, True: Wait.NOWAIT, False: Wait.SKIP}
        return strength, waits[lock.args.get("wait")]


def series_in(node: sql.Expression) -> sql.ExplodingGenerateSeries | None:
    """The series in an item of SELECT, perhaps with a cast and a name; None for other items."""
    while isinstance(node, sql.Alias | sql.Cast):
        check_fields(node, "this", "alias", "to")
        if isinstance(node, sql.Cast) and type_name(node.to) not in INTEGERS:
            return None
        node = node.this
    return node if isinstance(node, sql.ExplodingGenerateSeries) else None


def _series(node: sql.Select) -> list[sql.ExplodingGenerateSeries]:
    """The series among the items of SELECT: at most one, because several would advance in step."""
    found = [series for each in node.expressions if (series := series_in(each)) is not None]
    if len(found) > 1:
        raise unsupported("two series in one SELECT")
    return found


def _projected_series(node: sql.ExplodingGenerateSeries) -> Relation:
    """The series of `SELECT generate_series(1, 3)` as a relation: such a SELECT is a join with the series."""
    return Relation("generate_series", series_of(node), ("generate_series",))


def series_of(node: sql.ExplodingGenerateSeries) -> Series:
    """`generate_series` of two numbers; raises `Refusal`."""
    check_fields(node, "start", "end")
    first, last = literal(node.args["start"]), literal(node.args["end"])
    if not isinstance(first, int) or not isinstance(last, int):
        raise unsupported("generate_series of anything but numbers")
    if last - first >= MOST_ROWS:
        raise unsupported(f"generate_series with more than {MOST_ROWS} rows", "a few rows show the same")
    return Series(first, last)


MOST_ROWS = 20_000
"""The largest series: each state holds all its rows."""


def columns_of_alias(node: sql.Expression) -> tuple[str, ...]:
    """The names that an alias gives to columns: `a(x, y)`."""
    alias = node.args.get("alias")
    if alias is None:
        return ()
    check_fields(alias, "this", "columns")
    return tuple(each.name for each in alias.args.get("columns") or ())


def alias_of(node: sql.Expression) -> str:
    alias = node.args.get("alias")
    if alias is not None:
        check_fields(alias, "this")
    return node.alias_or_name


def has_aggregate(expression: Expression) -> bool:
    """Whether an expression aggregates rows of its own query."""
    match expression:
        case Aggregate():
            return True
        case Operation(left=left, right=right):
            return has_aggregate(left) or has_aggregate(right)
        case Call(arguments=arguments):
            return any(map(has_aggregate, arguments))
        case Case(branches=branches, otherwise=otherwise):
            return has_aggregate(otherwise) or any(has_aggregate(a) or has_aggregate(b) for a, b in branches)
        case Among(value=value, items=items):
            return has_aggregate(value) or any(map(has_aggregate, items))
        case AmongRows(value=value):
            return has_aggregate(value)
        case _:
            return False
