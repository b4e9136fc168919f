"""Which front end reads a source, and what it says about places in it."""

import pytest

from seriatim.frontends.all import read_input, translate
from seriatim.frontends.languages import NETWORK, SER, SOURCES, SUFFIXES, language_named
from seriatim.program.network_system import NetworkSystem
from seriatim.program.syntax import Program
from seriatim.source import InputError, SourceText

PROGRAM = "request a { x := 1; X := x }"
SYSTEM = '{"initial_global": "g", "requests": [], "responses": [], "transitions": []}'


def test_each_suffix_belongs_to_one_front_end() -> None:
    assert len(set(SUFFIXES)) == len(SUFFIXES)
    for frontend in SOURCES:
        assert all(language_named(f"a{suffix}") is frontend for suffix in frontend.suffixes)


def test_suffixes_choose() -> None:
    assert (language_named("a.json"), language_named("a.ser"), language_named("a.txt")) == (
        NETWORK,
        SER,
        None,
    )


@pytest.mark.parametrize("name", ["<stdin>", "a.txt"])
def test_without_a_suffix_the_first_character_chooses(name: str) -> None:
    assert isinstance(read_input(SourceText(name, f"\n {SYSTEM}")), NetworkSystem)
    assert isinstance(read_input(SourceText(name, PROGRAM)), Program)


@pytest.mark.parametrize(("name", "text"), [("a.ser", SYSTEM), ("a.json", PROGRAM)])
def test_a_suffix_outweighs_the_first_character(name: str, text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_input(SourceText(name, text))
    assert {found.span.file for found in caught.value.diagnostics if found.span is not None} == {name}


def test_all_spans_of_a_program_name_its_file() -> None:
    program = read_input(SourceText("a.ser", f"Y := 1 {PROGRAM}"))
    assert isinstance(program, Program)
    (handler,) = program.handlers
    spans = [handler.span, handler.body.span, *(found.span for found in program.warnings)]
    assert program.warnings
    assert {span.file for span in spans if span is not None} == {"a.ser"}


def test_names_of_files_do_not_matter_to_programs() -> None:
    assert read_input(SourceText("a.ser", PROGRAM)) == read_input(SourceText("b.ser", PROGRAM))


def test_the_first_front_ends_approximate_nothing() -> None:
    for text in (PROGRAM, SYSTEM):
        translation = translate(SourceText("<stdin>", text))
        assert translation.exact
        assert not translation.approximations
