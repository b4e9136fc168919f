"""Long runs as a text of bearable length: what happens again and again is told once, with how often.

Requests are not numbered here, so that steps of different requests can be the same. A stretch of steps that
follows itself is folded, short stretches first, so that longer ones contain folded ones. What is still too
long is told without its middle.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from seriatim.report.look import Look, Style
from seriatim.report.names import visible
from seriatim.report.run_table import MARGIN, Entry, column, entries
from seriatim.report.text_width import columns
from seriatim.report.timeline import ShownTurn, Timeline

LONG_RUN = 200
"""More turns than this are folded."""

MAX_PERIOD = 60
"""Items of a stretch that is looked for."""

FIRST_LINES = 80
LAST_LINES = 40


@dataclass(frozen=True, slots=True)
class Repeated:
    """A stretch that occurs so many times, one right after the other."""

    items: tuple["Item", ...]
    times: int


@dataclass(frozen=True, slots=True)
class Once:
    """A turn, by the number of its kind."""

    kind: int


Item = Once | Repeated


def folded(kinds: Sequence[int]) -> tuple[Item, ...]:
    """Turns of these kinds, folded."""
    items: list[Item] = [Once(kind) for kind in kinds]
    for period in range(1, MAX_PERIOD + 1):
        items = list(_folded(items, period))
    return tuple(items)


def _folded(items: list[Item], period: int) -> Iterator[Item]:
    """With every stretch of one length told once if it follows itself."""
    numbers: dict[Item, int] = {}
    ids = [numbers.setdefault(item, len(numbers)) for item in items]
    at = 0
    while at < len(items):
        end = at + period
        while ids[end : end + period] == ids[at : at + period] and end + period <= len(ids):
            end += period
        times = (end - at) // period
        if times > 1:
            yield Repeated(tuple(items[at : at + period]), times)
            at = end
        else:
            yield items[at]
            at += 1


def unfolded(items: Sequence[Item]) -> Iterator[int]:
    """The kinds of turns again."""
    for item in items:
        if isinstance(item, Once):
            yield item.kind
        else:
            for _ in range(item.times):
                yield from unfolded(item.items)


def folded_table(shown: Timeline, look: Look) -> str:
    """Lines of text, each with its line break."""
    begun: set[int] = set()
    numbers: dict[tuple[ShownTurn, bool], int] = {}
    kinds: list[int] = []
    for turn in shown.turns:
        key = (replace(turn, request=0, is_switch=False), turn.request not in begun)
        begun.add(turn.request)
        kinds.append(numbers.setdefault(key, len(numbers)))
    told = [(_heading(turn, is_new), entries(turn, look)) for turn, is_new in numbers]
    lines = list(_lines(folded(kinds), told, look, MARGIN))
    if len(lines) > FIRST_LINES + LAST_LINES:
        left_out = f"{look.symbols.ellipsis} {len(lines) - FIRST_LINES - LAST_LINES:,} lines are left out"
        lines[FIRST_LINES:-LAST_LINES] = [MARGIN + look.paint(left_out, Style.FAINT)]
    return "".join(line + "\n" for line in lines)


def _heading(turn: ShownTurn, is_new: bool) -> str:
    return f"{'new ' if is_new else ''}{visible(turn.handler)}"


def _lines(
    items: Sequence[Item], told: list[tuple[str, list[Entry]]], look: Look, indentation: str
) -> Iterator[str]:
    widest = max(columns(heading) for heading, _ in told)
    gutter = max(len(entry.line) for _, found in told for entry in found)
    layout = column([entry for _, found in told for entry in found], 0, gutter, look.width)
    for item in items:
        if isinstance(item, Repeated):
            yield indentation + look.paint(f"repeat {item.times:,} times", Style.STRONG)
            yield from _lines(item.items, told, look, indentation + MARGIN)
            continue
        heading, found = told[item.kind]
        for entry in found:
            for line in layout.lines(entry, look):
                yield f"{indentation}{heading:<{widest}}  {line.rstrip()}"
                heading = ""
