"""Formatting keeps the program and all comments, and formatting again changes nothing."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from random_surface import SurfaceMaker
from seriatim.language.expression_printer import Style
from seriatim.language.findings import Findings
from seriatim.language.formatting import format_text
from seriatim.language.layout import CLOSING
from seriatim.language.lexer import comments, tokenize
from seriatim.language.parser import parse_surface
from seriatim.language.printer import print_program
from seriatim.language.surface_printer import print_surface
from seriatim.language.syntax import Program
from strategies import programs

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
        for column, character in enumerate(line, start=1):
            if gaps.get((number, column)) and random.random() < 0.05:
                found.append(random.choice([f" {comment()}\n", "\n", "\n\n"]))
            found.append(character)
        found.append(f"{comment()}\n" if random.random() < 0.2 else "\n")
    return "".join(found)


def assert_formatted(text: str, style: Style | None) -> None:
    formatted = format_text(text, style)
    assert parse_surface(formatted) == parse_surface(text)
    assert [comment.text for comment in comments(formatted)] == [comment.text for comment in comments(text)]
    assert format_text(formatted, style) == formatted
    assert "\n\n\n" not in formatted
    assert not any(line != line.rstrip() for line in formatted.split("\n"))


@given(program=programs, written=st.sampled_from(Style), style=st.sampled_from([None, *Style]), seed=seeds)
@settings(max_examples=100)
def test_any_program_keeps_its_meaning_and_its_comments(
    program: Program, written: Style, style: Style | None, seed: int
) -> None:
    text = print_program(program, written)
    noisy = scribbled(text, Random(seed))
    assert parse_surface(noisy) == parse_surface(text)
    assert_formatted(noisy, style)


@pytest.mark.parametrize("style", [None, *Style])
def test_programs_with_all_of_the_surface_keep_their_meaning_and_their_comments(style: Style | None) -> None:
    for seed in range(40):
        text = SurfaceMaker(seed).program()
        written = text if seed % 3 == 0 else print_surface(parse_surface(text), list(Style)[seed % 2])
        noisy = scribbled(written, Random(seed))
        assert parse_surface(noisy) == parse_surface(text)
        assert_formatted(noisy, style)
