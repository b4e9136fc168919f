"""Statements on single rows: whether a row meets the condition, its new version, and the columns returned."""

from collections.abc import Mapping
from dataclasses import dataclass

from seriatim.frontends.sql.code import parts
from seriatim.frontends.sql.columns import coerce_row
from seriatim.frontends.sql.evaluation import Scope, evaluate, is_true
from seriatim.frontends.sql.language import Delete, SelectLocking, Strength, Table, Update
from seriatim.frontends.sql.refusal import unsupported
from seriatim.frontends.sql.selection import cells, scope_of
from seriatim.frontends.sql.terms import (
    Among,
    AmongRows,
    Call,
    Case,
    Column,
    Constant,
    Exists,
    Expression,
    Operation,
    Output,
    Row,
    Scalar,
    Value,
)

Locking = Update | Delete | SelectLocking
"""Statements that lock the rows that they affect."""


def name_of(statement: Locking) -> str:
    """The name of the table in the statement."""
    return statement.query.relations[0].name if isinstance(statement, SelectLocking) else statement.name


def condition_of(statement: Locking) -> Expression:
    return statement.query.where if isinstance(statement, SelectLocking) else statement.where


def strength_of(statement: Locking) -> Strength:
    match statement:
        case Update():
            return Strength.NO_KEY_UPDATE  # If no key changes.
        case Delete():
            return Strength.UPDATE
        case SelectLocking(strength=strength):
            return strength


def subqueries(statement: Locking) -> tuple[Expression, ...]:
    """The subqueries of a statement, which are evaluated once, before any row is locked."""
    expressions = [condition_of(statement)]
    match statement:
        case Update(assignments=assignments, returning=returning):
            expressions += [value for _, value in assignments]
            expressions += [each.expression for each in returning or ()]
        case Delete(returning=returning):
            expressions += [each.expression for each in returning or ()]
        case SelectLocking(query=query):
            expressions += [each.expression for each in query.outputs]
    found = [
        part for each in expressions for part in parts(each) if isinstance(part, Exists | Scalar | AmongRows)
    ]
    return tuple(dict.fromkeys(found))


def refuse_plan_dependent(statement: Locking) -> None:
    """Raises `Refusal` for subqueries that some query plans evaluate again after a wait, and others do
    not."""
    name = name_of(statement)
    for each in subqueries(statement):
        if isinstance(each, AmongRows):
            raise unsupported(
                "IN (SELECT …) in a statement that locks rows, at this level",
                "whether it is evaluated again after a wait depends on the query plan; read the values first",
            )
        query = each.query if isinstance(each, Exists | Scalar) else None
        if query is not None and any(
            isinstance(part, Column) and part.relation == name
            for part in parts(query.where)
            if name not in {relation.name for relation in query.relations}
        ):
            raise unsupported(
                "a subquery about the locked row, at this level",
                "whether it is evaluated again after a wait depends on the query plan; read the values first",
            )


@dataclass(frozen=True, slots=True)
class RowScope:
    """Evaluates the expressions of a statement on rows of its table."""

    table: Table
    name: str
    scope: Scope
    constants: Mapping[Expression, Value]
    """The values of subqueries."""

    def at(self, row: Row) -> Scope:
        return self.scope.inside(cells(self.name, self.table.columns, row))

    def fix_subqueries(self, expression: Expression) -> Expression:
        """Replaces the subqueries of an expression by their values."""
        return substitute(expression, self.constants) if self.constants else expression

    def wants(self, condition: Expression, row: Row) -> bool:
        return is_true(self.fix_subqueries(condition), self.at(row))

    def updated_row(self, assignments: tuple[tuple[str, Expression], ...], row: Row) -> Row:
        scope = self.at(row)
        new = {column: evaluate(self.fix_subqueries(value), scope) for column, value in assignments}
        changed = (new.get(column, value) for column, value in zip(self.table.columns, row, strict=True))
        return coerce_row(self.table, tuple(changed))

    def output_row(self, outputs: tuple[Output, ...] | None, row: Row) -> Row:
        scope = self.at(row)
        return tuple(evaluate(self.fix_subqueries(each.expression), scope) for each in outputs or ())


def substitute(expression: Expression, constants: Mapping[Expression, Value]) -> Expression:
    """Replaces the subqueries of an expression by constants."""
    if expression in constants:
        return Constant(constants[expression])
    match expression:
        case Operation(operator=operator, left=left, right=right):
            return Operation(operator, substitute(left, constants), substitute(right, constants))
        case Call(function=function, arguments=arguments):
            return Call(function, tuple(substitute(each, constants) for each in arguments))
        case Case(branches=branches, otherwise=otherwise):
            pairs = tuple((substitute(a, constants), substitute(b, constants)) for a, b in branches)
            return Case(pairs, substitute(otherwise, constants))
        case Among(value=value, items=items):
            return Among(substitute(value, constants), tuple(substitute(each, constants) for each in items))
        case _:
            return expression


def row_scope(
    table: Table,
    statement: Locking,
    tables: Mapping[str, tuple[Row, ...]],
    variables: Mapping[str, Value],
    values: tuple[Value, ...] | None,
) -> RowScope:
    """The scope of a statement. Without `values`, subqueries are evaluated where they occur."""
    constants = {} if values is None else dict(zip(subqueries(statement), values, strict=True))
    return RowScope(table, name_of(statement), scope_of(tables, variables), constants)
