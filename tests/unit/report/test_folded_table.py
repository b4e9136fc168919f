"""Long runs are told folded, in a text of bearable length."""

from seriatim.explain.timeline import Loop, Moment, ShownTurn, Timeline
from seriatim.report.folded_table import FIRST_LINES, LAST_LINES, folded_table
from seriatim.report.text_look import TextLook


def turn(place: str, response: str | None, is_first: bool = False) -> ShownTurn:
    pause = None if response is not None else "waiting"
    moments = (Moment(None, (place,)),)
    return ShownTurn(1, "r", moments, "g", "g", response, pause, is_switch=False, is_first=is_first)


def test_what_is_repeated_is_indented() -> None:
    turns = (turn("fresh", None, is_first=True), turn("waiting", None), turn("waiting", "0"))
    shown = Timeline("g", turns, (Loop(0, 1, 1_000), Loop(1, 3, 50), Loop(1, 2, 20)), is_folded=True)
    assert folded_table(shown, TextLook()).splitlines() == [
        "  repeat 1,000 times",
        "    new r  fresh    pauses at waiting",
        "  repeat 50 times",
        "    repeat 20 times",
        "      r      waiting  pauses at waiting",
        "    r      waiting  ➜ answers 0",
    ]


def test_what_is_still_too_long_has_no_middle() -> None:
    turns = tuple(turn(f"l{number}", "0") for number in range(500))
    lines = folded_table(Timeline("g", turns, is_folded=True), TextLook()).splitlines()
    assert len(lines) == FIRST_LINES + 1 + LAST_LINES
    assert lines[FIRST_LINES] == f"  … {500 - FIRST_LINES - LAST_LINES} lines are left out"
