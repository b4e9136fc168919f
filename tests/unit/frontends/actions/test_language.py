"""The language of asynchronous programs: what it accepts, what it refuses and where, and its fixed form."""

import re
from dataclasses import replace

import pytest

from seriatim.actions.printer import print_actions
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.frontends.actions.formatting import format_actions
from seriatim.report.explain import explain, explained_codes
from seriatim.source import InputError, SourceText
from testkit.generators.actions import random_actions
from testkit.inputs.action_programs import PROTOCOLS, parse_text, protocol_text

CODES = [code for code in explained_codes() if "SER550" <= code < "SER560"]
_EXAMPLE = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMES = sorted(path.stem for path in PROTOCOLS.glob("*.actions"))


@pytest.mark.parametrize("code", [code for code in CODES if code != "SER559"])
def test_the_first_example_of_a_code_is_refused_with_it_and_the_second_is_accepted(code: str) -> None:
    wrong, right = _EXAMPLE.findall(explain(code) or "")
    with pytest.raises(InputError) as caught:
        parse_text(wrong)
    assert {found.code for found in caught.value.diagnostics} == {code}
    assert all(found.span is not None for found in caught.value.diagnostics)
    assert parse_text(right).actions


def test_what_has_no_form_for_all_sizes_is_refused_with_its_line() -> None:
    (text,) = _EXAMPLE.findall(explain("SER559") or "")
    program = parse_text(text)
    assert program.proof is not None
    with pytest.raises(InputError) as caught:
        Conditions(program, replace(program.proof, gates=(), measure=())).all()
    (found,) = caught.value.diagnostics
    assert (found.code, found.span.line if found.span else 0) == ("SER559", 4)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_printed_parses_to_an_equal_program(name: str) -> None:
    program = parse_text(protocol_text(name))
    printed = print_actions(program)
    assert parse_text(printed) == program
    assert print_actions(parse_text(printed)) == printed


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_print_and_format_to_themselves(seed: int) -> None:
    text = random_actions(seed)
    program = parse_text(text)
    assert parse_text(print_actions(program)) == program
    formatted = format_actions(SourceText("random.actions", text))
    assert parse_text(formatted) == program
    assert format_actions(SourceText("random.actions", formatted)) == formatted


@pytest.mark.parametrize("name", NAMES)
def test_examples_are_formatted(name: str) -> None:
    text = protocol_text(name)
    assert format_actions(SourceText("example.actions", text)) == text


def test_formatting_keeps_comments_and_repairs_white_space() -> None:
    untidy = (
        "x:int:=0  // shared\n\n\n\naction main( ):\n  // start\n  x:=x+1\n"
        "  async  a( -1 )\naction a(k):\n  skip\n"
    )
    tidy = (
        "x: int := 0  // shared\n\naction main():\n    // start\n    x := x + 1\n    async a(-1)\n"
        "action a(k):\n    skip\n"
    )
    assert format_actions(SourceText("untidy.actions", untidy)) == tidy


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(InputError) as caught:
        parse_text("x: int\naction main():\n    x := y\n    await 1\n    async nobody()\n")
    assert [(d.code, d.span.line if d.span else 0) for d in caught.value.diagnostics] == [
        ("SER552", 3),
        ("SER553", 4),
        ("SER552", 5),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "action",
        "action main(",
        "action main():",
        "action main():\n    if",
        "sequential:\n",
        "x[1..: int",
        "param N >= N",
        "enum E: a, a",
        "action main():\n  skip\n skip\n",
        "action main():\n    x := max(",
        "action main():\n    x := sum(1 for",
        "action main():\n    x := copies(1",
        "action main():\n\tskip\n",
        "x: bag(bag)\naction main():\n    skip",
        "request a {}",
        "action main():\n    " + "(" * 500,
        "é := 1",
        "²: int",
    ],
)
def test_broken_texts_are_refused_with_a_place(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_text(text)
    assert all(found.span is not None for found in caught.value.diagnostics)
