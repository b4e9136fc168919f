"""Answers that a specification allows, but nobody gives, are told once the input is explored."""

import pytest

from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.ser.parser import parse
from seriatim.frontends.ser.specification import read_specification
from seriatim.properties.linearizable import Linearizability
from seriatim.properties.property import Property
from seriatim.properties.static_linearizable import StaticLinearizability
from seriatim.result import Holds
from seriatim.source import SourceText

PROGRAM = "request flip {\n  yield;\n  N := 1 - N;\n  N\n}\n"
RIGHT = "spec {\n  init off;\n  off -> on: flip/1;\n  on -> off: flip/0;\n}\n"
SLIP = RIGHT.replace("flip/0", "flip/0, flip/7")


def specified(text: str, points: bool) -> Property:
    specification = read_specification(SourceText("flip.spec", text))
    return StaticLinearizability(specification) if points else Linearizability(specification)


@pytest.mark.parametrize("points", [False, True])
def test_an_answer_that_nobody_gives_is_told_with_its_line(points: bool) -> None:
    decision = decide(parse(PROGRAM), Options(question=specified(SLIP, points)))
    assert isinstance(decision.answer, Holds)
    assert [(each.code, each.message) for each in decision.warnings] == [
        ("SER224", "flip.spec, line 4: no `flip` is ever answered 7")
    ]


@pytest.mark.parametrize("points", [False, True])
def test_a_specification_without_a_slip_is_not_complained_about(points: bool) -> None:
    assert decide(parse(PROGRAM), Options(question=specified(RIGHT, points))).warnings == ()
