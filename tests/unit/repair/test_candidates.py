"""Candidates say what they intend, in either style, and leave everything else as it is."""

import pytest

from seriatim.frontends.ser.parser import parse, parse_surface
from seriatim.repair.locks import add_locks
from seriatim.repair.retry import add_retries
from seriatim.repair.yields import drop_yields, move_yields, places

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
    candidate = drop_yields(program, text, tuple(all_places[number] for number in numbers))
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
    texts = [candidate.text for _, candidate in move_yields(program, LAYOUT, places(program, LAYOUT))]
    yield_line = "    yield   # the round trip\n"
    rest = LAYOUT.replace(yield_line, "")
    assert rest.replace("    x := X", f"{yield_line}    x := X") in texts
    assert rest.replace("    return", f"{yield_line}    return") in texts


def locks(text: str) -> list[str]:
    return [candidate.text for candidate in add_locks(parse_surface(text), text)]


def test_a_lock_goes_around_few_statements_first_and_keeps_the_answer() -> None:
    narrow = (
        "# a counter\n"
        "request incr:\n"
        "    lock(LOCK)\n"
        "    x := X  # read\n"
        "    yield   # the round trip\n"
        "    X := x + 1\n"
        "    unlock(LOCK)\n"
        "    return X\n"
    )
    whole = narrow.replace(
        "    unlock(LOCK)\n    return X\n", "    answer := X\n    unlock(LOCK)\n    return answer\n"
    )
    assert locks(LAYOUT) == [narrow, whole]


def test_whoever_returns_early_gives_the_lock_back() -> None:
    text = """\
SEATS := 2

request buy:
    if SEATS == 0:
        return 9        # sold out
    elif SEATS == 1: return SEATS
    yield
    SEATS := SEATS - 1
    1
"""
    expected = """\
SEATS := 2
LOCK := 0

request buy:
    lock(LOCK)
    if SEATS == 0:
        unlock(LOCK)
        return 9        # sold out
    elif SEATS == 1: answer := SEATS; unlock(LOCK); return answer
    yield
    SEATS := SEATS - 1
    unlock(LOCK)
    1
"""
    assert expected in locks(text)


def test_each_branch_that_ends_the_handler_gives_the_lock_back() -> None:
    text = "request a { x := X; yield; if (x == X) { X := 1 - x; X } else { 7 } }"
    expected = (
        "request a { lock(LOCK); x := X; yield; if (x == X) { X := 1 - x; answer := X; unlock(LOCK); answer }"
        " else { unlock(LOCK); 7 } }"
    )
    assert expected in locks(text)


def test_a_loop_at_the_end_gives_the_lock_back_after_it() -> None:
    text = "request a { x := X; yield; for i in 0..1 { X := 1 - X } }"
    assert locks(text)[-1] == (
        "request a { lock(LOCK); x := X; yield; for i in 0..1 { X := 1 - X }; unlock(LOCK) }"
    )


def test_arrays_have_a_lock_for_each_element_where_one_index_is_used() -> None:
    text = "A[2] := 0\n\nrequest inc(i in 0..1) {\n    x := A[i];\n    yield;\n    A[i] := 1 - x;\n    x\n}\n"
    first, *_ = locks(text)
    assert first == (
        "A[2] := 0\nLOCKS[2] := 0\n\nrequest inc(i in 0..1) {\n    lock(LOCKS[i]);\n    x := A[i];\n"
        "    yield;\n    A[i] := 1 - x;\n    unlock(LOCKS[i]);\n    x\n}\n"
    )
    two_indices = text.replace("A[i] := 1 - x", "A[0] := 1 - x")
    changing = text.replace("yield", "i := 1 - i; yield")
    other = text.replace("yield", "X := 1; yield")
    for odd in (two_indices, changing, other):
        assert not any("LOCKS" in found for found in locks(odd))


def test_a_lock_that_others_take_is_known() -> None:
    text = "request a { lock(L); X := 1; yield; X := 2; unlock(L); 0 } request b { x := X; yield; X := x; x }"
    changed = text.replace("request b { x", "request b { lock(L); x").replace(
        "X := x; x", "X := x; unlock(L); x"
    )
    assert changed.replace(" request b", "\nrequest b") in locks(text.replace(" request b", "\nrequest b"))


def test_names_of_locks_and_answers_are_new() -> None:
    text = "request a { LOCK := answer; yield; LOCK }"
    assert locks(text) == [
        "request a { lock(LOCK_2); LOCK := answer; yield; answer_2 := LOCK; unlock(LOCK_2); answer_2 }"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "request a { X := 1; while (Y == 0) { yield }; X }",
        "request a { X := 1; await Y == 0; X }",
        "fun f() { await Y == 0; X } request a { X := 1; yield; f() }",
        "request a { X := 1; yield; X + (return 3) }",
        "request a { X := 1; yield; if (X) { 1 } }",
        "request a { X := 1; yield; @lp X }",
    ],
)
def test_nobody_waits_or_leaves_with_the_lock(text: str) -> None:
    assert not locks(text.replace(" request", "\nrequest"))


def retries(text: str) -> list[str]:
    return [candidate.text for candidate in add_retries(parse_surface(text), text)]


def test_what_comes_before_a_write_is_repeated_while_somebody_was_faster() -> None:
    assert retries(LAYOUT) == [
        "# a counter\n"
        "request incr:\n"
        "    x := X  # read\n"
        "    yield   # the round trip\n"
        "    while X != x:\n"
        "        x := X  # read\n"
        "        yield\n"
        "    X := x + 1\n"
        "    return X\n"
    ]
    assert retries("request a(i in 0..1) { x := A[i]; yield; A[i] := 1 - x; x }") == []
    text = "A[2] := 0\nrequest a(i in 0..1) { x := A[i]; yield; A[i] := 1 - x; x }"
    assert retries(text) == [text.replace("yield; A", "yield; while (A[i] != x) { x := A[i]; yield }; A")]


@pytest.mark.parametrize(
    "text",
    [
        "request a { x := X; X := x + 1; x }",
        "request a { x := X; Y := 1; yield; X := x + 1; x }",
        "request a { x := X; n := n + 1; yield; X := x + 1; x }",
        "request a { x := X; yield; x := x + 1; X := x; x }",
        "request a { x := X; if (x) { y := 1 }; z := y; yield; X := z; x }",
        "request a { x := X; while (Y) { yield }; X := x + 1; x }",
        "A[2] := 0\nrequest a { x := A[i]; yield; i := 1; A[i] := x; x }",
    ],
)
def test_only_what_does_the_same_again_is_repeated(text: str) -> None:
    assert not retries(text)
