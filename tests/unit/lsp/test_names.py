"""Names of a program: what they mean, where they are declared, which of them are the same."""

import pytest

from seriatim.lsp.names import DocumentNames, NamedSymbol, Sort, read_names

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
def names() -> DocumentNames:
    return read_names(PROGRAM)


def lines(names: DocumentNames, symbol: NamedSymbol) -> list[int]:
    return [each.span.line for each in names.of(symbol)]


def test_shared_names_belong_to_the_program(names: DocumentNames) -> None:
    assert lines(names, NamedSymbol(Sort.SHARED, "X")) == [3, 10, 13]
    assert lines(names, NamedSymbol(Sort.SHARED, "A")) == [4, 12, 19]
    assert lines(names, NamedSymbol(Sort.CONSTANT, "N")) == [1, 3, 4, 7]
    assert lines(names, NamedSymbol(Sort.VALUE, "HELD")) == [2]


def test_locals_belong_to_their_handler(names: DocumentNames) -> None:
    assert lines(names, NamedSymbol(Sort.LOCAL, "x", "incr")) == [10, 13, 16]
    assert lines(names, NamedSymbol(Sort.LOCAL, "x", "read")) == [19, 20]
    assert lines(names, NamedSymbol(Sort.LOCAL, "k", "incr")) == [9, 12]


def test_functions_are_found_where_they_are_called(names: DocumentNames) -> None:
    assert lines(names, NamedSymbol(Sort.FUNCTION, "next")) == [6, 13]
    definition = names.definition(NamedSymbol(Sort.FUNCTION, "next"))
    assert definition is not None
    assert definition.span.line == 6


def test_writes_are_told_from_reads(names: DocumentNames) -> None:
    assert [each.span.line for each in names.of(NamedSymbol(Sort.SHARED, "A")) if each.is_write] == [12]
    assert [each.span.line for each in names.of(NamedSymbol(Sort.SHARED, "X")) if each.is_write] == [13]


def test_pauses_are_yields_and_what_waits(names: DocumentNames) -> None:
    assert [each.line for each in names.pauses] == [11, 14]


def test_a_cursor_behind_a_name_means_that_name(names: DocumentNames) -> None:
    found = names.at(10, 6)
    assert found is not None
    assert found.symbol == NamedSymbol(Sort.LOCAL, "x", "incr")
    assert names.at(11, 7) is None


def test_what_is_declared_nowhere_is_found_where_it_stands_first(names: DocumentNames) -> None:
    definition = names.definition(NamedSymbol(Sort.SHARED, "L"))
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
    assert len(names.of(NamedSymbol(Sort.LOCAL, "x", "f"))) == 2
    assert len(names.of(NamedSymbol(Sort.LOCAL, "x", "g"))) == 2
    assert len(names.of(NamedSymbol(Sort.SHARED, "X"))) == 3
