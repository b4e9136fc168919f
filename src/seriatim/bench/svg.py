"""Pictures of times on logarithmic axes, as SVG: no background and middle tones, for light and dark pages."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 420
LEFT, RIGHT, TOP, BOTTOM = 72, 620, 36, 360

FASTEST = 1e-4
"""Seconds; whatever is faster is drawn as if it took so long."""

STYLE = """\
text { font: 12px sans-serif; fill: #808080 }
line { stroke: #808080; stroke-width: 1 }
line.grid { stroke-opacity: 0.25 }
line.limit { stroke-dasharray: 4 4 }
polyline { fill: none; stroke-width: 2 }
.ours { stroke: #2f81f7; fill: #2f81f7 }
.theirs { stroke: #d9822b; fill: #d9822b }
polyline.ours, polyline.theirs, .hollow { fill: none }
"""


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """Seconds between two powers of ten, as positions between two pixels."""

    low: int
    high: int
    start: float
    end: float

    @classmethod
    def over(cls, times: Iterable[float], start: float, end: float) -> "TimeAxis":
        """An axis with room for these times."""
        exponents = [math.log10(max(time, FASTEST)) for time in times] or [-2.0]
        low = math.floor(min(exponents))
        return cls(low, max(low + 1, math.ceil(max(exponents))), start, end)

    def position(self, seconds: float) -> float:
        share = (math.log10(max(seconds, FASTEST)) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Positions and labels of the powers of ten, of which at most about eight are labelled."""
        every = 1 + (self.high - self.low) // 8
        for exponent in range(self.low, self.high + 1, every):
            yield (
                self.start + (exponent - self.low) / (self.high - self.low) * (self.end - self.start),
                (f"{10.0**exponent * 1000:g} ms" if exponent < -1 else f"{10.0**exponent:g} s"),
            )


def document(title: str, parts: Iterable[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n{body}\n</svg>\n"
    )


def text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def vertical_text(x: float, y: float, words: str) -> str:
    """Read from the bottom to the top."""
    place = f'x="{x:.1f}" y="{y:.1f}" transform="rotate(-90 {x:.1f} {y:.1f})"'
    return f'<text {place} text-anchor="middle">{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "axis") -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def frame() -> list[str]:
    return [line(LEFT, BOTTOM, RIGHT, BOTTOM), line(LEFT, TOP, LEFT, BOTTOM)]


def time_up(axis: TimeAxis) -> Iterator[str]:
    """Grid lines and labels of an axis of times at the left."""
    for y, label in axis.ticks():
        yield line(LEFT, y, RIGHT, y, "grid")
        yield text(LEFT - 8, y + 4, label, "end")


def time_across(axis: TimeAxis) -> Iterator[str]:
    """Grid lines and labels of an axis of times at the bottom."""
    for x, label in axis.ticks():
        yield line(x, TOP, x, BOTTOM, "grid")
        yield text(x, BOTTOM + 18, label, "middle")
