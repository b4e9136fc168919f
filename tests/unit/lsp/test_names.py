"""Names of a program: what they mean, where they are declared, which of them are the same."""

import pytest

from seriatim.lsp.names import Names, Sort, Symbol, read_names

PROGRAM = """const N := 3
enum State { FREE, HELD }
X in 0..N
A[N] in 0..1 := 0

fun next(v):
    return (v + 1) % N

request incr(k in 0..2):
    x := X
    yield
    A[k] := 1
    X := next(x)
    lock(L)
    unlock(L)
    return x

request read:
    x := A[0]
    return x
"""


@pytest.fixture(scope="module")
def names() -> Names:
    return read_names(PROGRAM)


def lines(names: Names, symbol: Symbol) -> list[int]:
    return [each.span.line for each in names.of(symbol)]


def test_shared_names_belong_to_the_program(names: Names) -> None:
    assert lines(names, Symbol(Sort.SHARED, "X")) == [3, 10, 13]
    assert lines(names, Symbol(Sort.SHARED, "A")) == [4, 12, 19]
    assert lines(names, Symbol(Sort.CONSTANT, "N")) == [1, 3, 4, 7]
    assert lines(names, Symbol(Sort.VALUE, "HELD")) == [2]


def test_locals_belong_to_their_handler(names: Names) -> None:
    assert lines(names, Symbol(Sort.LOCAL, "x", "incr")) == [10, 13, 16]
    assert lines(names, Symbol(Sort.LOCAL, "x", "read")) == [19, 20]
    assert lines(names, Symbol(Sort.LOCAL, "k", "incr")) == [9, 12]


def test_functions_are_found_where_they_are_called(names: Names) -> None:
    assert lines(names, Symbol(Sort.FUNCTION, "next")) == [6, 13]
    definition = names.definition(Symbol(Sort.FUNCTION, "next"))
    assert definition is not None
    assert definition.span.line == 6


def test_writes_are_told_from_reads(names: Names) -> None:
    assert [each.span.line for each in names.of(Symbol(Sort.SHARED, "A")) if each.is_write] == [12]
    assert [each.span.line for each in names.of(Symbol(Sort.SHARED, "X")) if each.is_write] == [13]


def test_pauses_are_yields_and_what_waits(names: Names) -> None:
    assert [each.line for each in names.pauses] == [11, 14]


def test_a_cursor_behind_a_name_means_that_name(names: Names) -> None:
    found = names.at(10, 6)
    assert found is not None
    assert found.symbol == Symbol(Sort.LOCAL, "x", "incr")
    assert names.at(11, 7) is None


def test_what_is_declared_nowhere_is_found_where_it_stands_first(names: Names) -> None:
    definition = names.definition(Symbol(Sort.SHARED, "L"))
    assert definition is not None
    assert definition.span.line == 14


@pytest.mark.parametrize(
    "text", ["", "request", "request incr(", "fun\nfun f", "x := [", "A[[ := 1", "}}}} request {"]
)
def test_broken_programs_have_names_too(text: str) -> None:
    names = read_names(text)
    for each in names.occurrences:
        assert names.definition(each.symbol) is not None


def test_both_styles_are_read() -> None:
    names = read_names("request f { x := X; yield; X := x } request g { x := 1; X := x }")
    assert len(names.definitions) == 2
    assert len(names.of(Symbol(Sort.LOCAL, "x", "f"))) == 2
    assert len(names.of(Symbol(Sort.LOCAL, "x", "g"))) == 2
    assert len(names.of(Symbol(Sort.SHARED, "X"))) == 3
