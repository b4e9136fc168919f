"""The tree has everything that a P4 program says; what is no P4 is refused with its place."""

import pytest

from seriatim.frontends.p4.parser import parse
from seriatim.frontends.p4.syntax import Block, Constant, Control, Program, Table, all_of
from seriatim.frontends.p4.terms import Binary, BitType, Expression, Literal, Name, Operator, Ternary
from seriatim.source import InputError, SourceText

HEAD = "#include <core.p4>\n#include <v1model.p4>\n"


def read(text: str) -> Program:
    return parse(SourceText("a.p4", HEAD + text))


def refusal(text: str) -> tuple[str, int, str]:
    with pytest.raises(InputError) as caught:
        read(text)
    (found,) = caught.value.diagnostics
    assert found.span is not None
    return found.code, found.span.line - 2, found.message


def values(text: str) -> list[Expression]:
    """Of the constants that a program declares."""
    return [found.value for found in all_of(read(text), Constant)]


def shape(text: str) -> str:
    """An expression with brackets around every operation."""

    def written(expression: object) -> str:
        match expression:
            case Binary(operator=operator, left=left, right=right):
                return f"({written(left)}{operator}{written(right)})"
            case Ternary(condition=condition, then=then, otherwise=otherwise):
                return f"({written(condition)}?{written(then)}:{written(otherwise)})"
            case Name(name=name):
                return name
            case Literal(value=value):
                return str(value)
            case _:
                raise AssertionError(expression)

    return written(*values(f"const bit<8> X = {text};"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * c", "(a+(b*c))"),
        ("a & b == c", "((a&b)==c)"),
        ("a | b ^ c & d", "(a|(b^(c&d)))"),
        ("a << 1 + b", "(a<<(1+b))"),
        ("a >> 2 > b", "((a>>2)>b)"),
        ("a ++ b - c", "((a++b)-c)"),
        ("a |+| b |-| c", "((a|+|b)|-|c)"),
        ("a || b && c ? d : e ? f : g", "((a||(b&&c))?d:(e?f:g))"),
        ("a < b == (c > d)", "((a<b)==(c>d))"),
    ],
)
def test_operators_bind_as_in_p4(text: str, expected: str) -> None:
    assert shape(text) == expected


@pytest.mark.parametrize(
    ("text", "value", "width", "signed"),
    [
        ("10", 10, None, False),
        ("0xFF_FF", 65535, None, False),
        ("0b101", 5, None, False),
        ("0o17", 15, None, False),
        ("8w255", 255, 8, False),
        ("4s7", 7, 4, True),
        ("32w0xdead_beef", 0xDEADBEEF, 32, False),
    ],
)
def test_numbers_have_width_and_sign(text: str, value: int, width: int | None, signed: bool) -> None:
    assert values(f"const bit<32> X = {text};") == [Literal(value, width, signed)]


def test_a_register_of_bits_is_no_shift() -> None:
    program = read("register<bit<32>>(4) r;")
    assert next(all_of(program, BitType)) == BitType(Literal(32))


def test_macros_and_conditions() -> None:
    text = """
#define WIDTH 8
#define TWICE(x) (x + x)
#define SHIFTED (16 >> 2)
#ifdef WIDTH
const bit<WIDTH> A = TWICE(3);
#else
this is not read
#endif
#if defined(NOPE) || WIDTH > 8
neither is this
#elif WIDTH == 8
const bit<8> B = SHIFTED;
#endif
#ifndef WIDTH
nor this
#endif
"""
    assert values(text) == [
        Binary(Operator.ADD, Literal(3), Literal(3)),
        Binary(Operator.SHIFT_RIGHT, Literal(16), Literal(2)),
    ]
    assert [each.span.line for each in read(text).declarations] == [8, 15]


CONTROL = """
control c(inout headers hdr, inout meta_t meta) {
    register<bit<8>>(4) r;
    bit<8> x = 0;
    action a(bit<9> port) { meta.x = 1; }
    action b(inout bit<8> y) { y = y + 1; }
    table t {
        key = { hdr.ip.dst : lpm @name("d"); meta.x : exact; }
        actions = { a; b(x); @defaultonly NoAction; }
        const default_action = NoAction();
        size = 1024;
        const entries = {
            (0x0a000000 &&& 0xff000000, 1) : a(1);
            (_, 1 .. 3) : b(x);
        }
    }
    apply {
        @atomic { r.read(x, 0); r.write(0, x + 1); }
        switch (t.apply().action_run) { a: { exit; } b: NoAction: { return; } default: { } }
        if (t.apply().hit) { x[3:0] = 4w1; } else if (hdr.ip.isValid()) { hdr.stack[0].y = (bit<8>) x; }
        x += 2;
    }
}
"""


def test_a_control_keeps_all_its_parts() -> None:
    (control,) = read(CONTROL).declarations
    assert isinstance(control, Control)
    (table,) = all_of(control, Table)
    assert [key.match for key in table.keys] == ["lpm", "exact"]
    assert [each.name for each in table.actions] == ["a", "b", "NoAction"]
    assert table.entries is not None
    assert len(table.entries) == 2
    assert table.entries_are_constant
    assert table.default_is_constant
    assert [each.name for each in table.properties] == ["size"]
    first = control.apply.statements[0]
    assert isinstance(first, Block)
    assert first.is_atomic
    assert not control.apply.is_atomic


def test_comments_for_ser_are_kept_with_their_places() -> None:
    program = read(
        "// ser: hdr.x in 0..1\nconst bit<8> A = 1; // ser: r cells 2 width 2\n/* ser: y in {0} */"
    )
    assert [mark.text for mark in program.marks] == ["hdr.x in 0..1", "r cells 2 width 2", "y in {0}"]
    assert [mark.span.line for mark in program.marks] == [3, 4, 5]


@pytest.mark.parametrize(
    ("text", "code", "line", "message"),
    [
        ("const bit<8> A = 1", "SER961", 1, "expected `;`, but found the end of the file"),
        ("const bit<8> A = 1é;", "SER961", 1, "unexpected character `é`"),
        ("const bit<8> A = 8q1;", "SER961", 1, "`8q1` is not a number"),
        ("/* never ends", "SER961", 1, "this comment does not end"),
        ("#ifdef A\n", "SER961", 1, "this `#if` does not end"),
        ("#endif", "SER961", 1, "`#endif` without `#if`"),
        ("#nonsense", "SER961", 1, "unknown directive `#nonsense`"),
        ("#include <tna.p4>", "SER962", 1, "`#include` of `tna.p4`: there is no such file"),
        ('#include "headers.p4"', "SER962", 1, "`#include` of `headers.p4`: there is no such file"),
        ("extern E { }", "SER962", 1, "`extern` is not supported"),
        ("control c() {\n bit<8> x;\n}", "SER961", 3, "expected `apply`, but found `}`"),
        (
            "control c() { apply {\n @atomic x = 1; } }",
            "SER961",
            2,
            "expected a block or a declaration after",
        ),
        ("control c() { apply {\n for (bit<8> i in 0..3) {} } }", "SER962", 2, "`for` is not supported"),
        (
            "control c() { table t { key = { x : exact; } } apply { } }",
            "SER961",
            1,
            "table `t` has no actions",
        ),
        ("const bit<8> table = 1;", "SER961", 1, "expected the name of a constant, but found `table`"),
        (
            "const bit<8> A = " + "(" * 300 + "1" + ")" * 300 + ";",
            "SER961",
            1,
            "the program nests too deeply",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(text: str, code: str, line: int, message: str) -> None:
    found = refusal(text)
    assert found[:2] == (code, line)
    assert found[2].startswith(message)


def test_a_program_for_another_architecture_is_refused() -> None:
    with pytest.raises(InputError, match="does not include v1model"):
        parse(SourceText("a.p4", "#include <core.p4>\n"))
