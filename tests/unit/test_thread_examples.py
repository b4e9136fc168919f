"""The programs in `examples/threads` have the verdicts that their comments claim, and the evidence holds."""

from pathlib import Path

import pytest

from samples import sampled
from seriatim.checking.verify import verify
from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.all import read_decidable
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.result import Holds, Violated
from seriatim.source import SourceText

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
    *("late_flag.conc", "shared_argument.c", "broken_retry.c", "early_release.c"),
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
