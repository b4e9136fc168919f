"""Structures of C as values: assigned, passed, returned, chosen, written down; and names of their parts."""

import pytest

from seriatim.budget import Deadline
from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.program.threads.printer import print_threads
from seriatim.program.threads.runs import replay
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.result import Holds, Violated
from seriatim.source import InputError, SourceText
from seriatim.systems.threads.finite import FiniteSystem
from seriatim.systems.threads.random_walk import random_walk

PAIR = "struct pair { int a; int b; };"


def program(text: str) -> ThreadProgram:
    return read_c_threads(SourceText("t.c", text))


def answer(text: str) -> object:
    return decide_threads(program(text), Options(timeout=30.0)).answer


SAFE = {
    "assigned": "struct pair p = {1, 2}, q; q = p; p.a = 9; assert(q.a == 1 && q.b == 2);",
    "in arrays": "struct pair p[2] = {{1, 2}, {3, 4}}; int i = 0; p[i] = p[i + 1]; assert(p[0].b == 4);",
    "behind pointers": "struct pair *p = &g; struct pair q = {5, 6}; *p = q; assert(g.a == 5); q = *p;",
    "passed": "assert(sum(g) == 3); struct pair p = {3, 4}; assert(sum(p) == 7 && p.a == 3);",
    "returned": "struct pair p = swap(g); assert(p.a == 2 && p.b == 1); p = swap(p); assert(p.a == 1);",
    "used at once": "assert(swap(g).a == 2 && sum(swap(swap(g))) == 3);",
    "chosen": "int i = 1; struct pair p = {7, 7}; struct pair q = i ? g : p; assert(q.a == 1);",
    "chosen by a call": "struct pair p = g.a ? swap(g) : g; assert(p.a == 2);",
    "written down": "struct pair p = (struct pair){3, 4}; assert(sum((struct pair){5, 6}) + p.b == 15);",
    "assigned twice": "struct pair p, q; p = q = g; assert(p.b == 2 && q.b == 2);",
    "through a pointer to a function": "struct pair (*f)(struct pair) = swap; assert(f(g).a == 2);",
    "through one of two pointers": """
        struct pair (*f)(struct pair) = g.b ? swap : twice; assert(f(g).a == 2);
        f = twice; assert(f(g).b == 4);""",
    "with parts": """
        struct line { struct pair from; int more[2]; } x = {{1, 2}, {3, 4}}, y; y = x; x.more[1] = 0;
        assert(y.from.b == 2 && y.more[1] == 4); y.from = g; assert(y.from.a == 1);""",
}


@pytest.mark.parametrize("name", SAFE)
def test_structures_are_copied(name: str) -> None:
    text = f"""{PAIR} struct pair g = {{1, 2}};
        int sum(struct pair p) {{ p.a += p.b; return p.a; }}
        struct pair swap(struct pair p) {{ struct pair r; r.a = p.b; r.b = p.a; p.a = 99; return r; }}
        struct pair twice(struct pair p) {{ p.a *= 2; p.b *= 2; return p; }}
        int main() {{ {SAFE[name]} }}"""
    assert isinstance(answer(text), Holds)


def test_each_member_is_a_step_of_its_own() -> None:
    lines = print_threads(program(f"{PAIR} struct pair g, h; int main() {{ g = h; }}"))
    steps = [line.strip().partition(": ")[2] for line in lines.split("\n") if "->" in line]
    assert steps == ["$h.a := h.a;", "g.a := $h.a;", "$h.b := h.b;", "g.b := $h.b;"]


TORN = {
    "assigned": "struct pair s = g; assert(s.a == s.b);",
    "passed": "assert(same(g));",
    "returned": "assert(same(get()));",
}


@pytest.mark.parametrize("name", TORN)
def test_others_can_see_half_a_copy(name: str) -> None:
    text = f"""{PAIR} struct pair g; pthread_mutex_t m;
        struct pair get(void) {{ return g; }}
        int same(struct pair p) {{ return p.a == p.b; }}
        void *w(void *x) {{ struct pair n = {{1, 1}}; LOCK g = n; UNLOCK return 0; }}
        int main() {{ pthread_t t; pthread_create(&t, 0, w, 0); LOCK {TORN[name]} UNLOCK }}"""
    assert isinstance(answer(text.replace("UNLOCK", "").replace("LOCK", "")), Violated)
    locked = text.replace("UNLOCK", "pthread_mutex_unlock(&m);").replace("LOCK", "pthread_mutex_lock(&m);")
    assert isinstance(answer(locked), Holds)


def test_an_index_is_read_once_for_the_whole_copy() -> None:
    text = f"""{PAIR} struct pair p[2] = {{{{1, 1}}, {{2, 2}}}}; int i;
        void *w(void *x) {{ i = 1; return 0; }}
        int main() {{
          pthread_t t; pthread_create(&t, 0, w, 0); struct pair q = p[i]; assert(q.a == q.b); }}"""
    assert isinstance(answer(text), Holds)


@pytest.mark.parametrize("declared", ["struct pair p", "int p[2]", "struct pair p[2]"])
def test_locals_with_parts_are_different_variables_though_their_names_are_the_same(declared: str) -> None:
    member = {"struct pair p": "p.a", "int p[2]": "p[0]"}.get(declared, "p[1].a")
    text = f"""{PAIR}
        void f(void) {{ {declared}; {member} = 5; }}
        int main() {{
          {declared}; {member} = 1; f(); {{ {declared}; {member} = 6; }} assert({member} == 1); }}"""
    assert isinstance(answer(text), Holds)


def test_a_local_is_not_taken_for_a_static_one_of_a_function_with_its_name() -> None:
    text = """
        struct cell { int n; };
        int next(void) { static int n = 5; return n; }
        int use(void) { return next(); }
        int main() { struct cell next; next.n = 1; assert(use() == 5); }"""
    assert isinstance(answer(text), Holds)


def test_locks_and_ids_are_not_copied() -> None:
    for member in ("pthread_mutex_t m", "pthread_t t", "pthread_cond_t c"):
        with pytest.raises(InputError, match="a lock or an id of a thread"):
            program(f"struct s {{ int a; {member}; }}; struct s g, h; int main() {{ g = h; }}")


OVERWRITTEN = """
    int n; void *f(void *q) { n = 1; return 0; } void *v(void *q) { return 0; }
    int main() {
      pthread_t t; pthread_create(&t, 0, f, 0); pthread_create(&t, 0, v, 0); pthread_join(t, 0);
      assert(n == 1); }"""


def test_a_thread_whose_id_is_overwritten_is_never_joined() -> None:
    """Its variable names the second thread; the search knows, so the run that it finds is one."""
    read = program(OVERWRITTEN)
    found = decide_threads(read, Options(timeout=30.0)).answer
    assert isinstance(found, Violated)


@pytest.mark.parametrize("seed", range(12))
def test_random_runs_join_the_thread_that_a_variable_names(seed: int) -> None:
    read = program(OVERWRITTEN.replace("assert(n == 1);", ""))
    walk = random_walk(FiniteSystem(read, Deadline(10), forgets=True), seed, 50)
    assert list(replay(read, walk.run))
