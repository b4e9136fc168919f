"""The programs in `examples/threads` have the verdicts that their comments claim, and the evidence holds."""

from dataclasses import replace
from pathlib import Path

import pytest

from seriatim.checking.verify import verify
from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.all import read_decidable
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.properties.deadlock_free import DEADLOCK_FREEDOM
from seriatim.properties.memory_safe import MEMORY_SAFETY
from seriatim.properties.race_free import RACE_FREEDOM
from seriatim.properties.safe import SAFETY
from seriatim.result import Holds, Violated
from seriatim.source import SourceText
from testkit.samples import sampled

EXAMPLES = Path(__file__).parents[2] / "examples" / "threads"

UNSAFE = {
    *(
        "lost_update.conc",
        "flag_lock.conc",
        "unchecked_balance.conc",
        "stale_local.conc",
        "two_with_one_id.conc",
    ),
    *("needle.conc", "retaken_lock.conc", "figure6.c", "account_race.c", "forgotten_recheck.c"),
    *("late_flag.conc", "shared_argument.c", "broken_retry.c", "early_release.c", "freed_early.c"),
}
SLOW = {
    *("figure1.conc", "increments.conc", "readers_writers.conc", "account.conc", "enter_leave.conc"),
    *("ordered.conc", "barrier.conc", "bakery.conc", "first_one_loops.conc", "three_increments.c"),
    *("ticket_lock.conc",),
}
"""Proved with a solver, in seconds; the guides and the measurements run them."""

QUICK = sorted(
    path.name for path in EXAMPLES.iterdir() if path.suffix in (".conc", ".c") and path.name not in SLOW
)


@pytest.mark.parametrize("name", sampled(list(QUICK), 3))
def test_verdict(name: str) -> None:
    program = read_decidable(SourceText(name, (EXAMPLES / name).read_text("utf-8")))
    assert isinstance(program, ThreadProgram)
    answer = decide_threads(program, Options(timeout=30.0)).answer
    assert isinstance(answer, Violated if name in UNSAFE else Holds)
    assert verify(answer.certificate, program).accepted
    assert program.warnings == ()


def test_every_example_is_listed() -> None:
    page = (EXAMPLES.parent / "README.md").read_text("utf-8")
    for path in EXAMPLES.iterdir():
        assert f"(threads/{path.name})" in page


QUESTIONS = {
    "published_too_early.c": (RACE_FREEDOM, False),
    "published_in_order.c": (RACE_FREEDOM, True),
    "locked_account.c": (RACE_FREEDOM, True),
    "account_race.c": (RACE_FREEDOM, False),
    "own_arguments.c": (RACE_FREEDOM, True),
    "shared_argument.c": (RACE_FREEDOM, False),
    "crossed_locks.c": (DEADLOCK_FREEDOM, False),
    "ordered_locks.c": (DEADLOCK_FREEDOM, True),
    "lost_signal.c": (DEADLOCK_FREEDOM, False),
    "one_signal.c": (DEADLOCK_FREEDOM, False),
    "kept_signal.c": (DEADLOCK_FREEDOM, True),
    "freed_early.c": (MEMORY_SAFETY, False),
    "freed_late.c": (MEMORY_SAFETY, True),
    "pool.conc": (DEADLOCK_FREEDOM, True),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_other_questions(name: str) -> None:
    question, holds = QUESTIONS[name]
    program = read_decidable(SourceText(name, (EXAMPLES / name).read_text("utf-8")))
    assert isinstance(program, ThreadProgram)
    answer = decide_threads(program, Options(timeout=30.0, question=question)).answer
    assert isinstance(answer, Holds if holds else Violated)
    assert verify(answer.certificate, program).accepted
    other = replace(answer.certificate, question=SAFETY)
    assert not verify(other, program).accepted or holds
