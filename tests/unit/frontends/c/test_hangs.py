"""Hangs of C programs: signals that are lost, barriers to which too few come, and what wakes threads."""

import pytest

from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.properties.deadlock_free import DEADLOCK_FREEDOM
from seriatim.result import Answer, Holds, Undecided, Violated
from seriatim.source import SourceText

HEAD = """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER, d[2]; pthread_barrier_t b; pthread_rwlock_t r; sem_t s;
int x; _Atomic int on = 1;
"""
TWO = """
void *one(void *unused) {{ {} return 0; }} void *other(void *unused) {{ {} return 0; }}
int main() {{ pthread_t t, u; pthread_barrier_init(&b, 0, 2); sem_init(&s, 0, 0);
  pthread_create(&t, 0, one, 0); pthread_create(&u, 0, other, 0);
  pthread_join(t, 0); pthread_join(u, 0); {} }}
"""
LOCK, UNLOCK = "pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"
WAIT, SIGNAL, BROADCAST = (
    "pthread_cond_wait(&c, &m);",
    "pthread_cond_signal(&c);",
    "pthread_cond_broadcast(&c);",
)


def answer(one: str, other: str, after: str = "") -> Answer:
    text = HEAD + TWO.format(one, other, after)
    options = Options(timeout=30.0, question=DEADLOCK_FREEDOM)
    return decide_threads(read_c_threads(SourceText("t.c", text)), options).answer


HANGS = {
    "a signal that nobody waits for yet is lost": (f"{LOCK} {WAIT} {UNLOCK}", SIGNAL),
    "a broadcast that nobody waits for yet is lost": (
        f"{LOCK} {WAIT} {UNLOCK}",
        f"{LOCK} {BROADCAST} {UNLOCK}",
    ),
    "nobody relies on waking up for no reason": (f"{LOCK} {WAIT} {UNLOCK}", ""),
    "what wakes up for no reason may hang later": (
        f"{LOCK} if (!x) {WAIT} if (!x) sem_wait(&s); {UNLOCK}",
        f"{LOCK} x = 1; {SIGNAL} {UNLOCK}",
    ),
    "a signal wakes one thread": (
        f"{LOCK} {WAIT} {UNLOCK}",
        f"{LOCK} while (!x) {WAIT} {UNLOCK}",
    ),
    "a signal for another condition": (
        f"{LOCK} while (!x) pthread_cond_wait(&d[0], &m); {UNLOCK}",
        f"{LOCK} x = 1; pthread_cond_signal(&d[1]); {UNLOCK}",
    ),
    "a signal to what an index leads to": (
        f"{LOCK} while (!x) pthread_cond_wait(&d[x], &m); {UNLOCK}",
        f"{LOCK} x = 1; pthread_cond_signal(&d[x]); {UNLOCK}",
    ),
    "too few come to a barrier": ("pthread_barrier_wait(&b);", ""),
    "a barrier is waited at once more": (
        "pthread_barrier_wait(&b); pthread_barrier_wait(&b);",
        "pthread_barrier_wait(&b);",
    ),
    "a reader wants to write": ("pthread_rwlock_rdlock(&r); pthread_rwlock_wrlock(&r);", ""),
    "a lock that is not given back": (f"{LOCK}", f"{LOCK} {UNLOCK}"),
    "main waits for itself": ("", "", "sem_wait(&s);"),
    "the wrong lock is held while waiting": (
        f"pthread_mutex_lock(&n); {LOCK} while (!x) {WAIT} {UNLOCK} pthread_mutex_unlock(&n);",
        f"pthread_mutex_lock(&n); {LOCK} x = 1; {SIGNAL} {UNLOCK} pthread_mutex_unlock(&n);",
    ),
}


@pytest.mark.parametrize("name", HANGS)
def test_a_hang_is_found(name: str) -> None:
    found = answer(*HANGS[name])
    assert isinstance(found, Violated)


FREE = {
    "a test before waiting": (f"{LOCK} while (!x) {WAIT} {UNLOCK}", f"{LOCK} x = 1; {SIGNAL} {UNLOCK}"),
    "a broadcast wakes all": (
        f"{LOCK} x = 1; {BROADCAST} {UNLOCK}",
        f"{LOCK} while (!x) {WAIT} {UNLOCK}",
    ),
    "time is over at some time": (f"{LOCK} pthread_cond_timedwait(&c, &m, 0); {UNLOCK}", ""),
    "a signal through a pointer": (
        f"pthread_cond_t *p = &c; {LOCK} while (!x) pthread_cond_wait(p, &m); {UNLOCK}",
        f"pthread_cond_t *p = &c; {LOCK} x = 1; pthread_cond_signal(p); {UNLOCK}",
    ),
    "both come to a barrier, twice": (
        "pthread_barrier_wait(&b); pthread_barrier_wait(&b);",
        "pthread_barrier_wait(&b); pthread_barrier_wait(&b);",
    ),
    "an assumption is no wait": ("__VERIFIER_assume(x);", "x = 0;"),
    "a program that ends lets nobody wait": ("sem_wait(&s);", "exit(0);"),
}


@pytest.mark.parametrize("name", FREE)
def test_what_does_not_hang_is_proved(name: str) -> None:
    assert isinstance(answer(*FREE[name]), Holds)


def test_more_threads_than_a_barrier_counts_go_in_groups() -> None:
    """Nobody who comes later takes the place of one who has not left yet."""
    text = """
      pthread_barrier_t b; void *w(void *u) { pthread_barrier_wait(&b); return 0; }
      int main() { pthread_t t[COUNT]; pthread_barrier_init(&b, 0, 2);
        for (int i = 0; i < COUNT; i++) pthread_create(&t[i], 0, w, 0);
        for (int i = 0; i < COUNT; i++) pthread_join(t[i], 0); }
    """
    for count, kind in ((3, Violated), (4, Holds)):
        program = read_c_threads(SourceText("t.c", text.replace("COUNT", str(count))))
        options = Options(timeout=60.0, question=DEADLOCK_FREEDOM)
        assert isinstance(decide_threads(program, options).answer, kind)


def test_waiting_for_what_never_ends_is_named() -> None:
    found = answer("while (on) { }", "")
    assert isinstance(found, Undecided)
    assert "`main` may wait for ever while others go on" in found.reason
