"""Loops that start a known number of threads: proofs do not count the rounds, and failing runs do."""

import pytest

from seriatim.certificate.thread_reduction import ThreadReductionEvidence
from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.program.threads.syntax import Assert
from seriatim.result import Holds, Violated
from seriatim.source import SourceText

TEXT = """
    int g; pthread_mutex_t m;
    void *w(void *u) { pthread_mutex_lock(&m); g++; CHANGE; pthread_mutex_unlock(&m); return 0; }
    int main(void) {
      pthread_t t[COUNT]; for (int i = 0; i < COUNT; i++) pthread_create(&t[i], 0, w, 0);
      pthread_mutex_lock(&m); assert(g CLAIM); pthread_mutex_unlock(&m); }"""


def answer(count: int, change: str, claim: str) -> object:
    text = TEXT.replace("COUNT", str(count)).replace("CHANGE", change).replace("CLAIM", claim)
    return decide_threads(read_c_threads(SourceText("t.c", text)), Options(timeout=30.0)).answer


@pytest.mark.parametrize("count", [1, 10, 1000])
def test_a_known_number_of_threads_is_not_harder_than_any(count: int) -> None:
    found = answer(count, "g--", "== 0")
    assert isinstance(found, Holds)
    if count > 1:
        assert isinstance(found.certificate.evidence, ThreadReductionEvidence)


@pytest.mark.parametrize(("count", "kind"), [(2, Holds), (3, Violated)])
def test_a_failing_run_starts_no_more_threads_than_the_loop(count: int, kind: type) -> None:
    assert isinstance(answer(count, "", "< 3"), kind)


def test_an_index_that_counts_rounds_is_inside() -> None:
    inside = "int a[5]; int main(void) { for (int i = 0; i < 5; i++) { a[i] = i; } }"
    for text, checked in (
        (inside, False),
        (inside.replace("i < 5", "i <= 5"), True),
        (inside.replace("a[i] = i;", "a[i] = i; i++;"), True),
        (inside.replace("int i = 0", "unsigned char i = 0").replace("5", "256"), True),
        (inside.replace("int i = 0", "int i = -1"), True),
    ):
        program = read_c_threads(SourceText("t.c", text))
        demands = [
            action
            for edge in program.by_name["main"].edges
            for action in edge.actions
            if isinstance(action, Assert)
        ]
        assert bool(demands) is checked, text
