"""C with pthreads: what becomes a step, how values convert, what is refused, verdicts on programs."""

import pytest

from seriatim.budget import Deadline
from seriatim.engines.threads.karp_miller import Cover, Failure
from seriatim.engines.threads.search import Failing, Search
from seriatim.frontends.c.frontend import read_c_threads, translate
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
    return [line.strip().partition(": ")[2].removeprefix("atomic ") for line in listing if "->" in line]


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
    assert edges("int x = 1; x++; x += 2; c = x;") == ["x := 2; x := x + 2; c := x;"]


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
        ("int a[5000];\nint main() { }", 1, "an array of this size"),
        ("int (*f)(int, ...);\nint main() { }", 1, "a pointer to a function of this type"),
        ("int g(int n);\nint main() {\n int (*f)(int) = g; }", 3, "the name `g`, which is not declared,"),
        (
            "void *v(void *a);\nint main() { pthread_t t;\n pthread_create(&t, 0, v, 0); }",
            3,
            "`v`, which has no body,",
        ),
        (
            "int f(int n) { return n; }\nint g(int (*h)(int)) {\n return h(1); }\n"
            "int k(int n) { return g(k); }\nint main() { return g(f) + k(1); }",
            3,
            "recursion of `k`",
        ),
        (
            "void *w(void *a) {\n  int x; int *p = &x; return 0; }\nvoid *(*s)(void *) = w;\n"
            "int main() { pthread_t t, u; pthread_create(&t, 0, w, 0); pthread_create(&u, 0, s, 0); }",
            2,
            "the address of a local of a thread that may be started more than once",
        ),
        (
            "void *w(void *a) {\n  int x; int *p = &x; return 0; }\nvoid *v(void *a) { return 0; }\n"
            "void go(void *(*v)(void *)) { pthread_t u; pthread_create(&u, 0, v, 0); }\n"
            "int main() { pthread_t t; pthread_create(&t, 0, w, 0); go(w); }",
            2,
            "the address of a local of a thread that may be started more than once",
        ),
        ("int main() {\n void *p = 0;\n return *p; }", 3, "what a pointer without a type points to"),
        (
            "void *w(void *a) {\n  int x; int *p = &x; return 0; }\n"
            "int main() { pthread_t t; while (1) pthread_create(&t, 0, w, 0); }",
            2,
            "the address of a local of a thread that may be started more than once",
        ),
        ("int n; int main() {\n int *p = malloc(n + 1);\n }", 2, "memory of this size"),
        (
            "void *v(void *a) { return 0; }\nvoid *w(void *a) {\n pthread_t t;"
            " pthread_create(&t, 0, v, 0); pthread_join(t, 0);\n return 0; }\n"
            "int main() { pthread_t t; while (1) pthread_create(&t, 0, w, 0); }",
            3,
            "a lock or an id of a thread that is a local of a thread",
        ),
        ("float f(void) { return 1; }\nint main() { f(); }", 1, "a function with a result of this type"),
        ("int x;\nint main() { switch (x) { case 1: if (x) { case 2: x = 1; } } }", 2, "a case within"),
        ("double d;\nint main() { }", 1, "a variable of the type `double`"),
        ("union { int i; char c; } u;\nint main() { }", 1, "a variable of a union type"),
        (
            "struct s { int i; }; int f(struct s v) { return v.i; }\nint main() {\n f(3); }",
            3,
            "this as a value of a structure",
        ),
        ("pthread_t t;\nint main() {\n t = pthread_self(); }", 3, "the id of a thread as a value"),
        ("pthread_mutex_t m;\nint main() {\n int x = m; }", 3, "an object of pthreads as a value"),
        (
            "pthread_mutexattr_t a; int k;\nint main() {\n pthread_mutexattr_settype(&a, k); }",
            3,
            "this type of a mutex",
        ),
        ("int x, y;\nint main() { x = x & y; }", 2, "the operator `&`"),
        ("int x, y;\nint main() { x = x ^ y; }", 2, "the operator `^`"),
        ("int main() {\n  g();\n}", 2, "a call of `g`, which has no body,"),
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
        (
            "void *w(void *a) { return 0; }\nint main() { pthread_t t;\n pthread_create(&t, 0, w, a(1)); }",
            3,
            "a call of `a`, which has no body,",
        ),
        ("struct s { double p; }; struct s v;\nint main() { }", 1, "a variable of the type `double`"),
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


def test_what_an_atomic_section_did_before_the_program_ended_is_seen_by_nobody() -> None:
    section = "__VERIFIER_atomic_begin(); x = 1; {} abort(); __VERIFIER_atomic_end();"
    text = """int x;
void *w(void *u) {{ {} return 0; }}
int main() {{ pthread_t a; pthread_create(&a, 0, w, 0); assert(x == 0); return 0; }}"""
    assert verdict(text.format(section.format(""))) == "safe"
    assert verdict(text.format(section.format("assert(x == 0);"))) == "line 2"
    assert verdict(text.format("x = 1; abort();")) == "line 3"


START = "pthread_t t, v; pthread_create(&t, 0, w, {}); "

PROGRAMS = {
    "a local of main, by its address": (
        "void *w(void *a) { int *p = a; *p = *p + 1; return 0; }",
        "int x = 1; " + START.format("&x") + "pthread_join(t, 0); assert(x == 2);",
        "safe",
    ),
    "two threads with one variable": (
        "void *w(void *a) { int *p = (int *)a; (*p)++; return 0; }",
        "int x = 0; " + START.format("&x") + "pthread_create(&v, 0, w, &x);"
        " pthread_join(t, 0); pthread_join(v, 0); assert(x == 2);",
        "line 5",
    ),
    "the loop variable by its address": (
        "int seen[2]; void *w(void *a) { int me = *(int *)a; seen[me]++; return 0; }",
        "pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, w, &i);"
        " for (int i = 0; i < 2; i++) pthread_join(t[i], 0); assert(seen[0] == 1);",
        "line 2",
    ),
    "elements of an array of arguments": (
        "int seen[2]; void *w(void *a) { int me = *(int *)a; seen[me]++; return 0; }",
        "pthread_t t[2]; int ids[2]; for (int i = 0; i < 2; i++) { ids[i] = i; "
        "pthread_create(&t[i], 0, w, &ids[i]); }"
        " for (int i = 0; i < 2; i++) pthread_join(t[i], 0); assert(seen[0] == 1 && seen[1] == 1);",
        "safe",
    ),
    "a structure with its lock": (
        "struct account { pthread_mutex_t lock; int balance; };"
        " void *w(void *a) { struct account *c = a; pthread_mutex_lock(&c->lock); int old = c->balance;"
        " c->balance = old - 5; assert(c->balance == old - 5); pthread_mutex_unlock(&c->lock); return 0; }",
        "struct account mine = { .balance = 20 }; pthread_mutex_init(&mine.lock, 0); "
        + START.format("&mine")
        + "pthread_create(&v, 0, w, &mine);"
        " pthread_join(t, 0); pthread_join(v, 0); assert(mine.balance == 10);",
        "safe",
    ),
    "memory that is asked for once": (
        "struct job { int number; int done; }; void *w(void *a) { struct job *j = a; j->done = j->number;"
        " return 0; }",
        "struct job *j = malloc(sizeof(struct job)); j->number = 7; j->done = 0; "
        + START.format("j")
        + "pthread_join(t, 0); assert(j->done == 7); free(j);",
        "safe",
    ),
    "fresh memory holds anything": (
        "void *w(void *a) { return 0; }",
        "int *p = malloc(2 * sizeof(int)); p[1] = 1; assert(p[0] != 12);",
        "line 5",
    ),
    "the result of a thread": (
        "void *w(void *a) { return (void *)((long)a + 1); }",
        "long r; " + START.format("(void *)4") + "pthread_join(t, (void **)&r); assert(r == 5);",
        "safe",
    ),
    "results of two threads": (
        "void *w(void *a) { return a; }",
        "void *r; " + START.format("(void *)4") + "pthread_create(&v, 0, w, (void *)5);"
        " pthread_join(t, &r); assert((long)r == 4); pthread_join(v, &r); assert((long)r == 5);",
        "safe",
    ),
    "an array, indexed by what another thread writes": (
        "int a[3]; int i; void *w(void *u) { i = 3; return 0; }",
        START.format("0") + "a[i] = 1;",
        "line 5",
    ),
    "a pointer that points nowhere": (
        "int x; int *p = &x; void *w(void *u) { p = 0; return 0; }",
        START.format("0") + "*p = 1;",
        "line 5",
    ),
    "a semaphore": (
        "sem_t s; int inside; void *w(void *u) { sem_wait(&s); inside++; assert(inside == 1); inside--;"
        " sem_post(&s); return 0; }",
        "sem_init(&s, 0, 1); " + START.format("0") + "pthread_create(&v, 0, w, 0);",
        "safe",
    ),
    "an array of locks": (
        "pthread_mutex_t m[2]; int x[2]; void *w(void *a) { int i = (int)(long)a; pthread_mutex_lock(&m[i]);"
        " x[i]++; assert(x[i] > 0); pthread_mutex_unlock(&m[i]); return 0; }",
        START.format("(void *)0") + "pthread_create(&v, 0, w, (void *)1);"
        " pthread_join(t, 0); pthread_join(v, 0); assert(x[0] == 1 && x[1] == 1);",
        "safe",
    ),
    "arguments of printf that change something": (
        "int x; void *w(void *u) { return 0; }",
        'printf("%d", ++x); assert(x == 0);',
        "line 5",
    ),
    "a function that starts threads, and one that joins them": (
        "int x; void *w(void *u) { x++; return 0; }"
        " void start(pthread_t *t) { pthread_create(t, 0, w, 0); }"
        " void finish(pthread_t *t) { pthread_join(*t, 0); }",
        "pthread_t t, u; start(&t); finish(&t); start(&u); finish(&u); assert(x == 2);",
        "safe",
    ),
    "a table of functions, and an index that others change": (
        "int i; int up(int n) { return n + 1; } int down(int n) { return n - 1; }"
        " int (*table[])(int) = { up, down }; void *w(void *u) { i = 1; return 0; }",
        START.format("0") + "int r = table[i](5); assert(r == 6 || r == 4); assert(r == 6);",
        "line 5",
    ),
    "a function that others replace": (
        "int x; void one(void) { x = 1; } void two(void) { x = 2; } void (*now)(void) = one;"
        " void *w(void *u) { now = two; return 0; }",
        START.format("0") + "pthread_join(t, 0); now(); assert(x == 2);",
        "safe",
    ),
    "a parameter hides a function of its name": (
        "int up(int n) { return n + 1; } int down(int n) { return n - 1; }"
        " int twice(int (*up)(int), int n) { return up((*up)(n)); } void *w(void *u) { return 0; }",
        "assert(twice(down, 5) == 3 && twice(&up, 5) == 7);",
        "safe",
    ),
    "threads that run what a table says": (
        "int x; void *v(void *a) { x = 1; return 0; } void *w(void *a) { x = (int)(long)a; return 0; }",
        "void *(*start[2])(void *) = { v, w }; pthread_t t;"
        " for (int i = 0; i < 2; i++) { pthread_create(&t, 0, start[i], (void *)7); pthread_join(t, 0);"
        " assert(x == (i ? 7 : 1)); }",
        "safe",
    ),
    "a pointer to no function": (
        "void (*hook)(void); void f(void) { } void *w(void *u) { void (*p)(void) = f; p(); return 0; }",
        START.format("0") + "hook();",
        "line 5",
    ),
    "a function that does not return": (
        "int x; void stop(void) { pthread_exit(0); } void go(void) { } void (*f)(void) = go;"
        " void *w(void *u) { f = stop; f(); x = 1; return 0; }",
        START.format("0") + "pthread_join(t, 0); assert(x == 0);",
        "safe",
    ),
    "switch": (
        "int x; void *w(void *u) { switch (x) { case 0: x = 1; case 5: x++; break; default: x = 9; }"
        " return 0; }",
        START.format("0") + "pthread_join(t, 0); assert(x == 2);",
        "safe",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_pointers_arrays_memory_and_results(name: str) -> None:
    functions, body, expected = PROGRAMS[name]
    assert verdict(f"\n{functions}\nint main() {{\n\n{body}\n return 0; }}") == expected


def test_the_order_of_operands_is_said_in_the_verdict() -> None:
    """Another order gives another value: `x` is read before or after the call."""
    text = "int x; int f(void) { x = 7; return 0; }\nint main() { int y = x + f(); assert(y == 0); }"
    assert verdict(text) == "safe"
    assumed = translate(SourceText("t.c", text)).approximations
    assert "operands are evaluated from left to right" in {each.sentence for each in assumed}


def test_syntax_errors_are_shown_where_the_parser_stopped() -> None:
    """Of an expression that is missing, the parser itself says no line."""
    with pytest.raises(InputError) as caught:
        program("int main(void) {\n  int x = 1;\n  x = ;\n}\n")
    span = caught.value.diagnostics[0].span
    assert span is not None
    assert (span.line, span.column) == (3, 7)
