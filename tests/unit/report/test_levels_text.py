"""Levels side by side: which one is enough, and how sure that is."""

from dataclasses import replace

import pytest

from seriatim.deciding.answer import THE_ANSWER_ALONE
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.all import read_input
from seriatim.frontends.protocol import LADDERS
from seriatim.report.levels_text import levels_text
from seriatim.report.text_look import TextLook
from seriatim.result import Result, Undecided
from seriatim.source import SourceText


def decided(text: str) -> Result:
    return decide(read_input(SourceText("-", text)), Options(wants=THE_ANSWER_ALONE))


RACE = decided("request add { x := X; yield; X := x + 1; X }")
PROVED = decided("request get { X }")
OPEN = replace(PROVED, answer=Undecided("too large", None, 0))


@pytest.mark.parametrize(
    ("below", "words"),
    [
        (RACE, "The weakest level that is enough: repeatable-read"),
        (OPEN, "The weakest level that is known to be enough: repeatable-read"),
    ],
)
def test_a_level_is_the_weakest_only_if_those_below_are_not_enough(below: Result, words: str) -> None:
    results = {"read-committed": below, "repeatable-read": PROVED, "serializable": PROVED}
    assert words in levels_text(results, LADDERS[0], TextLook())
