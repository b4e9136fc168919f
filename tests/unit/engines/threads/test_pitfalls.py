"""Programs on which methods for threads have gone wrong: no engine says anything but the known answer."""

import pytest

from seriatim.arithmetic.solvers.horn import Relations, solve_horn
from seriatim.budget import Deadline
from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.engines.threads.modular import modular_clauses
from seriatim.engines.threads.predicates import FALSE_QUERY
from seriatim.engines.threads.width import Width, find_width
from seriatim.frontends.all import read_decidable
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.result import Holds, Undecided, Violated
from seriatim.source import SourceText

UNSAFE = {
    "locals are fresh at every fork": """
        global b: bool = false;
        thread main() { fork 1 w(); join 1; b := true; fork 1 w(); }
        thread w() { local x: 0..1; if (!b) { x := 0; } assert x == 0; }""",
    "a thread that a thread starts fails": """
        thread main() { fork 1 a(); }
        thread a() { fork 2 d(); }
        thread d() { assert false; }""",
    "a worker joins another one": """
        global x: 0..1 = 0;
        thread main() { fork 1 a(); fork 2 d(); assert x == 0; }
        thread a() { local r: 0..1; join 2 assign r; x := r; }
        thread d() returns (r: 0..1) { r := 1; }""",
    "constants are folded": "global x: int; thread main() { assert x != 2 + 3; }",
    "a value that is no constant": "global r: 0..10; thread main() { assert r * r != 49; }",
    "an integer is copied into a range": "global x: int; thread main() { local r: 0..10; r := x; }",
    "bounds of ranges are constants": """
        global x: int; thread main() { local r: 0..10; assume x >= 0; r := x; }""",
    "bounds of large ranges are constants": """
        global x: int; thread main() { local r: 5..900000; assume x >= 5; r := x; }""",
    "a copy in arithmetic": """
        global x: int;
        thread main() { local r: 0..10; assume 0 <= x && x <= 10; r := x; assert r * r != 49; }""",
    "a failing assertion ends an atomic block": """
        thread main() { atomic { assert false; assume false; } }""",
    "a failing edge that joins needs its partner": """
        thread main() { fork 1 w(); atomic { join 1; assert false; } }
        thread w() { }""",
    "main is forked": """
        global n: 0..3 = 0;
        thread main() { assert n < 2; n := n + 1; fork 1 main(); }""",
    "what is written before waiting for ever is seen": """
        global x: 0..1 = 0;
        thread main() { fork 1 w(); x := 1; assume false; }
        thread w() { assert x == 0; }""",
    "division by 0 is a failure": "global x: 0..2; thread main() { local y: int; y := 1 / x; }",
    "the right side of && matters": """
        global x: 0..2; thread main() { assume 1 / x > 0 && x != 0; }""",
    "an argument outside its range": """
        global x: 0..5; thread main() { fork 1 w(x); } thread w(n: 0..4) { }""",
    "a result outside its range": """
        global x: 0..1; thread main() { fork 1 w(); join 1 assign x; }
        thread w() returns (r: 0..2) { havoc r; }""",
    "two threads with one id": """
        global last: 0..2 = 0;
        thread main() { fork 7 w(1); fork 7 w(2); join 7; assert last != 2; }
        thread w(n: 0..2) { last := n; }""",
}

SAFE = {
    "the right side of && does not matter": """
        global x: 0..2; thread main() { assume x != 0 && 1 / x >= 0; }""",
    "an arbitrary value that nobody looks at": """
        global x: int; thread main() { local y: int; y := 1; x := y; assert x == 1; }""",
    "a join takes only threads whose results fit": """
        global b: bool = true;
        thread main() { fork 1 w(); join 1 assign b; assert false; }
        thread w() returns (r: int) { }""",
    "a choice that no value allows": """
        global b: bool = true;
        thread main() { local t: 0..3; havoc t; assume t > 5; assert false; }""",
    "main cannot be joined": "thread main() { fork 1 w(); } thread w() { join 0; assert false; }",
    "a thread does not join itself": "thread main() { fork 1 w(); } thread w() { join 1; assert false; }",
    "an atomic block is taken whole or not at all": """
        global x: 0..1 = 0;
        thread main() { fork 1 w(); atomic { x := 1; assume false; } }
        thread w() { assert x == 0; }""",
}

SAFE_C = {
    "a stopped thread is never joined": """
        #include <pthread.h>
        void reach_error(); void exit(int);
        void *w(void *a) { exit(1); return 0; }
        int main() { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); reach_error(); }""",
    "what is assumed stops the thread": """
        #include <pthread.h>
        void reach_error(); void __VERIFIER_assume(int);
        void *w(void *a) { __VERIFIER_assume(0); return 0; }
        int main() { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); reach_error(); }""",
    "arbitrary values stay within their type": """
        void reach_error(); unsigned char __VERIFIER_nondet_uchar();
        int main() { int x = __VERIFIER_nondet_uchar(); if (x > 255 || x < 0) reach_error(); }""",
    "globals start at 0": "void reach_error(); int x; int main() { if (x) reach_error(); }",
}


UNSAFE_C = {
    "a local of main that threads see holds anything": """
        void reach_error();
        void *w(void *a) { int *p = a; if (*p != 0) reach_error(); return 0; }
        int main() { int x; pthread_t t; pthread_create(&t, 0, w, &x); }""",
    "a local that is declared again holds anything again": """
        void reach_error(); int *p;
        int main() {
          for (int i = 0; i < 2; i++) { int x; p = &x; if (i && *p == 8) reach_error(); *p = 7; } }""",
    "a static local is one for all threads and calls": """
        void reach_error();
        int next(void) { static _Atomic int n; return ++n; }
        void *w(void *a) { if (next() == 3) reach_error(); return 0; }
        int main() { pthread_t t, u; pthread_create(&t, 0, w, 0); pthread_create(&u, 0, w, 0); next(); }""",
}


def decided(text: str, name: str = "t.conc") -> object:
    program = read_decidable(SourceText(name, text))
    assert isinstance(program, ThreadProgram)
    return decide_threads(program, Options(timeout=20.0)).answer


@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe_programs_are_unsafe(name: str) -> None:
    answer = decided(UNSAFE[name])
    if name == "a copy in arithmetic":
        assert isinstance(answer, Violated | Undecided)
    else:
        assert isinstance(answer, Violated)


@pytest.mark.parametrize("name", SAFE)
def test_safe_programs_are_safe(name: str) -> None:
    assert isinstance(decided(SAFE[name]), Holds)


@pytest.mark.parametrize("name", SAFE_C)
def test_safe_c_programs_are_safe(name: str) -> None:
    assert isinstance(decided(SAFE_C[name], "t.c"), Holds)


@pytest.mark.parametrize("name", UNSAFE_C)
def test_unsafe_c_programs_are_unsafe(name: str) -> None:
    assert isinstance(decided(UNSAFE_C[name], "t.c"), Violated)


def test_a_run_that_joins_a_thread_whose_id_was_overwritten_is_no_run() -> None:
    """The variable names the second thread, so the first one is never joined."""
    text = """
        void reach_error(); int done;
        void *v(void *a) { return 0; }
        void *w(void *a) { done = 1; return 0; }
        int main() {
          pthread_t t; pthread_create(&t, 0, v, 0); pthread_create(&t, 0, w, 0);
          pthread_join(t, 0); if (!done) reach_error(); }"""
    assert not isinstance(decided(text, "t.c"), Violated)


def test_a_failure_says_nothing_about_other_assertions() -> None:
    """The first run that fails ends there: the verdict is about the program, not about each assertion."""
    text = """
        global x: 0..1 = 0;
        thread main() { fork 1 w(); atomic { assert x == 1; x := 1; } }
        thread w() { assert x == 0; }"""
    answer = decided(text)
    assert isinstance(answer, Violated)
    assert answer.certificate.verdict == "unsafe"


WIDTHS = {
    "locks do not narrow it": (
        """
        global m: 0..1 = 0;
        thread main() { fork 1 w(); fork 2 w(); }
        thread w() { atomic { assume m == 0; m := 1; } m := 0; }""",
        2,
    ),
    "what no assertion needs may bound it": (
        """
        global n: 0..3 = 0;
        thread main() { while (*) { assume n < 3; n := n + 1; fork 0 w(); } }
        thread w() { }""",
        3,
    ),
    "threads that have finished count": (
        "thread main() { fork 1 w(); fork 2 w(); fork 3 w(); join 1; } thread w() { }",
        3,
    ),
}


@pytest.mark.parametrize("name", WIDTHS)
def test_the_width_is_that_of_the_whole_program(name: str) -> None:
    text, expected = WIDTHS[name]
    read = read_decidable(SourceText("t.conc", text))
    assert isinstance(read, ThreadProgram)
    assert find_width(read, Deadline(60)) == Width(expected, True)


NOT_MODULAR = [name for name in UNSAFE if "arithmetic" not in name and "constant" not in name]


@pytest.mark.parametrize("name", NOT_MODULAR)
def test_no_formulas_prove_an_unsafe_program(name: str) -> None:
    program = read_decidable(SourceText("t.conc", UNSAFE[name]))
    assert isinstance(program, ThreadProgram)
    clauses = modular_clauses(program, 1, Deadline(10))
    assert not isinstance(solve_horn(clauses.text(), FALSE_QUERY, Deadline(5)), Relations)
