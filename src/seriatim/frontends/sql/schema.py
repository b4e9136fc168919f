"""Reads tables and their first rows from CREATE and INSERT statements before the transactions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import expressions as sql

from seriatim.frontends.sql.accepting import CONSTRAINTS, TYPES
from seriatim.frontends.sql.columns import coerce, coerce_row
from seriatim.frontends.sql.control import name_of_statement
from seriatim.frontends.sql.evaluation import Scope, SqlError, evaluate
from seriatim.frontends.sql.expressions import (
    ExpressionReader,
    Names,
    check_fields,
    literal,
    type_name,
)
from seriatim.frontends.sql.keys import key_values, read_key, refuse_query
from seriatim.frontends.sql.language import (
    DataStatement,
    Delete,
    Field,
    Insert,
    Key,
    Reference,
    Table,
    Type,
    Update,
)
from seriatim.frontends.sql.refusal import SEED, UNKNOWN, UNSUPPORTED, Refusal, unsupported
from seriatim.frontends.sql.rows import row_scope
from seriatim.frontends.sql.selection import cells, new_rows, scope_of, select
from seriatim.frontends.sql.statements import StatementReader, parse
from seriatim.frontends.sql.terms import Expression, Moment, Relation, Row, Value
from seriatim.source import quote


@dataclass
class SchemaReader:
    """Takes the statements of a schema one by one."""

    tables: dict[str, Table] = field(default_factory=dict)
    enumerations: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sequences: dict[str, int] = field(default_factory=dict)
    """The last number that each sequence has given."""

    def take(self, text: str) -> None:
        """Reads one statement of the schema; raises `Refusal`."""
        node = parse(text)
        match node:
            case sql.Create(expression=sql.Select() as query) if node.kind == "TABLE":
                self._table_of_query(node, query)
            case sql.Create() if node.kind == "TABLE":
                self._table(node)
            case sql.Create() if node.kind == "TYPE":
                self._enumeration(node)
            case sql.Create() if node.kind == "SEQUENCE":
                check_fields(node, "this", "kind")
                self.sequences[node.this.name] = 0
            case sql.Create() if node.kind == "INDEX":
                self._index(node)
            case sql.Alter():
                self._alter(node)
            case sql.Insert() | sql.Update() | sql.Delete():
                self._change(StatementReader(self.tables).read(text))
            case sql.Transaction():
                hint = "write a comment above it: `-- transaction: NAME`"
                raise Refusal(UNSUPPORTED, "this transaction has no name", hint)
            case sql.Select() | sql.Commit() | sql.Rollback():
                hint = "it belongs to a transaction, which comes after a comment `-- transaction: NAME`"
                raise unsupported(f"{quote(text.split()[0].upper())} among the tables and their rows", hint)
            case _:
                hint = "leave it out, or put -- transaction: NAME before the transaction that it is part of"
                raise unsupported(f"{name_of_statement(text)} before the transactions", hint)

    def _enumeration(self, node: sql.Create) -> None:
        check_fields(node, "this", "kind", "expression")
        labels = node.expression
        if not isinstance(labels, sql.DataType) or str(labels.this).rpartition(".")[2] != "ENUM":
            raise unsupported("CREATE TYPE other than ENUM")
        self.enumerations[node.this.name] = tuple(each.name for each in labels.expressions)

    def _table(self, node: sql.Create) -> None:
        check_fields(node, "this", "kind", "properties", "exists")
        for each in node.args["properties"].expressions if node.args.get("properties") else ():
            if type(each) is not sql.Property:
                raise unsupported(f"{quote(each.sql('postgres'))} in CREATE TABLE")
        schema = node.this
        if not isinstance(schema, sql.Schema):
            raise unsupported("this form of CREATE TABLE")
        check_fields(schema, "this", "expressions")
        check_fields(schema.this, "this")
        name = schema.this.name
        if name in self.tables and node.args.get("exists"):
            return
        if name in self.tables:
            raise Refusal(SEED, f"table {quote(name)} is created twice")
        self.tables[name] = _TableReader(name, self.enumerations, self.tables).read(schema.expressions)
        own = [each.sequence for each in self.tables[name].fields if each.sequence is not None]
        for sequence in own:
            if sequence not in self.sequences and not sequence.startswith(f"{name}_"):
                raise Refusal(UNKNOWN, f"unknown sequence {quote(sequence)}", "CREATE SEQUENCE comes first")
            self.sequences.setdefault(sequence, 0)

    def _table_of_query(self, node: sql.Create, query_node: sql.Select) -> None:
        """Reads CREATE TABLE … AS SELECT."""
        check_fields(node, "this", "kind", "expression")
        check_fields(node.this, "this")
        query = StatementReader(self.tables).queries.read(query_node, Names())
        try:
            rows = tuple(select(query, self._scope()))
        except SqlError as error:
            raise Refusal(SEED, f"the query of this table fails with error {error.code}") from None
        if not rows:
            raise unsupported("CREATE TABLE … AS a query without rows", "write the columns with their types")
        columns = [
            Field(each.name, type_of([row[place] for row in rows]), True, None)
            for place, each in enumerate(query.outputs)
        ]
        self.tables[node.this.name] = Table(node.this.name, tuple(columns), (), False, rows=rows)

    def _index(self, node: sql.Create) -> None:
        """Reads a unique index as a key; other indexes change the plan of a query, not its rows."""
        if not node.args.get("unique"):
            return
        index = node.this
        table = self.tables.get(index.args["table"].name)
        parameters = index.args["params"]
        check_fields(parameters, "columns", "include", "using")
        if table is None:
            raise Refusal(UNKNOWN, f"unknown table {quote(index.args['table'].name)}")
        key = read_key(parameters.args["columns"], table)
        table = self.tables[table.name] = replace(table, keys=(*table.keys, key))
        _check_rows(table)

    def _alter(self, node: sql.Alter) -> None:
        """Reads ADD PRIMARY KEY and other constraints; ignores storage parameters."""
        table = self.tables.get(node.this.name)
        if table is None:
            raise Refusal(UNKNOWN, f"unknown table {quote(node.this.name)}")
        check_fields(node, "this", "kind", "actions")
        for action in node.args["actions"]:
            if isinstance(action, sql.AlterSet) and action.expressions:
                continue
            if not isinstance(action, sql.AddConstraint):
                raise unsupported(quote(node.sql("postgres")), "write it into CREATE TABLE")
            reader = _TableReader(table.name, self.enumerations, self.tables)
            reader.resume(table)
            table = replace(reader.read(action.expressions), rows=table.rows)
        self.tables[table.name] = table
        _check_rows(table)
        self._check_references()

    def _scope(self) -> Scope:
        return scope_of({name: table.rows for name, table in self.tables.items()}, {})

    def _change(self, statement: DataStatement) -> None:
        """Changes the first rows; raises `Refusal`."""
        assert isinstance(statement, Insert | Update | Delete)
        table = self.tables[statement.table]
        try:
            if isinstance(statement, Insert):
                rows = (*table.rows, *self._inserted_rows(statement, table))
            else:
                rows = tuple(self._changed_rows(statement, table))
            table = replace(table, rows=tuple(coerce_row(table, row) for row in rows))
        except SqlError as error:
            raise Refusal(SEED, f"the statement fails with {error.code}") from None
        _check_rows(table)
        self.tables[table.name] = table
        self._check_references()

    def _check_references(self) -> None:
        """Raises `Refusal` if a row refers to one that is not there, when a statement ends."""
        for table in self.tables.values():
            for each in table.references:
                parent = self.tables[each.table]
                there = {tuple(row[parent.place(name)] for name in each.target) for row in parent.rows}
                own = (tuple(row[table.place(name)] for name in each.columns) for row in table.rows)
                if any(None not in values and values not in there for values in own):
                    told = f"a row of {quote(table.name)} refers to a row of {quote(parent.name)} that is not"
                    raise Refusal(SEED, f"{told} there")

    def _numbers(self, table: Table) -> Iterator[int]:
        """The next numbers of the only sequence that fills a table; raises `Refusal` if there are two."""
        own = [each.sequence for each in table.fields if each.sequence is not None]
        if len(set(own)) != 1:
            raise unsupported("a table with two columns that sequences fill")
        while True:
            self.sequences[own[0]] += 1
            yield self.sequences[own[0]]

    def _inserted_rows(self, statement: Insert, table: Table) -> list[Row]:
        if statement.conflict is not None or statement.returning is not None:
            hint = "leave it out: the file starts with no tables, so nothing can conflict"
            raise unsupported("ON CONFLICT or RETURNING among the first rows", hint)
        found: list[Row] = []
        scope = replace(self._scope(), fresh=self._numbers(table))
        for row in new_rows(statement, table, scope):
            if isinstance(row, str):
                raise SqlError(row)
            found.append(row)
        return found

    def _changed_rows(self, statement: Update | Delete, table: Table) -> Iterator[Row]:
        tables = {name: each.rows for name, each in self.tables.items()}
        scope = row_scope(table, statement, tables, {}, None)
        for row in table.rows:
            if not scope.wants(statement.where, row):
                yield row
            elif isinstance(statement, Update):
                yield scope.updated_row(statement.assignments, row)


SECONDS_OF_A_DAY = 86_400

SERIALS = frozenset({"SERIAL", "BIGSERIAL"})


def type_of(values: Sequence[Value]) -> Type:
    """The type of a column with these values, for CREATE TABLE … AS; raises `Refusal`."""
    kinds = {type(value) for value in values if value is not None}
    types = {int: Type.INTEGER, bool: Type.BOOLEAN, str: Type.TEXT, Moment: Type.MOMENT}
    if len(kinds) != 1:
        raise unsupported("a column without a type", "write CREATE TABLE with the types of its columns")
    return types[kinds.pop()]


def _check_rows(table: Table) -> None:
    """Raises `Refusal` if the first rows break a constraint."""
    for place, each in enumerate(table.fields):
        if not each.nullable and any(row[place] is None for row in table.rows):
            raise Refusal(SEED, f"NULL in column {quote(each.name)}, which is NOT NULL")
    for row in table.rows:
        here = scope_of({}, {}).inside(cells(table.name, table.columns, row))
        try:
            if any(evaluate(check, here) is False for check in table.checks):
                raise Refusal(SEED, f"a row of {quote(table.name)} breaks a CHECK")
        except SqlError as error:
            raise Refusal(SEED, f"a CHECK of {quote(table.name)} fails with {error.code}") from None
    for key in table.keys:
        values = [own for row in table.rows if (own := key_values(table, key, row)) is not None]
        if len(set(values)) < len(values):
            raise Refusal(SEED, f"two rows of {quote(table.name)} with the same {', '.join(key.columns)}")


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
        self.read_checks: tuple[Expression, ...] = ()

    def resume(self, table: Table) -> None:
        """Starts from an existing table."""
        self.fields = list(table.fields)
        self.primary = table.keys[0] if table.has_primary_key else None
        self.keys = list(table.keys[table.has_primary_key :])
        self.read_checks = table.checks
        self.references = list(table.references)

    def read(self, parts: list[sql.Expression]) -> Table:
        for part in parts:
            if isinstance(part, sql.ColumnDef):
                self._column(part)
            else:
                self._constraint(part, None)
        columns = tuple(each.name for each in self.fields)
        names = Names((Relation(self.name, self.name, columns),))
        reader = ExpressionReader(names, refuse_query)
        primary = self.primary
        not_null = set(primary.columns) if primary is not None else set()
        return Table(
            self.name,
            tuple(
                replace(each, nullable=each.nullable and each.name not in not_null) for each in self.fields
            ),
            (*((primary,) if primary is not None else ()), *self.keys),
            primary is not None,
            (*self.read_checks, *(reader.read(each) for each in self.checks)),
            tuple(self.references),
        )

    def _column(self, node: sql.ColumnDef) -> None:
        check_fields(node, "this", "kind", "constraints")
        type_, labels = self._type(node)
        is_serial = type_name(node.args["kind"]) in SERIALS if node.args.get("kind") is not None else False
        sequence = f"{self.name}_{node.name}_seq" if is_serial else None
        values: tuple[Value, ...] | None = labels
        if type_ is Type.BOOLEAN:
            values = (False, True)
        kind = node.args.get("kind")
        decimal = kind is not None and type_name(kind) == "DECIMAL"
        size = None if kind is None else self._size(kind, type_)
        self.fields.append(
            Field(node.name, type_, not is_serial, None, values, None, labels, decimal, size, sequence)
        )
        for each in node.args.get("constraints") or ():
            self._constraint(each.kind, node.name)

    def _type(self, node: sql.ColumnDef) -> tuple[Type, tuple[str, ...] | None]:
        kind = node.args.get("kind")
        text = "" if kind is None else kind.sql("postgres")
        found = None if kind is None else TYPES.get(type_name(kind))
        if kind is not None and type_name(kind) == "DECIMAL" and kind.expressions:
            hint = "count in the smallest unit, such as cents"
            raise unsupported(f"the type {quote(text)} of column {quote(node.name)}", hint)
        if found is not None:
            return found, None
        if text.lower() in self.enumerations:
            return Type.TEXT, self.enumerations[text.lower()]
        hint = "supported are integers, BOOLEAN, TEXT, VARCHAR, DATE, TIMESTAMP and ENUM types"
        raise unsupported(f"the type {quote(text)} of column {quote(node.name)}", hint)

    @staticmethod
    def _size(kind: sql.DataType, type_: Type) -> int | None:
        """What bounds the values of a type, as `Field.size` says."""
        name = type_name(kind)
        match type_:
            case Type.INTEGER:
                bits = {"SMALLINT": 16, "BIGINT": 64, "BIGSERIAL": 64, "DECIMAL": None}
                return bits.get(name, 32)
            case Type.TEXT if name == "VARCHAR" and kind.expressions:
                return int(kind.expressions[0].name)
            case Type.MOMENT if name == "DATE":
                return SECONDS_OF_A_DAY
            case _:
                return None

    def _constraint(self, node: sql.Expression, column: str | None) -> None:
        own = () if column is None else (column,)
        if node.key not in CONSTRAINTS:
            raise unsupported(f"the constraint {quote(node.sql('postgres'))}")
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
            case sql.GeneratedAsIdentityColumnConstraint() | sql.DefaultColumnConstraint() if (
                column is not None
            ):
                self._default(column, node)
            case sql.Constraint():
                for each in node.expressions:
                    self._constraint(each, column)
            case sql.Reference():
                self._reference(own, node)
            case sql.ForeignKey():
                check_fields(node, "expressions", "reference")
                self._reference(tuple(each.name for each in node.expressions), node.args["reference"])
            case _:
                raise unsupported(f"the constraint {quote(node.sql('postgres'))}")

    def _default(self, column: str, node: sql.Expression) -> None:
        place = self._place(column)
        own = self.fields[place]
        call = node.this
        if isinstance(node, sql.GeneratedAsIdentityColumnConstraint):
            check_fields(node, "this")
            always = bool(node.this)
            own = replace(own, sequence=f"{self.name}_{column}_seq", nullable=False, always=always)
        elif isinstance(call, sql.Anonymous):
            if str(call.this).lower() != "nextval" or len(call.expressions) != 1:
                raise unsupported(f"the default {quote(call.sql('postgres'))}")
            own = replace(own, sequence=str(literal(call.expressions[0])))
        else:
            try:
                own = replace(own, default=coerce(literal(call), own))
            except SqlError as error:
                raise Refusal(SEED, f"the default of {quote(column)} fails with {error.code}") from None
        self.fields[place] = own

    def _reference(self, columns: tuple[str, ...], node: sql.Expression) -> None:
        check_fields(node, "this", "options")
        for option in node.args.get("options") or ():
            if not any(word in option.upper() for word in ("NO ACTION", "RESTRICT")):
                raise unsupported(f"{quote(option)} of a foreign key", "write its statements out")
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
