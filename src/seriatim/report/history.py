"""The output of `ser history` while a log is being written: the first answer that nothing can explain."""

from seriatim.explain.logged_requests import argue
from seriatim.history.log import Entry
from seriatim.history.model import Model
from seriatim.history.stream import Alarm
from seriatim.report.text_look import MARGIN, Style, TextLook


def alarm_text(name: str, alarm: Alarm, model: Model, look: TextLook) -> str:
    title = look.paint(name, Style.STRONG)
    entry = Entry(alarm.line, alarm.request, alarm.answer)
    lines = [f"{title}: {look.paint('NOT EXPLAINED', Style.BAD)}: line {alarm.line}: {entry.text}"]
    if alarm.possible:
        for reason in argue(model, alarm.part, entry, alarm.possible, is_asserted=True):
            lines += [f"{MARGIN}{reason.title}", *(f"{MARGIN}{MARGIN}{line}" for line in reason.lines)]
    else:
        lines.append("  No order explains the answers so far, whatever comes later.")
    return "".join(f"{line}\n" for line in lines)
