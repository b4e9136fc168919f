"""Candidates say what they intend, in either style, and leave everything else as it is."""

import pytest

from seriatim.frontends.ser.parser import parse
from seriatim.repair.locks import locked
from seriatim.repair.yields import dropped, moved, places

LAYOUT = """\
# a counter
request incr:
    x := X  # read
    yield   # the round trip
    X := x + 1
    return X
"""
BRACES = """\
request incr {
    x := X; // read
    yield;
    X := x + 1; yield; X
}
"""


def without(text: str, *numbers: int) -> str:
    program = parse(text)
    all_places = places(program, text)
    candidate = dropped(program, text, tuple(all_places[number] for number in numbers))
    assert candidate is not None
    assert parse(candidate.text) == candidate.program
    return candidate.text


def test_a_comment_survives_its_yield() -> None:
    assert without(LAYOUT, 0) == LAYOUT.replace("    yield   # the", "    # the")


def test_a_line_of_its_own_goes_and_other_statements_stay() -> None:
    assert without(BRACES, 0) == BRACES.replace("    yield;\n", "")
    assert without(BRACES, 1) == BRACES.replace(" yield; X", " X")
    assert without(BRACES, 0, 1) == BRACES.replace("    yield;\n", "").replace(" yield; X", " X")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("request a { while (X) { yield }; 1 }", "request a { while (X) { 0 }; 1 }"),
        ("request a { X := 1; yield }", "request a { X := 1; 0 }"),
        ("request a { X + yield }", "request a { X + 0 }"),
        (
            "request a:\n    if X:\n        yield\n    return 1\n",
            "request a:\n    if X:\n        0\n    return 1\n",
        ),
        ("request a { yield; 1 }", "request a { 1 }"),
        ("request a:\r\n    yield\r\n    return 1\r\n", "request a:\r\n    return 1\r\n"),
    ],
)
def test_where_the_value_of_a_yield_counts_it_is_0(text: str, expected: str) -> None:
    assert without(text, 0) == expected


def test_yields_move_by_whole_lines() -> None:
    program = parse(LAYOUT)
    texts = [candidate.text for _, candidate in moved(program, LAYOUT, places(program, LAYOUT))]
    yield_line = "    yield   # the round trip\n"
    rest = LAYOUT.replace(yield_line, "")
    assert rest.replace("    x := X", f"{yield_line}    x := X") in texts
    assert rest.replace("    return", f"{yield_line}    return") in texts


def test_a_lock_keeps_the_answer() -> None:
    (candidate,) = locked(parse(LAYOUT), LAYOUT)
    assert candidate.text == (
        "# a counter\n"
        "request incr:\n"
        "    while (LOCK == 1) { yield }\n"
        "    LOCK := 1\n"
        "    x := X  # read\n"
        "    yield   # the round trip\n"
        "    X := x + 1\n"
        "    answer := X\n"
        "    LOCK := 0\n"
        "    return answer\n"
    )


def test_names_of_locks_and_answers_are_new() -> None:
    text = "request a { LOCK := answer; yield; LOCK }"
    (candidate,) = locked(parse(text), text)
    assert candidate.text == (
        "request a { while (LOCK_2 == 1) { yield }; LOCK_2 := 1; LOCK := answer; yield; answer_2 := LOCK;"
        " LOCK_2 := 0; answer_2 }"
    )


@pytest.mark.parametrize(
    "text",
    [
        "request a { X := 1; while (Y == 0) { yield }; X }",
        "request a { X := 1; yield; if (Y) { return 1 }; X }",
    ],
)
def test_nobody_waits_or_leaves_with_the_lock(text: str) -> None:
    assert not list(locked(parse(text), text))
