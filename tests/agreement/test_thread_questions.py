"""Data races, hangs and freed memory in small C programs: answers are those of brute force."""

import os

import pytest

from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.properties.deadlock_free import DEADLOCK_FREEDOM
from seriatim.properties.memory_safe import MEMORY_SAFETY
from seriatim.properties.property import Property
from seriatim.properties.race_free import RACE_FREEDOM
from seriatim.result import Holds, Undecided, Violated
from seriatim.source import SourceText
from testkit.oracles.thread_questions import Brute, random_threads, text_of

SEEDS = range(int(os.environ.get("DEEP_SEEDS", "40")))

QUESTIONS: dict[str, tuple[Property, tuple[str, ...]]] = {
    "races": (RACE_FREEDOM, ("read", "write", "add", "section", "section", "unless")),
    "hangs": (DEADLOCK_FREEDOM, ("section", "section", "wait", "post", "write", "unless")),
    "signals": (DEADLOCK_FREEDOM, ("section", "section", "signal", "broadcast", "write", "unless")),
    "misuses_memory": (MEMORY_SAFETY, ("use", "free", "section", "write", "unless")),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("asked", QUESTIONS)
def test_answers_are_those_of_brute_force(asked: str, seed: int) -> None:
    question, kinds = QUESTIONS[asked]
    threads = random_threads(seed, kinds)
    program = read_c_threads(SourceText("t.c", text_of(threads)))
    answer = decide_threads(program, Options(timeout=60.0, question=question)).answer
    expected = getattr(Brute(threads), "hangs" if asked == "signals" else asked)
    if isinstance(answer, Undecided):
        assert asked in ("hangs", "signals")
        assert "may wait for ever while others go on" in answer.reason
        assert not expected
    else:
        assert isinstance(answer, Violated if expected else Holds), text_of(threads)
