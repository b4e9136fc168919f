"""Verdicts about C programs are compared with runs of what gcc makes of them."""

from dataclasses import replace
from pathlib import Path

import pytest

from seriatim.budget import Deadline
from seriatim.deciding.compiled import compare_with_compiled
from seriatim.deciding.pipeline import Options
from seriatim.deciding.sources import decide_translation
from seriatim.frontends.c.compiled import schedules
from seriatim.frontends.c.compiled.schedules import NotRun, compiler_version, run_compiled
from seriatim.frontends.c.frontend import translate
from seriatim.properties.all import PROPERTIES
from seriatim.result import Result, Undecided, verdict_name
from seriatim.source import SourceText
from testkit.samples import deep

EXAMPLES = Path(__file__).parents[3] / "examples" / "threads"
ALL_RUNS = schedules.MAX_RUNS
"""As many as `ser check` tries; most tests here need fewer."""
needs_gcc = pytest.mark.skipif(compiler_version("gcc") is None, reason="there is no gcc")


@pytest.fixture(autouse=True)
def _with_gcc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "gcc")
    monkeypatch.setattr(schedules, "MAX_RUNS", 60)


def decided(source: SourceText, question: str, *, replay: bool = True) -> Result:
    options = Options(timeout=60, question=PROPERTIES[question]())
    found, _ = decide_translation(
        translate(source), source, options, None, Deadline(60), replay=replay, is_default=False
    )
    return found


def example(name: str) -> SourceText:
    path = EXAMPLES / name
    return SourceText(str(path), path.read_text("utf-8"))


@needs_gcc
@pytest.mark.parametrize(
    ("name", "question", "seen"),
    [
        ("account_race.c", "safe", "an assertion fails in line 10"),
        pytest.param("forgotten_recheck.c", "safe", "an assertion fails", marks=deep),
        ("crossed_locks.c", "deadlock-free", "no thread can go on"),
        ("published_too_early.c", "race-free", "two threads access a variable at the same time"),
        ("freed_early.c", "memory-safe", "memory is used that is not there"),
    ],
)
def test_violations_are_seen_on_real_threads(
    name: str, question: str, seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of runs ends the search, so that a busy machine sees the same runs."""
    monkeypatch.setattr(schedules, "MAX_RUNS", ALL_RUNS)
    monkeypatch.setattr(schedules, "MAX_SECONDS", 60)
    found = decided(example(name), question)
    assert found.confirmation is not None
    assert found.confirmation.confirmed
    assert seen in found.confirmation.sentence


@needs_gcc
@pytest.mark.parametrize(
    ("name", "question"), [("condition_queue.c", "safe"), ("published_in_order.c", "race-free")]
)
def test_proofs_are_compared_with_many_runs(name: str, question: str) -> None:
    found = decided(example(name), question)
    assert found.compared is not None
    assert found.compared.engine is not None
    assert "runs with random schedules shows one" in found.compared.sentence


@needs_gcc
def test_a_run_that_contradicts_a_proof_withholds_the_verdict() -> None:
    safe = decided(example("locked_account.c"), "safe", replay=False)
    assert verdict_name(safe) == "safe"
    program = translate(example("locked_account.c")).content
    other = replace(safe, source=example("account_race.c"))
    found = compare_with_compiled(other, program, {}, True, Deadline(60))
    assert isinstance(found.answer, Undecided)
    assert "an assertion fails in line 10" in found.answer.reason


def test_what_was_not_compared_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    found = decided(example("condition_queue.c"), "safe")
    assert found.compared is not None
    assert "there is no `no-such-compiler`" in found.compared.sentence
    forbidden = decided(example("condition_queue.c"), "safe", replay=False)
    assert forbidden.compared is not None
    assert "not allowed here" in forbidden.compared.sentence


def ends(text: str, looked_for: tuple[str, ...]) -> dict[str, int]:
    return run_compiled(SourceText("program.c", text), looked_for, [], Deadline(60)).counts


@needs_gcc
def test_atomic_sections_are_not_interrupted() -> None:
    text = """
    #include <assert.h>
    #include <pthread.h>
    int x;
    void __VERIFIER_atomic_both(void) { x = 1; x = 0; }
    void *worker(void *unused) { __VERIFIER_atomic_both(); return 0; }
    int main(void) {
      pthread_t t;
      pthread_create(&t, 0, worker, 0);
      assert(x == 0);
      return 0;
    }
    """
    assert "failed" not in ends(text, ("failed",))
    assert "failed" in ends(text.replace("__VERIFIER_atomic_both", "both"), ("failed",))


@needs_gcc
def test_code_that_is_run_can_neither_write_nor_start_programs(tmp_path: Path) -> None:
    text = f"""
    #include <assert.h>
    #include <fcntl.h>
    #include <unistd.h>
    int main(void) {{
      int file = open("{tmp_path}/made", O_CREAT | O_WRONLY, 0600);
      assert(file >= 0 && write(file, "x", 1) == 1);
      return 0;
    }}
    """
    ends(text, ("failed",))
    assert not (tmp_path / "made").exists() or (tmp_path / "made").read_text() == ""


@needs_gcc
def test_a_program_that_gcc_refuses_is_not_run() -> None:
    with pytest.raises(NotRun, match="refuses the program"):
        ends("int main(void) { return 0 }", ("failed",))
