"""Blame: the minimal sets of yields without which a program is serializable, against all sets."""

from itertools import chain, combinations

import pytest

from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.ser.parser import parse
from seriatim.repair import blame as blame_module
from seriatim.repair.blame import blame
from seriatim.repair.yields import places, without
from seriatim.report.repair_text import blame_remarks
from seriatim.result import Holds, Violated

LOST_UPDATE = "request incr {\n  x := X;\n  yield;\n  X := (x + 1) % 3;\n  X\n}\n"
BLINK = """\
request blink {
  X := 1;
  yield;
  X := 0;
  0
}
request look {
  a := X;
  yield;
  b := X;
  a == b
}
"""
TWO_PAUSES = """\
request put {
  X := 1;
  yield;
  yield;
  X := 0;
  0
}
request get { X }
"""


@pytest.mark.parametrize("text", [LOST_UPDATE, BLINK, TWO_PAUSES])
def test_blamed_are_the_minimal_sets_of_yields_without_which_the_program_is_serializable(text: str) -> None:
    program = parse(text)
    assert isinstance(decide(program, Options()).answer, Violated)
    all_yields = places(program, text)
    subsets = chain.from_iterable(combinations(all_yields, size) for size in range(len(all_yields) + 1))
    enough = [
        set(chosen)
        for chosen in subsets
        if isinstance(
            decide(without(program, frozenset(place.span for place in chosen)), Options()).answer,
            Holds,
        )
    ]
    minimal = [chosen for chosen in enough if not any(other < chosen for other in enough)]
    lines = [tuple(sorted(place.span.line for place in chosen)) for chosen in minimal]
    assert [tuple(sorted(chosen)) for chosen in blame(program, text).sets] == lines


def remarks(text: str) -> list[str]:
    return list(blame_remarks(blame(parse(text), text)))


def test_the_remarks_name_lines_and_say_what_is_proved() -> None:
    proved = "the program is proved serializable for any number of requests."
    assert remarks(LOST_UPDATE) == ["To blame: the yield in line 3.", f"Without it, {proved}"]
    assert remarks(BLINK) == [
        "To blame: the yield in line 3; or the yield in line 9.",
        f"Without one of these sets, {proved}",
    ]
    assert remarks(TWO_PAUSES) == [
        "To blame: the yields in lines 3 and 4, together.",
        f"Without them, {proved}",
    ]


def test_a_budget_that_ends_the_search_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blame_module, "MAX_SETS", 1)
    assert remarks(TWO_PAUSES) == [
        "No set of up to 3 yields explains it alone.",
        "Budget: 1 set of yields, 5 seconds; so there may be others.",
    ]
