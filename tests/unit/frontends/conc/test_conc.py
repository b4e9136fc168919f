"""The thread language: what it reads, what it refuses with which message, and how it lays texts out."""

import pytest

from seriatim.frontends.conc.formatting import layout
from seriatim.frontends.conc.frontend import read_threads
from seriatim.program.threads.printer import print_expression, print_threads
from seriatim.program.threads.syntax import FINISHED, Assert, Assume
from seriatim.source import InputError, SourceText


def read(text: str) -> str:
    return print_threads(read_threads(SourceText("t.conc", text)))


def test_statements_become_steps() -> None:
    listing = read(
        "global x: 0..3 = 1;"
        "thread main() { local i: int; while (i < 2) { fork i w(i); i := i + 1; } join 1 assign x; }"
        " thread w(n: int) returns (r: int) { atomic { if (*) { r := n; } else { return; } havoc r; } }"
    )
    assert listing == (
        "global x: 0..3 = 1;\n"
        "main main;\n"
        "thread main() returns () from 0 {\n"
        "  local i: int;\n"
        "  0 -> 2: assume i < 2;\n"
        "  0 -> 1: assume !(i < 2);\n"
        "  1 -> done: join 1 assign x;\n"
        "  2 -> 3: fork i w(i);\n"
        "  3 -> 0: i := i + 1;\n"
        "}\n"
        "thread w(n: int) returns (r: int) from 0 {\n"
        "  0 -> done: ;\n"
        "  0 -> done: r := n; havoc r;\n"
        "}\n"
    )


def test_return_and_empty_blocks_are_no_steps() -> None:
    program = read_threads(SourceText("t.conc", "thread main() { atomic { } return; assert false; }"))
    assert program.main_template.entry == FINISHED
    assert program.main_template.edges == ()


@pytest.mark.parametrize(
    "text",
    [
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 - (4 - 5) > -6",
        "a && (b || !a) ==> b ==> a",
        "(a ==> b) ==> a",
        "(a ? 1 : 2) + 3 == 4",
        "a ? b : !b",
        "(a == b) == a",
        "7 % 3 / 2 == -1",
        "-(-x) < 0",
    ],
)
def test_expressions_are_printed_as_they_were_written(text: str) -> None:
    program = read_threads(
        SourceText(
            "t.conc", f"global a: bool; global b: bool; global x: int; thread main() {{ assert {text}; }}"
        )
    )
    (edge,) = program.main_template.edges
    (action,) = edge.actions
    assert isinstance(action, Assert)
    assert print_expression(action.condition) == text


def test_branches_assume_the_condition_or_its_negation() -> None:
    program = read_threads(SourceText("t.conc", "global a: bool; thread main() { if (!a) { a := true; } }"))
    first, second = (edge.actions[0] for edge in program.main_template.edges[:2])
    assert isinstance(first, Assume)
    assert isinstance(second, Assume)
    assert print_expression(first.condition) == "!a"
    assert print_expression(second.condition) == "a"


@pytest.mark.parametrize(
    ("text", "code", "line", "message"),
    [
        ("thread main() {\n  x = 1;\n}", "SER071", 2, "expected `:=`, found `=`"),
        ("thread main() {\n  assert 1 < 2 < 3;\n}", "SER071", 2, "comparisons are chained"),
        ("thread main() {\n  local x: int;\n  assert x;\n}", "SER072", 3, "expected a value of type bool"),
        ("thread main() {\n  fork true w();\n}\nthread w() { }", "SER072", 2, "expected a value of type int"),
        ("global x: int;\nthread main() { local x: int; }", "SER073", 2, "`x` is declared twice"),
        ("thread main() {\n  fork 1 v();\n}", "SER074", 2, "there is no thread `v`"),
        ("thread w() { }", "SER075", 1, "there is no thread `main`"),
        ("thread main() {\n  atomic { while (*) { } }\n}", "SER076", 2, "an atomic block contains a loop"),
        ("global x: 3..1;\nthread main() { }", "SER078", 1, "the range 3..1 contains no value"),
        ("global x: 0..1 = 2;\nthread main() { }", "SER078", 1, "2 is outside the range of `x`"),
        ("thread main() { x := 1 $ 2; }", "SER001", 1, "unexpected character `$`"),
        ("thread main() { x := 2y; }", "SER003", 1, "`2y` is neither a number nor a name"),
        ("thread main() { fork := 1; }", "SER071", 1, "expected an expression, found `:=`"),
        ("thread main() { x, x := 1, 2; }", "SER073", 1, "`x` is assigned twice at once"),
        ("thread main() { x, y := 1; }", "SER071", 1, "2 variables are assigned 1 values"),
        ("thread main() { assert true;", "SER071", 1, "expected `}`"),
    ],
)
def test_mistakes_are_refused_with_their_place(text: str, code: str, line: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    found = caught.value.diagnostics[0]
    assert (found.code, found.message) == (code, message)
    assert found.span is not None
    assert found.span.line == line
    assert found.hint


def test_deep_nesting_is_refused() -> None:
    for text in ("(" * 5_000, "if (*) {" * 5_000, "!" * 5_000, "x := 1 + " * 5_000, "a ==> " * 5_000):
        with pytest.raises(InputError) as caught:
            read("thread main() { assert " + text)
        assert caught.value.diagnostics[-1].code in ("SER071", "SER079")


def test_a_variable_that_nobody_declares_is_a_local_with_a_warning() -> None:
    program = read_threads(SourceText("t.conc", "thread main() { ok := true; assert ok; }"))
    (warned,) = program.warnings
    assert warned.code == "SER721"
    assert list(program.main_template.types) == ["ok"]


def test_layout_keeps_comments_and_blank_lines() -> None:
    text = (
        "// first\nglobal x:int=-1;   // at the end\n\n\nthread main(){ // why\n"
        "if(x<-2){x:=x- -1;}else{ x:=(x>0?1:-x); }\n\n// alone\nfork x+1 w(x,2);}\nthread w(a:int,b:0..2){}"
    ).replace("fork x+1 w", "fork (x+1) w")
    assert layout(SourceText("t.conc", text)) == (
        "// first\n"
        "global x: int = -1;  // at the end\n"
        "\n"
        "thread main() {  // why\n"
        "  if (x < -2) {\n"
        "    x := x - -1;\n"
        "  } else {\n"
        "    x := (x > 0 ? 1 : -x);\n"
        "  }\n"
        "\n"
        "  // alone\n"
        "  fork (x + 1) w(x, 2);\n"
        "}\n"
        "thread w(a: int, b: 0..2) {\n"
        "}\n"
    )
