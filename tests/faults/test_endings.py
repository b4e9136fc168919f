"""Ctrl-C and SIGTERM, whenever they come: no traceback, no file half-written, nobody left behind."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from seriatim.cli.files import write_whole
from testkit.running.ser_processes import FOR_EVER, HUNGRY, RACING, START, left_of_session, ser, session
from testkit.samples import sample

OLD = "what was there before"
DONE = 1
"""The exit code of a check of a racing program that nothing has ended."""
ENDED = {signal.SIGINT: {130, -signal.SIGINT}, signal.SIGTERM: {-signal.SIGTERM}}
"""What else it may exit with: before there is anything to lose, Ctrl-C just ends it."""

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="the system does not list its processes"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an input, a report and a certificate, and how long it takes to write them."""
    folder = tmp_path_factory.mktemp("endings")
    (folder / "racing.ser").write_text(RACING)
    return folder


@pytest.fixture(scope="module")
def whole(folder: Path) -> tuple[str, str, float]:
    """The certificate and the report that nothing disturbs, and how many seconds they take."""
    began = time.monotonic()
    outputs = ("--certificate", folder / "c", "--html", folder / "r")
    assert ser("check", folder / "racing.ser", *outputs).returncode == DONE
    return (folder / "c").read_text(), (folder / "r").read_text(), time.monotonic() - began


@pytest.mark.parametrize("ending", ENDED, ids=lambda ending: ending.name)
@pytest.mark.parametrize("moment", sample(3, 3))
def test_files_are_the_old_ones_or_whole(
    ending: signal.Signals, moment: int, folder: Path, whole: tuple[str, str, float], tmp_path: Path
) -> None:
    certificate, report, seconds = whole
    source = folder / "racing.ser"
    for name in ("c", "r"):
        (tmp_path / name).write_text(OLD)
    command = [*START, "check", source, "--certificate", tmp_path / "c", "--html", tmp_path / "r"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(random.Random(moment).uniform(0.2, 1.0) * seconds)
        process.send_signal(ending)
        _, errors = process.communicate(timeout=30)
    assert process.returncode in {DONE, *ENDED[ending]}
    assert errors == ("ser: interrupted\n" if process.returncode == 130 else "")
    assert (tmp_path / "c").read_text() in (OLD, certificate)
    assert (tmp_path / "r").read_text() in (OLD, report)
    assert {path.name for path in tmp_path.iterdir()} == {"c", "r"}


@needs_proc
@pytest.mark.parametrize("ending", ENDED, ids=lambda ending: ending.name)
def test_workers_leave_no_file_half_written_and_end(ending: signal.Signals, tmp_path: Path) -> None:
    """Many inputs, so that certificates are written all the time."""
    inputs, saved = tmp_path / "inputs", tmp_path / "saved"
    inputs.mkdir()
    for number in range(50):
        (inputs / f"{number}.ser").write_text(RACING)
    command = [*START, "check", inputs, "--jobs=2", "--quiet", "--certificate", saved]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(ending)
        _, errors = process.communicate(timeout=30)  # ends when the last worker has
    assert process.returncode in {DONE, *ENDED[ending]}
    assert errors in ("", "ser: interrupted\n")
    assert not left_of_session(process.pid)
    written = list(saved.iterdir())
    assert len({path.read_text() for path in written}) == 1
    assert all(path.name.endswith(".cert.json") for path in written)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_what_comes_while_a_file_is_written_has_its_effect_afterwards(
    ending: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[int] = []
    replace = os.replace

    def disturbed(source: Path, target: Path) -> None:
        signal.raise_signal(ending)
        assert heard == []
        replace(source, target)

    monkeypatch.setattr(os, "replace", disturbed)
    before = signal.signal(ending, lambda number, _: heard.append(number))
    try:
        write_whole(tmp_path / "c", "new")
    finally:
        signal.signal(ending, before)
    assert heard == [ending]
    assert (tmp_path / "c").read_text() == "new"


HARD_QUESTION = """
from random import Random
from seriatim.budget import Deadline
from seriatim.arithmetic.formula import Constraint, Form, Relation, at_least, is_zero
from seriatim.arithmetic.solvers.smt import Solver

random = Random(1)
solver = Solver(2**31 - 1)
bits = [solver.variable() for _ in range(50)]
for bit in bits:
    solver.add((at_least(Form(((bit, -1),), 1), 0),))
for _ in range(5):
    weights = [random.randrange(10**9) for _ in bits]
    solver.add((is_zero(Form(tuple(zip(bits, weights)), -sum(weights) // 2)),))
print("asks", flush=True)
try:
    print(solver.solve([], Deadline(60.0)))
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_reaches_us_while_a_solver_thinks() -> None:
    """z3 would keep it for itself, and answer that it does not know."""
    with subprocess.Popen(
        [sys.executable, "-c", HARD_QUESTION], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "asks\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=30)
    assert rest == "interrupted\n"


def test_an_interrupt_that_a_shell_has_switched_off_stays_off(tmp_path: Path) -> None:
    """As for what runs in the background."""
    (tmp_path / "racing.ser").write_text(RACING)
    process = subprocess.Popen(
        [*START, "check", "-", "--quiet"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    told, _ = process.communicate(RACING, timeout=30)
    assert process.returncode == DONE
    assert "NOT SERIALIZABLE" in told


@needs_proc
def test_workers_that_are_killed_cost_their_own_inputs_alone(tmp_path: Path) -> None:
    for name, text in [("1.ser", HUNGRY), ("2.ser", HUNGRY), ("3.ser", RACING)]:
        (tmp_path / name).write_text(text)
    command = [*START, "check", tmp_path, "--jobs=2", "--quiet", *FOR_EVER]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        while len(workers := spawned(process.pid)) < 2 and process.poll() is None:
            time.sleep(0.05)
        for number in workers:
            os.kill(number, signal.SIGKILL)
        told, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (1, "")
    verdicts = [line.partition(": ")[2] for line in told.splitlines()]
    assert [verdict.split(" (")[0] for verdict in verdicts[:3]] == [
        "UNDECIDED",
        "UNDECIDED",
        "NOT SERIALIZABLE",
    ]
    assert verdicts[3] == "1 not serializable, 2 undecided"
    assert not left_of_session(process.pid)


def spawned(number: int) -> list[int]:
    """The workers of a session."""
    return [each for each in session(number) if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()]
