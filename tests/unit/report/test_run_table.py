"""Runs as tables: who did what, in which order, and what changed."""

import pytest

from seriatim.explain.timeline import Change, Moment, ShownTurn, Timeline
from seriatim.report.run_table import run_table, shares
from seriatim.report.text_look import ASCII, TextLook


def turn(
    request: int,
    *moments: Moment,
    response: str | None = None,
    handler: str = "incr",
    is_switch: bool = False,
    states: tuple[str, str] | None = None,
    pauses_at: str | None = None,
) -> ShownTurn:
    before, after = states or ((), ())
    return ShownTurn(request, handler, moments, before, after, response, pauses_at, is_switch)


READ = Moment(2, ("x := X",), (Change("x", 0, 0),))
WRITE = Moment(4, ("X := x + 1",), (Change("X", 0, 1),))
YIELD = Moment(3, ("yield",))
ANSWER = Moment(5, ("return X",))
RACE = Timeline(
    (("X", 0),),
    (
        turn(1, READ, YIELD),
        turn(2, READ, YIELD, is_switch=True),
        turn(2, WRITE, ANSWER, response="1"),
        turn(1, Moment(4, ("X := x + 1",), (Change("X", 1, 1),)), ANSWER, response="1"),
    ),
)


def test_each_request_has_a_column_and_switches_are_ruled_off() -> None:
    assert run_table(RACE, TextLook()) == (
        "  request 1: incr            │ request 2: incr\n"
        "  ───────────────────────────┼───────────────────────────\n"
        "  2  x := X      x = 0       │\n"
        "  3  yield       pauses      │\n"
        "  ── switch ─────────────────┼───────────────────────────\n"
        "                             │ 2  x := X      x = 0\n"
        "                             │ 3  yield       pauses\n"
        "                             │ 4  X := x + 1  X: 0 ➜ 1\n"
        "                             │ 5  return X    ➜ answers 1\n"
        "  4  X := x + 1  X: still 1  │\n"
        "  5  return X    ➜ answers 1 │\n"
    )


def test_what_one_column_does_not_need_another_may_have() -> None:
    assert shares([10, 50], 80) == [10, 50]
    assert shares([10, 90], 80) == [10, 70]
    assert shares([90, 10, 90], 91) == [40, 10, 41]


def test_ascii_table_is_as_straight() -> None:
    table = run_table(RACE, TextLook(symbols=ASCII))
    assert table.isascii()
    assert "X: 0 -> 1" in table
    bars = {line.find("|") for line in table.splitlines() if "|" in line}
    assert len(bars) == 1


def test_effects_move_below_code_that_leaves_no_room() -> None:
    long = Moment(7, ("CHECKING := CHECKING - 1",), (Change("CHECKING", 2, 1),))
    shown = Timeline((), (turn(1, long, response="1"), turn(2, long, response="2")))
    assert run_table(shown, TextLook(width=64)).splitlines()[2:4] == [
        "  7  CHECKING := CHECKING - 1   │",
        "                CHECKING: 2 ➜ 1 │",
    ]


@pytest.mark.parametrize("width", [20, 40, 60, 80, 132])
@pytest.mark.parametrize("requests", [1, 2, 3, 6])
def test_no_line_is_wider_than_the_terminal(width: int, requests: int) -> None:
    code = Moment(100, ("some := Very * LONG + expression - 1",), (Change("A", 0, 1), Change("b", 0, 1)))
    shown = Timeline((), tuple(turn(number, code, response="10") for number in range(1, requests + 1)))
    assert all(len(line) <= width for line in run_table(shown, TextLook(width)).splitlines())


def test_many_requests_share_a_column() -> None:
    shown = Timeline((), tuple(turn(number, YIELD, is_switch=number > 1) for number in range(1, 7)))
    table = run_table(shown, TextLook())
    assert "│" not in table
    assert table.count("switch to request") == 5


def test_colour_changes_nothing_but_colour() -> None:
    colored = run_table(RACE, TextLook(color=True))
    for code in ("\033[0m", "\033[1m", "\033[2m", "\033[33m"):
        colored = colored.replace(code, "")
    plain = run_table(RACE, TextLook())
    assert [line.rstrip() for line in colored.splitlines()] == plain.splitlines()


def test_long_turns_keep_their_ends_and_what_others_see() -> None:
    quiet = [Moment(line, (f"x := {line}",), (Change("x", 0, line),)) for line in range(1, 40)]
    shared = Moment(20, ("X := 1",), (Change("X", 0, 1),))
    shown = Timeline((), (turn(1, *quiet[:20], shared, *quiet[20:], response="0"),))
    lines = run_table(shown, TextLook()).splitlines()
    assert len(lines) < 20
    assert "X: 0 ➜ 1" in "\n".join(lines)
    assert "… 14 more lines" in "\n".join(lines)
    assert lines[-1].endswith("➜ answers 0")


def test_network_systems_show_states_instead_of_lines() -> None:
    shown = Timeline(
        "empty",
        (
            turn(1, Moment(None, ("idle",)), states=("empty", "busy"), pauses_at="waiting"),
            turn(1, Moment(None, ("waiting",)), states=("busy", "busy"), response="done"),
        ),
    )
    assert run_table(shown, TextLook()).splitlines()[2:] == [
        "  idle     empty ➜ busy  pauses at waiting",
        "  waiting  ➜ answers done",
    ]


def test_names_cannot_command_the_terminal() -> None:
    shown = Timeline("\033[31m", (turn(1, Moment(None, ("\033[2J",)), states=("a", "\a"), response="\033c"),))
    assert "\033" not in run_table(shown, TextLook())
    assert "\a" not in run_table(shown, TextLook())


def test_wide_characters_keep_the_bars_straight() -> None:
    shown = Timeline((), (turn(1, Moment(1, ("表 := 1",))), turn(2, YIELD)))
    table = run_table(shown, TextLook()).splitlines()
    assert table[2].index("│") == table[3].index("│") - 1
