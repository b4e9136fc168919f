"""What the text alone shows to be finite is finite."""

import pytest

from seriatim.engines.shared.finiteness import is_visibly_finite
from seriatim.frontends.ser.parser import parse
from seriatim.program.symbolic.model import from_program

FINITE = {
    "constants": "request h { X := 1; yield; X := 0; X }",
    "remainder": "request h { x := X; yield; X := (x + 1) % 4; x }",
    "range": "X in 0..3 := 0\nrequest h { x := X; yield; X := x + 1; x }",
    "saturated": "X in 0..3 saturate := 0\nrequest h { X := X + 1; yield; X }",
    "copies": "request h { x := X; yield; Y := x; yield; X := Y; 0 }",
}
INFINITE = {
    "counter": "request h { x := X; yield; X := x + 1; x }",
    "copy of a counter": "request h { X := X + 1; yield; Y := X; 0 }",
    "only one bound": "request h { if (X < 3) { X := X - 1 }; yield; X }",
    "circle": "request h { X := Y + 1; yield; Y := X; 0 }",
}


@pytest.mark.parametrize("text", FINITE.values(), ids=FINITE)
def test_finite(text: str) -> None:
    assert is_visibly_finite(from_program(parse(text)))


@pytest.mark.parametrize("text", INFINITE.values(), ids=INFINITE)
def test_not_visibly_finite(text: str) -> None:
    assert not is_visibly_finite(from_program(parse(text)))
