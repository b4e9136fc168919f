"""A timeline step by step: what one turn did, and how things stand after it."""

from seriatim.explain.names import visible
from seriatim.explain.timeline import ShownTurn, Timeline
from seriatim.report.run_table import column, entries
from seriatim.report.text_look import MARGIN, Style, TextLook
from seriatim.report.verdict_text import outcome_text
from seriatim.text_width import columns, fill


def step_text(shown: Timeline, step: int, look: TextLook) -> str:
    """The situation after `step` turns; 0 is the start."""
    turn = shown.turns[step - 1] if step else None
    title = f"step {step} of {len(shown.turns)}: {_what(shown, step, turn)}"
    lines = [look.paint(title, Style.STRONG)]
    if turn is not None:
        found = entries(turn, look)
        gutter = max(len(entry.line) for entry in found)
        layout = column(found, 0, gutter, look.width - len(MARGIN))
        lines += [(MARGIN + line).rstrip() for entry in found for line in layout.lines(entry, look)]
    lines.append("")
    state = shown.state_text(shown.initial if turn is None else turn.after)
    if state:
        lines.append(fill(f"shared: {state}", look.width, MARGIN))
    if not shown.is_folded:
        lines += [(MARGIN + line).rstrip() for line in _requests(shown, step)]
    if step == len(shown.turns) and shown.actor == "request":
        lines.append(fill(f"answers: {outcome_text(shown, look) or 'none'}", look.width, MARGIN))
    return "".join(line + "\n" for line in lines)


def _what(shown: Timeline, step: int, turn: ShownTurn | None) -> str:
    if turn is None:
        return "the start"
    if shown.is_folded:
        return _any_request(shown, step, turn)
    if shown.actor == "thread":
        return visible(turn.handler)
    text = f"request {turn.request}, {visible(turn.handler)}"
    if turn.follows_barrier:
        text = f"after a barrier: {text}"
    if turn.is_switch:
        return f"{text}, takes over from request {shown.turns[step - 2].request}"
    if all(earlier.request != turn.request for earlier in shown.turns[: step - 1]):
        return f"{text}, begins"
    return text


def _any_request(shown: Timeline, step: int, turn: ShownTurn) -> str:
    """The heading of a turn in a long run, which does not tell requests apart."""
    text = f"{'a new' if turn.is_first else 'a'} {visible(turn.handler)}"
    loops = (loop for loop in shown.loops if loop.first < step <= loop.end)
    repeated = (f"steps {loop.first + 1} to {loop.end} {loop.times:,} times" for loop in loops)
    return ", ".join((text, *repeated))


def _requests(shown: Timeline, step: int) -> list[str]:
    """The state of each request, a line each."""
    names = [f"{each}:" for each in shown.headings()]
    if shown.actor == "request":
        names = [f"request {number}, {visible(name)}:" for number, name in enumerate(shown.handlers(), 1)]
    width = max(map(columns, names), default=0)
    return [
        f"{name}{' ' * (width - columns(name))} {_standing(shown.turns[:step], number)}"
        for number, name in enumerate(names, 1)
    ]


def _standing(turns: tuple[ShownTurn, ...], request: int) -> str:
    """The state of a request after these turns."""
    own = [turn for turn in turns if turn.request == request]
    if not own:
        return "not begun yet"
    last = own[-1]
    if last.response is not None:
        return f"answered {visible(last.response)}"
    known = {
        change.name: change.new
        for turn in own
        for moment in turn.moments
        for change in moment.changes
        if not change.is_shared
    }
    if last.fails:
        return f"failed in line {last.moments[-1].line}" if last.moments else "failed"
    place = f" at {visible(last.pauses_at)}" if last.pauses_at is not None else ""
    if last.moments and last.moments[-1].line is not None:
        place = f" in line {last.moments[-1].line}"
    values = ", ".join(f"{name} = {value}" for name, value in known.items())
    return f"paused{place}{f', {values}' if values else ''}"
