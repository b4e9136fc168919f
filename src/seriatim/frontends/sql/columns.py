"""Converts constants to values of a column's type."""

import re

from seriatim.frontends.sql.evaluation import SqlError
from seriatim.frontends.sql.language import Field, Table, Type
from seriatim.frontends.sql.refusal import SEED, Refusal
from seriatim.frontends.sql.terms import Moment, New, Row, Value
from seriatim.source import quote

OUT_OF_RANGE, TOO_LONG = "22003", "22001"


def fit(value: Value, column: Field) -> Value:
    """A value as a column stores it; raises `SqlError` if the type of the column has no room for it."""
    match value:
        case bool() | None:
            return value
        case int() if column.size is not None and not -(1 << column.size - 1) <= value < 1 << column.size - 1:
            raise SqlError(OUT_OF_RANGE)
        case str() if column.size is not None and len(value) > column.size:
            if value[column.size :].strip(" "):
                raise SqlError(TOO_LONG)
            return value[: column.size]
        case Moment(seconds=seconds) if column.size is not None:
            return Moment(seconds - seconds % column.size)
        case _:
            return value


def coerce(value: Value, column: Field) -> Value:
    """Converts a value to the type of a column; raises `Refusal`, or `SqlError` if it does not fit in."""
    return fit(_converted(value, column), column)


def _converted(value: Value, column: Field) -> Value:
    fits = {
        Type.INTEGER: isinstance(value, int | New) and not isinstance(value, bool),
        Type.BOOLEAN: isinstance(value, bool),
        Type.TEXT: isinstance(value, str),
        Type.MOMENT: isinstance(value, Moment),
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
    if column.type is Type.MOMENT and isinstance(value, str) and (when := Moment.of(value)) is not None:
        return when
    if column.type is Type.INTEGER and isinstance(value, str) and re.fullmatch(r"-?\d+", value):
        return int(value)
    if column.type is Type.TEXT and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise Refusal(SEED, f"{value!r} does not fit column {quote(column.name)} of type {column.type}")


def coerce_row(table: Table, row: Row) -> Row:
    """Converts a row to the types of a table; raises `Refusal` and `SqlError`."""
    return tuple(coerce(value, each) for value, each in zip(row, table.fields, strict=True))
