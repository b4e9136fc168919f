"""Scopes for values and rows that grow without bound: small ones, chosen and then widened.

A violation inside a chosen scope is one of the file. A proof needs a scope that no transaction leaves; where
one leaves every chosen scope, the answer stays open, and says how far it goes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from seriatim.frontends.sql.code import expressions_of, parts, statements_in
from seriatim.frontends.sql.language import DataStatement, Field, Level, Script, Table
from seriatim.frontends.sql.machine import Escape
from seriatim.frontends.sql.refusal import UNBOUNDED, Growth, Refusal
from seriatim.frontends.sql.scoping import comparisons
from seriatim.frontends.sql.system import SqlSystem, build
from seriatim.frontends.sql.terms import Column, Constant
from seriatim.source import Span
from seriatim.systems.limits import Limits

CHOSEN = Span(0, 0, 0, 0)
"""The place of scopes that no file declares."""

WIDTHS = (3, 7)
"""How far a chosen scope reaches beyond the first rows; a wider one follows if a step leaves it."""

MOST_ROWS = 1
"""A table may get so many rows more than its first ones, for each three values."""

SMALL = Limits(max_states=20_000)
"""A scope is chosen only if it leaves so few states."""

MOST_COLUMNS = 4
"""For more columns and tables than this no scope is chosen."""


def build_in_scopes(script: Script, level: Level, answers_aborts: bool) -> SqlSystem:
    """Builds the system; where values grow, in the widest of the chosen scopes. Raises `Refusal`."""
    try:
        return build(script, level, answers_aborts=answers_aborts)
    except Refusal as refusal:
        if refusal.code != UNBOUNDED or not refusal.grows:
            raise
        found: SqlSystem | None = None
        for width in WIDTHS:
            wider = _in_scope(script, refusal.grows, width, level, answers_aborts)
            if wider is None:
                break
            found = wider
            if not any(is_chosen(found, each) for each in found.machine.escapes):
                break
        if found is None:
            raise
        return found


def is_chosen(system: SqlSystem, escape: Escape) -> bool:
    """Whether a value leaves a scope that was chosen."""
    table = system.machine.script.table(escape.table)
    if escape.column is None:
        return table.rows_span == CHOSEN
    return table.fields[table.place(escape.column)].scope_span == CHOSEN


def _in_scope(
    script: Script, grows: tuple[Growth, ...], width: int, level: Level, answers_aborts: bool
) -> SqlSystem | None:
    """The system in scopes for all that grows; None if it is too large, or what grows is no number."""
    known = dict.fromkeys(grows)
    while len(known) <= MOST_COLUMNS:
        scoped = _with_scopes(script, known, width)
        if scoped is None:
            return None
        try:
            return build(scoped, level, limits=SMALL, answers_aborts=answers_aborts)
        except Refusal as refusal:
            more = {(each.table, each.column) for each in refusal.grows}
            if not more - {(each.table, each.column) for each in known}:
                return None
            known |= dict.fromkeys(refusal.grows)
    return None


def _with_scopes(script: Script, grows: Iterable[Growth], width: int) -> Script | None:
    tables = {table.name: table for table in script.tables}
    for each in grows:
        table = tables[each.table]
        if each.column is None:
            most = len(table.rows) + width * MOST_ROWS // 3 + 1
            tables[each.table] = replace(table, max_rows=most, rows_span=CHOSEN)
            continue
        scoped = _scoped_field(table, table.fields[table.place(each.column)], each, script, width)
        if scoped is None:
            return None
        fields = tuple(scoped if one.name == each.column else one for one in table.fields)
        tables[each.table] = replace(table, fields=fields)
    return replace(script, tables=tuple(tables.values()))


def _scoped_field(table: Table, field: Field, growth: Growth, script: Script, width: int) -> Field | None:
    """The column with a scope from its first values, in the direction in which it grows; None if it has other
    values than numbers."""
    first = {row[table.place(field.name)] for row in table.rows} - {None}
    numbers = [each for each in first if isinstance(each, int) and not isinstance(each, bool)]
    seen = [each for each in growth.values if isinstance(each, int) and not isinstance(each, bool)]
    if len(numbers) < len(first) or len(seen) < len(growth.values):
        return None
    low, high = min((0, *numbers)), max((0, *numbers))
    low -= width if min((low, *seen)) < low else 0
    high += width if max((high, *seen)) > high else 0
    tested = {near for each in _tested(script, field.name) for near in (each - 1, each, each + 1)}
    return replace(field, values=tuple(sorted({*range(low, high + 1), *tested})), scope_span=CHOSEN)


def _tested(script: Script, column: str) -> Iterator[int]:
    """The numbers with which statements compare a column of this name."""
    for transaction in script.transactions:
        for statement in statements_in(transaction.items):
            yield from _tested_in(statement, column)


def _tested_in(statement: DataStatement, column: str) -> Iterator[int]:
    for expression in expressions_of(statement):
        for part in parts(expression):
            for one, other in comparisons(part):
                is_own = isinstance(one, Column) and one.name == column
                value = other.value if is_own and isinstance(other, Constant) else None
                if isinstance(value, int) and not isinstance(value, bool):
                    yield value
