"""What the library does for threads: types of mutexes, handlers, data of threads, threads of C11.

Each program is safe, fails if one text in it is replaced, and the compiled program agrees.
"""

import pytest

from seriatim.budget import Deadline
from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.c.compiled.schedules import compiler_version, run_compiled
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.properties.deadlock_free import DEADLOCK_FREEDOM
from seriatim.result import Holds, Violated
from seriatim.source import InputError, Severity, SourceText

PROGRAMS = {
    "a function with any arguments, and texts of the library": (
        """
        #include <assert.h>
        #include <pthread.h>
        #include <stdarg.h>
        #include <stdio.h>
        #include <string.h>
        #ifndef NULL
        #define NULL 7
        #endif
        struct pair later;
        struct pair { int a; int b; };
        int x;
        void say(const char *format, ...) {
          va_list args; va_start(args, format); vfprintf(stderr, format, args); va_end(args); x++; }
        void *worker(void *unused) { say("%d %s", later.b++, "x"); printf("%s", strerror(x)); return NULL; }
        int main(void) {
          pthread_t t; pthread_create(&t, NULL, worker, NULL); pthread_join(t, NULL);
          int c = getchar(); assert(x == 1 && later.b == 1 && c < 256); }""",
        ("x == 1", "x == 0"),
    ),
    "a recursive mutex": (
        """
        #define _GNU_SOURCE
        #include <assert.h>
        #include <pthread.h>
        pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; int x;
        void add(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
        void *worker(void *unused) {
          pthread_mutex_lock(&m); int before = x; add(); assert(x == before + 1); pthread_mutex_unlock(&m);
          return 0; }
        int main(void) {
          pthread_t t, u; pthread_create(&t, 0, worker, 0); pthread_create(&u, 0, worker, 0);
          pthread_join(t, 0); pthread_join(u, 0); assert(x == 2); }""",
        ("x == 2", "x == 3"),
    ),
    "a mutex that checks errors": (
        """
        #include <assert.h>
        #include <errno.h>
        #include <pthread.h>
        pthread_mutex_t m;
        void *worker(void *unused) {
          assert(pthread_mutex_unlock(&m) == EPERM); assert(pthread_mutex_trylock(&m) == EBUSY); return 0; }
        int main(void) {
          pthread_mutexattr_t a; pthread_t t; pthread_mutexattr_init(&a);
          pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK); pthread_mutex_init(&m, &a);
          assert(pthread_mutex_lock(&m) == 0); assert(pthread_mutex_lock(&m) == EDEADLK);
          pthread_create(&t, 0, worker, 0); pthread_join(t, 0);
          assert(pthread_mutex_unlock(&m) == 0); assert(pthread_mutex_unlock(&m) == EPERM);
          assert(pthread_mutex_trylock(&m) == 0 && pthread_mutex_trylock(&m) == EBUSY); }""",
        ("pthread_mutex_lock(&m) == EDEADLK", "pthread_mutex_lock(&m) == 0"),
    ),
    "a recursive mutex and a condition": (
        """
        #include <assert.h>
        #include <pthread.h>
        pthread_mutex_t m; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready, seen;
        void *worker(void *unused) {
          pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m);
          seen = pthread_mutex_trylock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&m); return 0; }
        int main(void) {
          pthread_mutexattr_t a; pthread_t t; pthread_mutexattr_init(&a);
          pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&m, &a);
          pthread_create(&t, 0, worker, 0);
          pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
          pthread_join(t, 0); assert(seen == 0); }""",
        ("PTHREAD_MUTEX_RECURSIVE", "PTHREAD_MUTEX_ERRORCHECK"),
    ),
    "handlers": (
        """
        #include <assert.h>
        #include <pthread.h>
        pthread_mutex_t m; int order, one = 1, two = 2;
        void note(void *p) { order = order * 10 + *(int *)p; }
        void unlock(void *p) { pthread_mutex_unlock((pthread_mutex_t *)p); }
        void leave(void) { pthread_exit((void *)7); }
        void *worker(void *unused) {
          pthread_cleanup_push(note, &one); pthread_cleanup_push(note, &two); pthread_mutex_lock(&m);
          pthread_cleanup_push(unlock, &m); pthread_cleanup_pop(1); leave();
          pthread_cleanup_pop(0); pthread_cleanup_pop(0); return 0; }
        int main(void) {
          pthread_t t; void *result; pthread_create(&t, 0, worker, 0); pthread_join(t, &result);
          assert(result == (void *)7 && order == 21); pthread_mutex_lock(&m);
          pthread_cleanup_push(note, &one); pthread_cleanup_pop(1); assert(order == 211); }""",
        ("order == 21)", "order == 12)"),
    ),
    "data of threads": (
        """
        #include <assert.h>
        #include <pthread.h>
        pthread_key_t key; int sum, values[2] = { 1, 2 }; pthread_mutex_t m;
        void end(void *p) { pthread_mutex_lock(&m); sum += *(int *)p; pthread_mutex_unlock(&m); }
        void *worker(void *given) {
          assert(pthread_getspecific(key) == 0); pthread_setspecific(key, given);
          assert(*(int *)pthread_getspecific(key) > 0); return 0; }
        int main(void) {
          pthread_t t, u; pthread_key_create(&key, end);
          pthread_create(&t, 0, worker, &values[0]); pthread_create(&u, 0, worker, &values[1]);
          pthread_join(t, 0); pthread_join(u, 0); assert(sum == 3 && pthread_getspecific(key) == 0); }""",
        ("sum == 3", "sum == 1"),
    ),
    "threads of C11": (
        """
        #include <assert.h>
        #include <threads.h>
        mtx_t m; cnd_t c; int ready, x, begun; once_flag once = ONCE_FLAG_INIT; tss_t key;
        void begin(void) { begun++; }
        int worker(void *given) {
          call_once(&once, begin); mtx_lock(&m); while (!ready) cnd_wait(&c, &m);
          x++; mtx_unlock(&m); tss_set(key, given); if (tss_get(key)) thrd_exit(6); return 5; }
        int main(void) {
          thrd_t t; int result; mtx_init(&m, mtx_plain); cnd_init(&c); tss_create(&key, NULL);
          assert(thrd_create(&t, worker, 0) == thrd_success); call_once(&once, begin);
          mtx_lock(&m); assert(mtx_trylock(&m) == thrd_busy); ready = 1; cnd_broadcast(&c); mtx_unlock(&m);
          thrd_join(t, &result); assert(result == 5 && x == 1 && begun == 1); }""",
        ("worker, 0", "worker, &x"),
    ),
}


def runs(text: str) -> dict[str, int]:
    return run_compiled(SourceText("t.c", text), ["failed", "hang"], [], Deadline(60)).counts


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_library_does_what_its_manual_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "gcc")
    text, (old, new) = PROGRAMS[name]
    assert old in text
    broken = text.replace(old, new)
    program = read_c_threads(SourceText("t.c", text))
    assert isinstance(decide_threads(program, Options(timeout=30.0)).answer, Holds)
    hanging = decide_threads(program, Options(timeout=30.0, question=DEADLOCK_FREEDOM))
    assert isinstance(hanging.answer, Holds)
    assert isinstance(
        decide_threads(read_c_threads(SourceText("t.c", broken)), Options(timeout=30.0)).answer, Violated
    )
    if compiler_version("gcc") is not None:
        assert {"failed", "hang", "fault", "memory"}.isdisjoint(runs(text))
        assert "failed" in runs(broken)


def test_a_mutex_has_the_type_that_its_attributes_had_when_it_began() -> None:
    text = """
        pthread_mutex_t m;
        int main(void) {
          pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutex_init(&m, &a);
          pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
          pthread_mutex_lock(&m); pthread_mutex_lock(&m); }"""
    program = read_c_threads(SourceText("t.c", text))
    found = decide_threads(program, Options(timeout=30.0, question=DEADLOCK_FREEDOM))
    assert isinstance(found.answer, Violated)


def test_functions_without_a_body_return_any_value_and_that_is_said() -> None:
    text = """
        extern int read_sensor(int); void note(const char *); int seen;
        int main(void) { note("begins"); seen = read_sensor(3); assert(seen CLAIM); }"""
    for claim, kind in (("<= 2147483647", Holds), ("!= 77", Violated)):
        program = read_c_threads(SourceText("t.c", text.replace("CLAIM", claim)))
        assert [each.code for each in program.warnings] == ["SER725", "SER725"]
        assert all(each.severity is Severity.WARNING for each in program.warnings)
        assert isinstance(decide_threads(program, Options(timeout=30.0)).answer, kind)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("void fill(int *); int x; int main(void) { fill(&x); }", "a call of `fill`, which has no body"),
        ("int *find(void); int main(void) { find(); }", "a call of `find`, which has no body"),
        ("int fork(void); int main(void) { fork(); }", "a call of `fork`, which has no body"),
        ("int main(void) { unheard_of(); }", "a call of `unheard_of`, which has no body"),
        ("int main(void) { pthread_cleanup_pop(1); }", "`pthread_cleanup_pop` without a push"),
        (
            "pthread_key_t k; void d(void *p) { pthread_setspecific(k, p); }\n"
            "int main(void) { pthread_key_create(&k, d); }",
            "this destructor",
        ),
        ("int main(void) { pthread_key_t k; pthread_getspecific(k); }", "a key that is a local"),
    ],
)
def test_what_is_not_known_is_refused(text: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        read_c_threads(SourceText("t.c", text))
