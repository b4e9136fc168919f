"""Data races of small C programs: each is next to one that is free of them, or has one."""

import pytest

from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.program.threads.races import racing
from seriatim.properties.race_free import RACE_FREEDOM
from seriatim.result import Holds, Violated
from seriatim.source import SourceText

HEAD = "int x, y; _Atomic int a; int v[4]; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; sem_t s;\n"
START = "int main() { pthread_t t; pthread_create(&t, 0, w, 0); "
MANY = "int main() { pthread_t t; while (1) pthread_create(&t, 0, w, 0); }"
LOCKED = "pthread_mutex_lock(&m); {} pthread_mutex_unlock(&m);"


def worker(body: str) -> str:
    return f"void *w(void *u) {{ {body} return 0; }}\n"


RACES = {
    "both write": worker("x = 1;") + START + "x = 2; }",
    "many write": worker("x = 1;") + MANY,
    "one reads": worker("x = 1;") + START + "y = x; }",
    "a value that nobody uses": worker("x = 1;") + START + "int z = x; }",
    "an argument of printf": worker("x = 1;") + START + 'printf("%d", x); }',
    "a lock on one side": worker(LOCKED.format("x = 1;")) + START + "x = 2; }",
    "an atomic change beside a read": worker("__sync_fetch_and_add(&x, 1);") + START + "y = x; }",
    "the same element": worker("v[1] = 1;") + START + "int i = 1; v[i] = 2; }",
    "after a flag that is no atomic": worker("x = 1; y = 1;") + START + "if (y) x = 2; }",
    "after a join of another thread": (
        worker("x = 1;") + "void *z(void *u) { return 0; }\n" + START
        + "pthread_t o; pthread_create(&o, 0, z, 0); pthread_join(o, 0); x = 2; }"
    ),
    "in the right side of a condition": worker("x = 1;") + START + "if (y == 0 && x) y = 1; }",
    "a semaphore that lets two in": (
        worker("sem_wait(&s); x = 1; sem_post(&s);")
        + START.replace("pthread_t t;", "pthread_t t; sem_init(&s, 0, 2);")
        + "sem_wait(&s); x = 2; sem_post(&s); }"
    ),
    "behind a pointer": "int *p = &x;" + worker("*p = 1;") + START + "x = 2; }",
}  # fmt: skip

FREE = {
    "both read": worker("y = 1; if (x) { }") + START + "if (x) { } }",
    "before and after": worker("x = 1;") + "int main() { pthread_t t; x = 2; pthread_create(&t, 0, w, 0);"
    " pthread_join(t, 0); x = 3; }",
    "a lock on both sides": worker(LOCKED.format("x = 1;")) + START + LOCKED.format("x = 2;") + " }",
    "a lock for many": worker(LOCKED.format("x = x + 1;")) + MANY,
    "atomic": worker("a = a + 1;") + MANY,
    "atomic on both sides": worker("__sync_fetch_and_add(&x, 1);") + MANY,
    "other elements": worker("v[1] = 1;") + START + "int i = 2; v[i] = 2; }",
    "after an atomic flag": worker("x = 1; a = 1;") + START + "if (a) x = 2; }",
    "never reached": worker("x = 1;") + START + "if (y) x = 2; }",
    "after a failure": worker("x = 1;") + START + "assert(0); x = 2; }",
    "a semaphore as a lock": (
        worker("sem_wait(&s); x = 1; sem_post(&s);")
        + START.replace("pthread_t t;", "pthread_t t; sem_init(&s, 0, 1);")
        + "sem_wait(&s); x = 2; sem_post(&s); }"
    ),
    "after a signal": (
        worker("x = 1; sem_post(&s);") + START + "sem_wait(&s); x = 2; }"
    ),
    "an address alone": worker("x = 1;") + START + 'printf("%p", &x); }',
}  # fmt: skip


def answer(text: str) -> object:
    program = read_c_threads(SourceText("t.c", HEAD + text))
    return decide_threads(program, Options(timeout=30.0, question=RACE_FREEDOM)).answer


@pytest.mark.parametrize("name", RACES)
def test_races_are_found(name: str) -> None:
    assert isinstance(answer(RACES[name]), Violated)


@pytest.mark.parametrize("name", FREE)
def test_others_are_proved_free_of_them(name: str) -> None:
    assert isinstance(answer(FREE[name]), Holds)


def test_what_a_lock_protects_is_not_watched() -> None:
    text = HEAD + worker(LOCKED.format("x = x + 1;") + " y = 1;") + MANY
    assert racing(read_c_threads(SourceText("t.c", text))) == ("y",)
