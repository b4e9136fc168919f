"""Runs that `ser run` draws, for people."""

from typing import assert_never

from seriatim.explain.drawn import Answered, CutShort, DrawnRun, GotStuck
from seriatim.report.text_look import Style, TextLook
from seriatim.report.verdict_text import count_text, explained_by, paragraphs, sizes, timeline_text
from seriatim.source import SourceText


def drawn_text(drawn: "DrawnRun", source: SourceText, look: TextLook, seed_is_news: bool) -> str:
    kind = "a serial run" if drawn.serial else "a random run"
    headline = f"{look.paint(source.name, Style.STRONG)}: {kind} ({sizes(drawn.run, drawn.never_begun)})\n"
    story = "\n" + timeline_text(drawn.run.timeline, look) if drawn.run.steps else ""
    remarks = [_ending(drawn)]
    if seed_is_news:
        remarks.append(f"--seed={drawn.seed} to reproduce")
    rest = paragraphs(remarks, look)
    return headline + story + ("\n" + rest if rest else "")


def _ending(drawn: "DrawnRun") -> str:
    """Which one-at-a-time order explains the answers, or why they are not all there."""
    ending = drawn.ending
    match ending:
        case Answered(nearest=nearest):
            if nearest is None:
                return ""
            if nearest.changed or not nearest.orders:
                return "No one-at-a-time order gives these answers."
            return explained_by(nearest.orders[0])
        case GotStuck(waiting=waiting, never_begun=never_begun):
            parts = []
            if waiting:
                numbers = ", ".join(map(str, waiting))
                parts.append(f"{'request' if len(waiting) == 1 else 'requests'} {numbers}")
            if never_begun:
                names = ", ".join(never_begun)
                parts.append(f"{count_text(len(never_begun), 'request')} not begun yet ({names})")
            return f"STUCK: no request can move any more. These wait for ever: {' and '.join(parts)}."
        case CutShort():
            return f"TOO LONG: after {count_text(drawn.run.steps, 'step')} some requests are still in flight."
        case _:
            assert_never(ending)
