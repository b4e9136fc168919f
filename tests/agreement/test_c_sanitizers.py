"""Data races and hangs of small programs, as judged before; ThreadSanitizer and helgrind see no more."""

import shutil
import subprocess
from pathlib import Path

import pytest

from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.properties.deadlock_free import DEADLOCK_FREEDOM
from seriatim.properties.property import Property
from seriatim.properties.race_free import RACE_FREEDOM
from seriatim.result import Holds, Violated
from seriatim.source import SourceText
from testkit.inputs.c_judged_programs import JUDGED
from testkit.samples import sampled

RUNS = 3
RACY = [name for name, each in JUDGED.items() if each.races]
ENDING = [name for name in JUDGED if not JUDGED[name].hangs and name != "exits in main"]
"""Programs whose runs end soon; ThreadSanitizer waits for ever where main ends before the others."""


def holds(text: str, question: Property) -> bool:
    answer = decide_threads(
        read_c_threads(SourceText("t.c", text)), Options(timeout=30.0, question=question)
    ).answer
    assert isinstance(answer, Holds | Violated)
    return isinstance(answer, Holds)


@pytest.mark.parametrize("name", JUDGED)
def test_races_and_hangs_are_found_and_nothing_else_is(name: str) -> None:
    judged = JUDGED[name]
    assert holds(judged.text, RACE_FREEDOM) is not judged.races
    assert holds(judged.text, DEADLOCK_FREEDOM) is not judged.hangs


def compiled(text: str, folder: Path, *options: str) -> bool:
    (folder / "t.c").write_text(text)
    command = ["gcc", "-w", "-g", "-O0", "-pthread", *options, "-o", "t", "t.c"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0


def said(command: list[str], folder: Path) -> str:
    try:
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=5)
    except subprocess.TimeoutExpired as late:
        return (late.stderr or b"").decode()
    return run.stderr


@pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("setarch")), reason="gcc is not installed")
@pytest.mark.parametrize("name", sampled(ENDING, 6))
def test_thread_sanitizer_sees_no_race_that_is_not_found(name: str, tmp_path: Path) -> None:
    """Its shadow memory needs addresses that are not random."""
    judged = JUDGED[name]
    if not compiled(judged.text, tmp_path, "-fsanitize=thread"):
        pytest.skip("gcc has no ThreadSanitizer here")
    runs = [said(["setarch", "-R", "./t"], tmp_path) for _ in range(RUNS)]
    if any("unexpected memory mapping" in each or "personality" in each for each in runs):
        pytest.skip("ThreadSanitizer does not run here")
    seen = any("data race" in each for each in runs)
    assert seen is judged.races


@pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("valgrind")), reason="no valgrind")
@pytest.mark.parametrize("name", sampled([name for name in RACY if not JUDGED[name].hangs], 10))
def test_races_that_helgrind_sees_are_found(name: str, tmp_path: Path) -> None:
    """Of programs without atomics, of which it knows nothing."""
    assert compiled(JUDGED[name].text, tmp_path)
    assert "data race" in said(["valgrind", "--tool=helgrind", "./t"], tmp_path)
