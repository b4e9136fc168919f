"""Marks say what is tried: arguments, what stand-ins answer, which coroutines are requests."""

from pathlib import Path

import pytest

from seriatim.frontends.all import allow_run, translate
from seriatim.frontends.protocol import Translation
from seriatim.frontends.python.marks import Named, read_mark, read_marks, read_scope
from seriatim.frontends.python.service_runs import ServiceRuns, run_file
from seriatim.source import InputError, SourceText

SHOP = """class Shop:
    def __init__(self, bank):
        self.bank = bank
        self.seats = 4

    async def buy(self, seat):
        if await self.bank.charge(seat):
            return "paid"
        return "free"
"""


def seen(folder: Path, text: str, scope: str = "") -> ServiceRuns:
    file = folder / "shop.py"
    file.write_text(text)
    (found,) = run_file(SourceText(str(file), text), proves=False, scope=scope, most_requests=1).services
    assert found.refusal is None
    return found


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0..3", (0, 1, 2, 3)),
        ("{1, 5}", (1, 5)),
        ("{'a', 'b'} | None", ("a", "b", None)),
        ("bool", (True, False)),
        ("1 | True", (1, True)),
        ("-1..0 | 0..1", (-1, 0, 1)),
        ("Color.RED", (Named("Color.RED"),)),
    ],
)
def test_scopes(text: str, values: tuple[object, ...]) -> None:
    found = read_scope(text, 1)
    assert [(type(each), each) for each in found] == [(type(each), each) for each in values]


@pytest.mark.parametrize("text", ["3..0", "maybe so", "opaque ->", "keys", "0..100000", "{a}"])
def test_other_marks_are_refused(text: str) -> None:
    with pytest.raises(InputError) as raised:
        read_mark(text, 3)
    [found] = raised.value.diagnostics
    assert (found.code, found.span and found.span.line) == ("SER926", 3)


def test_a_comment_in_a_string_is_no_mark() -> None:
    assert read_marks("x = '# ser: nonsense'\n").needless == ()


def test_values_of_parameters_are_those_that_a_mark_names(tmp_path: Path) -> None:
    text = SHOP.replace("seat):", "seat):  # ser: seat in {3, 'front'}")
    assert seen(tmp_path, text).requests == ("buy(3)", "buy('front')")
    assert seen(tmp_path, SHOP, "buy.seat: 7..8").requests == (
        "buy(7)",
        "buy(8)",
    )


def test_members_of_enumerations_are_looked_up_in_the_file(tmp_path: Path) -> None:
    text = "import enum\nclass Row(enum.Enum):\n    A = 1\n    B = 2\n" + SHOP
    found = seen(tmp_path, text.replace("seat):", "seat):  # ser: seat in Row.B"))
    assert found.requests == ("buy(Row.B)",)


@pytest.mark.parametrize(
    ("mark", "answers"),
    [
        ("opaque -> 0..0", {"'free'"}),
        ("opaque -> 1..1", {"'paid'"}),
        ("opaque -> bool", {"'paid'", "'free'"}),
        ("opaque", {"'paid'", "'free'"}),
        ("opaque -> True raises OSError", {"'paid'", "raise OSError('bank fails')"}),
    ],
)
def test_stand_ins_answer_what_a_mark_says(tmp_path: Path, mark: str, answers: set[str]) -> None:
    text = SHOP.replace("charge(seat):", f"charge(seat):  # ser: {mark}")
    assert set(dict(seen(tmp_path, text).answers)["buy"]) == answers
    assert set(dict(seen(tmp_path, SHOP, f"call self.bank.charge: {mark}").answers)["buy"]) == answers
    assert set(dict(seen(tmp_path, SHOP, f"# of the bank\nline 7: {mark}").answers)["buy"]) == answers


def test_an_item_of_a_stand_in_has_the_values_of_a_mark(tmp_path: Path) -> None:
    text = (
        "left = {'pen': 1}\n\n\nasync def buy(request):\n"
        "    name = request.match_info['name']  # ser: {'pen', 'cup'}\n"
        "    return name, left.get(name), request.match_info['name'] == name\n"
    )
    found = dict(seen(tmp_path, text).answers)["buy"]
    assert {each.partition(", ")[0] for each in found} == {"('pen'", "('cup'"}


def test_requests_are_the_coroutines_that_marks_name(tmp_path: Path) -> None:
    text = (
        SHOP.replace("seat):", "seat):  # ser: internal")
        + "    # ser: handler\n    async def _look(self):\n        return self.seats\n"
    )
    assert seen(tmp_path, text).requests == ("_look()",)
    two = SHOP.replace("Shop:", "Shop:  # ser: service") + SHOP.replace("Shop", "Other")
    assert seen(tmp_path, two).name == "Shop"


def told(folder: Path, text: str) -> Translation:
    file = folder / "shop.py"
    file.write_text(text)
    source = SourceText(str(file), text)
    return translate(source, allow_run(source))


def test_reports_say_what_marks_have_said(tmp_path: Path) -> None:
    text = SHOP.replace("charge(seat):", "charge(seat):  # ser: opaque -> bool")
    text = text.replace("self.seats = 4", "self.seats = 4  # ser: 0..4")
    found = {
        (each.span.line, each.sentence)
        for each in told(tmp_path, text).approximations
        if each.span is not None
    }
    assert found == {
        (7, "what is not there answers True or False"),
        (4, "this mark says nothing, because runs see the state and the code themselves"),
    }


def test_a_range_says_which_numbers_are_tried(tmp_path: Path) -> None:
    text = (
        "from typing import Annotated\nfrom seriatim.scopes import Range\n"
        "class S:\n    def __init__(self):\n        self.n: Annotated[int, Range(0, 2)] = 0\n"
        "    async def f(self, by: Annotated[int, Range(1, 2)]):\n"
        "        self.n = (self.n + by) % 3\n        return self.n\n"
    )
    assert seen(tmp_path, text).requests == ("f(1)", "f(2)")
