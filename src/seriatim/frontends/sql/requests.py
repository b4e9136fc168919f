"""Requests: transactions with their arguments, and their names."""

from dataclasses import dataclass
from typing import assert_never

from seriatim.frontends.sql.code import Code
from seriatim.frontends.sql.language import (
    Delete,
    Do,
    Insert,
    Select,
    SelectLocking,
    Table,
    Transaction,
    Update,
)
from seriatim.frontends.sql.terms import Moment, New, Row, Value


@dataclass(frozen=True, slots=True)
class Request:
    """A transaction with its arguments."""

    name: str
    transaction: Transaction
    arguments: tuple[tuple[str, Value], ...]
    code: Code


def assign(
    variables: tuple[tuple[str, Value], ...], given: dict[str, Value]
) -> tuple[tuple[str, Value], ...]:
    return tuple(sorted({**dict(variables), **given}.items()))


def output_names(do: Do) -> list[str]:
    """The names of the columns that a statement returns."""
    match do.statement:
        case Select(query=query) | SelectLocking(query=query):
            return [each.name for each in query.outputs]
        case Update(returning=outputs) | Delete(returning=outputs) | Insert(returning=outputs):
            return [each.name for each in outputs or ()]
        case _:
            return []


def key_of(table: Table, row: Row, slot: int) -> Row:
    """The primary key of a row; in a table without one, a number."""
    if not table.has_primary_key:
        return (slot,)
    return tuple(row[table.place(column)] for column in table.keys[0].columns)


def request_name(transaction: Transaction, values: tuple[Value, ...]) -> str:
    if not values:
        return transaction.name
    return f"{transaction.name}({', '.join(value_text(each) for each in values)})"


def name_arguments(transaction: Transaction, values: tuple[Value, ...]) -> tuple[tuple[str, Value], ...]:
    names = [parameter.name for parameter in transaction.parameters]
    return tuple(sorted(zip(names, values, strict=True)))


def value_text(value: Value) -> str:
    """The SQL text of a value."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case str():
            return "'" + value.replace("'", "''") + "'"
        case Moment():
            return f"'{value}'"
        case New():
            return str(value)
        case _:
            assert_never(value)
