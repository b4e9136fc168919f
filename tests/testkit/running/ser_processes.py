"""`ser` as a process of its own, and the processes that it starts."""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

START: list[str | Path] = [sys.executable, "-c", "from seriatim.cli.entry import run; run()"]
RACING = "request flip { x := N; yield; N := 1 - x; x }\n"
HUNGRY = """
request climb { x := ?; while (x < 100000) { A := x; yield; B := A + x; yield; x := x + ? + 1; yield }; B }
request add { C := C + 1; yield; C := C + B; yield; C }
"""
FOR_EVER = ("--max-states=100000000", "--max-value=1000000000")
"""Limits with which the hungry program keeps everybody busy."""


def bound_by_modes() -> tuple[str, ...]:
    """What to put before a command so that it may do only what the modes of files allow, even for root."""
    if os.geteuid() != 0:
        return ()
    setpriv = shutil.which("setpriv")  # root may do anything, unless that is taken away
    if setpriv is None:
        pytest.skip("nothing is forbidden to this user")
    return setpriv, "--bounding-set=-dac_override,-dac_read_search"


def ser(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*START, *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )


def session(number: int) -> list[int]:
    """The processes of a session, without those that have ended and that nobody has noticed."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, _, own, *_ = path.read_text("utf-8", "replace").rpartition(")")[2].split()
            if own == str(number) and state != "Z":
                found.append(int(path.parent.name))
    return found


STARTED_BY = "SERIATIM_TESTS"
"""A variable of the environment that all processes inherit which a process with tests starts."""


def hands() -> set[int]:
    """The processes that do tasks for these tests, and not for others on the machine."""
    mark = f"{STARTED_BY}={os.getpid()}".encode()
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            is_hand = b"seriatim.cluster.hand" in (path / "cmdline").read_bytes()
            if is_hand and mark in (path / "environ").read_bytes().split(b"\0"):
                found.add(int(path.name))
    return found


def left_of_session(number: int, seconds: float = 60.0) -> list[int]:
    """The processes of a session that do not end, though their parent has; some notice that later."""
    patience = time.monotonic() + seconds
    while (left := session(number)) and time.monotonic() < patience:
        time.sleep(0.02)
    return left
