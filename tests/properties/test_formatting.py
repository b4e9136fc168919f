"""Formatting keeps the program and all comments, and formatting again changes nothing."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seriatim.frontends.ser.formatting import format_text
from seriatim.frontends.ser.layout import CLOSING
from seriatim.frontends.ser.lexer import comments, tokenize
from seriatim.frontends.ser.parser import parse_surface
from seriatim.frontends.ser.surface_printer import print_surface
from seriatim.program.expression_printer import Style
from seriatim.program.printer import print_program
from seriatim.program.syntax import Program
from seriatim.source import Findings
from testkit.generators.strategies import programs
from testkit.generators.surface import SurfaceMaker
from testkit.samples import deep

seeds = st.integers(0, 2**32)


def scribbled(text: str, random: Random) -> str:
    """The program with comments and blank lines wherever they mean nothing: between lines and in brackets."""
    gaps: dict[tuple[int, int], bool] = {}
    depth = 0
    for token in tokenize(text, Findings()):
        depth += (token.text in CLOSING) - (token.text in CLOSING.values())
        gaps[token.span.end_line, token.span.end_column] = depth > 0
    found: list[str] = []
    count = 0

    def comment() -> str:
        nonlocal count
        count += 1
        return f"{random.choice(['//', '#'])}{count}"

    for number, line in enumerate(text.split("\n"), start=1):
        while random.random() < 0.2:
            found.append(random.choice(["\n", "\n", " " * random.randrange(9) + comment() + " \n"]))
        indentation = line[: len(line) - len(line.lstrip())]
        for column, character in enumerate(line, start=1):
            if gaps.get((number, column)) and random.random() < 0.05:
                # Indented as its line began: the parser measures the block that follows by the last line.
                found.append(random.choice([f" {comment()}\n", "\n", "\n\n"]) + indentation)
            found.append(character)
        found.append(f"{comment()}\n" if random.random() < 0.2 else "\n")
    return "".join(found)


def assert_formatted(text: str, style: Style | None) -> None:
    formatted = format_text(text, style)
    assert parse_surface(formatted) == parse_surface(text)
    assert [comment.text for comment in comments(formatted)] == [comment.text for comment in comments(text)]
    assert format_text(formatted, style) == formatted
    assert "\n\n\n" not in formatted
    assert not re.search(r"[{:]\n\n|\n\n *(}|else|elif)", formatted), "a blank line at an end of a block"
    assert not any(line != line.rstrip() for line in formatted.split("\n"))


@given(program=programs, written=st.sampled_from(Style), style=st.sampled_from([None, *Style]), seed=seeds)
def test_any_program_keeps_its_meaning_and_its_comments(
    program: Program, written: Style, style: Style | None, seed: int
) -> None:
    text = print_program(program, written)
    noisy = scribbled(text, Random(seed))
    assert parse_surface(noisy) == parse_surface(text)
    assert_formatted(noisy, style)


@deep
@pytest.mark.parametrize("style", [None, *Style])
def test_programs_with_all_of_the_surface_keep_their_meaning_and_their_comments(style: Style | None) -> None:
    for seed in range(40):
        text = SurfaceMaker(seed).program()
        written = text if seed % 3 == 0 else print_surface(parse_surface(text), list(Style)[seed % 2])
        noisy = scribbled(written, Random(seed))
        assert parse_surface(noisy) == parse_surface(text)
        assert_formatted(noisy, style)


@pytest.mark.parametrize("style", [None, *Style])
@pytest.mark.parametrize(
    "text",
    [
        "request a:\n b[2] := 0 // only declares\n",
        "request a { b[2] := 0; // only declares\n}",
        "request a { x := { } + { return }; return { } }",
        "request a {\n if (X) { { } } else { // nothing\n } }",
        "request a { { { x // in two blocks\n } }; if (X) { 1 } // before else\n else { 2 } }",
        "X:=1 // a\n// b\n\n, Y:=2\n;\nrequest a { ( // c\n x := 1 // d\n ) ; // e\n }// f",
        "enum { A, // first\n B }, X := 1, enum C { D, // second\n E }\nrequest a { X }",
        "request a:\n\tif X:\n\t\t1\n        // with spaces\n\n\telse: 2 # é\u2028\n   // end",
        "request a { await (-1); await := 1; await + 1 }\nrequest b { fun := 1; const := 1; fun }",
    ],
)
def test_corner_cases_keep_their_meaning_and_their_comments(text: str, style: Style | None) -> None:
    assert_formatted(text, style)


def test_the_line_ends_of_other_systems_stay() -> None:
    assert (
        format_text("request a:\r\n\tX\r\n\r\n\r\n\tY // y\r\n")
        == "request a:\r\n    X\r\n\r\n    Y  // y\r\n"
    )


def test_deep_programs_are_formatted() -> None:
    text = f"request a {{ {'if (X) { ' * 900}1{' }' * 900} }}"
    assert format_text(text, Style.LAYOUT).count("if X:") == 900
