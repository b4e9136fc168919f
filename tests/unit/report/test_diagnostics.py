"""How diagnostics look."""

import pytest

from seriatim.diagnostic_text import WINDOW, render
from seriatim.source import Diagnostic, Severity, SourceText, Span


def carets(line: str, span: Span) -> tuple[str, str]:
    """The source line and the carets of a diagnostic about the first line, without the gutter."""
    rendered = render(Diagnostic("SER000", "wrong", span), SourceText("f.ser", line))
    _, shown, underlined = rendered.splitlines()
    assert shown.startswith("  1 | ")
    assert underlined.startswith("    | ")
    return shown[6:], underlined[6:]


def test_place_message_source_and_hint() -> None:
    diagnostic = Diagnostic("SER002", "`=` is not an operator", Span(2, 3, 2, 4), "use `:=`")
    assert render(diagnostic, SourceText("f.ser", "request a {\nx = 1 }\n")) == (
        "f.ser:2:3: error[SER002]: `=` is not an operator\n  2 | x = 1 }\n    |   ^\n  hint: use `:=`\n"
    )


def test_the_gutter_is_as_wide_as_the_line_number() -> None:
    source = SourceText("f.ser", "\n" * 99 + "oops")
    assert render(Diagnostic("SER000", "wrong", Span(100, 1, 100, 5)), source) == (
        "f.ser:100:1: error[SER000]: wrong\n  100 | oops\n      | ^^^^\n"
    )


def test_a_finding_without_a_place_names_the_file() -> None:
    diagnostic = Diagnostic("SER000", "odd", severity=Severity.WARNING)
    assert render(diagnostic, SourceText("f.ser", "")) == "f.ser: warning[SER000]: odd\n"


def test_a_place_at_the_end_of_a_line_has_one_caret() -> None:
    assert carets("x := 1", Span(1, 7, 1, 7)) == ("x := 1", "      ^")


def test_a_span_of_several_lines_is_underlined_to_the_end_of_the_first() -> None:
    assert carets("ab cd\nef", Span(1, 4, 2, 2)) == ("ab cd", "   ^^")


def test_carets_stay_aligned_after_tabs_and_wide_characters() -> None:
    assert carets("\tx\t名 y", Span(1, 6, 1, 7)) == ("\tx\t名 y", "\t \t   ^")
    assert carets("名前", Span(1, 1, 1, 3)) == ("名前", "^^^^")


def test_nothing_that_a_terminal_would_obey_is_shown() -> None:
    shown, _ = carets("a\x1b[31m\0\u202eb", Span(1, 1, 1, 2))
    assert shown == "a\N{REPLACEMENT CHARACTER}[31m\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}b"


@pytest.mark.parametrize("column", [1, 2, 60, 5000, 9990, 10_000])
def test_a_long_line_is_cut_to_a_window_around_the_place(column: int) -> None:
    line = "-" * (column - 1) + "X" + "-" * (10_000 - column)
    shown, underlined = carets(line, Span(1, column, 1, column + 1))
    assert len(shown) <= WINDOW + 2
    assert underlined == " " * shown.index("X") + "^"
    assert shown.startswith("…") == (column > WINDOW // 2 + 1)


def test_a_long_span_is_underlined_within_the_window() -> None:
    _, underlined = carets("x" * 10_000, Span(1, 1, 1, 10_001))
    assert underlined == "^" * WINDOW


def test_color_adds_nothing_but_color() -> None:
    diagnostic = Diagnostic("SER002", "wrong", Span(1, 1, 1, 2), "fix it")
    source = SourceText("f.ser", "x")
    colored = render(diagnostic, source, color=True)
    assert "\x1b[1;31merror[SER002]\x1b[0m" in colored
    for code in ("\x1b[1;31m", "\x1b[1m", "\x1b[0m"):
        colored = colored.replace(code, "")
    assert colored == render(diagnostic, source)


def test_a_place_in_another_file_is_named_and_not_shown() -> None:
    diagnostic = Diagnostic("SER000", "odd", Span(1, 2, 1, 3, "g.ser"))
    assert render(diagnostic, SourceText("f.ser", "abc")) == "g.ser:1:2: error[SER000]: odd\n"
