"""Barriers, locks for readers and writers, once, timed waits, semaphores; thread-local variables."""

import pytest

from seriatim.frontends.c.frontend import read_c_threads
from seriatim.source import InputError, SourceText
from unit.frontends.c.test_c import verdict

TWO = "int main() {{ pthread_t a, b; {} pthread_create(&a, 0, w, 0); pthread_create(&b, 0, w, 0);\n {} }}"
JOINED = "pthread_join(a, 0); pthread_join(b, 0);"


def test_nobody_passes_a_barrier_before_all_have_come() -> None:
    worker = (
        "pthread_barrier_t q; _Atomic int n;\n"
        "void *w(void *u) { n++; pthread_barrier_wait(&q);\n assert(n == 2); return 0; }\n"
    )
    start = TWO.format("pthread_barrier_init(&q, 0, 2);", JOINED)
    assert verdict(worker + start) == "safe"
    assert verdict(worker + TWO.format("pthread_barrier_init(&q, 0, 1);", JOINED)) == "line 3"


def test_a_barrier_can_be_used_again() -> None:
    text = (
        "pthread_barrier_t q; _Atomic int n;\nvoid *w(void *u) { n++; pthread_barrier_wait(&q);\n"
        " assert(n >= 2); pthread_barrier_wait(&q); n++; pthread_barrier_wait(&q);\n"
        " assert(n == 4);\n return 0; }\n"
    )
    assert verdict(text + TWO.format("pthread_barrier_init(&q, 0, 2);", JOINED)) == "safe"


def test_exactly_one_thread_of_a_barrier_is_the_serial_one() -> None:
    text = (
        "pthread_barrier_t q; _Atomic int n, last;\nvoid *w(void *u) {{ _Bool is_last = n++ == 1;\n"
        " if (pthread_barrier_wait(&q) == PTHREAD_BARRIER_SERIAL_THREAD) {{ last++; {} }}\n return 0; }}\n"
    )
    start = TWO.format("pthread_barrier_init(&q, 0, 2);", f"{JOINED}\n assert(last == 1);")
    assert verdict(text.format("") + start) == "safe"
    # Which one is not specified: neither always the last one, nor always another one.
    assert verdict(text.format("\n assert(is_last);") + start) == "line 4"
    assert verdict(text.format("\n assert(!is_last);") + start) == "line 4"


def test_many_read_and_one_writes() -> None:
    text = (
        "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; _Atomic int r, w_;\nvoid *w(void *u) {{\n"
        " pthread_rwlock_{}(&l); w_++;\n assert(w_ == 1); w_--; pthread_rwlock_unlock(&l); return 0; }}\n"
    )
    assert verdict(text.format("wrlock") + TWO.format("", JOINED)) == "safe"
    assert verdict(text.format("rdlock") + TWO.format("", JOINED)) == "line 4"


def test_a_lock_may_be_busy() -> None:
    text = (
        "pthread_rwlock_t l;\nint main() {{ pthread_rwlock_{}(&l);\n assert(pthread_rwlock_{}(&l) == {}); }}"
    )
    assert verdict(text.format("rdlock", "tryrdlock", "0")) == "safe"
    assert verdict(text.format("rdlock", "trywrlock", "EBUSY")) == "safe"
    assert verdict(text.format("wrlock", "tryrdlock", "EBUSY")) == "safe"
    assert verdict(text.format("wrlock", "tryrdlock", "0")) == "line 3"


def test_an_initialization_happens_once_and_is_waited_for() -> None:
    text = (
        "pthread_once_t o = PTHREAD_ONCE_INIT; _Atomic int n, ready;\nvoid init(void) { n++; ready = 1; }\n"
        "void *w(void *u) { pthread_once(&o, init);\n assert(ready); return 0; }\n"
    )
    assert verdict(text + TWO.format("", f"{JOINED} assert(n == 1);")) == "safe"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("assert(pthread_mutex_timedlock(&m, 0) == 0);", "line 2"),
        ("if (pthread_mutex_timedlock(&m, 0) == 0) assert(pthread_mutex_trylock(&m) == EBUSY);", "safe"),
        ("pthread_mutex_lock(&m); assert(pthread_cond_timedwait(&c, &m, 0) == 0);", "line 2"),
        ("sem_init(&s, 0, 1); assert(sem_trywait(&s) == 0); assert(sem_trywait(&s) == -1);", "safe"),
        ("sem_init(&s, 0, 1); assert(sem_timedwait(&s, 0) == 0);", "line 2"),
        ("int v; sem_init(&s, 0, 3); sem_wait(&s); sem_getvalue(&s, &v); assert(v == 2);", "safe"),
        ("assert(rand() >= 0);", "safe"),
        ("assert(rand() != 5);", "line 2"),
        ('assert(printf("x") == 0);', "line 2"),
        ('int a[2]; int i = 2; printf("%d", a[i]);', "line 2"),
    ],
)
def test_calls_that_may_fail_or_give_up(body: str, expected: str) -> None:
    head = "pthread_mutex_t m; pthread_cond_t c; sem_t s;\n"
    assert verdict(f"{head}int main() {{ {body} }}") == expected


def test_every_thread_has_its_own_thread_locals() -> None:
    text = "{} int x = 5;\nvoid *w(void *u) {{ x++;\n assert(x == 6); return 0; }}\n"
    for word in ("_Thread_local", "__thread", "static __thread"):
        assert verdict(text.format(word) + TWO.format("", JOINED)) == "safe"
    assert verdict(text.format("") + TWO.format("", JOINED)) == "line 3"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("struct s { int a : 3; } x;\nint main() { }", "a bit-field"),
        ("struct s { struct { int a; }; } x;\nint main() { }", "a structure without a name"),
        ("extern int x;\nint main() { return x; }", "the name `x`, which is not declared,"),
        (
            "pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;\n"
            "int main() { pthread_mutex_timedlock(&m, 0); }",
            "a timed lock of a mutex with attributes",
        ),
        ("pthread_mutex_t m = {{0, 0, 0, 1}};\nint main() { }", "this as a first value of"),
        (
            "pthread_rwlock_t l; pthread_rwlockattr_t a;\nint main() { pthread_rwlock_init(&l, &a); }",
            "a lock with",
        ),
        ("int main() { typedef int t; { typedef char t; } }", "another type `t`"),
        ("int a[2] = {1, 2, 3};\nint main() { }", "a list with more values than elements"),
        ("int main(int c, char **argv) { return argv[0][0]; }", "the name `argv`, which is not declared,"),
        ("int main() { long x; *(int *)&x = 1; }", "a pointer to a variable of another type"),
        ("int main() { static _Thread_local int x; }", "a local that each thread keeps"),
    ],
)
def test_what_would_be_something_else_is_refused(text: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        read_c_threads(SourceText("t.c", text))
    assert caught.value.diagnostics[0].message.startswith(what)


@pytest.mark.parametrize(
    "text",
    [
        "struct s { int x; };\nint main() { struct s *a = malloc(sizeof(struct s)), *b = malloc(sizeof *b);"
        " a->x = 1; b->x = 2; assert(a->x == 1); }",
        "void f(int k) { static int n; n += k; { static int n = 5; n++; assert(n > 5); } }\n"
        "int main() { f(1); f(2); }",
        "typedef enum { false, true } bool;\nint main() { bool b = true; assert(b == 1); }",
        "struct s { int a, b, c; } v = {.b = 2, 3};\n"
        "int main() { assert(v.a == 0 && v.b == 2 && v.c == 3); }",
        "int free(int x) { return x + 1; }\nint main() { assert(free(1) == 2); }",
        "extern int x; int x = 4;\nint main() { assert(x == 4); }",
        "void set(int **p, int *q) { int k = 7; *p = q; **p = k; }\n"
        "int main() { int x, *p; set(&p, &x); assert(x == 7); }",
        "int main(int argc, char **argv) { assert(argc >= 0); }",
        "struct p { int x[2]; struct { int z; } y; } a = {{1, 2}, {3}};\n"
        "int main() { struct p b = a, c; c = b; a.x[1] = 9; assert(c.x[1] == 2 && c.y.z == 3); }",
        "int *a[3];\nint main() { for (int i = 0; i < 3; i++) { if (i == 1) continue; "
        "a[i] = malloc(sizeof(int));"
        " *a[i] = i; }\n assert(*a[0] == 0 && !a[1] && *a[2] == 2); }",
        "int *new(int n) { int *p = malloc(sizeof *p); *p = n; return p; }\nint main() { int *p[2];"
        " for (int i = 0; i != 2; ++i) p[i] = new(i + 5); assert(*p[0] == 5 && *p[1] == 6); }",
        "int main() { enum { A = 3 }; struct t { int y; } v = {A}; typedef int n; n k = v.y;"
        " assert(k == 3); }",
        "int main() { assert(sizeof(struct { char a; long b; short c; }) == 24 && sizeof(int[5]) == 20); }",
        "int main() { char *s = \"hi\"; assert(s[0] == 104 && s[2] == 0 && *(s + 1) == 'i'); }",
    ],
)
def test_declarations_mean_what_they_mean_in_c(text: str) -> None:
    assert verdict(text) == "safe"
