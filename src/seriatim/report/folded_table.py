"""Long runs as a short text: repeated parts are printed once, with a count.

If that is still too long, the middle is left out.
"""

from collections.abc import Iterator

from seriatim.explain.names import visible
from seriatim.explain.timeline import ShownTurn, Timeline, repeated_text
from seriatim.report.run_table import column, entries
from seriatim.report.text_look import MARGIN, Style, TextLook
from seriatim.text_width import columns

FIRST_LINES = 80
LAST_LINES = 40


def folded_table(shown: Timeline, look: TextLook) -> str:
    """Lines of text, each with its line break."""
    lines = list(_lines(shown, look))
    if len(lines) > FIRST_LINES + LAST_LINES:
        left_out = f"{look.symbols.ellipsis} {len(lines) - FIRST_LINES - LAST_LINES:,} lines are left out"
        lines[FIRST_LINES:-LAST_LINES] = [MARGIN + look.paint(left_out, Style.FAINT)]
    return "".join(line + "\n" for line in lines)


def _lines(shown: Timeline, look: TextLook) -> Iterator[str]:
    told = [(_heading(turn), entries(turn, look)) for turn in shown.turns]
    widest = max(columns(heading) for heading, _ in told)
    gutter = max(len(entry.line) for _, found in told for entry in found)
    layout = column([entry for _, found in told for entry in found], 0, gutter, look.width)
    for number, ((heading, found), (_, loops)) in enumerate(zip(told, shown.turns_in_loops(), strict=True)):
        for depth, loop in enumerate(loops, 1):
            if loop.first == number:
                yield MARGIN * depth + look.paint(repeated_text(loop), Style.STRONG)
        indentation = MARGIN * (len(loops) + 1)
        for entry in found:
            for line in layout.lines(entry, look):
                yield f"{indentation}{heading:<{widest}}  {line.rstrip()}"
                heading = ""


def _heading(turn: ShownTurn) -> str:
    return f"{'new ' if turn.is_first else ''}{visible(turn.handler)}"
