"""Terms as text: what is not one is refused, with a reason."""

import pytest

from seriatim.arithmetic.term_text import MAX_DEPTH, read_term, write_term


@pytest.mark.parametrize(
    "text",
    [
        "true",
        "(= g.X (- 7))",
        "(<= |0.x| |a b|)",
        "(ite (= x 1) 2 3)",
        "(= (mod x 3) 1)",
        "(or (= x 1) (= y 2))",
    ],
)
def test_text_reads_back(text: str) -> None:
    assert write_term(read_term(text)) == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "ends too early"),
        ("(", "ends too early"),
        ("(= 1", "ends too early"),
        (")", "too many"),
        ("(= 1 2) 3", "more than one"),
        ("(f 1)", "not an operator"),
        ("(|and| true false)", "no operator"),
        ("(and 1 x)", "mixes"),
        ("(= true false)", "mixes"),
        ("(not true false)", "operands"),
        ("(+ 1)", "operands"),
        ("(= (mod x 0) 1)", "positive"),
        ("(= (mod x y) 1)", "positive"),
        ("(<= ~ 1)", "not a name"),
        ("(and " * (MAX_DEPTH + 2), "inside each other"),
        ("(= |a", "not a part"),
    ],
)
def test_what_is_no_term_is_refused(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read_term(text)
