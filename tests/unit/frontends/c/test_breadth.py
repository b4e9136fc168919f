"""C beyond the simplest: recursion of known depth, strings, whole variables, addresses of parameters."""

import pytest

from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.result import Holds, Violated
from seriatim.source import InputError, SourceText


def answer(text: str) -> object:
    return decide_threads(read_c_threads(SourceText("t.c", text)), Options(timeout=30.0)).answer


SAFE = {
    "recursion": """
        int fact(int n) { if (n <= 1) return 1; return n * fact(n - 1); }
        int main() { assert(fact(5) == 120); }""",
    "two calls of itself": """
        int fib(int n) { if (n < 2) return n; int a = fib(n - 1); int b = fib(n - 2); return a + b; }
        int main() { assert(fib(6) == 8); }""",
    "two functions that call each other": """
        int odd(int n);
        int even(int n) { if (n == 0) { return 1; } else { return odd(n - 1); } }
        int odd(int n) { if (n == 0) return 0; return even(n - 1); }
        int main() { assert(even(10)); assert(!odd(4)); }""",
    "recursion behind a lazy operator": """
        int a[3] = {1, 1, 1}; int all(int n) { return n == 0 || (a[n - 1] && all(n - 1)); }
        int main() { assert(all(3)); }""",
    "a constant that wraps": """
        int down(unsigned char n) { if (n == 255) return 1; return down(n - 1); }
        int main() { assert(down(2)); }""",
    "jumps into code to which nothing else leads": """
        int x;
        int main() {
          goto in; { int y; in: y = 3; x = y; }
          if (0) { skip: x = 4; goto end; } if (x == 3) goto skip;
          end: assert(x == 4); }""",
    "an array as long as its string": """
        char s[] = "hey"; char t[2] = "ab"; char u[5] = "c";
        int main() { assert(sizeof(s) == 4 && s[1] == 'e' && s[3] == 0 && t[1] == 'b' && u[4] == 0); }""",
    "memory is set and copied": """
        struct s { int a; int b[2]; } x, y; int z[3] = {1, 2, 3}, v[3];
        int main() {
          x.a = 1; memset(&x, 0, sizeof(x)); assert(x.a == 0); y.b[1] = 7;
          if (y.b[1]) memcpy(&x, &y, sizeof(struct s)); assert(x.b[1] == 7);
          memmove(v, z, sizeof z); assert(v[2] == 3); memset(z, 0, sizeof(z)); assert(z[0] == 0); }""",
    "numbers that are read": """
        int x, y;
        int main() {
          int n = scanf("%d %d", &x, &y);
          assert(n <= 2); if (n < 1) assert(x == 0); if (n < 2) assert(y == 0); }""",
    "constants with names": """
        const int N = 3; static const unsigned char B = 300; const int C = 4;
        int main() { int b[N]; b[2] = B; const int *p = &C; assert(b[2] == 44 && *p == 4); }""",
    "the address of a parameter": """
        void *w(void *a) { int *p = a; *p = 4; return 0; }
        void go(int n) { pthread_t t; pthread_create(&t, 0, w, &n); pthread_join(t, 0); assert(n == 4); }
        int main() { go(3); }""",
}


@pytest.mark.parametrize("name", SAFE)
def test_safe(name: str) -> None:
    assert isinstance(answer(SAFE[name]), Holds)


def test_each_call_of_a_recursive_function_accesses_what_is_shared() -> None:
    text = """
        int c; void up(int n) { if (n == 0) return; c++; up(n - 1); }
        void *f(void *q) { up(2); return 0; }
        int main() {
          pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
          pthread_join(t, 0); pthread_join(u, 0); assert(c == 4); }"""
    assert isinstance(answer(text), Violated)
    assert isinstance(answer(text.replace("int c", "_Atomic int c")), Holds)


UNSAFE = {
    "a number that is read": 'int x; int main() { if (scanf("%d", &x) == 1) assert(x != 77777); }',
    "an argument of the program": "int main(int n, char **v) { if (n == 2) assert(atoi(v[1]) != -4); }",
    "memory of a thread that another thread starts": """
        char *v; pthread_mutex_t m;
        void *one(void *a) { v = malloc(sizeof(char)); return 0; }
        void *two(void *a) { pthread_mutex_lock(&m); v[0] = 1; pthread_mutex_unlock(&m); return 0; }
        void *three(void *a) { pthread_mutex_lock(&m); v[0] = 2; pthread_mutex_unlock(&m); return 0; }
        void *first(void *a) {
          pthread_t t, u, w; pthread_create(&t, 0, one, 0); pthread_join(t, 0);
          pthread_create(&u, 0, two, 0); pthread_create(&w, 0, three, 0);
          pthread_join(u, 0); pthread_join(w, 0); return 0; }
        int main() {
          pthread_t t; pthread_create(&t, 0, first, 0); pthread_join(t, 0);
          if (v[0] != 1) { ERROR: assert(0); } }""",
}


@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe(name: str) -> None:
    assert isinstance(answer(UNSAFE[name]), Violated)


REFUSED = {
    "a string that is read": ('char s[9]; int main() { scanf("%s", s); }', "this format"),
    "recursion without an end": ("int f(int n) { return f(n + 1); } int main() { f(0); }", "recursion"),
    "recursion on a variable": (
        "int n; int f(int k) { if (k == 0) return 0; return f(k - 1); } int main() { f(n); }",
        "recursion",
    ),
    "a parameter that changes": (
        "int f(int n) { n--; if (n < 0) return 0; return f(n); } int main() { f(3); }",
        "recursion",
    ),
    "a part of a variable": ("int z[3]; int main() { memset(z, 0, 4); }", "a part of a variable"),
    "another value": ("int z[3]; int main() { memset(z, 1, sizeof(z)); }", "another value than 0"),
    "different types": (
        "int z[2]; long v[1]; int main() { memcpy(z, v, sizeof(z)); }",
        "between variables of different types",
    ),
    "what it returns": ("int z[2]; int main() { int *p = memset(z, 0, sizeof(z)); }", "the result of"),
    "a string that is too long": ('char s[2] = "abc"; int main() { }', "longer than its array"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    text, what = REFUSED[name]
    with pytest.raises(InputError, match=what):
        read_c_threads(SourceText("t.c", text))
