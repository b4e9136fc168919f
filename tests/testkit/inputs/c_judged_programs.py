"""Small programs with threads, each judged before anything was run: does it race, does it hang?"""

from dataclasses import dataclass

HEADERS = "".join(
    f"#include <{name}.h>\n" for name in ("assert", "pthread", "semaphore", "stdatomic", "stdlib")
)


@dataclass(frozen=True)
class Judged:
    """A program, with what it does."""

    races: bool
    hangs: bool
    text: str


def both(races: int, hangs: int, before: str, one: str, two: str, first: str = "") -> Judged:
    """Two threads that run different code; `L(m)` takes the lock `m`, and `U(m)` gives it back."""
    text = (
        f"#define L(x) pthread_mutex_lock(&x)\n#define U(x) pthread_mutex_unlock(&x)\n"
        f"pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n"
        f"pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n"
        f"{before}\nvoid *one(void *p) {{ {one} return 0; }}\nvoid *two(void *p) {{ {two} return 0; }}\n"
        f"int main(void) {{ pthread_t t, u; {first} pthread_create(&t, 0, one, 0); "
        f"pthread_create(&u, 0, two, 0); pthread_join(t, 0); pthread_join(u, 0); return 0; }}\n"
    )
    return Judged(bool(races), bool(hangs), HEADERS + text)


def whole(races: int, hangs: int, text: str) -> Judged:
    return Judged(bool(races), bool(hangs), f"{HEADERS}{text}\n")


JUDGED = {
    "plain": both(1, 0, "int x;", "x++;", "x++;"),
    "locked": both(0, 0, "int x;", "L(m); x++;U(m);", "L(m); x++;U(m);"),
    "two locks": both(1, 0, "int x;", "L(m); x++;U(m);", "L(n); x++;U(n);"),
    "read read": both(0, 0, "int x = 3, a, b;", "a = x;", "b = x;"),
    "read write": both(1, 0, "int x, a;", "a = x;", "x = 1;"),
    "atomic": both(0, 0, "atomic_int x;", "x++;", "x++;"),
    "atomic and plain copy": both(1, 0, "atomic_int x; int y;", "y = x;", "x = 1; y = 2;"),
    "flag atomic": both(0, 0, "int d; atomic_int f;", "d = 1; f = 1;", "if (f) assert(d == 1);"),
    "flag plain": both(1, 0, "int d, f;", "d = 1; f = 1;", "if (f) assert(d == 1);"),
    "semaphore in order": both(
        0, 0, "int d; sem_t s;", "d = 1; sem_post(&s);", "sem_wait(&s); d = 2;", "sem_init(&s, 0, 0);"
    ),
    "semaphore of two": both(
        1, 0, "int d; sem_t s;", "d = 1; sem_wait(&s);", "sem_wait(&s); d = 2;", "sem_init(&s, 0, 2);"
    ),
    "semaphores that wait for each other": both(
        0,
        1,
        "sem_t s, r;",
        "sem_wait(&s); sem_post(&r);",
        "sem_wait(&r); sem_post(&s);",
        "sem_init(&s, 0, 0); sem_init(&r, 0, 0);",
    ),
    "two locks in two orders": both(
        0, 1, "int x;", "L(m); L(n); x++;U(n); U(m);", "L(n); L(m); x++;U(m); U(n);"
    ),
    "two locks in one order": both(
        0, 0, "int x;", "L(m); L(n); x++;U(n); U(m);", "L(m); L(n); x++;U(n); U(m);"
    ),
    "gate lock": both(
        0,
        0,
        "pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER; int x;",
        "pthread_mutex_lock(&g);L(m); L(n); x++;U(n); U(m); pthread_mutex_unlock(&g);",
        "pthread_mutex_lock(&g);L(n); L(m); x++;U(m); U(n); pthread_mutex_unlock(&g);",
    ),
    "relock": both(0, 1, "", "L(m); L(m); U(m); U(m);", ""),
    "forgotten unlock": both(0, 1, "int x;", "L(m); x = 1;", "L(m); x = 2;U(m);"),
    "lost signal": both(
        0, 1, "", "L(m); pthread_cond_wait(&c, &m);U(m);", "L(m); pthread_cond_signal(&c);U(m);"
    ),
    "kept signal": both(
        0,
        0,
        "int r;",
        "L(m); while (!r) pthread_cond_wait(&c, &m);U(m);",
        "L(m); r = 1; pthread_cond_signal(&c);U(m);",
    ),
    "signal without lock": both(
        1, 1, "int r;", "L(m); while (!r) pthread_cond_wait(&c, &m);U(m);", "r = 1; pthread_cond_signal(&c);"
    ),
    "rwlock readers": both(
        0,
        0,
        "pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER; int x, a;",
        "pthread_rwlock_rdlock(&w); a = x; pthread_rwlock_unlock(&w);",
        "pthread_rwlock_wrlock(&w); x++; pthread_rwlock_unlock(&w);",
    ),
    "rwlock writes under read": both(
        1,
        0,
        "pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER; int x;",
        "pthread_rwlock_rdlock(&w); x++; pthread_rwlock_unlock(&w);",
        "pthread_rwlock_rdlock(&w); x++; pthread_rwlock_unlock(&w);",
    ),
    "barrier": both(
        0,
        0,
        "pthread_barrier_t b; int x, y, p1, q;",
        "x = 1; pthread_barrier_wait(&b); p1 = y;",
        "y = 1; pthread_barrier_wait(&b); q = x;",
        "pthread_barrier_init(&b, 0, 2);",
    ),
    "barrier too big": both(
        0,
        1,
        "pthread_barrier_t b;",
        "pthread_barrier_wait(&b);",
        "pthread_barrier_wait(&b);",
        "pthread_barrier_init(&b, 0, 3);",
    ),
    "barrier missing": both(
        1,
        0,
        "pthread_barrier_t b; int x;",
        "x = 1; pthread_barrier_wait(&b);",
        "x = 2; pthread_barrier_wait(&b);",
        "pthread_barrier_init(&b, 0, 2);",
    ),
    "main after join": whole(
        0,
        0,
        "int x; void *one(void *p) { x = 1; return 0; } "
        "int main(void) { pthread_t t; x = 5; pthread_create(&t, 0, one, 0); pthread_join(t, 0); x "
        "= 2; return 0; } ",
    ),
    "main before join": whole(
        1,
        0,
        "int x; void *one(void *p) { x = 1; return 0; } "
        "int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); x = 2; pthread_join(t, 0); "
        "return 0; } ",
    ),
    "array apart": both(0, 0, "int a[2];", "a[0]++;", "a[1]++;"),
    "array same": both(1, 0, "int a[2];", "a[1]++;", "a[1]++;"),
    "members apart": both(0, 0, "struct { int p, q; } s;", "s.p++;", "s.q++;"),
    "pointer same": both(1, 0, "int x; int *q = &x;", "(*q)++;", "x++;"),
    "malloc shared": whole(
        1,
        0,
        "int *q; void *one(void *p) { *q = 1; return 0; } "
        "int main(void) { pthread_t t; q = malloc(sizeof(int)); pthread_create(&t, 0, one, 0); *q "
        "= 2; pthread_join(t, 0); return 0; } ",
    ),
    "malloc handed": whole(
        0,
        0,
        "void *one(void *p) { int *q = p; *q = 1; return 0; } "
        "int main(void) { pthread_t t; int *q = malloc(sizeof(int)); *q = 2; pthread_create(&t, 0, "
        "one, q); pthread_join(t, 0); *q = 3; return 0; } ",
    ),
    "trylock good": both(
        0, 0, "int x;", "if (pthread_mutex_trylock(&m) == 0) { x++;U(m); }", "L(m); x++;U(m);"
    ),
    "trylock bad": both(1, 1, "int x;", "pthread_mutex_trylock(&m); x++;", "L(m); x++;U(m);"),
    "spin lock": both(
        0,
        0,
        "pthread_spinlock_t s; int x;",
        "pthread_spin_lock(&s); x++; pthread_spin_unlock(&s);",
        "pthread_spin_lock(&s); x++; pthread_spin_unlock(&s);",
        "pthread_spin_init(&s, 0);",
    ),
    "lock by exchange": both(
        0,
        0,
        "atomic_int l; int x;",
        "int e = 0; while (!atomic_compare_exchange_weak(&l, &e, 1)) e = 0; x++; l = 0;",
        "while (atomic_exchange(&l, 1)) {} x++; l = 0;",
    ),
    "double check": both(
        1,
        0,
        "int init, v;",
        "if (!init) {L(m); if (!init) { v = 1; init = 1; }U(m); }",
        "if (!init) {L(m); if (!init) { v = 1; init = 1; }U(m); }",
    ),
    "double check atomic": both(
        0,
        0,
        "atomic_int init; int v, a, b;",
        "if (!init) {L(m); if (!init) { v = 1; init = 1; }U(m); } a = v;",
        "if (!init) {L(m); if (!init) { v = 1; init = 1; }U(m); } b = v;",
    ),
    "once": both(
        0,
        0,
        "pthread_once_t o = PTHREAD_ONCE_INIT; int v, a, b; void f(void) { v = 1; }",
        "pthread_once(&o, f); a = v;",
        "pthread_once(&o, f); b = v;",
    ),
    "join never": whole(
        0,
        1,
        "sem_t s; void *one(void *p) { sem_wait(&s); return 0; } "
        "int main(void) { pthread_t t; sem_init(&s, 0, 0); pthread_create(&t, 0, one, 0); "
        "pthread_join(t, 0); return 0; } ",
    ),
    "three way": whole(
        0,
        1,
        "pthread_mutex_t m[3]; void *one(void *p) { int i = *(int *)p; pthread_mutex_lock(&m[i]); "
        "pthread_mutex_lock(&m[(i + 1) % 3]); pthread_mutex_unlock(&m[(i + 1) % 3]); "
        "pthread_mutex_unlock(&m[i]); return 0; } "
        "int n[3] = {0, 1, 2}; int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) "
        "pthread_create(&t[i], 0, one, &n[i]); for (int i = 0; i < 3; i++) pthread_join(t[i], 0); "
        "return 0; } ",
    ),
    "one signal for two": whole(
        0,
        1,
        "int r; pthread_mutex_t m; pthread_cond_t c; void *one(void *p) { pthread_mutex_lock(&m); "
        "while (!r) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0; } "
        "int main(void) { pthread_t t, u; pthread_create(&t, 0, one, 0); pthread_create(&u, 0, "
        "one, 0); pthread_mutex_lock(&m); r = 1; pthread_cond_signal(&c); "
        "pthread_mutex_unlock(&m); pthread_join(t, 0); pthread_join(u, 0); return 0; } ",
    ),
    "thread local": both(0, 0, "_Thread_local int x;", "x++;", "x++;"),
    "argument shared": whole(
        1,
        0,
        "void *one(void *p) { (*(int *)p)++; return 0; } "
        "int main(void) { pthread_t t, u; int x = 0; pthread_create(&t, 0, one, &x); "
        "pthread_create(&u, 0, one, &x); pthread_join(t, 0); pthread_join(u, 0); return 0; } ",
    ),
    "argument own": whole(
        0,
        0,
        "void *one(void *p) { (*(int *)p)++; return 0; } "
        "int main(void) { pthread_t t, u; int x = 0, y = 0; pthread_create(&t, 0, one, &x); "
        "pthread_create(&u, 0, one, &y); pthread_join(t, 0); pthread_join(u, 0); return 0; } ",
    ),
    "never concurrent": whole(
        0,
        0,
        "int x; void *one(void *p) { x++; return 0; } "
        "int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); pthread_join(t, 0); "
        "pthread_create(&t, 0, one, 0); pthread_join(t, 0); return 0; } ",
    ),
    "exits in main": whole(
        1,
        0,
        "int x; void *one(void *p) { x++; return 0; } "
        "int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); pthread_create(&t, 0, one, "
        "0); pthread_exit(0); } ",
    ),
}
