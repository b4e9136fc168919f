"""Who begins after an answer, and what it may answer: what `timeless` evidence has to show."""

import pytest

from seriatim.certificate.in_flight import LEVELS
from seriatim.checking.allowance import Allowance
from seriatim.checking.cover import Precision, close_cover
from seriatim.checking.flights import Flights
from seriatim.checking.reference import ProgramReference
from seriatim.checking.timeless import fixed_completions, late_answer
from seriatim.frontends.ser.parser import parse
from seriatim.program.semantics import big_steps

ONCE = "request flip { await F == 0; F := 1; X := 1; 1 }"
"""One `flip` is answered, no other. After that, X is 1 unless another request changes it."""

SPOIL = "request spoil { await X == 1; X := 0; await X == 5; 0 }"
"""Changes X back, and is never answered."""


def late(text: str, level: int) -> tuple[str, str] | None:
    reference = ProgramReference(parse(text), big_steps)
    allowance = Allowance()
    flights = Flights(reference, allowance)
    cover = close_cover(flights, Precision(1 if level == 1 else 2, ()), is_serial=False, hopeful=None)
    return late_answer(cover, *fixed_completions(reference, allowance), allowance)


def test_the_order_of_some_completions_is_kept() -> None:
    """`get` answers 0 only before `flip` answers 1, and 1 only after it; `idle` comes anywhere."""
    reference = ProgramReference(parse(f"{ONCE} request get {{ X }} request idle {{ 3 }}"), big_steps)
    first, second = fixed_completions(reference, Allowance())
    assert first == {("get", "0"), ("flip", "1")}
    assert second == {("get", "1"), ("flip", "1")}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("get", ["X", "yield; X", "yield; yield; X"])
def test_a_request_that_begins_after_an_answer_answers_accordingly(get: str, level: int) -> None:
    """After an answer of `flip`, X is 1."""
    assert late(f"{ONCE} request get {{ {get} }}", level) is None


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("get", ["X", "yield; X", "yield; yield; X"])
def test_a_request_may_answer_too_late_because_of_what_others_do(get: str, level: int) -> None:
    """It begins after `flip`, `spoil` makes X 0 before or after that, and the request answers 0."""
    assert late(f"{ONCE} {SPOIL} request get {{ {get} }}", level) == ("get", "0")
