"""Which programs texts stand for, and where mistakes are found."""

import pytest

from seriatim.frontends.ser.parser import parse
from seriatim.program.syntax import (
    MAX_DEPTH,
    Assign,
    Binary,
    Choice,
    Connective,
    Expression,
    If,
    InitialValue,
    Logical,
    Number,
    Operator,
    Prefix,
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
)
from seriatim.source import Diagnostic, InputError, Span
from testkit.samples import IS_DEEP, deep, sampled

a, b, c = Read("a"), Read("b"), Read("c")


def body(text: str) -> Expression:
    """The body of the handler that the text is, in braces."""
    return parse(f"request main {{ {text} }}").handlers[0].body


def layout(*lines: str) -> Expression:
    """The body of the handler whose indented lines these are."""
    return parse("request main:\n" + "".join(f"  {line}\n" for line in lines)).handlers[0].body


def mistakes(text: str) -> list[tuple[str, int, int]]:
    """The code, line and column of everything that is wrong with a text."""
    return [(found.code, found.span.line, found.span.column) for found in diagnostics(text) if found.span]


def diagnostics(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(InputError) as caught:
        parse(text)
    return caught.value.diagnostics


def codes(text: str) -> list[str]:
    return [found.code for found in diagnostics(text)]


# Expressions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * c", Binary(Operator.ADD, a, Binary(Operator.MULTIPLY, b, c))),
        ("a - b - c", Binary(Operator.SUBTRACT, Binary(Operator.SUBTRACT, a, b), c)),
        ("a - (b - c)", Binary(Operator.SUBTRACT, a, Binary(Operator.SUBTRACT, b, c))),
        ("a % 3 * b", Binary(Operator.MULTIPLY, Binary(Operator.MODULO, a, Number(3)), b)),
        ("-3", Unary(Prefix.MINUS, Number(3))),
        ("a - -b", Binary(Operator.SUBTRACT, a, Unary(Prefix.MINUS, b))),
        ("-a + b", Binary(Operator.ADD, Unary(Prefix.MINUS, a), b)),
        ("a + 1 <= b", Binary(Operator.LESS_EQUAL, Binary(Operator.ADD, a, Number(1)), b)),
        ("a || b && c", Logical(Connective.OR, a, Logical(Connective.AND, b, c))),
        ("a or b and c", Logical(Connective.OR, a, Logical(Connective.AND, b, c))),
        ("a && b && c", Logical(Connective.AND, Logical(Connective.AND, a, b), c)),
        ("!a == b", Binary(Operator.EQUAL, Unary(Prefix.NOT, a), b)),
        ("not a == b", Unary(Prefix.NOT, Binary(Operator.EQUAL, a, b))),
        ("not a and b", Logical(Connective.AND, Unary(Prefix.NOT, a), b)),
        ("a and not not b", Logical(Connective.AND, a, Unary(Prefix.NOT, Unary(Prefix.NOT, b)))),
        ("a := b := c", Assign("a", Assign("b", c))),
        ("a := b || c", Assign("a", Logical(Connective.OR, b, c))),
        ("a := return b", Assign("a", Return(b))),
        ("return a := b", Return(Assign("a", b))),
        ("return", Return(Number(0))),
        ("(return) + a", Binary(Operator.ADD, Return(Number(0)), a)),
        ("a := yield", Assign("a", Yield())),
        ("yield + ?", Binary(Operator.ADD, Yield(), Choice())),
        ("(a := 1; yield; a) + 2", Binary(Operator.ADD, body("a := 1; yield; a"), Number(2))),
        ("a + { b; c }", Binary(Operator.ADD, a, Sequence((b, c)))),
        ("if (a) { b } else { c } + 1", Binary(Operator.ADD, If(a, b, c), Number(1))),
        ("1 + while (a) { b }", Binary(Operator.ADD, Number(1), While(a, b))),
        ("if a { b }", If(a, b)),
        ("if (a) + 1 { b }", If(Binary(Operator.ADD, a, Number(1)), b)),
        ("if (a; yield) { b }", If(Sequence((a, Yield())), b)),
    ],
)
def test_operators_bind_as_documented(text: str, expected: Expression) -> None:
    assert body(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a; b", Sequence((a, b))),
        ("a; b;", Sequence((a, b))),
        ("a;", a),
        ("(a; b); c", Sequence((a, b, c))),
        ("a; { b; c }", Sequence((a, b, c))),
        ("a := (b; c)", Assign("a", Sequence((b, c)))),
        ("", Number(0)),
        ("if (a) {}", If(a, Number(0))),
        ("{}", Number(0)),
        ("if (a) { b } else if (b) { c } else { a }", If(a, b, If(b, c, a))),
        ("if (a) { b } elif (b) { c }", If(a, b, If(b, c))),
        ("if (a)\n{ b }\nelse\n{ c }", If(a, b, c)),
    ],
)
def test_braces(text: str, expected: Expression) -> None:
    assert body(text) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a", "b"], Sequence((a, b))),
        (["a; b;", "c"], Sequence((a, b, c))),
        (["a", "-b"], Sequence((a, Unary(Prefix.MINUS, b)))),
        (["a := (b", "+", "  c)"], Assign("a", Binary(Operator.ADD, b, c))),
        (["if a:", "  b", "c"], Sequence((If(a, b), c))),
        (["if a:", "  b", "else:", "  c"], If(a, b, c)),
        (["if a:", "  b", "elif b:", "  c", "else:", "  a"], If(a, b, If(b, c, a))),
        (["if a:", "  b", "else if b:", "  c"], If(a, b, If(b, c))),
        (["if a: b", "else: c; a"], If(a, b, Sequence((c, a)))),
        (["if a:", "  if b:", "    c", "else:", "  a"], If(a, If(b, c), a)),
        (["if a: if b { c }", "else: a"], If(a, If(b, c), a)),
        (["if a { b }", "else { c }"], If(a, b, c)),
        (["if (a)", "{ b } else:", "  c"], If(a, b, c)),
        (["if a:", "  b", "else { c }", "a"], Sequence((If(a, b, c), a))),
        (["while (a == 1) or (b == 2):", "  yield"], body("while ((a == 1) || (b == 2)) { yield }")),
        (["while not a:", "", "  // comment", "  yield", "# comment", "a"], body("while (!a) { yield }; a")),
        (["while a: yield; b", "c"], Sequence((While(a, Sequence((Yield(), b))), c))),
        (["a := if (b) { c } else { a }"], Assign("a", If(b, c, a))),
        (["a := {", "b;", "      c", "}"], Assign("a", Sequence((b, c)))),
        (["return", "a"], Sequence((Return(Number(0)), a))),
    ],
)
def test_layout(lines: list[str], expected: Expression) -> None:
    assert layout(*lines) == expected


def test_a_condition_in_brackets_may_go_over_lines_of_any_indentation() -> None:
    text = """\
request main:
    if (X == 0 and
            Y == 0):
        X := (1 +
  2)
    elif (
X
    ):
        Y := 1
    return Y
"""
    assert parse(text) == parse(
        "request main { if (X == 0 && Y == 0) { X := 1 + 2 } else if (X) { Y := 1 }; return Y }"
    )


def test_the_styles_can_be_mixed_from_handler_to_handler() -> None:
    program = parse("request a: X := 1; yield\nrequest b { X } request c:\n\tX\n")
    assert [handler.name for handler in program.handlers] == ["a", "b", "c"]


def test_tabs_may_indent_as_long_as_blocks_agree() -> None:
    assert parse("request m:\n\tif a:\n\t  b\n\tc").handlers[0].body == Sequence((If(a, b), c))


@pytest.mark.parametrize(
    "text", ["A := 100, B := -50", "A := 100; B := -50;", "A := 100\nB := - 50", "A := 100,\nB := -50\n;"]
)
def test_initial_values_are_separated_by_commas_semicolons_or_lines(text: str) -> None:
    values = parse(text + "\nrequest main { A }").initial_values
    assert values == (InitialValue("A", 100), InitialValue("B", -50))


def test_spans_reach_from_the_first_to_the_last_token_of_a_node() -> None:
    program = parse("request main {\n  x := (X + 1) * 2;\n  if (x) { yield }\n}")
    (handler,) = program.handlers
    assert handler.span == Span(1, 1, 1, 13)
    assert isinstance(handler.body, Sequence)
    assign, conditional = handler.body.items
    assert isinstance(assign, Assign)
    assert assign.span == Span(2, 3, 2, 19)
    assert assign.value.span == Span(2, 8, 2, 19)
    assert conditional.span == Span(3, 3, 3, 19)
    assert handler.body.span == Span(2, 3, 3, 19)


# Mistakes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x := 1 y := 2", [("SER006", 21)]),
        ("while (a) { yield } a", [("SER006", 34)]),
        ("a b c a b", [("SER006", 16)]),
        ("a b; c a", [("SER006", 16), ("SER006", 21)]),
        ("x = 1", [("SER002", 17)]),
        ("if (x = 1) { y = 2 }", [("SER002", 21), ("SER002", 30)]),
        ("a & b | c", [("SER002", 17), ("SER002", 21)]),
        ("a++; b--; ++a; c", [("SER002", 16), ("SER002", 21), ("SER002", 25)]),
        ("a =+ 1; (b--)", [("SER002", 17), ("SER002", 25)]),
        ("a := 'b'; c", [("SER001", 20)]),
        ("a == b == c", [("SER011", 22)]),
        ("a + b := c", [("SER010", 21)]),
        ("yield := 1", [("SER009", 15)]),
        ("a := else + 1", [("SER005", 20)]),
        ("a == not b", [("SER012", 20)]),
        ("1 + return b", [("SER012", 19)]),
        ("if a := b { c d }", [("SER012", 20), ("SER006", 28)]),
        ("while a && b := c { d }", [("SER012", 28)]),
        ("while true { a }", [("SER009", 21)]),
        ("if (a) b", [("SER013", 22)]),
        ("if (a) { b }; else { c }", [("SER014", 29)]),
        ("if (a): b", [("SER015", 21)]),
        ("while (a { yield }; b", [("SER007", 21)]),
        ("(a + b", [("SER007", 15)]),
        ("a) + b; c", [("SER008", 16)]),
        ("()", [("SER005", 16)]),
        ("a +; * b; c", [("SER005", 18), ("SER005", 20)]),
        ("a @ b; c d", [("SER001", 17), ("SER006", 23)]),
        ("if (a +) { b c }", [("SER005", 22), ("SER006", 27)]),
    ],
)
def test_each_mistake_is_reported_once_and_where_it_is(text: str, expected: list[tuple[str, int]]) -> None:
    found = mistakes(f"request main {{{text}}}")
    assert found == [(code, 1, column) for code, column in expected]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a", "   b", "   c", "a"], [("SER017", 3, 6)]),
        (["a", "  + b; c d"], [("SER017", 3, 5), ("SER006", 3, 11)]),
        (["if a:", "    b", "  c"], [("SER017", 4, 5)]),
        (["if a:", "b"], [("SER016", 2, 8)]),
        (["if a:", "// nothing", "else:", "  b"], [("SER016", 2, 8)]),
        (["if a", "  b", "else", "  c"], [("SER013", 2, 7), ("SER013", 4, 7)]),
        (["if a: b else: c"], [("SER014", 2, 11)]),
        (["if a: if b: c"], [("SER015", 2, 13)]),
        (["a; if b: c"], [("SER015", 2, 10)]),
        (["if a:", "  b", " else:", "  c"], [("SER014", 4, 4)]),
        (["a b"], [("SER006", 2, 4)]),
        (["if a = b:", "  c d"], [("SER002", 2, 8), ("SER006", 3, 6)]),
        (["a +", "b"], [("SER005", 2, 6)]),
        (["a--", "b++", "c"], [("SER002", 2, 4), ("SER002", 3, 4)]),
        (["if a := b:", "  c"], [("SER012", 2, 8)]),
        (["a request other: b"], [("SER006", 2, 4)]),
        (["if a: b request other { b }"], [("SER006", 2, 10)]),
    ],
)
def test_mistakes_of_layout(lines: list[str], expected: list[tuple[str, int, int]]) -> None:
    assert mistakes("request main:\n" + "".join(f"  {line}\n" for line in lines)) == expected


def test_tabs_and_spaces_that_do_not_match_are_named_as_such() -> None:
    (found,) = diagnostics("request main:\n    a\n\tb\n\tc\n")
    assert (found.code, found.span) == ("SER018", Span(3, 1, 3, 2))
    assert "tabs and spaces" in found.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["SER027"]),
        ("// only a comment", ["SER027"]),
        ("X := 1", ["SER027"]),
        ("main { X := 1 }", ["SER019"]),
        ("request main(x) { a b }", ["SER044", "SER006"]),
        ("request { a b }", ["SER020", "SER006"]),
        ("request if { a }", ["SER009"]),
        ("request", ["SER020"]),
        ("request main", ["SER013"]),
        ("request main:", ["SER016"]),
        ("request main:\nX := 1\nreturn X\nrequest other: a b", ["SER016", "SER006"]),
        ("request main { a\nrequest other { b c }", ["SER007", "SER006"]),
        ("request main: a request other: b", ["SER006"]),
        ("request main: { a } request other { b }", ["SER006"]),
        ("request main { a } }", ["SER008"]),
        ("request main { a }\nX := 1", ["SER022"]),
        ("request main { a b }\nX := 1\nrequest other { b c }", ["SER006", "SER022", "SER006"]),
        ("X := Y\nrequest main { a }", ["SER021"]),
        ("X := X + 1, Y := 2, Z :=\nrequest main { a }", ["SER021", "SER021"]),
        ("X := 1 Y := 2\nrequest main { a }", ["SER006"]),
        ("X = 1\nrequest main { a }", ["SER002"]),
        ("while := 1\nrequest main { a }", ["SER009"]),
        ("x := 1\nrequest main { a b }\nrequest main { 1 % 0 }", ["SER026", "SER006", "SER023", "SER024"]),
    ],
)
def test_mistakes_outside_statements(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_parameters_without_a_range_are_refused_with_a_hint() -> None:
    (found,) = diagnostics("request main(x) { x }")
    assert found.code == "SER044"
    assert "`x in 0..2`" in (found.hint or "")


@pytest.mark.parametrize(
    ("text", "colon_helps"),
    [
        ("request main { if a b }", False),
        ("request main:\n  a := if b c", False),
        ("request main:\n  a := if b\n    c", False),
        ("request main:\n  if b c", True),
        ("request main:\n  if b\n    c", True),
    ],
)
def test_a_colon_is_proposed_only_where_one_may_stand(text: str, colon_helps: bool) -> None:
    (found,) = diagnostics(text)
    assert found.code == "SER013"
    assert ("`:`" in found.message) == colon_helps
    assert ("`:`" in (found.hint or "")) == colon_helps


def test_two_signs_before_an_operand_are_no_mistake() -> None:
    minus_b = Unary(Prefix.MINUS, b)
    assert body("a--b") == Binary(Operator.SUBTRACT, a, minus_b)
    assert body("--b") == Unary(Prefix.MINUS, minus_b)
    assert layout("(a--", "b)") == Binary(Operator.SUBTRACT, a, minus_b)


def test_mistakes_come_in_the_order_of_the_text_and_at_most_twenty() -> None:
    found = diagnostics("request main { " + "a b; c @; " * 30 + "}")
    assert len(found) == 20
    places = [diagnostic.span for diagnostic in found if diagnostic.span]
    assert places == sorted(places)


# Depth


TOO_DEEP = [
    "(" * 5000 + "1" + ")" * 5000,
    "(" * 100_000,
    "{" * 5000,
    "+".join(["1"] * (MAX_DEPTH + 1)),
    "-" * 5000 + "1",
    "not " * 5000 + "1",
    "x := " * 5000 + "1",
    "return " * 5000,
    "if " * 5000,
    "if (1) {" * 5000,
    "if (1) {1} " + "elif (1) {1} " * 5000,
    "-(1 + " * 600 + "1" + ")" * 600,
]


@pytest.mark.parametrize("text", sampled(TOO_DEEP, 3))
def test_deeper_nesting_than_any_walk_can_bear_is_refused(text: str) -> None:
    assert codes(f"request main {{ {text} }}") == ["SER028"]


def test_deep_indentation_is_refused() -> None:
    lines = "".join(" " * depth + "if x:\n" for depth in range(1, 1200))
    assert codes("request main:\n" + lines) == ["SER028"]


LONG = 200_000 if IS_DEEP else 20_000


@pytest.mark.parametrize(
    "text",
    [
        "request main { 1 " + "\0" * 5 * LONG,
        "request main { " + "1" * 5 * LONG + " }",
        pytest.param("request main { " + "1+" * (5 * LONG // 2) + "1 }", marks=deep),
        "request main { * " + "(" * LONG + ")" * LONG + "}",
        "request main { 1" + " }" * LONG,
    ],
)
def test_long_texts_get_an_answer(text: str) -> None:
    """Time linear in the text: were it quadratic, this test would take minutes, and with DEEP=1 hours."""
    assert diagnostics(text)
