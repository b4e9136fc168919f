"""C with pthreads: what becomes a step, how values convert, what is refused, verdicts on programs."""

import pytest

from seriatim.budget import Deadline
from seriatim.engines.threads.karp_miller import Cover, Failure
from seriatim.engines.threads.search import Failing, Search
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.program.threads.printer import print_threads
from seriatim.program.threads.runs import replay
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.source import InputError, SourceText
from seriatim.systems.threads.finite import FiniteSystem
from seriatim.systems.threads.runs import thread_run


def program(text: str, statements: bool = False) -> ThreadProgram:
    return read_c_threads(SourceText("t.c", text), statements)


def edges(body: str, before: str = "int c, i;", statements: bool = False) -> list[str]:
    """The steps of main."""
    read = program(f"{before}\nint main() {{ {body} }}", statements)
    listing = print_threads(read).partition("thread main")[2].split("\n")
    return [line.strip().partition(": ")[2] for line in listing if "->" in line]


def verdict(text: str) -> str:
    """Safe, or the line that fails; found by search and by the cover alike."""
    read = program(text)
    system = FiniteSystem(read, Deadline(10))
    found = Search(system, Deadline(10)).advance(20_000)
    try:
        is_covered = Cover(FiniteSystem(read, Deadline(10)), Deadline(10)).build(5_000)
    except Failure:
        is_covered = None
    if isinstance(found, Failing):
        assert is_covered is None
        *_, last = replay(read, thread_run(system, found.steps))
        assert last.failure is not None
        return f"line {last.failure.span.line}"
    assert is_covered
    return "safe"


def test_each_access_to_something_shared_is_a_step() -> None:
    assert edges("c++;") == ["$c := c;", "c := $c + 1;"]
    assert edges("c += i;") == ["$c := c;", "$i := i;", "c := $c + $i;"]
    assert edges("int x = 1; x++; x += 2; c = x;") == [
        "x := 1; $value := x; x := $value + 1; x := x + 2; c := x;"
    ]


def test_statements_can_be_steps() -> None:
    assert edges("c++; c += i;", statements=True) == [
        "$c := c; c := $c + 1;",
        "$c$2 := c; $i := i; c := $c$2 + $i;",
    ]


def test_the_right_side_of_a_lazy_operator_is_read_only_if_it_matters() -> None:
    assert edges("if (c && i) { c = 2; }") == [
        "$c := c;",
        "c := 2;",
        "$i := i;",
        "assume $c != 0;",
        "assume !($c != 0);",
        "assume $i != 0;",
        "assume !($i != 0);",
    ]


def test_locks_are_one_step() -> None:
    lines = edges("pthread_mutex_lock(&m); c = 1; pthread_mutex_unlock(&m);", "pthread_mutex_t m; int c;")
    assert lines == ["assume m == 0; m := 1;", "c := 1;", "m := 0;"]


def test_atomic_sections_are_found_on_the_control_flow() -> None:
    lines = edges(
        "__VERIFIER_atomic_begin(); if (c) { i = 1; } else { i = 2; } __VERIFIER_atomic_end(); c = 3;"
    )
    assert sorted(lines) == [
        "$c := c; assume !($c != 0); i := 2;",
        "$c := c; assume $c != 0; i := 1;",
        "c := 3;",
    ]


HEAD = "#include <pthread.h>\nvoid reach_error();\n"


@pytest.mark.parametrize(
    ("declaration", "holds"),
    [
        ("signed char c = 200;", "c == -56"),
        ("_Bool b = 2; int c = b;", "c == 1"),
        ("unsigned int u = 0; u = u - 1;", "u == 4294967295u"),
        ("unsigned char k = 255; k++;", "k == 0"),
        ("unsigned char k = 255; int c = k + 1;", "c == 256"),
        ("int c = -7 / 2;", "c == -3"),
        ("int c = -7 % 2;", "c == -1"),
        ("int a = -7; int d = 2; int c = a / d;", "c == -3"),
        ("int a = 7; int d = -2; int c = a % d;", "c == 1"),
        ("int c = -1; unsigned u = 1;", "!(c < u)"),
        ("short s = 70000;", "s == 4464"),
        ("int c = 010 + 0x10;", "c == 24"),
        ("int c = 'a';", "c == 97"),
        ("int c = 3; int d = c++ + 1;", "c == 4 && d == 4"),
        ("int c = 3; int d = ++c;", "d == 4"),
        ("int c = 5; c -= 2; c *= 3; c <<= 1;", "c == 18"),
        ("int c = 1 ? 2 : 3;", "c == 2"),
        ("int c; c = 1, c = 2;", "c == 2"),
        ("enum { A, B = 5, D }; int c = D;", "c == 6"),
    ],
)
def test_values_convert_as_in_c(declaration: str, holds: str) -> None:
    text = "{}int main() {{ {} if (!({})) reach_error(); return 0; }}"
    enumeration, _, rest = declaration.rpartition("};") if "enum" in declaration else ("", "", declaration)
    before = f"{enumeration}}};" if enumeration else ""
    assert verdict(HEAD + before + text.format("", rest, holds)) == "safe"
    assert verdict(HEAD + before + text.format("", rest, f"!({holds})")) == "line 3"


LOST_UPDATE = HEAD + (
    "int x;\n"
    "void *w(void *a) { x++; return 0; }\n"
    "int main() { pthread_t t, u; pthread_create(&t, 0, w, 0); pthread_create(&u, 0, w, 0);\n"
    "pthread_join(t, 0); pthread_join(u, 0);\n"
    "if (x != 2) reach_error(); return 0; }\n"
)


def test_a_lost_update_is_found_and_a_lock_prevents_it() -> None:
    assert verdict(LOST_UPDATE) == "line 7"
    locked = LOST_UPDATE.replace("int x;", "int x; pthread_mutex_t m;").replace(
        "x++;", "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);"
    )
    assert verdict(locked) == "safe"


def test_a_static_local_is_one_variable_for_all_threads() -> None:
    text = HEAD + (
        "void *w(void *a) { static int n; n++; if (n > 1) reach_error(); return 0; }\n"
        "int main() { pthread_t t; pthread_create(&t, 0, w, 0); pthread_create(&t, 0, w, 0); return 0; }\n"
    )
    assert verdict(text) == "line 3"


def test_arguments_of_threads_and_pointers_to_globals() -> None:
    text = HEAD + (
        "int x; void set(int *p, int v) { *p = v; }\n"
        "void *w(void *a) { set(&x, (int)(long)a); return 0; }\n"
        "int main() { pthread_t t; pthread_create(&t, 0, w, (void *)5); pthread_join(t, 0);\n"
        "if (x != 5) reach_error(); return 0; }\n"
    )
    assert verdict(text) == "safe"
    assert verdict(text.replace("x != 5", "x == 5")) == "line 6"


def test_locals_and_parameters_hide_globals_of_the_same_name() -> None:
    text = HEAD + (
        "int x = 1, a = 2; int global_x() { return x; }\n"
        "void *w(void *a) { int x = (int)(long)a; if (x != 5 || global_x() != 1) reach_error(); return 0; }\n"
        "int main() { pthread_t t; int x = 3; pthread_create(&t, 0, w, (void *)5);\n"
        "if (x != 3 || global_x() != 1 || a != 2) reach_error(); { int x = 4; if (x != 4) abort(); } }\n"
    )
    assert verdict(text) == "safe"
    assert verdict(text.replace("x != 5", "x == 5")) == "line 4"


def test_a_variable_that_is_declared_twice_keeps_its_value() -> None:
    assert verdict(HEAD + "int x = 5; int x; int main() { if (x != 5) reach_error(); }") == "safe"


def test_a_remark_in_an_assertion() -> None:
    assert verdict(HEAD + 'int x; int main() { assert(x == 0 && "x starts at 0"); }') == "safe"
    assert verdict(HEAD + 'int x; int main() { assert(0 && "never here"); }') == "line 3"


def test_structures_of_integers() -> None:
    text = HEAD + (
        "struct pair { int a; pthread_mutex_t m; }; struct pair p;\n"
        "int main() { pthread_mutex_lock(&p.m); p.a = 3; if (p.a != 3) reach_error(); return 0; }\n"
    )
    assert verdict(text) == "safe"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("int f(int n) { return f(n); }\nint main() { f(1); }", 1, "recursion of `f`"),
        ("int a[3];\nint main() { }", 1, "an array"),
        ("int *p;\nint main() { }", 1, "a pointer"),
        ("double d;\nint main() { }", 1, "a variable of this type"),
        ("int x;\nint main() { x = x & 3; }", 2, "the operator `&`"),
        ("int main() {\n  g();\n}", 2, "a call of `g`, which has no body,"),
        ("int x;\nint main() {\n  switch (x) { case 1: x = 2; }\n}", 3, "`switch`"),
        (
            "int x;\nint main() {\n __VERIFIER_atomic_begin();\n while (x) { }\n}",
            4,
            "a loop in an atomic section",
        ),
        (
            "int x;\nint main() {\n if (x) __VERIFIER_atomic_begin();\n x = 1;\n}",
            3,
            "an atomic section that only",
        ),
        ("#if A\nint x;\n#endif\nint main() { }", 1, "the directive `#if`"),
        ("#define F(x) x\nint main() { }", 1, "a macro other than a name for a constant"),
        ("_Atomic int x;\nint main() { }", 1, "an atomic type of C11"),
        (
            "pthread_mutex_t m; pthread_mutexattr_t a;\nint main() { pthread_mutex_init(&m, &a); }",
            2,
            "a mutex with attributes",
        ),
        (
            "void *w(void *a) { return 0; }\nint main() { pthread_t t;\n pthread_create(&t, 0, w, a(1)); }",
            3,
            "a call of `a`, which has no body,",
        ),
        (
            'int x;\nint main() {\n  printf("%d", x++);\n}',
            3,
            "an argument of `printf` that changes something",
        ),
        ("struct s { int *p; }; struct s v;\nint main() { }", 1, "a pointer"),
        ("int x; int main() { goto", 1, ""),
    ],
)
def test_what_cannot_be_translated_is_refused_with_its_line(text: str, line: int, what: str) -> None:
    with pytest.raises(InputError) as caught:
        program(text)
    found = caught.value.diagnostics[0]
    if what:
        assert found.code == "SER091"
        assert found.message.startswith(what)
        assert found.span is not None
        assert found.span.line == line
    assert found.hint
