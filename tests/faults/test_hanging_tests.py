"""A test that hangs ends after a limit of time, and says where it hangs; Ctrl-C reaches what tests start."""

import signal
import subprocess
import sys
from pathlib import Path

SETTINGS = Path(__file__).parents[2] / "pyproject.toml"
HANGS = "import time\n\ndef test_hangs() -> None:\n    time.sleep(300)\n"


def test_a_test_that_hangs_is_ended(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(HANGS)
    options = ["-c", str(SETTINGS), "-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-o", "faulthandler_timeout=0.3", tmp_path],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode != 0
    assert "in test_hangs" in ended.stderr


def test_the_settings_limit_every_test() -> None:
    found = dict(
        line.split("#")[0].split(" = ")
        for line in SETTINGS.read_text("utf-8").splitlines()
        if line.startswith("faulthandler")
    )
    assert 0 < float(found["faulthandler_timeout"]) <= 600
    assert found["faulthandler_exit_on_timeout"].strip() == "true"


def test_processes_that_tests_start_do_not_ignore_an_interrupt() -> None:
    """Not even if the tests run in the background of a shell."""
    ask = "import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    told = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, timeout=60, check=True)
    assert told.stdout.strip() == "False"
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
