"""A solver that fails, hangs or takes the process with it: no verdict, and a message that says so."""

import os
import signal
from pathlib import Path
from threading import Event

import pytest
import z3
from click.testing import CliRunner, Result

from seriatim import budget
from seriatim.arithmetic.solvers import naturals
from seriatim.cli.main import main
from testkit.running.ser_processes import ser

HARD = Path(__file__).parents[2] / "examples" / "packet_numbers.ser"
"""Counting its steps takes more than branch and cut."""

LOCK = "request a { while (L == 1) { yield }; L := 1; x := X; yield; X := 1 - x; L := 0; x }\n"
COUNTING = ("--method", "state-equation")

STAND_IN = f"""
import os
os.kill(os.getpid(), {int(signal.SIGSEGV)})
"""
"""A module that crashes on import, like a library that was compiled for another machine."""


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "lock.ser"
    path.write_text(LOCK)
    return path


@pytest.fixture
def only_z3(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is answered by branch and cut."""
    monkeypatch.setattr(naturals, "MAX_VARIABLES", 0)


def checked(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["check", *map(str, arguments)])


@pytest.mark.usefixtures("only_z3")
def test_counting_asks_the_solver(lock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the others test something: with a solver that works, there is a verdict."""
    asked: list[z3.Solver] = []
    check = z3.Solver.check

    def heard(solver: z3.Solver) -> z3.CheckSatResult:
        asked.append(solver)
        return check(solver)

    monkeypatch.setattr(z3.Solver, "check", heard)
    assert checked(lock, *COUNTING).exit_code == 0
    assert asked


@pytest.mark.usefixtures("only_z3")
def test_a_solver_that_fails_gives_no_verdict(lock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: z3.Solver) -> None:
        raise z3.Z3Exception("out of memory")

    monkeypatch.setattr(z3.Solver, "check", fail)
    result = checked(lock, *COUNTING)
    assert (result.exit_code, result.stderr) == (3, "")
    assert "UNDECIDED" in result.stdout


@pytest.mark.usefixtures("only_z3")
def test_a_solver_that_hangs_gives_no_verdict(lock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It heeds neither its own time limit nor an interrupt."""
    for_ever = Event()
    monkeypatch.setattr(z3.Solver, "check", lambda _: for_ever.wait())
    monkeypatch.setattr(budget, "GRACE", 0.1)
    result = checked(lock, *COUNTING, "--timeout=0.5")
    for_ever.set()
    assert (result.exit_code, result.stderr) == (3, "")
    assert "The time limit is reached" in result.stdout


@pytest.fixture
def crashing(tmp_path: Path) -> str:
    """Where to find a solver that crashes."""
    folder = tmp_path / "stand-in"
    folder.mkdir()
    (folder / "z3.py").write_text(STAND_IN)
    return os.fspath(folder)


def test_a_solver_that_crashes_costs_a_job_its_own_input(tmp_path: Path, crashing: str) -> None:
    other = tmp_path / "other.ser"
    other.write_text("request a { 1 }\n")
    finished = ser("check", HARD, other, "--jobs=2", *COUNTING, PYTHONPATH=crashing)
    assert (finished.returncode, finished.stderr) == (3, "")
    assert f"the worker ended without a result, with exit code {-signal.SIGSEGV}" in finished.stdout.lower()


def test_a_solver_that_crashes_is_no_verdict_and_leaves_no_file(tmp_path: Path, crashing: str) -> None:
    saved = tmp_path / "saved.cert.json"
    finished = ser("check", HARD, "--certificate", saved, *COUNTING, PYTHONPATH=crashing)
    assert finished.returncode == -signal.SIGSEGV
    assert not saved.exists()
