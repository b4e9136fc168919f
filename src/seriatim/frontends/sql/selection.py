"""Evaluates queries."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from seriatim.frontends.sql.evaluation import Cells, Scope, SqlError, Tables, can_fail, evaluate, is_true
from seriatim.frontends.sql.language import Insert, Table
from seriatim.frontends.sql.refusal import unsupported
from seriatim.frontends.sql.terms import TIED, Join, Moment, New, Order, Query, Relation, Row, Series, Value


def scope_of(tables: Tables, variables: Mapping[str, Value], fresh: Iterator[Value] | None = None) -> Scope:
    """The outermost scope of a statement."""
    return Scope(tables, variables, {}, select, fresh=fresh)


def select(query: Query, scope: Scope) -> list[Row]:
    """The rows of a query, in its order if it has one; rows that are equal there have a fixed order."""
    return [row for _, row in _selected(query, scope)]


def select_shown(query: Query, scope: Scope) -> list[Row]:
    """The rows of a query as an answer shows them: with `TIED` between different rows that ORDER BY does not
    order. So answers are equal only if the database can give the same ones."""
    found: list[Row] = []
    last: tuple[Scope, Row] | None = None
    for here, row in _selected(query, scope):
        if last is not None and query.order and row != last[1]:
            tied = _shown_key(query.order, here) == _shown_key(query.order, last[0])
            found += [TIED] if tied else []
        found.append(row)
        last = here, row
    return found


def _selected(query: Query, scope: Scope) -> "Sorted":
    """The rows of a query with their scopes."""
    refuse_pushed(query)
    scopes = [each for each in join_rows(query.relations, scope) if is_true(query.where, each)]
    if query.grouped:
        scopes = [each for each in _groups(query, scopes, scope) if is_true(query.having, each)]
    rows = [(each, tuple(evaluate(out.expression, each) for out in query.outputs)) for each in scopes]
    if query.distinct:
        if query.order:
            raise unsupported("DISTINCT with ORDER BY")
        rows = list({row: (each, row) for each, row in rows}.values())
    if query.limit is None and query.offset is None:
        if query.order:
            rows.sort(key=lambda pair: (_shown_key(query.order, pair[0]), repr(pair[1])))
        return rows
    rows.sort(key=lambda pair: (sort_key(query.order, pair[0]), repr(pair[1])))
    return _limit(query, rows, scope)


def refuse_pushed(query: Query) -> None:
    """Raises `Refusal` for conditions that may fail where the plan decides on which rows they are computed:
    beside joins, and around queries in FROM."""
    nested = [each.content for each in query.relations if isinstance(each.content, Query)]
    if len(query.relations) < 2 and not nested:
        return
    conditions = [query.where, *(each.on for each in query.relations), *(each.where for each in nested)]
    if any(map(can_fail, conditions)):
        raise unsupported("a condition that may fail beside a join or a query in FROM")


def join_rows(relations: Sequence[Relation], scope: Scope) -> Iterator[Scope]:
    """All combinations of rows that meet the conditions of the joins."""
    if not relations:
        yield scope
        return
    *before, last = relations
    rows = _rows_of(last, scope)
    for each in join_rows(before, scope):
        matched = False
        for row in rows:
            combined = each.inside(cells(last.name, last.columns, row))
            if is_true(last.on, combined):
                matched = True
                yield combined
        if not matched and last.join is Join.LEFT:
            yield each.inside(cells(last.name, last.columns, (None,) * len(last.columns)))


def _rows_of(relation: Relation, scope: Scope) -> Sequence[Row]:
    match relation.content:
        case str() as table:
            return scope.tables[table]
        case Series() as series:
            return series.rows
        case query:
            return select(query, scope)


def new_rows(statement: Insert, table: Table, scope: Scope) -> tuple[Row | str, ...]:
    """The rows of an INSERT, computed before any is inserted; if one fails, its error code comes last."""
    if statement.query is not None:
        places = [table.place(column) for column in statement.columns]
        found: list[Row | str] = []
        for row in select(statement.query, scope):
            given = dict(zip(places, row, strict=True))
            found.append(
                tuple(
                    given[n] if n in given else evaluate(each.given, scope)
                    for n, each in enumerate(table.fields)
                )
            )
        return tuple(found)
    found = []
    for values in statement.rows:
        try:
            found.append(tuple(evaluate(value, scope) for value in values))
        except SqlError as error:
            return (*found, error.code)
    return tuple(found)


def cells(relation: str, columns: Sequence[str], row: Row) -> Cells:
    return {(relation, column): value for column, value in zip(columns, row, strict=True)}


def _groups(query: Query, scopes: list[Scope], scope: Scope) -> list[Scope]:
    groups: dict[Row, list[Scope]] = {} if query.group else {(): []}
    for each in scopes:
        key = tuple(evaluate(part, each) for part in query.group)
        groups.setdefault(key, []).append(each)
    return [scope.inside(members[0].cells if members else {}, members) for members in groups.values()]


Sorted = list[tuple[Scope, Row]]


def sort_key(order: Sequence[Order], scope: Scope) -> tuple[tuple[bool, int], ...]:
    """The sort key of a row."""
    found: list[tuple[bool, int]] = []
    for each in order:
        value = evaluate(each.expression, scope)
        if isinstance(value, str):
            raise unsupported(
                "sorting by a text", "the order of texts depends on the collation; sort by a number"
            )
        if isinstance(value, New):
            raise unsupported("sorting by values of a sequence", "their order is not that of commits")
        if isinstance(value, Moment):
            value = value.seconds
        if value is None:
            found.append((not each.nulls_first, 0))
        else:
            found.append((each.nulls_first, -value if each.descending else value))
    return tuple(found)


def _shown_key(order: Sequence[Order], scope: Scope) -> tuple[tuple[bool, int, tuple[int, ...]], ...]:
    """The sort key of a row where all rows are shown. Texts are sorted by their characters: in another
    collation the rows come in another order, but again in one that depends on the rows alone. Values of
    sequences are not told apart."""
    found: list[tuple[bool, int, tuple[int, ...]]] = []
    for each in order:
        value = evaluate(each.expression, scope)
        sign = -1 if each.descending else 1
        match value:
            case None:
                found.append((not each.nulls_first, 0, ()))
            case str():
                # The end of a text comes before all characters.
                found.append((each.nulls_first, 0, (*(sign * (ord(c) + 1) for c in value), 0)))
            case New():
                found.append((each.nulls_first, 0, ()))
            case Moment(seconds=number) | (int() as number):
                found.append((each.nulls_first, sign * number, ()))
    return tuple(found)


def limit_of(query: Query, scope: Scope) -> int | None:
    """The LIMIT of a query; None if it has none."""
    if query.limit is None:
        return None
    limit = evaluate(query.limit, scope)
    if limit is not None and not isinstance(limit, int):
        raise unsupported("a LIMIT that is not a number")
    return limit


def _limit(query: Query, rows: Sorted, scope: Scope) -> Sorted:
    limit, offset = limit_of(query, scope), 0
    if query.offset is not None:
        offset = limit_of(replace(query, limit=query.offset), scope) or 0
    end = len(rows) if limit is None else offset + limit
    for cut in {offset, end}:
        if 0 < cut < len(rows) and _is_ambiguous(query.order, rows, cut):
            raise unsupported(
                "LIMIT without a total order", "add columns to ORDER BY until no two rows are equal there"
            )
    return rows[offset:end]


def _is_ambiguous(order: Sequence[Order], rows: Sorted, cut: int) -> bool:
    """Whether it is open which of several different rows come before this place."""
    here, there = (sort_key(order, scope) for scope, _ in rows[cut - 1 : cut + 1])
    return here == there and len({row for scope, row in rows if sort_key(order, scope) == here}) > 1
