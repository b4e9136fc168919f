"""Static mistakes of programs that follow the grammar."""

import pytest

from seriatim.frontends.ser.parser import parse
from seriatim.source import Diagnostic, InputError, Span


def mistakes(text: str) -> tuple[Diagnostic, ...]:
    try:
        parse(text)
    except InputError as error:
        return error.diagnostics
    return ()


def codes(text: str) -> list[str]:
    return [found.code for found in mistakes(text)]


def test_a_program_without_mistakes_has_none() -> None:
    assert codes("X := 1, Y := 1 request main { 0 } request A { 0 }") == []


def test_a_program_needs_a_handler() -> None:
    assert codes("X := 1") == ["SER027"]
    assert codes("fun f() { 1 }") == ["SER027"]


def test_handlers_have_different_names() -> None:
    """Each further handler of a name is one mistake, and the hint says where the first one stands."""
    (found,) = mistakes("\n\nrequest main { 0 }\n\nrequest main { 1 }")
    assert (found.code, found.span) == ("SER023", Span(5, 1, 5, 13))
    assert "line 3" in (found.hint or "")
    assert codes("request f { 0 } fun f() { 0 }") == ["SER023"]


def test_a_global_has_one_initial_value() -> None:
    assert codes("X := 1, X := 1, X := 2 request main { 0 }") == ["SER025", "SER025"]


@pytest.mark.parametrize("name", ["x", "_X", "名", "ß"])
def test_locals_have_no_initial_value(name: str) -> None:
    assert codes(f"{name} := 1 request main {{ 0 }}") == ["SER026"]


@pytest.mark.parametrize(("name", "value"), [("true", "1"), ("false", "0")])
def test_truth_values_are_numbers(name: str, value: str) -> None:
    """Whether such a name is read or assigned to, and the place is that of the name alone."""
    for text in (f"request main {{ {name} + 1 }}", f"request main {{ {name} := 1 }}"):
        (found,) = mistakes(text)
        assert (found.code, found.span) == ("SER009", Span(1, 16, 1, 16 + len(name)))
        assert found.hint == f"truth values are 1 and 0; write `{value}`"


@pytest.mark.parametrize("name", ["True", "FALSE", "truth"])
def test_other_names_are_free(name: str) -> None:
    assert codes(f"request true {{ {name} := 1; {name} }}") == []


@pytest.mark.parametrize(
    ("modulus", "expected"),
    [
        ("1", []),
        ("3", []),
        ("(1 + 2)", []),
        ("N", []),
        ("(N - 1)", []),
        ("0", ["SER024"]),
        ("X", ["SER024"]),
        ("-3", ["SER024"]),
        ("(N - 3)", ["SER024"]),
    ],
)
def test_moduli_are_positive_constants(modulus: str, expected: list[str]) -> None:
    assert codes(f"const N := 3\nrequest main {{ !(X % {modulus}) }}") == expected


def test_constants_do_not_grow_without_bound() -> None:
    """A product of thousands of digits is refused as no constant; in a handler it stays a product."""
    squares = "".join(f"const N{n + 1} := N{n} * N{n}\n" for n in range(7))
    text = f"const N0 := {10**29}\n{squares}request main {{ 0 }}"
    assert set(codes(text)) == {"SER030"}
    fewer = "".join(f"const N{n + 1} := N{n} * N{n}\n" for n in range(5))
    assert codes(f"const N0 := {10**29}\n{fewer}request main {{ N5 * N5 }}") == []
