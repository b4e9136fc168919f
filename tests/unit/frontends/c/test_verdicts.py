"""Small programs about which a verdict was wrong once, each judged by what the compiled program does."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.source import InputError, SourceText

HEADERS = """
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
#define BEGIN __VERIFIER_atomic_begin();
#define END __VERIFIER_atomic_end();
"""
RECURSIVE = """
  pthread_mutexattr_t a; pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&m, &a);
"""
IN_MAIN = "void *t(void *q) { return 0; }\nint main(void) { pthread_t p; pthread_create(&p, 0, t, 0); "


def exits(text: str, folder: Path, question: str) -> int:
    file = folder / "prog.c"
    file.write_text(HEADERS + text)
    result = CliRunner().invoke(main, ["check", str(file), "--no-run", "--property", question])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result.exit_code


@pytest.mark.parametrize(
    ("body", "sums"),
    [
        ("if (x) { pthread_cleanup_push(h1, 0); pthread_exit(0); pthread_cleanup_pop(0); }", 2),
        ("if (x) { pthread_cleanup_push(h1, 0); pthread_exit(0); pthread_cleanup_pop(1); }", 2),
        ("switch (x) { case 1: pthread_cleanup_push(h1, 0); pthread_exit(0); pthread_cleanup_pop(0); }", 2),
        ("pthread_cleanup_push(h1, 0); pthread_cleanup_pop(1);", 12),
    ],
)
def test_handlers_are_pushed_and_popped_by_the_text(body: str, sums: int, tmp_path: Path) -> None:
    text = f"""
        int c = 0, x = 0; void h1(void *a) {{ c = c * 10 + 1; }} void h2(void *a) {{ c = c * 10 + 2; }}
        void *t(void *q) {{ {body}
          pthread_cleanup_push(h2, 0); pthread_exit(0); pthread_cleanup_pop(0); return 0; }}
        int main(void) {{ pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0);
          assert(c == SUM); }}"""
    assert exits(text.replace("SUM", str(sums)), tmp_path, "safe") == 0
    assert exits(text.replace("SUM", "21"), tmp_path, "safe") == 1


@pytest.mark.parametrize("chosen", ["f ?: g ?: 3", "f ?: (g ?: 3)", "(f ?: g) ?: 3", "g ?: f ?: 3"])
def test_what_stands_for_a_condition_is_that_of_its_own_operator(chosen: str, tmp_path: Path) -> None:
    text = f"int f = 0, g = 5; {IN_MAIN} int r = {chosen}; assert(r == VALUE); pthread_join(p, 0); }}"
    assert exits(text.replace("VALUE", "5"), tmp_path, "safe") == 0
    assert exits(text.replace("VALUE", "0"), tmp_path, "safe") == 1


@pytest.mark.parametrize(
    ("first", "value"),
    [
        (0, "f || ((f == 1) & (x == 1))"),
        (0, "(!f & !x) ? 1 : 2"),
        (0, "((f != 0) & (x != 0)) || f"),
        (1, "((f != 0) | (x != 0)) && f"),
        (0, "(x & 0) || f"),
        (0, "(x, f) || f"),
        (1, "f ? (x, 1) : 2"),
    ],
)
def test_a_section_reads_what_c_reads(first: int, value: str, tmp_path: Path) -> None:
    """The read of `x` in the section races with the write outside of any."""
    text = f"""
        int f = {first}, x; void *t(void *q) {{ x = 1; return 0; }}
        int main(void) {{ pthread_t p; pthread_create(&p, 0, t, 0);
          BEGIN int r = {value}; END pthread_join(p, 0); return 0; }}"""
    assert exits(text, tmp_path, "race-free") == 1


@pytest.mark.parametrize("value", ["f ? (g ?: 1) : 2", "f && (g ?: 1)", "f && g"])
def test_a_section_reads_no_more_than_c_reads(value: str, tmp_path: Path) -> None:
    text = f"""
        int f = 0, g = 0; void *t(void *q) {{ g = 1; BEGIN f = 1; END return 0; }}
        int main(void) {{ pthread_t p; pthread_create(&p, 0, t, 0);
          BEGIN int r = {value}; END pthread_join(p, 0); return 0; }}"""
    assert exits(text, tmp_path, "race-free") == 0


@pytest.mark.parametrize(("times", "code"), [(1, 0), (2, 1)])
def test_waiting_gives_up_one_level_of_a_recursive_mutex(times: int, code: int, tmp_path: Path) -> None:
    """So that who holds it twice waits for ever."""
    lock, unlock = "pthread_mutex_lock(&m);" * times, "pthread_mutex_unlock(&m);" * times
    text = f"""
        pthread_mutex_t m; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int f;
        void *t(void *q) {{ pthread_mutex_lock(&m); f = 1; pthread_cond_signal(&c);
          pthread_mutex_unlock(&m); return 0; }}
        int main(void) {{ pthread_t p; {RECURSIVE} {lock} pthread_create(&p, 0, t, 0);
          while (!f) pthread_cond_wait(&c, &m); {unlock} pthread_join(p, 0); return 0; }}"""
    assert exits(text, tmp_path, "deadlock-free") == code


KEY = "pthread_key_t k; int x; void del(void *p) { x = 1; }\n"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("int main(void) { pthread_key_create(&k, del); pthread_key_delete(k); }", "deleting a key"),
        ("int main(void) { pthread_key_create(&k, 0); pthread_key_create(&k, 0); }", "more than once"),
        (
            "int main(void) { if (x) pthread_key_create(&k, del); else pthread_key_create(&k, 0); }",
            "more than",
        ),
        ("int main(void) { for (int i = 0; i < 2; i++) pthread_key_create(&k, 0); }", "more than once"),
        ("int main(void) { again: pthread_key_create(&k, 0); if (x) goto again; }", "more than once"),
        (
            "void make(void) { pthread_key_create(&k, 0); }\nint main(void) { make(); make(); }",
            "more than once",
        ),
        (
            "void *t(void *q) { pthread_key_create(&k, 0); return 0; }\n"
            "int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); }",
            "more than once",
        ),
    ],
)
def test_keys_that_come_or_go_twice_are_refused(text: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        read_c_threads(SourceText("t.c", HEADERS + KEY + text))


@pytest.mark.parametrize(
    "text",
    [
        "int main(void) { pthread_key_create(&k, 0); pthread_setspecific(k, &x); pthread_key_delete(k); }",
        "void make(void) { pthread_key_create(&k, del); }\n"
        "int main(void) { make(); pthread_setspecific(k, &x); }",
        "pthread_once_t o = PTHREAD_ONCE_INIT; void make(void) { pthread_key_create(&k, del); }\n"
        "void *t(void *q) { pthread_once(&o, make); return 0; }\n"
        "int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); }",
    ],
)
def test_keys_that_are_created_once_are_known(text: str) -> None:
    assert "main" in read_c_threads(SourceText("t.c", HEADERS + KEY + text)).by_name
