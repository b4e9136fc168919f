"""The moves of a macro system, grouped by local and back."""

from collections.abc import Iterable, Iterator, Mapping

from seriatim.systems.unfolding import Move

Row = dict[int, tuple[Move, ...]]
"""The moves of one local: global state to moves."""

Table = dict[tuple[int, int], tuple[Move, ...]]
"""(local, global state) to moves, as in a `MacroSystem`."""


def rows_of(table: Table) -> dict[int, Row]:
    """For each local that can move, its row."""
    rows: dict[int, Row] = {}
    for (local, global_), moves in table.items():
        rows.setdefault(local, {})[global_] = moves
    return rows


def table_of(rows: Mapping[int, Mapping[int, Iterable[Move]]]) -> Table:
    """The table with these rows, without the places where nothing is possible."""
    return {
        (local, global_): tuple(moves)
        for local, row in rows.items()
        for global_, moves in row.items()
        if moves
    }


def steps_of(row: Mapping[int, Iterable[Move]]) -> Iterator[tuple[int, int, int]]:
    """The moves of a row as (global state, target, global state after)."""
    for global_, moves in row.items():
        for target, after in moves:
            yield global_, target, after
