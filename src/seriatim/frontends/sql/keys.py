"""Keys: columns, or expressions over columns, whose values are unique in a table."""

from collections.abc import Sequence

from sqlglot import expressions as sql

from seriatim.frontends.sql.code import parts
from seriatim.frontends.sql.evaluation import evaluate
from seriatim.frontends.sql.expressions import ExpressionReader, Names, check_clauses
from seriatim.frontends.sql.language import Key, Table
from seriatim.frontends.sql.refusal import UNKNOWN, Refusal, unsupported
from seriatim.frontends.sql.selection import cells, scope_of
from seriatim.frontends.sql.terms import Column, Query, Relation, Row, Value
from seriatim.source import quote


def read_key(nodes: Sequence[sql.Expression], table: Table) -> Key:
    """Reads a key from the parts of a unique index, or of ON CONFLICT; raises `Refusal`."""
    bare: list[sql.Expression] = []
    for node in nodes:
        if isinstance(node, sql.Ordered):
            check_clauses(node)
        bare.append(node.this if isinstance(node, sql.Ordered) else node)
    if all(isinstance(each, sql.Column | sql.Identifier) for each in bare):
        names = tuple(each.name for each in bare)
        for name in names:
            if name not in table.columns:
                raise Refusal(UNKNOWN, f"unknown column {quote(name)}")
        return Key(names)
    reader = ExpressionReader(Names((Relation(table.name, table.name, table.columns),)), refuse_query)
    values = tuple(reader.read(each) for each in bare)
    used = dict.fromkeys(part.name for value in values for part in parts(value) if isinstance(part, Column))
    return Key(tuple(used), values)


def refuse_query(node: sql.Expression, names: Names) -> Query:
    del node, names
    raise unsupported("a subquery in a constraint")


def key_values(table: Table, key: Key, row: Row) -> Row | None:
    """The values of a key; None if one is NULL, which equals no other key. Raises `SqlError`."""
    values: tuple[Value, ...]
    if key.values is None:
        values = tuple(row[table.place(column)] for column in key.columns)
    else:
        scope = scope_of({}, {}).inside(cells(table.name, table.columns, row))
        values = tuple(evaluate(each, scope) for each in key.values)
    return None if None in values else values
