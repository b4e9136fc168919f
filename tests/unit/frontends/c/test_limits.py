"""Arrays of variable length, and memory that a program asks for again and again: exact up to a limit."""

from dataclasses import replace

import pytest

from seriatim.budget import Deadline
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import verify
from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.program.threads.syntax import Assert, Template
from seriatim.properties.deadlock_free import DEADLOCK_FREEDOM
from seriatim.properties.property import Property
from seriatim.properties.race_free import RACE_FREEDOM
from seriatim.properties.safe import SAFETY
from seriatim.result import Answer, Holds, Undecided, Violated
from seriatim.source import SourceText

HEAD = "#include <pthread.h>\n#include <stdlib.h>\n#include <assert.h>\n"
PUSH = """
struct node { int v; struct node *next; } *head;
pthread_mutex_t m;
void *push(void *a) {
  struct node *n = malloc(sizeof(struct node));
  n->v = 1;
  pthread_mutex_lock(&m); n->next = head; head = n; pthread_mutex_unlock(&m);
  return 0;
}
"""
COUNT = "int k = 0; for (struct node *p = head; p; p = p->next) k += p->v;"
OWN = "void *f(void *a) { int *p = malloc(sizeof(int)); *p = 1; (*p)++; assert(*p == 2); return 0; }"


def answer(text: str, question: Property = SAFETY) -> Answer:
    program = read_c_threads(SourceText("t.c", HEAD + text))
    return decide_threads(program, Options(timeout=30.0, question=question)).answer


def started(times: int, after: str) -> str:
    return f"""int main() {{
      pthread_t t[{times}];
      for (int i = 0; i < {times}; i++) pthread_create(&t[i], 0, push, 0);
      for (int i = 0; i < {times}; i++) pthread_join(t[i], 0);
      {after} }}"""


HOLDS = {
    "a list that two threads fill": PUSH + started(2, COUNT + "assert(k == 2);"),
    "memory of its own for each thread": OWN + "int main() { pthread_t t;"
    " pthread_create(&t, 0, f, 0); pthread_create(&t, 0, f, 0); }",
    "memory in each round": "int main() { for (int i = 0; i < 2; i++)"
    " { i--; i++; int *p = malloc(sizeof(int)); *p = i; assert(*p == i); } }",
    "a length of one of two numbers": "int g; int main() { int n = 2 + (g == 0); int a[n];"
    " for (int i = 0; i < n; i++) a[i] = i; assert(a[n - 1] == n - 1); }",
    "memory of one of two lengths": "int g; int main() { int n = 2 + (g == 0); int *a = calloc(n, sizeof *a);"
    " for (int i = 0; i < n; i++) assert(a[i] == 0); }",
    "as many ids as threads": "int n = 3; void *f(void *a) { return 0; } int main() { pthread_t t[n];"
    " for (int i = 0; i < n; i++) pthread_create(&t[i], 0, f, 0); }",
    "the length when it was declared": "int main() { int n = 3; int a[n]; n = 9; a[2] = 1; assert(a[2]); }",
    "plain bytes": "int main() { char *p = malloc(3); p[2] = 1; assert(p[2]); }",
}
FAILS = {
    "main uses what another thread asked for, and main freed": "int *p;"
    "void *f(void *a) { p = malloc(sizeof(int)); *p = 1; return 0; } int main() { pthread_t t;"
    " pthread_create(&t, 0, f, 0); pthread_join(t, 0); free(p); assert(*p == 1); }",
    "main goes behind what another thread asked for": "int *p, g;"
    "void *f(void *a) { int n = 2 + (g == 0); p = calloc(n, sizeof(int)); return 0; }"
    " int main() { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); p[3] = 1; }",
    "a list in which a node gets lost": PUSH.replace("pthread_mutex_lock(&m);", "")
    + started(2, COUNT + "assert(k == 2);"),
    "behind an array": "int g; int main() { int n = 2 + (g == 0); int a[n]; a[n] = 1; }",
    "behind memory": "int main(int n, char **v)"
    " { if (n > 3) { int *a = malloc(n * sizeof(int)); a[n] = 1; } }",
    "before memory": "int main(int n, char **v) { int *a = malloc(n * sizeof(int)); a[-1] = 1; }",
    "what fresh memory holds": "int main() { for (int i = 0; i < 2; i++)"
    " { i--; i++; char *p = malloc(1); assert(*p < 127); } }",
    "an array without elements": "int main(int n, char **v) { int a[n]; }",
    "behind the ids": "int n = 2; void *f(void *a) { return 0; } int main() { pthread_t t[n];"
    " for (int i = 0; i <= n; i++) pthread_create(&t[i], 0, f, 0); }",
    "used after it was freed": "int main() { for (int i = 0; i < 2; i++)"
    " { i--; i++; int *p = malloc(sizeof(int)); *p = i; free(p); *p = 2; } }",
}
BEYOND = {
    "more blocks": (
        "int main() { int k = 0; while (1) { int *p = malloc(sizeof(int)); *p = k; assert(*p == k); } }",
        "asked for more than 4 times",
    ),
    "longer memory": (
        "int main(int n, char **v) { int *p = calloc(n + 0, sizeof(int)); if (n) assert(p[n - 1] == 0); }",
        "more than 8 elements",
    ),
    "longer arrays": (
        "int main(int n, char **v) { if (n < 1) return 0; int a[n]; a[n - 1] = 1; assert(a[n - 1]); }",
        "more than 8 elements",
    ),
}


@pytest.mark.parametrize("name", HOLDS)
def test_within_all_limits_a_proof_is_about_all_runs(name: str) -> None:
    assert isinstance(answer(HOLDS[name]), Holds)


@pytest.mark.parametrize("name", FAILS)
def test_violations_are_found(name: str) -> None:
    assert isinstance(answer(FAILS[name]), Violated)


@pytest.mark.parametrize("name", BEYOND)
@pytest.mark.parametrize("question", [SAFETY, RACE_FREEDOM, DEADLOCK_FREEDOM])
def test_nothing_is_proved_about_what_lies_beyond(name: str, question: Property) -> None:
    text, says = BEYOND[name]
    found = answer(text, question)
    assert isinstance(found, Undecided)
    assert says in found.reason or "were not tried" in found.reason


def test_a_violation_behind_a_limit_is_no_violation() -> None:
    """The program fails in the sixth round alone."""
    text = "int main() { for (int i = 0; i < 9; i++) { i--; i++; char *p = malloc(1); assert(i < 5); } }"
    assert isinstance(answer(text), Undecided)
    found = answer(text.replace("i < 5", "i < 3"))
    assert isinstance(found, Violated)


def without_limits(template: Template) -> Template:
    """Its limits are claims of the program."""
    edges = (
        replace(
            each,
            actions=tuple(replace(a, is_limit=False) if isinstance(a, Assert) else a for a in each.actions),
        )
        for each in template.edges
    )
    return replace(template, edges=tuple(edges))


def test_the_checker_takes_no_run_that_ends_at_a_limit() -> None:
    text = "int main() { for (int i = 0; i < 9; i++) { i--; i++; char *p = malloc(1); } assert(0); }"
    program = read_c_threads(SourceText("t.c", HEAD + text))
    open_ended = program.with_templates(tuple(map(without_limits, program.templates)))
    found = decide_threads(open_ended, Options(timeout=30.0, question=SAFETY)).answer
    assert isinstance(found, Violated)
    context = Context(Allowance(deadline=Deadline()))
    assert verify(found.certificate, open_ended, context).accepted
    assert not verify(found.certificate, program, Context(Allowance(deadline=Deadline()))).accepted
