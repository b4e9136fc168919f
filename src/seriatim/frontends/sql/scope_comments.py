"""Comments that bound the values or rows to look at: `-- ser: account.balance in 0..3`."""

import re
from dataclasses import replace

from seriatim.frontends.sql.columns import coerce
from seriatim.frontends.sql.evaluation import SqlError
from seriatim.frontends.sql.language import Field, Table
from seriatim.frontends.sql.refusal import HEADER, SEED, Refusal
from seriatim.frontends.sql.terms import Value
from seriatim.source import Span, quote

_SCOPE = re.compile(r"(\w+)\.(\w+)\s+in\s+(.+)", re.IGNORECASE)


def read_values(text: str) -> tuple[Value, ...] | None:
    """Reads `0..3` or `{0, 5, 'a', true}`; None for other texts."""
    stretch = re.fullmatch(r"\s*(-?\d+)\s*\.\.\s*(-?\d+)\s*", text)
    if stretch is not None:
        low, high = map(int, stretch.groups())
        return tuple(range(low, high + 1)) if low <= high else None
    listed = re.fullmatch(r"\s*\{(.*)\}\s*", text)
    if listed is None:
        return None
    found: list[Value] = []
    for item in listed.group(1).split(","):
        word = item.strip()
        if re.fullmatch(r"-?\d+", word):
            found.append(int(word))
        elif re.fullmatch(r"'[^']*'", word):
            found.append(word[1:-1])
        elif word.lower() in ("true", "false"):
            found.append(word.lower() == "true")
        else:
            return None
    return tuple(found)


def _coerced(value: Value, column: Field) -> Value:
    try:
        return coerce(value, column)
    except SqlError as error:
        raise Refusal(HEADER, f"{value!r} does not fit {quote(column.name)} ({error.code})") from None


def _apply_row_scope(tables: dict[str, Table], text: str, span: Span) -> bool:
    """Applies a declaration such as `booking has at most 2 rows`; False for other texts."""
    found = re.fullmatch(r"(\w+)\s+has\s+at\s+most\s+(\d+)\s+rows?", text, re.IGNORECASE)
    if found is None:
        return False
    table = tables.get(found.group(1)) or tables.get(found.group(1).lower())
    if table is None:
        raise Refusal(HEADER, f"no table {quote(found.group(1))}", "declare scopes after CREATE TABLE")
    if len(table.rows) > int(found.group(2)):
        raise Refusal(SEED, f"{quote(table.name)} starts with more rows than that")
    tables[table.name] = replace(table, max_rows=int(found.group(2)), rows_span=span)
    return True


def apply_scope(tables: dict[str, Table], text: str, span: Span) -> None:
    """Applies a declaration such as `account.balance in 0..3`; raises `Refusal`."""
    if _apply_row_scope(tables, text.strip(), span):
        return
    found = _SCOPE.fullmatch(text.strip())
    values = None if found is None else read_values(found.group(3))
    if found is None or values is None:
        raise Refusal(
            HEADER,
            f"cannot read {quote(text)}",
            "write -- ser: table.column in 0..3, or in {'a', 'b'}, or -- ser: table has at most 3 rows",
        )
    table = tables.get(found.group(1)) or tables.get(found.group(1).lower())
    names = () if table is None else (found.group(2), found.group(2).lower())
    name = next((each for each in names if table is not None and each in table.columns), None)
    if table is None or name is None:
        raise Refusal(
            HEADER,
            f"no column {quote(f'{found.group(1)}.{found.group(2)}')}",
            "declare scopes after CREATE TABLE",
        )
    place = table.place(name)
    column = replace(
        table.fields[place],
        values=tuple(_coerced(each, table.fields[place]) for each in values),
        scope_span=span,
    )
    for row in table.rows:
        if row[place] is not None and row[place] not in (column.values or ()):
            raise Refusal(SEED, f"the first rows of {quote(table.name)} leave the scope: {row[place]!r}")
    tables[table.name] = replace(table, fields=(*table.fields[:place], column, *table.fields[place + 1 :]))
