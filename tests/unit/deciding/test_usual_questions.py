"""By default, C programs are asked for failures, data races and hangs, and one verdict tells all."""

import json
from dataclasses import replace

import pytest

from seriatim.budget import Deadline
from seriatim.deciding.pipeline import Options
from seriatim.deciding.rechecking import Unfounded, recheck
from seriatim.deciding.sources import decide_translation
from seriatim.frontends.c.frontend import translate
from seriatim.properties.race_free import RACE_FREEDOM
from seriatim.properties.safe import SAFETY
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.report.result_from_json import result_from_json
from seriatim.report.result_json import result_json
from seriatim.report.text_look import TextLook
from seriatim.report.verdict_text import headline, verdict_text
from seriatim.result import Holds, Result
from seriatim.source import SourceText

TWO_WORKERS = """
#include <assert.h>
#include <pthread.h>
int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
void *one(void *unused) { ONE return 0; }
void *other(void *unused) { OTHER return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, other, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""
LOCK_M, LOCK_N = "pthread_mutex_lock(&m);", "pthread_mutex_lock(&n);"
UNLOCK_M, UNLOCK_N = "pthread_mutex_unlock(&m);", "pthread_mutex_unlock(&n);"


def source(one: str, other: str) -> SourceText:
    return SourceText("two.c", TWO_WORKERS.replace("ONE", one).replace("OTHER", other))


def decided(text: SourceText) -> Result:
    translation = translate(text)
    options = Options(timeout=60, question=SERIALIZABILITY)
    found, _ = decide_translation(
        translation, text, options, None, Deadline(60), replay=False, is_default=True
    )
    return found


GOOD = source(f"{LOCK_M} x = 1; {UNLOCK_M}", f"{LOCK_M} x = 2; assert(x == 2); {UNLOCK_M}")


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("x = 1;", "x = 2; assert(x == 2);", "UNSAFE"),
        ("x = 1;", "x = 2;", "NOT RACE FREE"),
        (
            f"{LOCK_M} {LOCK_N} x = 1; {UNLOCK_N} {UNLOCK_M}",
            f"{LOCK_N} {LOCK_M} x = 2; {UNLOCK_M} {UNLOCK_N}",
            "NOT DEADLOCK FREE",
        ),
        ("x = 1;", "y = 1;", "safe, race free and deadlock free for any number of threads"),
    ],
)
def test_the_first_violation_is_the_verdict(one: str, other: str, verdict: str) -> None:
    assert headline(decided(source(one, other)), TextLook()).startswith(f"two.c: {verdict}")


def test_what_stays_open_is_named() -> None:
    waits = "__VERIFIER_atomic_begin(); __VERIFIER_assume(y == 0); y = 1; __VERIFIER_atomic_end();"
    found = decided(source(waits, "x = 1;"))
    told = verdict_text(found, TextLook())
    assert "safe and race free for any number of threads; hangs undecided" in told
    assert "an assumption in an atomic section makes threads wait" in " ".join(told.split())


def test_all_answers_survive_json_and_are_checked_again() -> None:
    found = decided(GOOD)
    assert [each.property.name for each in found.also] == ["race-free", "deadlock-free"]
    again = result_from_json(json.dumps(result_json(found)))
    assert again.also == found.also
    checked = recheck(again, GOOD, translate(GOOD), SERIALIZABILITY, Deadline(60), replay=False)
    assert checked.also == found.also


def test_a_forged_answer_to_another_question_is_not_believed() -> None:
    found = decided(GOOD)
    racy = source("x = 1;", "x = 2;")
    proved = next(each for each in found.also if each.property == RACE_FREEDOM)
    safe = decided(source("x = 1;", "y = 1;"))
    assert isinstance(safe.answer, Holds)
    assert safe.property == SAFETY
    forged = replace(decided(racy), also=(proved,))
    with pytest.raises(Unfounded):
        recheck(forged, racy, translate(racy), SERIALIZABILITY, Deadline(60), replay=False)
