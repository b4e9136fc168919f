"""What programs look like, in both styles and on one line."""

import pytest

from seriatim.frontends.ser.parser import parse
from seriatim.program.expression_printer import Style
from seriatim.program.printer import print_expression, print_program
from testkit.samples import deep, sampled

PROGRAM = """
A := 100, B := -50
request main {
  if (not (A == 1 && x)) { yield } else if (B < 2) { x := (y := 1; yield) } else { return 3 };
  while (!x || -A * (2 - 1) >= 0) { }; 1 - (2 - 3) - 4
}
request get: A
"""


def test_braces_style() -> None:
    assert (
        print_program(parse(PROGRAM), Style.BRACES)
        == """\
A := 100
B := -50

request main {
    if (!(A == 1 && x)) {
        yield
    } else if (B < 2) {
        x := (y := 1; yield)
    } else {
        return 3
    };
    while (!x || -A * (2 - 1) >= 0) {
        0
    };
    1 - (2 - 3) - 4
}

request get {
    A
}
"""
    )


def test_layout_style() -> None:
    assert (
        print_program(parse(PROGRAM), Style.LAYOUT)
        == """\
A := 100
B := -50

request main:
    if not (A == 1 and x):
        yield
    elif B < 2:
        x := (y := 1; yield)
    else:
        return 3
    while not x or -A * (2 - 1) >= 0:
        0
    1 - (2 - 3) - 4

request get:
    A
"""
    )


@pytest.mark.parametrize(
    "text",
    [
        "x := 1; yield; x",
        "if (X == 1) { yield; X := 0 } else if (?) { 1 } else { 2 }; x",
        "(if (a) { b }) + (while (c) { 1 })",
        "a == (b == c)",
        "(a == b) == c",
        "!!a && !(b && c)",
        "--a - -1",
        "x := return y := 1",
        "(x := 1) + (return 2)",
        "if (x := 1; yield) { 0 }",
        "x := (1; 2)",
        "(a || b) && c || a && b",
        "a % 3 * b",
        "a * (b % 3)",
    ],
)
def test_an_expression_has_no_more_parentheses_than_it_needs(text: str) -> None:
    """Each of these is written as the printer writes it."""
    (handler,) = parse(f"request main {{ {text} }}").handlers
    assert print_expression(handler.body) == text


DEEP_TEXTS = [
    "(" * 900 + "1" + ")" * 900,
    "+".join(["1"] * 900),
    "1 + (" * 900 + "1" + ")" * 900,
    "-(1 + " * 450 + "1" + ")" * 450,
    "(x := " * 900 + "1" + ")" * 900,
    "!" * 900 + "1",
    "if (1) { " * 900 + "}" * 900,
    "if (1 + if (1) {" * 300 + "1" + "}) { 2 }" * 300,
    "if (1) { 1 } " + "else if (1) { 1 } " * 900,
    "while (while (1) { " * 450 + "1" + " }) { 1 }" * 450,
    "1 || 1 && 1 == 1 + 1 * (" * 180 + "1" + ")" * 180,
]


@deep
@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("text", sampled(DEEP_TEXTS, 4))
def test_deep_programs_print_and_parse_again(text: str, style: Style) -> None:
    printed = print_program(parse(f"request main {{ {text} }}"), style)
    assert print_program(parse(printed), style) == printed
