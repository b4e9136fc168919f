"""`ser` as a process: exit codes, signals, pipes, encodings, and what it loads."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from testkit.running.ser_processes import FOR_EVER, HUNGRY, RACING, START, left_of_session, ser, session
from testkit.samples import deep


@pytest.fixture
def racing(tmp_path: Path) -> str:
    path = tmp_path / "racing.ser"
    path.write_text(RACING)
    return str(path)


def test_exit_code_reaches_the_shell(racing: str) -> None:
    assert ser("check", racing).returncode == 1
    assert ser("check", racing + ".missing").returncode == 2
    assert ser("frobnicate").returncode == 2


def test_interrupt_ends_with_one_line(racing: str) -> None:
    """Here it is interrupted while it waits for standard input."""
    with subprocess.Popen(
        [*START, "check", racing, "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert "NOT SERIALIZABLE" in process.stdout.readline()  # so it is at work
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert process.stderr.read() == "ser: interrupted\n"


def test_watching_survives_broken_and_vanished_files_and_ends_with_the_last_verdict(racing: str) -> None:
    path = Path(racing)
    with subprocess.Popen(
        [*START, "check", racing, "--quiet", "--watch"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None

        def until(expected: str) -> None:
            while expected not in (line := process.stdout.readline() if process.stdout else ""):
                assert line, "it has ended"

        until("NOT SERIALIZABLE")
        until("watching")
        path.write_text("request flip {")
        until("error[")
        until("watching")
        path.unlink()
        until("SER201")
        until("watching")
        path.write_text("request flip { 1 }")
        until(": serializable")
        until("watching")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0


def test_closed_pipe_is_no_reason_to_complain(racing: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen([*START, "check", racing], stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (141, "")


def test_terminal_without_unicode_gets_ascii(racing: str) -> None:
    output = ser("check", racing, PYTHONIOENCODING="latin-1").stdout
    assert output.isascii()
    assert "N: 0 -> 1" in output


def test_input_in_characters_that_the_terminal_lacks(tmp_path: Path) -> None:
    path = tmp_path / "names.json"
    path.write_text(
        '{"initial_global": "ж", "requests": [["щ", "ы"]], "responses": [["ы", "э"]], "transitions": []}'
    )
    finished = ser("run", str(path), "--seed", "1", PYTHONIOENCODING="ascii")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "\\u0449" in finished.stdout


def test_no_colour_in_a_pipe_unless_asked_for(racing: str) -> None:
    assert "\033" not in ser("check", racing).stdout
    assert "\033" in ser("check", racing, "--color", "always").stdout


@pytest.mark.parametrize(
    ("options", "environment", "is_colored"),
    [
        ([], {}, True),
        ([], {"NO_COLOR": "1"}, False),
        (["--color", "never"], {}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
    ],
)
def test_colour_on_a_terminal(
    options: list[str], environment: dict[str, str], is_colored: bool, racing: str
) -> None:
    ours, theirs = pty.openpty()
    clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [*START, "check", racing, "--quiet", *options],
        stdout=theirs,
        env={**clean, "TERM": "xterm", **environment},
    )
    process.wait(timeout=30)
    output = os.read(ours, 10_000)
    os.close(ours)
    os.close(theirs)
    assert (b"\033" in output) == is_colored


def test_replay_on_a_terminal_waits_for_keys(racing: str) -> None:
    """Keys are repeated until they are heeded: what comes before anybody waits for a key may get lost."""
    certificate = f"{racing}.cert.json"
    ser("check", racing, "--certificate", certificate)
    ours, theirs = pty.openpty()
    command = [*START, "replay", certificate, racing]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, env={**os.environ, "TERM": "xterm"})

    def pressed(key: bytes) -> bytes:
        os.write(ours, key)
        time.sleep(0.1)
        return os.read(ours, 100_000) if select.select([ours], [], [], 0)[0] else b""

    for key, expected in [(b"G", b"step 4 of 4"), (b"g", b"step 0 of 4")]:
        assert any(expected in pressed(key) for _ in range(300))
    while process.poll() is None:
        pressed(b"q")
    assert process.wait(timeout=30) == 0
    os.close(ours)
    os.close(theirs)


def loaded_by(*arguments: str) -> set[str]:
    """The modules that a command has loaded when it ends."""
    program = f"""
import sys
import time
from seriatim.cli.entry import run
sys.argv = {["ser", *arguments]!r}
try:
    run()
except SystemExit:
    print(*sys.modules, file=sys.stderr)
"""
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(finished.stderr.split())


def test_version_loads_no_command() -> None:
    ours = {name for name in loaded_by("--version") if name.startswith("seriatim.")}
    modules = ("cli", "cli.entry", "cli.main", "cli.exit_codes", "memory")
    assert ours == {f"seriatim.{module}" for module in modules}


def test_explain_loads_no_engine() -> None:
    assert not any(name.startswith("seriatim.engines") for name in loaded_by("explain", "SER001"))


def test_check_loads_no_library_but_click(racing: str) -> None:
    at_start = subprocess.run(
        [sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    packages = {name.partition(".")[0] for name in loaded_by("check", racing) - set(at_start.stdout.split())}
    assert packages - sys.stdlib_module_names <= {"click", "seriatim"}
    assert not packages & {"asyncio", "multiprocessing", "unittest"}


EXAMPLES = Path(__file__).parents[3] / "examples"
MOST_MODULES = 250
"""Of the package, for an input that is decided at once."""
HARDER = {"without_report.ser"}
"""Commit points do not prove it, so that most engines are loaded."""
USUALLY_COUNTED = {"lost_update.ser", "spin_lock.ser", "ticket_lock.ser", "locked_singleton.ser"}
"""A violation with two requests, a small proof, a stuck run, a sample run."""


@pytest.mark.parametrize(
    "example",
    [
        name if name in USUALLY_COUNTED else pytest.param(name, marks=deep)
        for name in sorted({path.name for path in EXAMPLES.glob("*.ser")} - HARDER)
    ],
)
def test_check_of_a_small_file_loads_few_modules(example: str) -> None:
    """How long a short check takes depends on little else."""
    path, most = EXAMPLES / example, MOST_MODULES
    ours = [
        name for name in loaded_by("check", str(path), "--no-cache") if name.partition(".")[0] == "seriatim"
    ]
    assert len(ours) <= most, (
        f"ser check {example} loads {len(ours)} modules, more than {most}. Who loads which:"
        f" `.venv/bin/python benchmarks/latency.py --modules examples/{example}`."
        " What one of many needs is imported where one is chosen (`DOORS` in tests/unit/test_structure.py)."
    )


@deep
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell what is in use")
def test_memory_is_bounded(tmp_path: Path) -> None:
    """A search that would take gigabytes ends as undecided, with what it has found out so far."""
    hungry = tmp_path / "hungry.ser"
    hungry.write_text(HUNGRY)
    result = ser("check", hungry, "--max-memory=80MB", *FOR_EVER)
    assert (result.returncode, result.stderr) == (3, "")
    assert "The memory limit is reached" in result.stdout
    assert "allow more with --max-memory" in " ".join(result.stdout.split())


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not list its processes")
def test_an_interrupt_ends_all_jobs_with_one_line(tmp_path: Path) -> None:
    """As a terminal does it: the signal goes to all processes at once."""
    for name in ("one.ser", "two.ser", "three.ser"):
        (tmp_path / name).write_text(HUNGRY)
    with subprocess.Popen(
        [*START, "check", str(tmp_path), "--jobs=2", *FOR_EVER],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        while len(session(process.pid)) < 3 and process.poll() is None:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert process.stderr.read() == "ser: interrupted\n"  # ends when the last process has
        assert process.stdout.read() == ""
    assert not left_of_session(process.pid)
