"""What the printer writes, the parser reads; and the parser answers whatever it is given."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from seriatim.frontends.ser.keywords import RESERVED as KEYWORDS
from seriatim.frontends.ser.parser import parse
from seriatim.program.expression_printer import Style
from seriatim.program.printer import print_expression, print_program
from seriatim.program.syntax import Expression, Handler, Program
from seriatim.source import MAX_DIAGNOSTICS, Diagnostic, InputError
from testkit.generators.strategies import expressions, programs

styles = pytest.mark.parametrize("style", Style)


@styles
@given(program=programs)
def test_a_printed_program_parses_to_itself(program: Program, style: Style) -> None:
    assert parse(print_program(program, style)) == program


@styles
@given(program=programs)
def test_printing_a_printed_program_changes_nothing(program: Program, style: Style) -> None:
    text = print_program(program, style)
    assert print_program(parse(text), style) == text


@given(program=programs)
def test_a_program_survives_a_change_of_style(program: Program) -> None:
    layout = print_program(program, Style.LAYOUT)
    assert parse(print_program(parse(layout), Style.BRACES)) == program


@given(expression=expressions)
def test_a_printed_expression_is_one_line_and_parses_to_itself(expression: Expression) -> None:
    text = print_expression(expression)
    assert "\n" not in text
    assert parse(f"request main {{ {text} }}") == Program((), (Handler("main", expression),))


line_breaks = ("\n", "\n  ", "\n    ", "\n\t")
pieces = st.sampled_from(
    (*sorted(KEYWORDS), *"(){};:,?!<>+*%-=&|/@\t", ":=", "==", "&&", "||", "x", "X", "3", *line_breaks)
)


def diagnostics_of(text: str) -> tuple[Diagnostic, ...]:
    """What is wrong with a text; nothing if it is a program that the printer and the parser agree on."""
    try:
        program = parse(text)
    except InputError as error:
        return error.diagnostics
    assert program.handlers
    assert parse(print_program(program, Style.LAYOUT)) == program
    return ()


@given(text=st.one_of(st.text(), st.lists(pieces, max_size=60).map(" ".join), st.lists(pieces).map("".join)))
@example("request a:\n if x: else: (\n}")
def test_any_text_is_a_program_or_has_a_few_diagnostics_inside_the_text(text: str) -> None:
    found = diagnostics_of(text)
    widths = [len(line) for line in text.split("\n")]
    assert len(found) <= MAX_DIAGNOSTICS
    for diagnostic in found:
        assert diagnostic.hint
        assert diagnostic.span is not None
        assert 1 <= diagnostic.span.line <= len(widths)
        assert 1 <= diagnostic.span.column <= widths[diagnostic.span.line - 1] + 1


@given(program=programs, style=st.sampled_from(Style), data=st.data())
def test_a_damaged_program_is_a_program_or_has_diagnostics(
    program: Program, style: Style, data: st.DataObject
) -> None:
    """Whatever replaces a piece of a program, no other exception comes out."""
    text = print_program(program, style)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 5)))
    damaged = text[:start] + data.draw(pieces) + text[end:]
    assert len(diagnostics_of(damaged)) <= MAX_DIAGNOSTICS
