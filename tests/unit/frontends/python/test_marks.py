"""Marks mean what the page of error codes says."""

import pytest
from seriatim.frontends.python.domains import NONE, Atom, Domain, atomic, integers, join, list_numbers

from seriatim.frontends.python.marks import read_mark, read_marks, read_scope
from seriatim.frontends.python.places import Refused

BOOLEANS = Domain(True, 0, 1, is_boolean=True)


def scoped(*atoms: Atom) -> Domain:
    return Domain(atoms=frozenset(atoms), is_scope=True)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0..3", integers(0, 3, is_scope=True)),
        ("-2..-1", integers(-2, -1, is_scope=True)),
        ("{1, 2}", list_numbers([1, 2])),
        ("{0, 60000}", list_numbers([0, 60000])),
        ("bool", BOOLEANS),
        ("'a' | 'b'", scoped(Atom("'a'"), Atom("'b'"))),
        ("{'a', 'b'}", scoped(Atom("'a'"), Atom("'b'"))),
        ("0..3 | None", join(integers(0, 3, is_scope=True), atomic(NONE))),
        ("new(2)", scoped(Atom("<object 1>"), Atom("<object 2>"))),
    ],
)
def test_scopes(text: str, values: Domain) -> None:
    assert read_scope(text, 1) == values


def test_a_scope_with_gaps_has_exactly_its_numbers() -> None:
    assert read_scope("{0, 60000}", 1).numbers() == (0, 60000)


@pytest.mark.parametrize("text", ["3..0", "maybe so", "opaque ->", "keys", "at most"])
def test_other_marks_are_refused(text: str) -> None:
    with pytest.raises(Refused) as caught:
        read_mark(text, 7)
    assert (caught.value.code, caught.value.node) == ("SER926", 7)


def test_an_opaque_call_says_what_it_answers_and_raises() -> None:
    mark = read_mark("opaque -> 0..1 raises OSError, TimeoutError", 1)
    assert mark.is_opaque
    assert mark.answers == integers(0, 1, is_scope=True)
    assert mark.raises == ("OSError", "TimeoutError")


def test_a_mark_on_a_line_of_its_own_is_about_the_next_statement() -> None:
    marks = read_marks("# ser: 0..3\n\n# more\nx = 0\ny = 1  # ser: bool\n", "")
    assert set(marks.lines) == {4, 5}


def test_a_comment_in_a_string_is_no_mark() -> None:
    assert read_marks("x = '# ser: 0..3'\n", "").lines == {}


def test_a_scope_file_marks_lines_and_names() -> None:
    marks = read_marks(
        "x = 0\n", "line 1: 0..3  # a comment\n\nself.seats: 0..2\ncall bank.charge: opaque -> bool\n"
    )
    assert marks.lines[1].values == integers(0, 3, is_scope=True)
    assert marks.names["self.seats"].values == integers(0, 2, is_scope=True)
    assert marks.names["call bank.charge"].is_opaque


def test_a_scope_file_with_something_else_is_refused() -> None:
    with pytest.raises(Refused, match="line 2 of the scope file"):
        read_marks("", "x: 0..3\nwhat is this\n")


def test_one_mark_names_the_values_of_several_parameters() -> None:
    mark = read_mark("a in 0..1, b in {'x', 'y'}, c in 1 | None", 1)
    assert {name: str(values) for name, values in mark.parameters.items()} == {
        "a": "0..1",
        "b": "'x' | 'y'",
        "c": "1..1 | None",
    }
