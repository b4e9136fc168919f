"""Programs on a machine with store buffers: known ones, and random ones by brute force."""

from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.engines.threads.search import Exhausted, Failing, Search
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.properties.safe import SAFETY
from seriatim.result import Holds, Undecided, Violated
from seriatim.source import SourceText
from seriatim.systems.threads.finite import FiniteSystem
from testkit.oracles.tso_programs import READING, Outcome, Threads, c_text, outcomes, random_program
from testkit.samples import sample

STATES = 200_000
FENCE = ("fence", "x", 0)


def translated(text: str) -> ThreadProgram:
    return read_c_threads(SourceText("t.c", text), has_buffers=True)


def fails(program: ThreadProgram) -> bool:
    found = Search(FiniteSystem(program, Deadline(), forgets=True), Deadline()).advance(STATES)
    assert isinstance(found, Failing | Exhausted)
    return isinstance(found, Failing)


def compare(seed: int) -> bool:
    threads = random_program(seed)
    possible = outcomes(threads)
    random = Random(seed)
    wanted: Outcome = tuple(
        tuple(random.choice((0, 0, 1, 2)) for kind, _, _ in thread if kind in READING) for thread in threads
    )
    if random.random() < 0.5:
        wanted = random.choice(sorted(possible))
    text = c_text(threads, wanted)
    assert fails(translated(text)) is (wanted in possible), text
    return wanted in possible


@pytest.mark.parametrize("seed", sample(300))
def test_reads_give_what_the_machine_gives(seed: int) -> None:
    compare(seed)


KNOWN: dict[str, tuple[Threads, Outcome, bool]] = {
    "SB": (
        ((("write", "x", 1), ("read", "y", 0)), (("write", "y", 1), ("read", "x", 0))),
        ((0,), (0,)),
        True,
    ),
    "SB with fences": (
        ((("write", "x", 1), FENCE, ("read", "y", 0)), (("write", "y", 1), FENCE, ("read", "x", 0))),
        ((0,), (0,)),
        False,
    ),
    "SB with one fence": (
        ((("write", "x", 1), FENCE, ("read", "y", 0)), (("write", "y", 1), ("read", "x", 0))),
        ((0,), (0,)),
        True,
    ),
    "SB with atomics": (
        ((("strong", "a", 1), ("load", "b", 0)), (("strong", "b", 1), ("load", "a", 0))),
        ((0,), (0,)),
        False,
    ),
    "SB with released atomics": (
        ((("weak", "a", 1), ("load", "b", 0)), (("weak", "b", 1), ("load", "a", 0))),
        ((0,), (0,)),
        True,
    ),
    "MP": (
        ((("write", "x", 1), ("write", "y", 1)), (("read", "y", 0), ("read", "x", 0))),
        ((), (1, 0)),
        False,
    ),
    "LB": (
        ((("read", "x", 0), ("write", "y", 1)), (("read", "y", 0), ("write", "x", 1))),
        ((1,), (1,)),
        False,
    ),
    "IRIW": (
        (
            (("write", "x", 1),),
            (("write", "y", 1),),
            (("read", "x", 0), ("read", "y", 0)),
            (("read", "y", 0), ("read", "x", 0)),
        ),
        ((), (), (1, 0), (1, 0)),
        False,
    ),
    "own writes are seen at once": (
        (
            (("write", "x", 1), ("read", "x", 0), ("read", "y", 0)),
            (("write", "y", 1), ("read", "y", 0), ("read", "x", 0)),
        ),
        ((1, 0), (1, 0)),
        True,
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_programs(name: str) -> None:
    threads, outcome, is_possible = KNOWN[name]
    assert (outcome in outcomes(threads)) is is_possible
    assert fails(translated(c_text(threads, outcome))) is is_possible


HEAD = "#include <pthread.h>\n#include <assert.h>\n#include <stdatomic.h>\n"
MAIN = "int main() { pthread_t t, u; pthread_create(&t, 0, p, 0); pthread_create(&u, 0, q, 0); }"
ENTERING = {
    "Peterson": """int f, g, turn, inside;
      void *p(void *a) { f = 1; turn = 1; FENCE while (g && turn == 1) ; SECTION f = 0; return 0; }
      void *q(void *a) { g = 1; turn = 0; FENCE while (f && turn == 0) ; SECTION g = 0; return 0; }""",
    "Dekker": """int f, g, turn, inside;
      void *p(void *a) { f = 1; FENCE
        while (g) { if (turn) { f = 0; while (turn) ; f = 1; FENCE } } SECTION turn = 1; f = 0; return 0; }
      void *q(void *a) { g = 1; FENCE
        while (f) { if (!turn) { g = 0; while (!turn) ; g = 1; FENCE } } SECTION turn = 0; g = 0;
        return 0; }""",
}
SECTION = "__sync_fetch_and_add(&inside, 1); assert(inside == 1); __sync_fetch_and_sub(&inside, 1);"


@pytest.mark.parametrize("name", ENTERING)
def test_locks_of_flags_need_fences(name: str) -> None:
    text = HEAD + ENTERING[name].replace("SECTION", SECTION) + MAIN
    question = Options(timeout=60.0, question=SAFETY)
    without = decide_threads(translated(text.replace("FENCE", "")), question).answer
    assert isinstance(without, Violated)
    fenced = text.replace("FENCE", "atomic_thread_fence(memory_order_seq_cst);")
    assert isinstance(decide_threads(translated(fenced), question).answer, Holds)


def test_a_loop_that_fills_the_buffer_proves_nothing() -> None:
    text = HEAD + "int x, y; void *p(void *a) { while (1) { x = 1; x = 2; y = x; } } void *q(void *a) {"
    found = decide_threads(translated(f"{text} assert(y < 3); return 0; }} {MAIN}"), Options(question=SAFETY))
    assert isinstance(found.answer, Undecided)
    assert "wait for memory" in found.answer.reason
