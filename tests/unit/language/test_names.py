"""Static mistakes of programs that follow the grammar."""

import pytest

from seriatim.language.names import check
from seriatim.language.syntax import (
    Assign,
    Binary,
    Expression,
    Handler,
    InitialValue,
    Number,
    Operator,
    Prefix,
    Program,
    Read,
    Unary,
)
from seriatim.source import Span

MAIN = Handler("main", Number(0))


def codes(program: Program) -> list[str]:
    return [found.code for found in check(program)]


def test_a_program_without_mistakes_has_none() -> None:
    assert check(Program((InitialValue("X", 1), InitialValue("Y", 1)), (MAIN, Handler("A", Number(0))))) == []


def test_a_program_needs_a_handler() -> None:
    assert codes(Program((), ())) == ["SER027"]


def test_handlers_have_different_names() -> None:
    """Each further handler of a name is one mistake, and the hint says where the first one stands."""
    first = Handler("main", Number(0), Span(3, 1, 3, 13))
    again = Handler("main", Number(1), Span(5, 1, 5, 13))
    (found,) = check(Program((), (first, again)))
    assert (found.code, found.span) == ("SER023", again.span)
    assert "line 3" in (found.hint or "")


def test_a_global_has_one_initial_value() -> None:
    values = (InitialValue("X", 1), InitialValue("X", 1), InitialValue("X", 2))
    assert codes(Program(values, (MAIN,))) == ["SER025", "SER025"]


@pytest.mark.parametrize("name", ["x", "_X", "名", "ß"])
def test_locals_have_no_initial_value(name: str) -> None:
    assert codes(Program((InitialValue(name, 1),), (MAIN,))) == ["SER026"]


@pytest.mark.parametrize(("name", "value"), [("true", "1"), ("false", "0")])
def test_truth_values_are_numbers(name: str, value: str) -> None:
    """Whether such a name is read or assigned to, and the place is that of the name alone."""
    place = Span(1, 20, 1, 20 + len(name))
    read = Read(name, place)
    assign = Assign(name, Number(1), Span(1, 20, 2, 9))
    for body in (Unary(Prefix.NOT, read), assign):
        (found,) = check(Program((), (Handler("main", body),)))
        assert (found.code, found.span) == ("SER009", place)
        assert found.hint == f"truth values are 1 and 0; write `{value}`"


@pytest.mark.parametrize("name", ["True", "FALSE", "truth"])
def test_other_names_are_free(name: str) -> None:
    assert check(Program((), (Handler("true", Read(name)),))) == []


@pytest.mark.parametrize(
    ("modulus", "expected"),
    [
        (Number(1), []),
        (Number(3), []),
        (Number(0), ["SER024"]),
        (Read("X"), ["SER024"]),
        (Unary(Prefix.MINUS, Number(3)), ["SER024"]),
        (Binary(Operator.ADD, Number(1), Number(2)), ["SER024"]),
    ],
)
def test_moduli_are_positive_constants(modulus: Expression, expected: list[str]) -> None:
    body = Unary(Prefix.NOT, Binary(Operator.MODULO, Read("X"), modulus))
    assert codes(Program((), (Handler("main", body),))) == expected
