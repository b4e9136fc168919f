"""C programs in which names, types and addresses are easily mistaken for others."""

import pytest

from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.result import Holds, Violated
from seriatim.source import InputError, SourceText


def answer(text: str) -> object:
    return decide_threads(read_c_threads(SourceText("t.c", text)), Options(timeout=30.0)).answer


SAFE = {
    "an enumerator of a block hides one of the file, there alone": """
        enum { N = 3 }; int x = 7;
        int f(void) { enum { N = 5, M = N + 1 }; return N + M; } int g(void) { enum { x = 5 }; return x; }
        int main() { int a = f(), b = g(); assert(a == 11 && b == 5 && N == 3 && x == 7); }""",
    "sizes that depend on enumerators": """
        enum { N = 3 }; struct s { int a[N]; }; typedef int row[N];
        int main() { enum { N = 5 }; int a[N]; struct s b; row c; static int x = N;
          assert(sizeof a == 20 && sizeof b == 12 && sizeof c == 12 && x == 5); }""",
    "an enumeration in a structure": """
        struct q { enum { A, B } k; struct in { int y; } i; } z; struct in o;
        int main() { z.k = B; o.y = z.k; assert(o.y == 1); }""",
    "a global in a block, below a local of its name": """
        int x = 7; int main() { int x = 5; { extern int x; assert(x == 7); x = 8; } assert(x == 5); }""",
    "a variable of threads that is declared twice": """
        __thread int x = 5; extern __thread int x; int main() { assert(x == 5); }""",
    "strings in braces": """
        char s[4] = {"abc"}, u[] = {"de"}; int main() { char t[] = {"xy"};
          assert(s[0] == 'a' && u[1] == 'e' && t[0] == 'x' && sizeof t == 3 && sizeof u == 3); }""",
    "the address behind an array": """
        int a[3]; int count(int *p, int *end) { int n = 0; while (p != end) { n++; p++; } return n; }
        int from(int *end) { return end - a; }
        int main() { int n = 0, *q = a; for (int *p = a; p < &a[3]; p++) { *p = 1; n++; }
          assert(n == 3 && a[2] == 1 && count(&a[0], &a[3]) == 3 && from(&a[3]) == 3 && &q[3] - a == 3); }""",
    "a number through a pointer": """
        int main() { unsigned long u = -1; void *p = (void *)u; long n = (long)p; assert(n == -1); }""",
    "a mutex to wait with is found once": """
        pthread_mutex_t m[4]; pthread_cond_t c;
        int main() { int i = 0;
          pthread_mutex_lock(&m[0]); pthread_cond_wait(&c, &m[i++]); assert(i == 1); }""",
    "a case is converted to the type of what is switched on": """
        int main() { int x = -1, r = 0; switch (x) { case 0x1FFFFFFFFL: r = 1; } assert(r == 1); }""",
    "memory that is found after other memory has its name": """
        void (*fp)(void); long r;
        void f(void) { long *q = malloc(sizeof(long)); *q = 5000000000L; r = *q; }
        void *w(void *a) { fp = f; return 0; }
        int main() { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); fp();
          int *p = malloc(sizeof(int)); *p = 3; assert(*p == 3 && r == 5000000000L); }""",
    "locals that are found after others have their name": """
        void (*fp)(void); long r; void f(void) { long x = 1; long *q = &x; *q = 5000000000L; r = *q; }
        void *w(void *a) { fp = f; return 0; }
        int main() { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); fp();
          int x = 2; int *p = &x; *p = 3; assert(*p == 3 && x == 3 && r == 5000000000L); }""",
    "a member of what a pointer points to that is known later": """
        struct s { int a, b; struct s *n; };
        int main() { struct s x = {1, 2, 0}, y = {3, 4, &x}; struct s *p = &y; int *q = &p->b; *q += 3;
          assert(y.b == 7 && p->n->b == 2); }""",
    "the address of what a pointer points to is the pointer": """
        int x; int f(int *p) { return p == 0; }
        int main() { int *p = 0, *q = &*p; assert(q == 0 && f(&*p)); p = &x; assert(&*p == &x); }""",
    "a bound that does something": """
        int n; int main() { int *p[3]; for (int i = 0; i < 2; i++) p[i] = malloc(sizeof(int));
          for (int i = 0; i < (n++, 2); i++) *p[i] = i; assert(n == 3 && *p[1] == 1); }""",
    "true is a name like others without its header": """
        #include <pthread.h>
        #if true
        int no = 1;
        #else
        int no = 0;
        #endif
        int main() { assert(no == 0); }""",
    "lines that the program numbers": """
        #line 3 "other.c"
        int main() { assert(1); }""",
}


@pytest.mark.parametrize("name", SAFE)
def test_safe(name: str) -> None:
    assert isinstance(answer(SAFE[name]), Holds)


LOCKS = """
    struct l { pthread_mutex_t m; }; int r;
    void *w(void *a) {
      struct l s; struct l *p = &s; pthread_mutex_init(&p->m, 0); pthread_mutex_lock(&p->m); r = 1;
      return 0; }
    int main() {
      struct l s; struct l *p = &s; pthread_mutex_init(&p->m, 0); pthread_mutex_lock(&p->m);
      pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); assert(r == 0); }"""
"""Two locals of one name, each with a lock of its own."""

UNSAFE = {
    "an assertion after a line with a number": """
        int g = 1; int main() {
        #line 3 "other.c"
          assert(g == 0); }""",
    "an assertion of a function that takes an int": """
        void __VERIFIER_assert(int c) { if (!c) reach_error(); }
        int main() { long x = 0x100000000L; __VERIFIER_assert(x); }""",
    "structures of locks alone": LOCKS,
    "an address far behind an array": "int a[3]; int main() { int i = 4; int *p = &a[i]; }",
}


@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe(name: str) -> None:
    assert isinstance(answer(UNSAFE[name]), Violated)


REFUSED = {
    "a case within another statement": """
        int main() { int x = 1, r = 0; switch (x) { case 0: break; while (r < 0) { case 1: r = 5; } } }""",
    "case within another statement of": """
        int main() { int x = 1, r = 0; switch (x) { case 0: if (0) { case 1: r = 5; } } assert(r == 0); }""",
    "a literal outside functions": "int *p = (int[]){1, 2}; int main() { assert(p[1] == 2); }",
    "another enumeration `e`": """
        enum e { A = -1 }; enum e g; int main() { enum e { B } x; x = B; }""",
    "`x`, which is not defined,": "int main() { int x = 5; { extern int x; x = 8; } }",
    "whose elements have numbers": "int a[] = {5, [0] = 7}; int main() { assert(sizeof a == 4); }",
    "a pointer to a variable of another type": """
        int x = -1; int big(unsigned *p) { return *p > 5; } int main() { assert(big(&x)); }""",
    "comparison of pointers without types": """
        struct s { int x; } s; int main() { void *a = &s, *b = &s.x; assert(a == b); }""",
    "this declaration": "int(main) { assert(1); }",
    "pointer to a variable of another type": """
        struct s { int x; } s; int main() { assert((void *)&s == (void *)&s.x); }""",
    "arithmetic on the address of an array": "int a[3]; int main() { assert(*(&a + 1) - a == 3); }",
    "arithmetic on a pointer without a type": "int a[3]; int main() { int *p = (void *)a + 4; }",
    "on a pointer without a type": "int a[3]; int main() { void *p = a; p = p + 4; }",
    "a pointer to an array": "int m[2][3]; int main() { int (*p)[3] = m; assert(p + 1 == &m[1]); }",
    "`break` outside loops": "int main() { break; }",
    "`continue` outside loops": """
        int f(void) { switch (1) { default: continue; } } int main() { for (int i = 0; i < 2; i++) f(); }""",
    "`x`, which is no label,": "int main() { goto x; }",
    "`x`, which is there twice,": "int main() { int n = 0; x: n++; if (n < 3) goto x; x: n = 5; }",
    "a place for the result of a thread": """
        void *w(void *a) { return 0; }
        int main() { pthread_t t; void **r = 0; pthread_create(&t, 0, w, 0); pthread_join(t, r); }""",
    "this type for the result of a thread": """
        int r; void *w(void *a) { return 0; }
        int main() { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, (void **)&r); }""",
    "a condition of this form": """
        #if 1 / 0
        #endif
        int main() { }""",
    "`__LINE__` after a directive": """
        #line 100
        int main() { assert(__LINE__ == 100); }""",
    "after the number of a character": 'int main() { char s[] = "\\1" "2"; assert(s[0] == 1); }',
}


@pytest.mark.parametrize("says", REFUSED)
def test_refused(says: str) -> None:
    with pytest.raises(InputError) as error:
        answer(REFUSED[says])
    assert says in error.value.diagnostics[0].message


def test_runs_show_pointers_by_the_names_of_what_they_point_to() -> None:
    text = """
        int x, y; int *p = &x; int a[3], *q; void (*f)(void); void inc(void) { y++; }
        void *w(void *u) { p = &y; q = &a[1]; f = inc; return 0; }
        int main(void) {
          pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); int *here = p; *here = 3; f();
          assert(y + *q == 5); }"""
    answer = decide_threads(read_c_threads(SourceText("t.c", text)), Options(timeout=30.0)).answer
    assert isinstance(answer, Violated)
    timeline = answer.run.timeline
    changes = [each for turn in timeline.turns for moment in turn.moments for each in moment.changes]
    shown = {each.name: (each.show(each.old), each.show(each.new)) for each in changes}
    assert shown["p"] == ("&x", "&y")
    assert shown["q"] == ("NULL", "&a[1]")
    assert shown["f"] == ("NULL", "inc")
    assert shown["here"][1] == "&y"
    assert shown["y"][1] == "4"
    assert timeline.value_names["p"][0] == "NULL"
