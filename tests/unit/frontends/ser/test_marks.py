"""Marks are read and printed like statements, and change nothing about what a program does."""

import pytest

from seriatim.frontends.ser.parser import parse, parse_surface
from seriatim.frontends.ser.surface_printer import print_surface
from seriatim.program.expression_printer import Style
from seriatim.program.semantics import big_steps, initial_configuration
from seriatim.program.syntax import POINT, Assign, walk

PROGRAM = """
request push { if (N < 2) { @lp N := N + 1; 1 } else { @lp return 0 } }
request pop { n := (@lp N); 1 + (@lp n) }
request long { @lp if (N == 0) { N := 1 } else { N := 2 }; @lp while (n < 2) { n := n + 1 }; @lp 7 }
"""


@pytest.mark.parametrize("style", Style)
def test_what_is_printed_parses_to_an_equal_program(style: Style) -> None:
    surface = parse_surface(PROGRAM)
    assert parse_surface(print_surface(surface, style)) == surface


def test_a_mark_changes_nothing_but_a_variable_that_nobody_reads() -> None:
    marked, plain = parse(PROGRAM), parse(PROGRAM.replace("@lp ", ""))
    for with_mark, without in zip(marked.handlers, plain.handlers, strict=True):
        ends = {
            (end.expression, end.globals, tuple(pair for pair in end.locals if pair[0] != POINT))
            for end in big_steps(initial_configuration(with_mark, ()))
        }
        assert ends == {
            (end.expression, end.globals, end.locals) for end in big_steps(initial_configuration(without, ()))
        }


def test_every_mark_is_in_the_core() -> None:
    marks = [
        part
        for handler in parse(PROGRAM).handlers
        for part in walk(handler.body)
        if isinstance(part, Assign) and part.name == POINT
    ]
    assert len(marks) == PROGRAM.count("@lp")
