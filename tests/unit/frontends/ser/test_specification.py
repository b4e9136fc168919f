"""Specifications: what is read from a text, and what is said about a text that is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seriatim.frontends.ser.specification import read_specification
from seriatim.program.specification import SpecificationAutomaton, SpecifiedStep
from seriatim.program.syntax import Program
from seriatim.source import InputError, SourceText


def read(text: str) -> SpecificationAutomaton:
    meaning = read_specification(SourceText("test", text)).meaning
    assert isinstance(meaning, SpecificationAutomaton)
    return meaning


def complaints(text: str) -> list[tuple[str, int, int]]:
    """(code, line, column) of what is wrong."""
    with pytest.raises(InputError) as caught:
        read(text)
    found = ((each.code, each.span) for each in caught.value.diagnostics)
    return [(code, span.line, span.column) for code, span in found if span is not None]


def test_steps_name_states_requests_and_answers() -> None:
    assert read("// a stack\nspec { init e; e -> one: push/1; # back\n one -> e: pop/1, clear/-2 }") == (
        SpecificationAutomaton(
            "e",
            (
                SpecifiedStep("e", "one", "push", "1"),
                SpecifiedStep("one", "e", "pop", "1"),
                SpecifiedStep("one", "e", "clear", "-2"),
            ),
        )
    )


def test_names_that_are_no_words_stand_in_quotes() -> None:
    (step,) = read('spec { init "}"; "}" -> "": "get all"/";" }').steps
    assert step == SpecifiedStep("}", "", "get all", ";")


def test_a_state_may_be_called_init() -> None:
    assert read("spec { init init; init -> init: a/0; }").states() == ("init",)


def test_a_text_without_spec_is_a_program() -> None:
    meaning = read_specification(SourceText("test", "request spec { spec := 1 }")).meaning
    assert isinstance(meaning, Program)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("spec { }", [("SER222", 1, 1)]),
        ("spec { init a; init b; }", [("SER222", 1, 21)]),
        ("spec {\n init a;\n a -> a b/0;\n a - a: b/0; }", [("SER221", 3, 9), ("SER221", 4, 4)]),
        ("spec { init a; a -> a: b; a -> a: /0; }", [("SER221", 1, 25), ("SER221", 1, 35)]),
        ("spec { init a; a -> a: b/0", [("SER221", 1, 27)]),
        ("spec { init a; } and more", [("SER221", 1, 18)]),
        ("spec { init a; final a; }", [("SER226", 1, 16)]),
        ("spec { init a; a -> $: b/0; }", [("SER221", 1, 21)]),
    ],
)
def test_mistakes_are_told_with_their_places(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert complaints(text) == expected


def test_states_that_nothing_leads_to_are_warned_of_once() -> None:
    automaton = read("spec { init a; a -> b: x/0; c -> d: x/0; c -> a: y/0; d -> a: x/0; }")
    assert [(each.code, each.span and each.span.column) for each in automaton.warnings] == [
        ("SER229", 37),
        ("SER229", 63),
    ]


@given(st.text(alphabet='spec{}init;:,/-> "q01\n#', max_size=40))
def test_any_text_is_read_or_refused_with_a_reason(text: str) -> None:
    reasons: tuple[object, ...] = ()
    try:
        reasons = read("spec {" + text).states()
    except InputError as error:
        reasons = error.diagnostics
    assert reasons
