"""Output that cannot be written: told in a line, the old file still there, no exit code that is a verdict."""

import resource
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main
from testkit.running.ser_processes import RACING, START, bound_by_modes

FULL = Path("/dev/full")
OLD = "what was there before"
OUTPUTS = ["--certificate", "--itf", "--diagram", "--sarif", "--junit", "--html"]

needs_full = pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")


@pytest.fixture
def racing(tmp_path: Path) -> Path:
    path = tmp_path / "racing.ser"
    path.write_text(RACING)
    return path


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Longer files are a failure, as on a full disk: after that many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def ser(*arguments: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stderr


@pytest.mark.parametrize("option", OUTPUTS)
def test_the_old_file_survives_a_disk_that_becomes_full(option: str, racing: Path) -> None:
    target = racing.with_name("out")
    target.write_text(OLD)
    with files_of_at_most(100):
        code, errors = ser("check", racing, option, target)
    assert code == 2
    assert "error[SER207]: cannot write" in errors
    assert "File too large" in errors
    assert target.read_text() == OLD
    assert set(racing.parent.iterdir()) == {racing, target}


@needs_full
@pytest.mark.parametrize("option", OUTPUTS)
def test_a_device_that_is_full_is_told(option: str, racing: Path) -> None:
    code, errors = ser("check", racing, option, FULL)
    assert code == 2
    assert "error[SER207]: cannot write /dev/full: No space left on device" in errors
    assert stat.S_ISCHR(FULL.stat().st_mode), "the device is still one"


@pytest.mark.parametrize("command", [("fmt", "--style", "layout"), ("fix", "--write")])
def test_a_program_survives_that_cannot_be_written_back(command: tuple[str, ...], racing: Path) -> None:
    with files_of_at_most(10):
        code, errors = ser(*command, racing)
    assert code == 2
    assert "SER207" in errors
    assert racing.read_text() == RACING
    assert list(racing.parent.iterdir()) == [racing]


def in_process(
    *arguments: str | Path,
    wrapper: tuple[str, ...] = (),
    stdout: int = subprocess.DEVNULL,
    stderr: int = subprocess.PIPE,
) -> tuple[int, str]:
    """The exit code of `ser`, and what it says on standard error."""
    command = [*wrapper, *START, *arguments]
    process = subprocess.Popen(command, stdout=stdout, stderr=stderr, text=True)
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors


def test_a_folder_that_may_not_be_written_to_is_told(racing: Path) -> None:
    folder = racing.parent / "closed"
    folder.mkdir()
    (folder / "old").write_text(OLD)
    folder.chmod(0o555)
    wrapper = bound_by_modes()
    for name in ("new", "old"):
        code, errors = in_process("check", racing, "--quiet", "--certificate", folder / name, wrapper=wrapper)
        assert (code, "Permission denied" in errors, errors.count("\n")) == (2, True, 2)
    assert [path.read_text() for path in folder.iterdir()] == [OLD]


@needs_full
@pytest.mark.parametrize("command", ["check", "--help"])
def test_standard_output_on_a_full_disk_is_no_verdict(command: str, racing: Path) -> None:
    with FULL.open("w") as full:
        code, errors = in_process(command, racing, stdout=full.fileno())
    assert (code, errors) == (2, "ser: cannot write the output: No space left on device\n")


@needs_full
def test_standard_error_on_a_full_disk_is_no_verdict(racing: Path) -> None:
    with FULL.open("w") as full:
        code, _ = in_process("check", racing.with_name("missing.ser"), stderr=full.fileno())
    assert code == 2


@pytest.mark.parametrize(
    ("closed", "arguments", "expected"),
    [
        ("1>&-", "check racing.ser --certificate out", (1, "", "")),
        ("2>&-", "check missing.ser", (2, "", "")),
        ("0<&-", "check -", (2, "", "SER027")),
    ],
)
def test_streams_that_are_closed_lead_nowhere(
    closed: str, arguments: str, expected: tuple[int, str, str], racing: Path
) -> None:
    """Nor do they lead into a file that is opened instead."""
    finished = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *START, *arguments.split()],
        cwd=racing.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    code, said, complained = expected
    assert (finished.returncode, finished.stdout) == (code, said)
    assert complained in finished.stderr
    assert "Traceback" not in finished.stderr
    if code == 1:
        assert (racing.parent / "out").read_text().endswith("\n}\n")


def test_a_pipe_that_closes_early_ends_all_jobs(tmp_path: Path) -> None:
    """`ser check … | head -1`: one line arrives, nothing is said about the others."""
    for number in range(3):
        (tmp_path / f"{number}.ser").write_text(RACING)
    for jobs in ("--jobs=1", "--jobs=2"):
        finished = subprocess.run(
            ["bash", "-c", '"$@" | head -1; exit ${PIPESTATUS[0]}', "bash", *START, "check", tmp_path, jobs],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert finished.returncode in (141, 1)  # 1: all was written before the pipe closed
        assert finished.stdout.count("\n") == 1
        assert finished.stderr == ""
