"""Names as people see them: different ones look different, and plain ones look like themselves."""

import re

from hypothesis import given
from hypothesis import strategies as st

from seriatim.explain.names import completion_text, visible

ESCAPE = re.compile(r"\\(\\|n|r|t|x..|u....|U........)")
odd = st.text(
    st.one_of(st.characters(codec="utf-8"), st.sampled_from(" \\/xu20b\u0301\u00e9e\u200b\u00a0\t\n")),
    max_size=8,
)


def read_back(shown: str) -> str:
    return ESCAPE.sub(lambda found: found.group().encode("ascii").decode("unicode_escape"), shown)


@given(odd)
def test_what_is_shown_can_be_read_back(name: str) -> None:
    """So that no two names are shown alike."""
    assert read_back(visible(name)) == name


@given(odd)
def test_what_is_shown_can_be_seen(name: str) -> None:
    shown = visible(name)
    assert shown.isprintable()
    assert shown == " ".join(shown.split(" ")).strip()
    assert "  " not in shown


@given(st.from_regex(r"[A-Za-zÀ-ÖØ-öА-я_][A-Za-z0-9_=]*( [a-z]+)?", fullmatch=True))
def test_plain_names_are_shown_as_they_are(name: str) -> None:
    assert visible(name) == name


@given(st.tuples(odd, odd), st.tuples(odd, odd))
def test_a_request_and_its_answer_are_told_apart(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert (completion_text(*one) == completion_text(*other)) == (one == other)


def test_what_would_be_confused_most_easily() -> None:
    alike = [
        "1",
        " 1",
        "1 ",
        "1\u200b",
        "1\u200c",
        "1\n",
        "\u00e9",
        "e\u0301",
        "a b",
        "a  b",
        "a\u00a0b",
        "\\x20",
    ]
    assert len({visible(name) for name in alike}) == len(alike)
    assert completion_text("a/b", "c") != completion_text("a", "b/c")
