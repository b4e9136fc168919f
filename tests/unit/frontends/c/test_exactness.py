"""C programs on which a translation is easily wrong: what fails in C fails here, and nothing else does."""

import pytest

from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.result import Holds, Violated
from seriatim.source import InputError, SourceText


def answer(text: str) -> object:
    return decide_threads(read_c_threads(SourceText("t.c", text)), Options(timeout=30.0)).answer


SAFE = {
    "the value of a block is that of a barrier": """
        pthread_barrier_t b; int main() { int r; pthread_barrier_init(&b, 0, 1);
          r = ({ pthread_barrier_wait(&b); }); assert(r == PTHREAD_BARRIER_SERIAL_THREAD); }""",
    "main leaves an atomic function, and its write stays": """
        int x; void *w(void *a) { return 0; }
        void __VERIFIER_atomic_f(void) { x = 1; pthread_exit(0); }
        void *late(void *a) { if (x == 1) x = 2; return 0; }
        int main() { pthread_t t; pthread_create(&t, 0, late, 0); __VERIFIER_atomic_f(); assert(0); }""",
    "attributes that a pointer says, which is NULL": """
        int x; void *w(void *a) { x = 1; return 0; }
        int main() {
          const pthread_attr_t *const none = NULL; pthread_t t;
          pthread_create(&t, none, w, 0); pthread_join(t, 0); assert(x == 1); }""",
    "ids of threads that nobody asks for again": """
        int x; pthread_mutex_t m;
        void *leaf(void *a) { pthread_mutex_lock(&m); x++; x--; pthread_mutex_unlock(&m); return 0; }
        void *w(void *a) { pthread_t i; pthread_create(&i, 0, leaf, 0); pthread_detach(i); return 0; }
        int main() {
          pthread_t t, u; pthread_create(&t, 0, w, 0); pthread_create(&u, 0, w, 0); pthread_join(t, 0);
          pthread_join(u, 0); pthread_mutex_lock(&m); assert(x == 0); pthread_mutex_unlock(&m); }""",
    "what is expected is long": """
        int main() { unsigned char c = 200; assert(sizeof(__builtin_expect(c, 1)) == 8);
          assert(__builtin_expect(c > 1, 1)); }""",
    "sleep is unsigned": "int main() { assert(sleep(1) >= 0); }",
    "an own assert is what it says": """
        int n; void assert(int x) { n = n + 1; } int main() { assert(0); if (n != 1) reach_error(); }""",
    "a local pointer with the name of a parameter": """
        int x, other; void f(int *p) { { int *p = &other; *p = 5; } *p = 1; }
        int main() { f(&x); assert(x == 1 && other == 5); }""",
    "a parameter that is assigned to": """
        int x, other; void f(int *p) { p = &other; *p = 5; }
        int main() { f(&x); assert(x == 0 && other == 5); }""",
    "a parameter that is assigned to, and a global of its name": """
        int x, other; int *p; void f(int *p) { p = &other; *p = 5; }
        int main() { f(&x); assert(x == 0 && other == 5 && p == 0); }""",
    "a parameter that moves": """
        int a[2]; void f(int *p) { *p++ = 1; *p = 2; }
        int main() { f(&a[0]); assert(a[0] == 1 && a[1] == 2); }""",
    "an enumeration with a negative number is signed": """
        enum e { A = -1, B }; int main() { enum e x = B; assert(x - 1 < 0); }""",
    "a thread that is one step": """
        int c; void *__VERIFIER_atomic_w(void *a) { c = c + 1; if (c > 2) return 0; c = c - 1; return 0; }
        int main() { pthread_t t; pthread_create(&t, 0, __VERIFIER_atomic_w, 0); assert(c == 0); }""",
    "bits of shifted and negative constants": """
        int g; unsigned u = 7;
        int main() {
          g = 4; assert(g & (1 << 2)); assert((g & ~4) == 0); assert((g | (1 << 1)) == 6);
          g = -6; assert((g & -4) == -8 && (g | -4) == -2 && (g ^ -1) == 5); assert((u & ~2u) == 5); }""",
    "variables without a name": """
        struct p { int x, y; }; int r;
        int f(int *a) { return a[0] + a[1]; }
        void *w(void *u) { struct p *x = u; r = x->x * x->y; return 0; }
        int main() {
          pthread_t t; pthread_create(&t, 0, w, &(struct p){ 6, 7 }); pthread_join(t, 0); assert(r == 42);
          assert(f((int[]){ 5, 6 }) == 11); int *i = &(int){ 5 }; *i += 1; assert(*i == 6); }""",
    "the address of a parameter that is a structure": """
        struct p { int x, y; }; int r;
        void *w(void *u) { struct p *x = u; r = x->x; return 0; }
        void go(struct p q) { pthread_t t; q.x++; pthread_create(&t, 0, w, &q); pthread_join(t, 0); }
        int main() { struct p a = { 3, 4 }; go(a); assert(r == 4 && a.x == 3); go(a); assert(r == 4); }""",
    "sizes of strings and of what pointers point to": """
        struct s { char c; int i; long l; } x, *p = &x; int m[2][3]; struct s f(void) { return x; }
        int main() {
          assert(sizeof("abc") == 4 && sizeof(*p) == 16 && sizeof *m == 12 && sizeof(f()) == 16);
          x.i = 3; memset(p, 0, sizeof(*p)); assert(x.i == 0); }""",
    "a local array of threads is passed on": """
        int r[2]; struct b { int n; int v[3]; };
        void fill(int *p, int n) { *p = 1; for (int i = 1; i < n; i++) p[i] = i + 1; }
        int sum(int a[], int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
        int all(int *p) { fill(p, 3); return sum(p, 3); }
        void *w(void *u) { int b[3]; struct b c; fill(c.v, 3); r[(long)u] = all(b) + c.v[2]; return 0; }
        int main() {
          pthread_t t[2]; for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, w, (void *)i);
          for (int i = 0; i < 2; i++) pthread_join(t[i], 0); assert(r[0] == 9 && r[1] == 9); }""",
    "jumps out of the right side of a lazy operator": """
        int c; int main() {
          int a = 0, b = 1; if (a && ({ if (b) goto out; 1; })) c = 2; c = 1; out: assert(c == 1); }""",
    "ids in an array of structures": """
        struct w { pthread_t id; int n; } ws[3]; int c; pthread_mutex_t m;
        void *f(void *a) {
          struct w *w = a; pthread_mutex_lock(&m); c += w->n; pthread_mutex_unlock(&m); return 0; }
        int main() {
          for (int i = 0; i < 3; i++) { ws[i].n = i; pthread_create(&ws[i].id, 0, f, &ws[i]); }
          for (int i = 0; i < 3; i++) pthread_join(ws[i].id, 0);
          assert(c == 3); }""",
}


@pytest.mark.parametrize("name", SAFE)
def test_safe(name: str) -> None:
    assert isinstance(answer(SAFE[name]), Holds)


UNSAFE = {
    "what main writes in an atomic function before it leaves": """
        int x; void __VERIFIER_atomic_f(void) { x = 1; pthread_exit(0); }
        void *late(void *a) { assert(x == 0); return 0; }
        int main() { pthread_t t; pthread_create(&t, 0, late, 0); __VERIFIER_atomic_f(); }""",
    "a function that asserts by itself": """
        void assert(int x) { if (!x) reach_error(); } int main() { assert(0); }""",
    "arguments that do not matter, but do something": """
        sem_t s; pthread_mutex_t m; int x; int bump(void) { return ++x; }
        int main() {
          sem_init(&s, bump(), 1); pthread_mutex_timedlock(&m, (bump(), (void *)0)); assert(x != 2); }""",
    "an index outside a local array that was passed on": """
        int get(int *p, int i) { return p[i]; } void *w(void *u) { int b[3] = { 0 }; get(b, 3); return 0; }
        int main() { pthread_t t; while (1) pthread_create(&t, 0, w, 0); }""",
    "the argument of exit": "int run(void) { assert(0); return 1; } int main() { exit(run()); }",
    "where time is stored": "int main() { long s = 0; time(&s); assert(s == 0); }",
    "an enumeration without negative numbers is unsigned": """
        enum e { A, B }; int main() { enum e x = A; assert(x - 1 < 0); }""",
    "a pointer to an int, beside one to an atomic int": """
        int x; atomic_int y;
        void *w(void *a) { int *p = a; (*p)++; return 0; }
        void *v(void *a) { atomic_int *q = a; (*q)++; return 0; }
        int main() {
          pthread_t t, u, z;
          pthread_create(&t, 0, w, &x); pthread_create(&u, 0, w, &x); pthread_create(&z, 0, v, &y);
          pthread_join(t, 0); pthread_join(u, 0); assert(x == 2); }""",
    "two local mutexes of one name": """
        int c;
        void *a(void *u) {
          pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
          pthread_mutex_lock(&m); int x = c; c = x + 1; pthread_mutex_unlock(&m); return 0; }
        int main() {
          pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_t t; pthread_create(&t, 0, a, 0);
          pthread_mutex_lock(&m); int x = c; c = x + 1; pthread_mutex_unlock(&m);
          pthread_join(t, 0); assert(c == 2); }""",
    "a mutex for each round of a loop": """
        int c; int main() {
          for (int i = 0; i < 2; i++) {
            pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); c++; }
          assert(c < 2); }""",
    "an index outside an array of ids": """
        void *w(void *a) { return 0; }
        int main() { pthread_t t[2]; pthread_create(&t[2], 0, w, 0); }""",
}
DIVIDING = (
    'printf("%d", 10 / x);',
    "10 / x;",
    "(void)(10 / x);",
    "x = (10 / x, 3);",
    "x = (x != 0) & (10 / x == 5);",
    "x = (x == 0) | (10 / x == 5);",
    "x = 0 * (10 / x);",
    "x = (10 / x) && 0;",
    "if (10 / x) { }",
    "return 10 / x;",
    "exit(10 / x);",
    "for (10 / x; x; ) { }",
    "pthread_t t; pthread_create(&t, 0, w, (void *)(long)(10 / x));",
)
"""A division by 0 fails, whether somebody uses its result or not."""
UNSAFE |= {
    each: f"int g; void *w(void *a) {{ return 0; }} int main() {{ int x = g; {each} }}" for each in DIVIDING
}
UNSAFE["the result of a thread"] = """
    int g; void *w(void *a) { int x = g; return (void *)(long)(10 / x); }
    int main() { pthread_t t; pthread_create(&t, 0, w, 0); }"""


@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe(name: str) -> None:
    assert isinstance(answer(UNSAFE[name]), Violated)


REFUSED = {
    "void *v(void *a) { return 0; }\n"
    "void *w(void *a) { pthread_t i; pthread_create(&i, 0, v, 0); pthread_join(i, 0); return 0; }\n"
    "int main() { pthread_t t; while (1) pthread_create(&t, 0, w, 0); }": "an id of a thread that is a local",
    "long *p; int main() { time(p); }": "a pointer that may be NULL",
    "pthread_mutex_t m; pthread_mutexattr_t *p; int main() { pthread_mutex_init(&m, p); }": (
        "a pointer that may be NULL"
    ),
    "int a[2]; int *_Atomic p; int main() { __atomic_fetch_add(&p, 1, 5); }": "an atomic change of a pointer",
    "int x; int main() { __atomic_clear(&x, 5); }": "`__atomic_clear` of a variable of this type",
    'int n; int main() { printf("a%n", &n); }': "`%n` in a format",
    "struct s { int x __attribute__((aligned(8))); }; int main() { assert(sizeof(struct s) == 4); }": (
        "the attribute `aligned`"
    ),
    "struct s { _Alignas(8) int x; }; int main() { assert(sizeof(struct s) == 4); }": "`_Alignas`",
    "int a; int main() { int b; void *p = ({ memcpy(&a, &b, sizeof(int)); }); }": "the result of `memcpy`",
    "int f(int *p) { return sizeof(p); } void *w(void *u) { int b[3]; f(b); return 0; }"
    "int main() { pthread_t t; while (1) pthread_create(&t, 0, w, 0); }": "the address of a local",
    "int main() { pthread_t t = pthread_self(); }": "a first value of an id of a thread",
    "int x; int main() { assert((long)&x == 16); }": "a pointer as a number",
    "int x; int main() { long n = &x; }": "a pointer as a number",
    "_Thread_local int n; int main() { int *q = &n; }": "the address of this",
    "int x; void f(int *p) { *(char *)p = 1; }\nint main() { f(&x); }": "a pointer to a variable of another",
    "int x; int main() { char *p = &x; }": "a pointer to a variable of another type",
    "_Atomic int x; int main() { int *p; p = &x; }": "a pointer to a variable of another type",
    "int main() { struct t { int s; } a, b; nanosleep(&a, &b); }": "the time that is left to sleep",
    "enum e { A = 4294967295 }; int main() { }": "an enumerator that does not fit into int",
    "struct __attribute__((packed)) s { char a; int b; }; int main() { }": "the attribute `packed`",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    with pytest.raises(InputError, match=REFUSED[text]):
        read_c_threads(SourceText("t.c", text))
