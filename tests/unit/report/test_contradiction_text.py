"""The argument in sentences, in each of its kinds, and the nearest outcomes."""

from seriatim.explain.argument import (
    Blocked,
    Case,
    Cases,
    CaseStep,
    DeadEnd,
    Impossible,
    Nearest,
    Occasion,
    Outline,
)
from seriatim.report.contradiction_text import argument_text, nearest_text
from seriatim.report.text_look import TextLook

WIDE = TextLook(width=200)


def lines(text: str) -> list[str]:
    assert text.endswith("\n")
    return text.splitlines()


def test_cases_say_who_comes_first_and_where_it_ends() -> None:
    end = Case((("X", 1),), (Blocked("get", ("0",), ("1", "2")), Blocked("put", ("7",), ())), ())
    root = Case((("X", 0), ("Y", 5)), (Blocked("get", ("0", "4"), ("3",)),), (CaseStep("incr", "1", end),))
    assert lines(argument_text(Cases(root), WIDE, "")) == [
        "No one-at-a-time order gives these answers. Suppose that one did:",
        "- `get` cannot come first: it would answer 3, not 0 or 4.",
        "- If `incr` comes first, it answers 1 and leaves X = 1; then `get` would answer 1 or 2, not 0,"
        " and `put` would wait for ever instead of answering 7.",
        "A contradiction: the handlers are not serializable.",
    ]


def test_longer_branches_are_indented() -> None:
    end = Case("busy", (Blocked("b", ("1",), ("0",)),), ())
    middle = Case("busy", (), (CaseStep("a", "1", end),))
    root = Case("idle", (), (CaseStep("a", "1", middle),))
    assert lines(argument_text(Cases(root), WIDE, "  "))[1:3] == [
        "  - If `a` comes first, it answers 1 and leaves busy. Then:",
        "    - If `a` comes next, it answers 1 and changes nothing; then `b` would answer 0, not 1.",
    ]


def test_impossible_answers_are_excluded_state_by_state() -> None:
    occasions = (Occasion((), (("X", 0),), ("0",)), Occasion((("incr", "0"),), (("X", 2),), ()))
    assert lines(argument_text(Impossible("get", "1", occasions), WIDE, "")) == [
        "No one-at-a-time order gives these answers: `get` answered 1, but alone, in every state that the"
        " others can leave, it answers otherwise:",
        "- X = 0, at the start: it answers 0",
        "- X = 2, after incr/0: it waits for ever",
        "A contradiction: the handlers are not serializable.",
    ]


def test_many_occasions_are_summed_up() -> None:
    occasions = tuple(Occasion((), (("X", number),), (str(number),)) for number in range(9))
    shown = lines(argument_text(Impossible("get", "99", occasions), WIDE, ""))
    assert shown[-2] == "- in the 3 other states: it answers 6, 7 or 8"


def test_an_outline_says_how_long_the_argument_is() -> None:
    ends = (DeadEnd((("a", "1"), ("b", "2")), (), (Blocked("c", ("1",), ("0",)),)),)
    assert lines(argument_text(Outline(1234, 56, ends), WIDE, "")) == [
        "No one-at-a-time order gives these answers: there are 1,234 ways to begin one, too many to show, and"
        " all lead to one of 56 dead ends. The shortest:",
        "- after a/1, then b/2, `c` would answer 0, not 1",
        "A contradiction: the handlers are not serializable.",
    ]


def test_without_an_argument_the_claim_remains() -> None:
    assert "none of them does" in argument_text(None, WIDE, "")


def test_nearest_outcomes_are_orders() -> None:
    nearest = Nearest(2, tuple((("a", "1"), ("b", str(number))) for number in range(5)))
    assert lines(nearest_text(nearest, WIDE, "")) == [
        "Nearest one-at-a-time outcomes (2 of 2 answers changed):",
        "- a/1, then b/0",
        "- a/1, then b/1",
        "- a/1, then b/2",
        "- 2 more",
    ]


def test_requests_that_need_each_other_have_no_serial_outcome() -> None:
    assert "never all answered" in nearest_text(Nearest(0, ()), WIDE, "")
    assert nearest_text(None, WIDE, "") == ""


def test_no_line_is_wider_than_the_terminal() -> None:
    occasions = (Occasion((("some_request", "0"),) * 9, (("SOME_VARIABLE", 0),) * 3, ("0",)),)
    text = argument_text(Impossible("get", "1", occasions), TextLook(width=40), "  ")
    assert all(len(line) <= 40 for line in text.splitlines())
