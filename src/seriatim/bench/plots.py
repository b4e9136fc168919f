"""The two pictures of a measurement: how much is solved in how much time, and each input against before."""

from collections.abc import Iterator, Sequence
from typing import assert_never
from xml.sax.saxutils import escape

from seriatim.bench import svg
from seriatim.bench.reference import Reference
from seriatim.bench.result import Outcome
from seriatim.bench.score import Grade, Graded
from seriatim.bench.svg import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, TimeAxis
from seriatim.bench.table import WORDS, short_names
from seriatim.text_width import printable


def cactus(graded: Sequence[Graded], against: Reference | None) -> str:
    """For each number n, the time within which n inputs are solved, each on its own."""
    curves = [("ours", "now", sorted(each.result.seconds for each in graded if each.grade is Grade.SOLVED))]
    if against is not None:
        entries = [against.find(each.result.file) for each in graded]
        before = sorted(entry.seconds for entry in entries if entry is not None and entry.seconds is not None)
        curves.append(("theirs", printable(against.name), before))
    axis = TimeAxis.over((time for _, _, times in curves for time in times), BOTTOM, TOP)
    width = (RIGHT - LEFT) / max(1, len(graded))
    parts = [*svg.frame(), *svg.time_up(axis), *_counts_across(len(graded), width)]
    for row, (kind, name, times) in enumerate(curves):
        points = " ".join(
            f"{LEFT + number * width:.1f},{axis.position(time):.1f}" for number, time in enumerate(times, 1)
        )
        parts.append(f'<polyline class="{kind}" points="{points}"/>')
        parts += _legend(row, kind, f"{name}: {len(times)} of {len(graded)}")
    parts.append(svg.text((LEFT + RIGHT) / 2, HEIGHT - 16, "inputs solved", "middle"))
    parts.append(svg.vertical_text(14, (TOP + BOTTOM) / 2, "time of each"))
    return svg.document("How many inputs are solved, each within how much time", parts)


def _counts_across(count: int, width: float) -> Iterator[str]:
    every = max(1, round(count / 10))
    for number in range(every, count + 1, every):
        yield svg.text(LEFT + number * width, BOTTOM + 18, str(number), "middle")


def _legend(row: int, kind: str, words: str) -> list[str]:
    y = TOP - 22 + 16 * row  # Above the frame: no curve gets there.
    return [
        f'<polyline class="{kind}" points="{LEFT + 12},{y - 4} {LEFT + 36},{y - 4}"/>',
        svg.text(LEFT + 44, y, words),
    ]


def scatter(graded: Sequence[Graded], against: Reference) -> str:
    """A mark for each input that both know: before to the right, now upwards; below the diagonal is faster.

    What is not solved lies on a dashed line past all others.
    """
    names = short_names([each.result.file for each in graded])
    known = [
        (name, each, entry)
        for name, each in zip(names, graded, strict=True)
        if (entry := against.find(each.result.file)) is not None
    ]
    solved = [each.result.seconds for _, each, _ in known if each.grade is Grade.SOLVED]
    times = [*solved, *(entry.seconds for _, _, entry in known if entry.seconds is not None)]
    # The same range on both axes, and room past it for what is not solved.
    across, up = TimeAxis.over(times, LEFT, RIGHT - 24), TimeAxis.over(times, BOTTOM, TOP + 24)
    parts = [
        *svg.frame(),
        *svg.time_across(across),
        *svg.time_up(up),
        svg.line(across.start, up.start, across.end, up.end, "limit"),
        svg.line(RIGHT, TOP, RIGHT, BOTTOM, "limit"),
        svg.line(LEFT, TOP, RIGHT, TOP, "limit"),
    ]
    for name, each, entry in known:
        x = RIGHT if entry.seconds is None else across.position(entry.seconds)
        y = up.position(each.result.seconds) if each.grade is Grade.SOLVED else TOP
        parts.append(_mark(x, y, name, each))
    parts.append(svg.text((LEFT + RIGHT) / 2, HEIGHT - 16, printable(against.name), "middle"))
    parts.append(svg.vertical_text(14, (TOP + BOTTOM) / 2, "now"))
    parts.append(
        svg.text(
            LEFT, TOP - 14, "○ serializable · ◆ not serializable · × neither · on a dashed border: not solved"
        )
    )
    return svg.document(f"Times now and in {printable(against.name)}", parts)


def _mark(x: float, y: float, name: str, each: Graded) -> str:
    title = f"<title>{escape(name)}: {WORDS[each.result.outcome]}</title>"
    kind = "theirs" if each.grade is Grade.WRONG else "ours"
    left, right, above, below = f"{x - 4:.1f}", f"{x + 4:.1f}", f"{y - 4:.1f}", f"{y + 4:.1f}"
    match each.result.outcome:
        case Outcome.NOT_SERIALIZABLE:
            corners = f"{x:.1f},{above} {right},{y:.1f} {x:.1f},{below} {left},{y:.1f}"
            return f'<polygon class="{kind}" points="{corners}">{title}</polygon>'
        case Outcome.SERIALIZABLE | Outcome.COMPILED:
            return f'<circle class="{kind} hollow" cx="{x:.1f}" cy="{y:.1f}" r="3.5">{title}</circle>'
        case Outcome.UNKNOWN | Outcome.REFUSED | Outcome.ERROR:
            cross = f"M{left} {above}L{right} {below}M{left} {below}L{right} {above}"
            return f'<path class="{kind} hollow" d="{cross}">{title}</path>'
        case _:
            assert_never(each.result.outcome)
