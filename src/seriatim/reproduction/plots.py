"""The paper's pictures, measured here: inputs solved over time (Figure 15), sizes of nets (Figure 16)."""

from collections.abc import Sequence

from seriatim.bench import svg
from seriatim.bench.svg import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, TimeAxis
from seriatim.reproduction.measure import PaperResult
from seriatim.reproduction.reference import CONFIGURATIONS

COLOURS = ("#808080", "#2f81f7", "#d9822b", "#3fa66a", "#a371f7", "#d0405a")
"""The colours of the configurations: middle tones that work on light and dark pages."""


def cactus(results: Sequence[PaperResult]) -> str:
    """For each configuration and each number n, the time within which n inputs are solved each."""
    curves = {
        configuration: sorted(
            result.total_seconds
            for result in results
            if result.configuration == configuration and result.is_solved
        )
        for configuration in CONFIGURATIONS
    }
    count = max((len(times) for times in curves.values()), default=0) or 1
    axis = TimeAxis.over((time for times in curves.values() for time in times), BOTTOM, TOP)
    width = (RIGHT - LEFT) / count
    parts = [*svg.frame(), *svg.time_up(axis)]
    every = max(1, round(count / 10))
    parts += [
        svg.text(LEFT + number * width, BOTTOM + 18, str(number), "middle")
        for number in range(every, count + 1, every)
    ]
    for row, (colour, (configuration, times)) in enumerate(zip(COLOURS, curves.items(), strict=True)):
        points = " ".join(
            f"{LEFT + number * width:.1f},{axis.position(time):.1f}" for number, time in enumerate(times, 1)
        )
        y = TOP + 4 + 16 * row
        parts += [
            f'<polyline points="{points}" stroke="{colour}"/>',
            f'<polyline points="{LEFT + 12},{y - 4} {LEFT + 36},{y - 4}" stroke="{colour}"/>',
            svg.text(LEFT + 44, y, f"[{configuration}]: {len(times)}"),
        ]
    parts.append(svg.text((LEFT + RIGHT) / 2, HEIGHT - 16, "inputs solved", "middle"))
    parts.append(svg.vertical_text(14, (TOP + BOTTOM) / 2, "time of each"))
    return svg.document("How many inputs each configuration solves, each within how much time", parts)


def net_sizes(results: Sequence[PaperResult]) -> str:
    """A mark for each input: places (○) and transitions (◆) before slicing to the right, after it upwards."""
    points = [
        (before, after, is_places)
        for result in results
        for before, after, is_places in (
            (result.places, result.sliced_places, True),
            (result.transitions, result.sliced_transitions, False),
        )
        if before is not None and after is not None
    ]
    largest = max((before for before, _, _ in points), default=1)

    def across(size: float) -> float:
        return LEFT + (RIGHT - LEFT) * size / largest

    def up(size: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * size / largest

    parts = [*svg.frame(), svg.line(across(0), up(0), across(largest), up(largest), "limit")]
    for number in range(0, largest + 1, max(1, round(largest / 8))):
        parts.append(svg.text(across(number), BOTTOM + 18, str(number), "middle"))
        parts.append(svg.text(LEFT - 8, up(number) + 4, str(number), "end"))
    for before, after, is_places in points:
        x, y = across(before), up(after)
        if is_places:
            parts.append(f'<circle class="ours hollow" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
        else:
            corners = f"{x:.1f},{y - 4:.1f} {x + 4:.1f},{y:.1f} {x:.1f},{y + 4:.1f} {x - 4:.1f},{y:.1f}"
            parts.append(f'<polygon class="theirs" points="{corners}"/>')
    parts.append(svg.text(LEFT, TOP - 14, "○ places · ◆ transitions · below the dashed line: fewer"))
    parts.append(svg.text((LEFT + RIGHT) / 2, HEIGHT - 16, "before slicing", "middle"))
    parts.append(svg.vertical_text(14, (TOP + BOTTOM) / 2, "after, on average over disjuncts"))
    return svg.document("Sizes of nets before and after bidirectional slicing", parts)
