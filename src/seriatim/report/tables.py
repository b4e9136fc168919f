"""Aligned tables that fit on a terminal."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from seriatim.text_width import columns, printable, wrap

WIDTH = 80

GAP = "  "

_NUMBER = re.compile(r"[0-9,]*")

MIN_COLUMN = 8
"""A column does not get narrower than this to make room for others."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """Rows under a header; a column without any content is not shown."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A sentence that sums up, and tables."""

    heading: str
    tables: tuple[TextTable, ...]


def text(page: Page) -> str:
    """The page, its tables indented; empty ones are left out."""
    parts = wrap(printable(page.heading), WIDTH)
    for table in page.tables:
        if table.rows:
            parts += ["", table.title]
            parts += [GAP + line for line in _lines(table)]
    return "".join(part.rstrip() + "\n" for part in parts)


def table_text(table: TextTable) -> str:
    """The table alone, indented, under its title."""
    return "".join((GAP + line).rstrip() + "\n" for line in (table.title, *_lines(table)))


def _lines(table: TextTable) -> Iterator[str]:
    rows = [tuple(printable(cell) for cell in row) for row in table.rows]
    kept = [column for column in range(len(table.header)) if any(row[column] for row in rows)]
    header = tuple(table.header[column] for column in kept)
    body = [tuple(row[column] for column in kept) for row in rows]
    widths = _fit([max(columns(row[i]) for row in [header, *body]) for i in range(len(kept))])
    numeric = [all(_NUMBER.fullmatch(row[i]) for row in body) for i in range(len(kept))]
    for row in [header, *body]:
        cells = [
            [cell] if columns(cell) <= width else wrap(cell, width)
            for cell, width in zip(row, widths, strict=True)
        ]
        for number in range(max(map(len, cells))):
            line = [cell[number] if number < len(cell) else "" for cell in cells]
            yield _align(line, widths, numeric)


def _align(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    padded = []
    for cell, width, is_numeric in zip(cells, widths, numeric, strict=True):
        space = " " * (width - columns(cell))
        padded.append(space + cell if is_numeric else cell + space)
    return GAP.join(padded)


def _fit(widths: list[int]) -> list[int]:
    """The widths, the widest ones reduced until the columns fit."""
    excess = sum(widths) + len(GAP) * len(widths) - WIDTH
    while excess > 0:
        widest = max(range(len(widths)), key=lambda column: widths[column])
        if widths[widest] <= MIN_COLUMN:
            break
        widths[widest] -= 1
        excess -= 1
    return widths
