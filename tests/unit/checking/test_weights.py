"""Weights of requests in flight: learned from the first step, verified for every other one."""

import pytest

from seriatim.certificate.in_flight import Invariant
from seriatim.checking.weights import Broken, Weight, Weights, values_of, with_unbroken

LOCK, COUNT = Invariant("L", 1), Invariant("X", -1)
INITIAL = {"L": 0, "X": 5}


def weights() -> Weights[str]:
    return Weights((LOCK, COUNT), INITIAL, ["fresh"])


def test_the_room_is_by_how_much_variables_have_changed() -> None:
    assert weights().room(INITIAL) == (0, 0)
    assert weights().room({"L": 3, "X": 1}) == (3, 4)
    assert values_of((("L", 3), ("X", 1))) == {"L": 3, "X": 1}
    assert values_of("idle") == {}


def test_a_flight_weighs_what_the_first_step_to_it_says() -> None:
    found = weights()
    found.step("fresh", "inside", (0, 1), (1, 3))
    assert found.of == {"fresh": (0, 0), "inside": (1, 2)}
    found.step("inside", "inside", (1, 3), (1, 3))
    found.step("inside", "deeper", (2, 3), (2, 4))
    assert found.of["deeper"] == (1, 3)
    found.step("inside", "fresh", (1, 3), (0, 1))
    found.step("inside", None, (1, 3), (0, 1))


BREAKING: dict[str, tuple[str, str | None, Weight, Weight, set[Invariant]]] = {
    "more than was learned": ("fresh", "inside", (0, 0), (2, 2), {LOCK}),
    "less than was learned": ("fresh", "inside", (0, 0), (1, 1), {COUNT}),
    "both": ("fresh", "inside", (0, 0), (0, 0), {LOCK, COUNT}),
    "less than nothing": ("fresh", "other", (1, 1), (0, 1), {LOCK}),
    "an answer that takes weight away": ("inside", None, (1, 2), (0, 1), {COUNT}),
    "a fresh request that weighs": ("fresh", "fresh", (0, 0), (0, 1), {COUNT}),
}


@pytest.mark.parametrize("case", BREAKING)
def test_a_step_that_breaks_the_equation_is_told(case: str) -> None:
    flight, target, before, after, broken = BREAKING[case]
    found = weights()
    found.step("fresh", "inside", (0, 1), (1, 3))
    with pytest.raises(Broken) as error:
        found.step(flight, target, before, after)
    assert error.value.invariants == broken


def test_what_is_broken_is_left_out_until_nothing_is() -> None:
    other = Invariant("Y", 1)
    tried: list[tuple[Invariant, ...]] = []

    def find(kept: tuple[Invariant, ...]) -> str:
        tried.append(kept)
        if COUNT in kept:
            raise Broken({COUNT})
        return "found"

    assert with_unbroken((COUNT, other, LOCK), {"L", "X"}, find) == "found"
    assert tried == [(LOCK, COUNT), (LOCK,)]
