"""What nobody has foreseen: a mistake of ours, a clock that jumps, a watched folder that vanishes."""

import os
import shutil
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.budget import Deadline
from seriatim.cli.main import main
from seriatim.cli.watch import fingerprint
from testkit.running.ser_processes import RACING

MISTAKEN = """
import sys
import seriatim.cli.explain as explain
from seriatim.cli.entry import run

explain.command.callback = lambda code: 1 // 0
sys.argv = ["ser", "explain", "SER001"]
run()
"""


def test_a_mistake_of_ours_is_no_verdict() -> None:
    """Python's own exit code for it would say "not serializable"."""
    finished = subprocess.run(
        [sys.executable, "-c", MISTAKEN], capture_output=True, text=True, timeout=60, check=False
    )
    assert finished.returncode == 3
    assert finished.stderr.startswith("ser: A BUG IN SERIATIM; please report it")
    assert finished.stderr.endswith("ZeroDivisionError: integer division or modulo by zero\n")


@pytest.mark.parametrize("step", [86_400.0, -86_400.0])
def test_a_clock_that_is_set_changes_no_verdict(
    step: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a day, each time that anybody looks at it: only the time that passes counts."""
    (tmp_path / "racing.ser").write_text(RACING)
    days = count()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + step * next(days))
    deadline = Deadline(60.0)
    result = CliRunner().invoke(main, ["check", str(tmp_path), "--timeout=60"])
    assert result.exit_code == 1
    deadline.check()
    assert 0 < deadline.remaining() <= 60


def test_a_file_that_becomes_older_has_changed(tmp_path: Path) -> None:
    """As when an older version is restored, or the clock was wrong."""
    path = tmp_path / "racing.ser"
    path.write_text(RACING)
    before = fingerprint([str(path)])
    os.utime(path, (0, 0))
    assert fingerprint([str(path)]) != before


def test_a_watched_folder_may_vanish_and_come_back(tmp_path: Path) -> None:
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "racing.ser").write_text(RACING)
    seen = fingerprint([str(folder)])
    shutil.rmtree(folder)
    gone = fingerprint([str(folder)])
    assert gone == ((str(folder), None),)
    folder.mkdir()
    (folder / "racing.ser").write_text(RACING)
    assert [name for name, _ in fingerprint([str(folder)])] == [name for name, _ in seen]
