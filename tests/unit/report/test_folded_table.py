"""Long runs are told folded, and nothing gets lost in folding."""

from random import Random

import pytest

from seriatim.report.folded_table import (
    FIRST_LINES,
    LAST_LINES,
    Once,
    Repeated,
    folded,
    folded_table,
    unfolded,
)
from seriatim.report.look import Look
from seriatim.report.timeline import Moment, ShownTurn, Timeline


def test_what_follows_itself_is_told_once() -> None:
    assert folded([7, 7, 7]) == (Repeated((Once(7),), 3),)
    assert folded([1, 2, 1, 2, 3]) == (Repeated((Once(1), Once(2)), 2), Once(3))


def test_stretches_contain_folded_ones() -> None:
    inner = Repeated((Once(0),), 3)
    assert folded([0, 0, 0, 1] * 5) == (Repeated((inner, Once(1)), 5),)


@pytest.mark.parametrize("seed", range(40))
def test_unfolding_gives_back_what_was_folded(seed: int) -> None:
    random = Random(seed)
    kinds: list[int] = []
    while len(kinds) < 300:
        stretch = [random.randrange(3) for _ in range(random.randint(1, 5))]
        kinds += stretch * random.randint(1, 6)
    assert list(unfolded(folded(kinds))) == kinds


def turn(request: int, place: str, response: str | None) -> ShownTurn:
    pause = None if response is not None else "waiting"
    return ShownTurn(request, "r", (Moment(None, (place,)),), "g", "g", response, pause, is_switch=False)


def test_requests_are_not_told_apart_but_new_ones_are() -> None:
    spawned = [turn(number, "fresh", None) for number in range(1, 1001)]
    answered = [turn(number, "waiting", "0") for number in range(1, 1001)]
    lines = folded_table(Timeline("g", (*spawned, *answered)), Look()).splitlines()
    assert lines == [
        "  repeat 1,000 times",
        "    new r  fresh    pauses at waiting",
        "  repeat 1,000 times",
        "    r      waiting  ➜ answers 0",
    ]


def test_what_is_still_too_long_has_no_middle() -> None:
    turns = tuple(turn(number + 1, f"l{number}", "0") for number in range(500))
    lines = folded_table(Timeline("g", turns), Look()).splitlines()
    assert len(lines) == FIRST_LINES + 1 + LAST_LINES
    assert lines[FIRST_LINES] == f"  … {500 - FIRST_LINES - LAST_LINES} lines are left out"
