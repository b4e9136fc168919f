"""Words that only look like statements are refused; programs that mean something are not."""

import pytest

from seriatim.frontends.ser.parser import parse
from seriatim.frontends.ser.words import meant_word
from seriatim.source import InputError

REFUSED = [
    ("request a { x := X; yeild; X := x }", "did you mean `yield`?"),
    ("request a { x := X; YIELD; X := x }", "did you mean `yield`?"),
    ("request a { if (X == 0) { yeild }; X := 1 }", "did you mean `yield`?"),
    ("request a { retrun X }", "did you mean `return`?"),
    ("request a { whlie (X == 0) { yield } }", "did you mean `while`?"),
    ("request a { awiat X == 1 }", "did you mean `await`?"),
    ("request a { while (X == 0) { break } }", "put the condition into the loop"),
    ("request a { return True }", "write 1"),
    ("request a { X := none }", "write 0"),
    ("request a { lock(l); X := X + 1; unlock(l) }", "write `lock(L)` and `unlock(L)`"),
    ("reqest a { X }", "did you mean `request`?"),
]

MEANT = [
    "request a { yeild := 1; X := X + 1; yeild }",
    "request a(pass in 0..1) { pass; X }",
    "request a { x := X; x; X := 1 }",
    "const True := 1 request a { return True }",
    "True := 1 request a { return True }",
    "request a { l := X; lock(l); X := 1; unlock(l) }",
    "request a { lock(L); X := X + 1; unlock(L) }",
    "enum E { none, some } request a { return none }",
]


@pytest.mark.parametrize(("text", "hint"), REFUSED)
def test_a_word_that_means_nothing_is_an_error_with_a_way_out(text: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert any(hint in (each.hint or "") for each in caught.value.diagnostics)


@pytest.mark.parametrize("text", MEANT)
def test_a_name_that_has_a_value_is_a_name(text: str) -> None:
    parse(text)


def test_only_slips_are_taken_for_a_word() -> None:
    assert meant_word("yeild") == meant_word("Yield") == meant_word("yields") == "yield"
    assert meant_word("yield") is None
    assert meant_word("field") is None or meant_word("field") == "yield"
    assert meant_word("total") is None
