"""Intervals contain all values that an expression can have, and are as small as they are said to be."""

from itertools import product

import pytest

from seriatim.frontends.ser.core_terms import TRUTH, UNBOUNDED, Bounds, interval
from seriatim.frontends.ser.parser import parse
from seriatim.program.execution import big_steps
from seriatim.program.semantics import Configuration, response, store

X, Y = range(4), range(-2, 6)
DECLARED: dict[str, Bounds] = {"X": (0, 3), "y": (-2, 5)}

TABLE: dict[str, Bounds] = {
    "7": (7, 7),
    "X": (0, 3),
    "y": (-2, 5),
    "z": UNBOUNDED,
    "?": TRUTH,
    "!y": TRUTH,
    "X && y": TRUTH,
    "X || y": TRUTH,
    "-y": (-5, 2),
    "X + y": (-2, 8),
    "X - y": (-5, 5),
    "z + X": UNBOUNDED,
    "y % 4": (0, 3),
    "X * y": UNBOUNDED,
    "X < y": TRUTH,
    "X <= y": TRUTH,
    "X == y": TRUTH,
    "X != y": TRUTH,
    "z := y": (-2, 5),
    "z; X": (0, 3),
    "if (?) { y } else { X + 4 }": (-2, 7),
    "if (?) { X } else { y }": (-2, 5),
    "if (?) { X + 1 }": (0, 4),
    "if (?) { -X - 1 }": (-4, 0),
    "while (X < 0) { 0 }": UNBOUNDED,
}


@pytest.mark.parametrize(("code", "bounds"), TABLE.items(), ids=TABLE)
def test_values_are_within_their_interval(code: str, bounds: Bounds) -> None:
    (handler,) = parse(f"request a {{ {code} }}").handlers
    assert interval(handler.body, DECLARED) == bounds
    found: set[int] = set()
    for x, y in product(X, Y):
        for end in big_steps(Configuration(handler.body, store({"y": y}), store({"X": x}))):
            value = response(end.expression)
            assert value is not None
            found.add(value)
    low, high = bounds
    assert low <= min(found)
    assert max(found) <= high
    if bounds != UNBOUNDED:
        assert (min(found), max(found)) == bounds
