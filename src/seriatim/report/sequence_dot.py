"""A run as a sequence diagram for Graphviz: a grid with a row for each turn and a column for each request."""

from collections.abc import Iterator

from seriatim.explain.timeline import Timeline, repeated_text
from seriatim.report.pictures.dot import centre, left_aligned
from seriatim.report.sequence import LINE_COLOUR, SHARED, hue, tell

Row = dict[int, str]
"""The labels of the columns that have something in this row; columns are counted from 1."""


def sequence_dot(shown: Timeline) -> str:
    rows = list(_rows(shown))
    lines = [
        "digraph {",
        "  splines=line nodesep=0.3 ranksep=0.25",
        '  node [shape=box style="rounded,filled" fillcolor="#fbfbfa" fontname="Courier" fontsize=11]',
        f'  edge [color="{LINE_COLOUR}"]',
    ]
    for lane in range(1, _find_shared(shown) + 1):
        colour = LINE_COLOUR if lane == _find_shared(shown) else hue(lane)
        lines += (f"  {line}" for line in _column(rows, lane, colour))
    for number, row in enumerate(rows):
        cells = [f"n{number}_{lane}" for lane in range(1, _find_shared(shown) + 1)]
        lines.append(f"  {{rank=same {' '.join(cells)}}}")
        if number > 0 and len(row) == 2:
            lines.append(f"  {' -> '.join(cells[lane - 1] for lane in sorted(row))} [constraint=false]")
    return "".join(line + "\n" for line in [*lines, "}"])


def _find_shared(shown: Timeline) -> int:
    """The column of the shared state, the last one."""
    return len(shown.handlers()) + 1


def _rows(shown: Timeline) -> Iterator[Row]:
    """Headings, the initial state, then the turns, each with its change of the shared state beside it."""
    yield {lane: centre((heading,)) for lane, heading in enumerate([*shown.headings(), SHARED], start=1)}
    yield {_find_shared(shown): centre((shown.state_text(shown.initial),))}
    for number, (turn, loops) in enumerate(shown.turns_in_loops()):
        beginning = (f"{repeated_text(loop)}:" for loop in loops if loop.first == number)
        end = ("(to here)" for loop in loops if loop.end == number + 1)
        row = {turn.request: left_aligned((*beginning, *(text for text, _ in tell(turn)), *end))}
        if turn.before != turn.after:
            row[_find_shared(shown)] = centre((shown.state_text(turn.after),))
        yield row


def _column(rows: list[Row], lane: int, colour: str) -> Iterator[str]:
    """The cells of a column, below one another; a dashed line joins those that are not empty."""
    above: int | None = None
    for number, row in enumerate(rows):
        cell = f"n{number}_{lane}"
        if lane in row:
            yield f'{cell} [group=g{lane} color="{colour}" label={row[lane]}]'
            if above is not None:
                yield f"n{above}_{lane} -> {cell} [style=dashed arrowhead=none constraint=false]"
            above = number
        else:
            yield f"{cell} [group=g{lane} shape=point style=invis]"
        if number:
            yield f"n{number - 1}_{lane} -> {cell} [style=invis weight=20]"
