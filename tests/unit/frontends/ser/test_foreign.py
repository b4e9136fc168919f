"""A text in another language gets one sentence; a program with mistakes gets all of them."""

import pytest

from seriatim.frontends.ser.foreign import foreign
from seriatim.frontends.ser.parser import parse
from seriatim.source import InputError

PYTHON = 'import asyncio\n\nasync def incr():\n    y = state["x"]\n    await asyncio.sleep(0)\n'
SQL = "BEGIN;\nSELECT balance FROM accounts WHERE id = 1;\nupdate accounts set balance = 0;\nCOMMIT;\n"
P4 = "#include <core.p4>\ncontrol ingress(inout headers h) { apply { seen.read(x, 0); } }\n"
C = "#include <pthread.h>\n\nstatic int x;\nvoid *run(void *unused) { x++; return 0; }\n"


@pytest.mark.parametrize(
    ("text", "language", "line"),
    [(PYTHON, "Python", 1), (SQL, "SQL", 1), (P4, "P4", 1), (C, "C", 1), ("\n\n  def f(x):\n", "Python", 3)],
)
def test_says_which_language_it_is_and_where(text: str, language: str, line: int) -> None:
    with pytest.raises(InputError) as refused:
        parse(text)
    [told] = refused.value.diagnostics
    assert (told.code, told.message) == ("SER059", f"this looks like {language}")
    assert told.span is not None
    assert told.span.line == line
    assert told.hint


def test_the_place_is_that_of_the_words_that_tell() -> None:
    told = foreign("x = 1\n  import os\n")
    assert told is not None
    assert told.span is not None
    assert (told.span.line, told.span.column, told.span.end_column) == (2, 3, 11)


@pytest.mark.parametrize(
    "text",
    [
        "import x\nrequest main { 1 = }",
        "int x;\nrequest main(v in 0..1): X = v",
        "x = 1",
        "hello world",
        "",
    ],
)
def test_a_program_with_mistakes_is_none_in_another_language(text: str) -> None:
    with pytest.raises(InputError) as refused:
        parse(text)
    assert all(told.code != "SER059" for told in refused.value.diagnostics)
