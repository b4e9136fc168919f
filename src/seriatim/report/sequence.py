"""A run as a sequence diagram: a lane for each request and one for the shared state, time runs down."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from seriatim.explain.timeline import Loop, ShownTurn, Timeline, repeated_text
from seriatim.report.pictures.mermaid import escape_line
from seriatim.report.run_table import entries
from seriatim.report.text_look import Style, TextLook
from seriatim.text_width import columns, printable

SHARED = "shared state"
CHARACTER = 7.25
LINE = 17.0
PADDING = 9.0
GAP = 16.0
"""The distance between turns, and between lanes."""
FRAME = 6.0
"""The distance between nested frames of loops."""
HEADING = 34.0
MARGIN = 12.0

_FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
LINE_COLOUR = "#8a8a8a"
_HUES = ("#3b82c4", "#c2703d", "#7a68c9", "#2b9c86", "#b84f8c", "#8a8f2a")


def sequence_mermaid(shown: Timeline) -> str:
    """A run for Mermaid: notes for executed code, messages to the shared state for changes."""
    lines = ["sequenceDiagram"]
    for number, heading in enumerate(shown.headings(), start=1):
        lines.append(f"    participant R{number} as {escape_line(heading)}")
    lines += [f"    participant G as {SHARED}", f"    Note over G: {_state_text(shown)}"]
    for number, (turn, loops) in enumerate(shown.turns_in_loops()):
        lines += (f"    loop {repeated_text(loop)}" for loop in loops if loop.first == number)
        code = "<br/>".join(escape_line(text) for text, _ in tell(turn))
        lines.append(f"    Note over R{turn.request}: {code}")
        if turn.before != turn.after:
            lines.append(f"    R{turn.request}->>G: {escape_line(shown.state_text(turn.after))}")
        lines += ("    end" for loop in loops if loop.end == number + 1)
    return "".join(line + "\n" for line in lines)


def _state_text(shown: Timeline) -> str:
    return escape_line(shown.state_text(shown.initial) or "empty")


@dataclass(frozen=True, slots=True)
class _Lane:
    left: float
    width: float

    @property
    def middle(self) -> float:
        return self.left + self.width / 2


@dataclass(frozen=True, slots=True)
class _Frame:
    """The frame around a loop, at some depth of nesting."""

    loop: Loop
    depth: int
    top: float
    bottom: float


def sequence_svg(shown: Timeline, title: str) -> str:
    """A run as SVG. Colours are attributes, which style sheets can override."""
    headings = shown.headings()
    lanes = _lanes(shown, [*headings, SHARED])
    tops, frames, bottom = _places(shown)
    width = lanes[-1].left + lanes[-1].width + 2 * MARGIN
    height = bottom + 2 * MARGIN
    colours = [*(hue(number) for number in range(1, len(lanes))), LINE_COLOUR]
    heads = zip(lanes, [*headings, SHARED], colours, strict=True)
    parts = [
        *(_head(lane, heading, colour, bottom) for lane, heading, colour in heads),
        *_state(shown.state_text(shown.initial), HEADING + GAP / 2, lanes[-1]),
        *(
            part
            for turn, top in zip(shown.turns, tops, strict=True)
            for part in _turn(shown, turn, top, lanes)
        ),
        *(part for frame in frames for part in _frame(frame, width)),
    ]
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="sequence" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="{-MARGIN:g} {-MARGIN:g} {width:.0f} {height:.0f}" role="img" font-family="{_FONT}"'
        f' font-size="12">\n<title>{escape(printable(title))}</title>\n'
        f'<rect class="paper" x="{-MARGIN:g}" y="{-MARGIN:g}" width="100%" height="100%" fill="#ffffff"/>\n'
        f"{body}\n</svg>\n"
    )


def tell(turn: ShownTurn) -> Iterator[tuple[str, bool]]:
    """The lines of a turn, and whether each changes something or answers."""
    for entry in entries(turn, TextLook()):
        where = f"{entry.line}  " if entry.line else ""
        effects = "  ".join(text for text, _ in entry.effects)
        matters = any(style in (Style.CHANGE, Style.STRONG) for _, style in entry.effects)
        yield f"{where}{entry.code}" + (f"  {effects}" if effects else ""), matters


def _lanes(shown: Timeline, headings: list[str]) -> list[_Lane]:
    widths = [columns(heading) for heading in headings]
    for turn in shown.turns:
        widest = max(columns(text) for text, _ in tell(turn))
        widths[turn.request - 1] = max(widths[turn.request - 1], widest)
    states = [shown.initial, *(turn.after for turn in shown.turns)]
    widths[-1] = max(widths[-1], *(columns(shown.state_text(state)) for state in states))
    lanes: list[_Lane] = []
    left = 0.0
    for width in widths:
        lanes.append(_Lane(left, width * CHARACTER + 2 * PADDING))
        left += lanes[-1].width + GAP
    return lanes


def _places(shown: Timeline) -> tuple[list[float], list[_Frame], float]:
    """Where each turn begins, the frames of loops, and where the last turn has ended."""
    top = HEADING + 2 * GAP
    tops: list[float] = []
    frames: list[_Frame] = []
    inside: list[tuple[Loop, float]] = []
    for number, (turn, loops) in enumerate(shown.turns_in_loops()):
        for loop in loops:
            if loop.first == number:
                inside.append((loop, top - PADDING))
                top += LINE
        tops.append(top)
        top += len(list(tell(turn))) * LINE + PADDING + GAP
        while inside and inside[-1][0].end == number + 1:
            loop, began = inside.pop()
            frames.append(_Frame(loop, len(inside), began, top - GAP / 2))
            top += FRAME
    return tops, frames, top


def _head(lane: _Lane, heading: str, colour: str, bottom: float) -> str:
    x = f"{lane.middle:.1f}"
    life = f'<line x1="{x}" y1="{HEADING:.1f}" x2="{x}" y2="{bottom:.1f}" stroke="{LINE_COLOUR}"'
    box = f'<rect x="{lane.left:.1f}" y="0" width="{lane.width:.1f}" height="{HEADING - 6:.1f}" rx="5"'
    return (
        f'{life} stroke-dasharray="3 4"/>\n{box} fill="#ffffff" stroke="{colour}" stroke-width="1.5"/>\n'
        + _text(heading, lane.middle, 18.5, "middle", is_strong=True)
    )


def _turn(shown: Timeline, turn: ShownTurn, top: float, lanes: list[_Lane]) -> Iterator[str]:
    lane, shared = lanes[turn.request - 1], lanes[-1]
    lines = list(tell(turn))
    height = len(lines) * LINE + PADDING
    colour = hue(turn.request)
    if turn.before != turn.after:
        y = top + height - 5
        tip, base = f"{shared.left:.1f},{y:.1f}", f"{shared.left - 7:.1f}"
        yield f'<path d="M{lane.left + lane.width:.1f} {y:.1f}H{base}" fill="none" stroke="{colour}"/>'
        yield f'<polygon points="{tip} {base},{y - 4:.1f} {base},{y + 4:.1f}" fill="{colour}"/>'
        yield from _state(shown.state_text(turn.after), top + height - LINE + 2, shared)
    yield _box(lane, top, height, colour)
    for number, (text, matters) in enumerate(lines):
        y = top + PADDING / 2 + number * LINE + 12.5
        yield _text(text, lane.left + PADDING, y, "start", is_strong=matters)


def _frame(frame: _Frame, width: float) -> Iterator[str]:
    inset = FRAME * frame.depth - FRAME
    inner = width - 2 * MARGIN - 2 * inset
    height = frame.bottom - frame.top
    yield (
        f'<rect x="{inset:.1f}" y="{frame.top:.1f}" width="{inner:.1f}" height="{height:.1f}"'
        f' fill="none" stroke="{LINE_COLOUR}" stroke-dasharray="6 3"/>'
    )
    yield _text(repeated_text(frame.loop), inset + FRAME, frame.top + 12.5, "start", is_strong=True)


def _state(text: str, top: float, lane: _Lane) -> Iterator[str]:
    yield _box(lane, top, LINE + 4, LINE_COLOUR)
    yield _text(text, lane.middle, top + 14, "middle", is_strong=True)


def hue(request: int) -> str:
    return _HUES[(request - 1) % len(_HUES)]


def _box(lane: _Lane, top: float, height: float, colour: str) -> str:
    return (
        f'<rect x="{lane.left:.1f}" y="{top:.1f}" width="{lane.width:.1f}" height="{height:.1f}"'
        f' rx="4" fill="#fbfbfa" stroke="{colour}"/>'
    )


def _text(text: str, x: float, y: float, anchor: str, is_strong: bool = False) -> str:
    weight = ' font-weight="600"' if is_strong else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{weight} fill="#1f2328" xml:space="preserve">'
        f"{escape(printable(text))}</text>"
    )
