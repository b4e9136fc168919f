"""Texts are measured and cut by what a terminal shows."""

import pytest

from seriatim.text_width import columns, fill, fit, printable, wrap


@pytest.mark.parametrize(
    ("text", "width"), [("", 0), ("abc", 3), ("表", 2), ("e\N{COMBINING ACUTE ACCENT}", 1)]
)
def test_columns_are_those_of_a_terminal(text: str, width: int) -> None:
    assert columns(text) == width


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("ab cd", 4, "ab…"), ("表表", 3, "表…"), ("abc", 1, "…")],
)
def test_texts_that_are_too_wide_end_in_an_ellipsis(text: str, width: int, expected: str) -> None:
    assert fit(text, width, "…") == expected


def test_text_is_filled_without_breaking_words() -> None:
    assert fill("one two  three incomprehensibilities", 11, "  ") == (
        "  one two\n  three\n  incomprehensibilities"
    )


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two", ["one", "two"]),
        ("a b cd", ["a b", "cd"]),
        ("a incomprehensible", ["a inc", "ompre", "hensi", "ble"]),
        ("表表表表", ["表表", "表表"]),
        ("abcd efghij", ["abcd", "efghi", "j"]),
    ],
)
def test_text_is_wrapped_by_columns_and_wide_words_are_broken(text: str, lines: list[str]) -> None:
    assert wrap(text, 5) == lines


def test_control_characters_are_replaced() -> None:
    assert printable("a\033[2Jb\nc") == "a\N{REPLACEMENT CHARACTER}[2Jb c"
