"""What the printer writes, the parser reads; and the parser answers whatever it is given."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import expressions, programs

from seriatim.language.lexer import KEYWORDS
from seriatim.language.parser import parse
from seriatim.language.printer import Style, print_expression, print_program
from seriatim.language.syntax import Expression, Handler, Program
from seriatim.source import InputError

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


pieces = st.sampled_from(
    [*sorted(KEYWORDS), *"(){};:,?!<>+*%-=&|/@\t", ":=", "==", "&&", "||", "\n", "\n  ", "\n    ", "\n\t", "x", "X", "3"]
)


@given(text=st.one_of(st.text(), st.lists(pieces, max_size=60).map(" ".join), st.lists(pieces).map("".join)))
@example("request a:\n if x: else: (\n}")
def test_any_text_is_a_program_or_has_diagnostics_inside_the_text(text: str) -> None:
    try:
        program = parse(text)
    except InputError as error:
        lines = text.split("\n")
        assert 1 <= len(error.diagnostics) <= 20
        for diagnostic in error.diagnostics:
            assert diagnostic.span is not None
            assert diagnostic.hint
            assert 1 <= diagnostic.span.line <= len(lines)
            assert 1 <= diagnostic.span.column <= len(lines[diagnostic.span.line - 1]) + 1
    else:
        assert program.handlers


@given(program=programs, data=st.data())
def test_a_damaged_program_still_gets_an_answer(program: Program, data: st.DataObject) -> None:
    """Cutting a piece out of a program leaves a program or gives diagnostics, never another exception."""
    text = print_program(program, data.draw(st.sampled_from(Style)))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 5)))
    damaged = text[:start] + data.draw(pieces) + text[end:]
    try:
        repaired = parse(damaged)
    except InputError as error:
        assert error.diagnostics
    else:
        assert parse(print_program(repaired, Style.LAYOUT)) == repaired
