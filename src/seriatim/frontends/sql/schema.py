"""Tables and their first rows, from CREATE and INSERT statements ahead of the transactions."""

import re
from dataclasses import dataclass, field, replace

from sqlglot import expressions as sql

from seriatim.frontends.sql.expressions import INTEGERS, TEXTS, ExpressionReader, Names, fields, literal
from seriatim.frontends.sql.language import Field, Key, Reference, Table, Type
from seriatim.frontends.sql.refusal import SEED, UNKNOWN, Refusal, unsupported
from seriatim.frontends.sql.statements import parse
from seriatim.frontends.sql.terms import Query, Relation, Row, Value
from seriatim.source import quote


@dataclass
class SchemaReader:
    """Takes the statements of a schema one by one."""

    tables: dict[str, Table] = field(default_factory=dict)
    enumerations: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def take(self, text: str) -> None:
        """Raises `Refusal`."""
        node = parse(text)
        match node:
            case sql.Create() if node.kind == "TABLE":
                self._table(node)
            case sql.Create() if node.kind == "TYPE":
                self._enumeration(node)
            case sql.Create() if node.kind == "INDEX" and not node.args.get("unique"):
                pass  # It changes the plan of a query, not its rows.
            case sql.Drop() if node.args.get("exists"):
                pass  # The file starts with no tables.
            case sql.Insert():
                self._rows(node)
            case _:
                raise unsupported(
                    f"{node.key.upper()} in the schema",
                    "write CREATE TABLE, CREATE TYPE … AS ENUM and INSERT; a transaction comes after"
                    " a comment `-- transaction: NAME`",
                )

    def _enumeration(self, node: sql.Create) -> None:
        fields(node, "this", "kind", "expression")
        labels = node.expression
        if not isinstance(labels, sql.DataType) or str(labels.this).rpartition(".")[2] != "ENUM":
            raise unsupported("CREATE TYPE other than ENUM")
        self.enumerations[node.this.name] = tuple(each.name for each in labels.expressions)

    def _table(self, node: sql.Create) -> None:
        fields(node, "this", "kind")
        schema = node.this
        if not isinstance(schema, sql.Schema):
            raise unsupported("this form of CREATE TABLE")
        fields(schema, "this", "expressions")
        fields(schema.this, "this")
        name = schema.this.name
        if name in self.tables:
            raise Refusal(SEED, f"table {quote(name)} is created twice")
        self.tables[name] = _TableReader(name, self.enumerations, self.tables).read(schema.expressions)

    def _rows(self, node: sql.Insert) -> None:
        fields(node, "this", "expression")
        target = node.this
        columns: tuple[str, ...] | None = None
        if isinstance(target, sql.Schema):
            columns = tuple(each.name for each in target.expressions)
            target = target.this
        table = self.tables.get(target.name)
        if table is None:
            raise Refusal(UNKNOWN, f"unknown table {quote(target.name)}")
        if not isinstance(node.expression, sql.Values):
            raise unsupported("INSERT … SELECT in the schema", "write the rows out: INSERT … VALUES")
        given = columns or table.columns
        for row in node.expression.expressions:
            values = dict(zip(given, map(literal, row.expressions), strict=False))
            if not values.keys() <= set(table.columns) or len(row.expressions) > len(given):
                raise Refusal(SEED, f"columns that {quote(table.name)} does not have")
            full = tuple(coerced(values.get(each.name, each.default), each) for each in table.fields)
            table = replace(table, rows=(*table.rows, full))
            _check_row(table, full)
        self.tables[table.name] = table


def coerced(value: Value, column: Field) -> Value:
    """A constant as a column holds it; raises `Refusal`."""
    fits = {
        Type.INTEGER: isinstance(value, int) and not isinstance(value, bool),
        Type.BOOLEAN: isinstance(value, bool),
        Type.TEXT: isinstance(value, str),
    }[column.type]
    if value is None or fits:
        if column.labels is not None and value is not None and value not in column.labels:
            raise Refusal(SEED, f"{value!r} is not a label of the type of {quote(column.name)}")
        return value
    if (
        column.type is Type.BOOLEAN
        and isinstance(value, str)
        and value.lower() in ("t", "true", "f", "false")
    ):
        return value.lower() in ("t", "true")
    if column.type is Type.INTEGER and isinstance(value, str) and re.fullmatch(r"-?\d+", value):
        return int(value)
    if column.type is Type.TEXT and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise Refusal(SEED, f"{value!r} does not fit column {quote(column.name)} of type {column.type}")


def _check_row(table: Table, row: Row) -> None:
    for each, value in zip(table.fields, row, strict=True):
        if value is None and not each.nullable:
            raise Refusal(SEED, f"NULL in column {quote(each.name)}, which is NOT NULL")
    for key in table.keys:
        places = [table.place(column) for column in key.columns]
        values = [tuple(other[place] for place in places) for other in table.rows]
        own = tuple(row[place] for place in places)
        if None not in own and values.count(own) > 1:
            raise Refusal(SEED, f"two rows of {quote(table.name)} with the same {', '.join(key.columns)}")


def _no_queries(node: sql.Expression, names: Names) -> Query:
    del node, names
    raise unsupported("a subquery in a constraint")


class _TableReader:
    """Reads the parts of one CREATE TABLE."""

    def __init__(self, name: str, enumerations: dict[str, tuple[str, ...]], tables: dict[str, Table]) -> None:
        self.name = name
        self.enumerations = enumerations
        self.tables = tables
        self.fields: list[Field] = []
        self.primary: Key | None = None
        self.keys: list[Key] = []
        self.checks: list[sql.Expression] = []
        self.references: list[Reference] = []

    def read(self, parts: list[sql.Expression]) -> Table:
        for part in parts:
            if isinstance(part, sql.ColumnDef):
                self._column(part)
            else:
                self._constraint(part, None)
        columns = tuple(each.name for each in self.fields)
        names = Names((Relation(self.name, self.name, columns),))
        reader = ExpressionReader(names, _no_queries)
        primary = self.primary
        not_null = set(primary.columns) if primary is not None else set()
        return Table(
            self.name,
            tuple(
                replace(each, nullable=each.nullable and each.name not in not_null) for each in self.fields
            ),
            (*((primary,) if primary is not None else ()), *self.keys),
            primary is not None,
            tuple(reader.read(each) for each in self.checks),
            tuple(self.references),
        )

    def _column(self, node: sql.ColumnDef) -> None:
        fields(node, "this", "kind", "constraints")
        type_, labels = self._type(node)
        values: tuple[Value, ...] | None = labels
        if type_ is Type.BOOLEAN:
            values = (False, True)
        self.fields.append(Field(node.name, type_, True, None, values, None, labels))
        for each in node.args.get("constraints") or ():
            self._constraint(each.kind, node.name)

    def _type(self, node: sql.ColumnDef) -> tuple[Type, tuple[str, ...] | None]:
        kind = node.args.get("kind")
        text = "" if kind is None else kind.sql("postgres")
        word = text.upper().partition("(")[0].strip()
        if word in INTEGERS:
            return Type.INTEGER, None
        if word in ("BOOLEAN", "BOOL"):
            return Type.BOOLEAN, None
        if word in TEXTS:
            return Type.TEXT, None
        if word.startswith(("NUMERIC", "DECIMAL")) and text.count(",") == 0:
            return Type.INTEGER, None
        if text.lower() in self.enumerations:
            return Type.TEXT, self.enumerations[text.lower()]
        hint = "supported are integers, BOOLEAN, TEXT, VARCHAR, CHAR and ENUM types"
        raise unsupported(f"the type {quote(text)} of column {quote(node.name)}", hint)

    def _constraint(self, node: sql.Expression, column: str | None) -> None:
        own = () if column is None else (column,)
        match node:
            case sql.PrimaryKeyColumnConstraint() | sql.PrimaryKey():
                self.primary = Key(own or tuple(each.name for each in node.expressions))
            case sql.UniqueColumnConstraint():
                if node.args.get("nulls"):
                    raise unsupported("UNIQUE NULLS NOT DISTINCT")
                self.keys.append(Key(own or tuple(each.name for each in node.this.expressions)))
            case sql.CheckColumnConstraint():
                self.checks.append(node.this)
            case sql.NotNullColumnConstraint() if column is not None:
                self._change(column, nullable=bool(node.args.get("allow_null")))
            case sql.DefaultColumnConstraint() if column is not None:
                position = self._place(column)
                self.fields[position] = replace(
                    self.fields[position], default=coerced(literal(node.this), self.fields[position])
                )
            case sql.Constraint():
                for each in node.expressions:
                    self._constraint(each, column)
            case sql.Reference():
                self._reference(own, node)
            case sql.ForeignKey():
                fields(node, "expressions", "reference")
                self._reference(tuple(each.name for each in node.expressions), node.args["reference"])
            case _:
                raise unsupported(f"the constraint {quote(node.sql('postgres'))}")

    def _reference(self, columns: tuple[str, ...], node: sql.Expression) -> None:
        fields(node, "this", "options")
        for option in node.args.get("options") or ():
            if not any(word in option.upper() for word in ("NO ACTION", "RESTRICT")):
                raise unsupported(
                    f"{quote(option)} of a foreign key", "write the statements that it stands for"
                )
        target = node.this.this if isinstance(node.this, sql.Schema) else node.this
        parent = self.tables.get(target.name)
        if parent is None:
            raise Refusal(
                UNKNOWN, f"unknown table {quote(target.name)}", "create it before the one that refers to it"
            )
        named = (
            tuple(each.name for each in node.this.expressions) if isinstance(node.this, sql.Schema) else ()
        )
        keys = (
            [key for key in parent.keys if set(key.columns) == set(named)] if named else list(parent.keys[:1])
        )
        if not keys:
            raise Refusal(SEED, f"no key of {quote(parent.name)} consists of {', '.join(named)}")
        self.references.append(Reference(columns, parent.name, named or keys[0].columns))

    def _place(self, column: str) -> int:
        return next(place for place, each in enumerate(self.fields) if each.name == column)

    def _change(self, column: str, nullable: bool) -> None:
        place = self._place(column)
        self.fields[place] = replace(self.fields[place], nullable=nullable)
