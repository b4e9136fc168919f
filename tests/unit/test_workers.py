"""Workers: nothing that one does hurts another, and none is left behind."""

import os
import signal
import struct
import subprocess
import sys
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

import pytest

from seriatim import workers
from seriatim.result import Lost
from seriatim.workers import Worker, in_workers, receive
from testkit.running.misbehaving_work import crash, die_of_odd, process_number, sleep_for_ever

TESTS = Path(__file__).parents[1]


def test_a_worker_that_dies_loses_its_own_task_alone() -> None:
    found = dict(in_workers(die_of_odd, [0, 1, 2, 3, 4], jobs=2, seconds=60.0))
    killed = Lost("the worker ended without a result, with exit code -9")
    assert [found[index] for index in range(5)] == [0, killed, 20, killed, 40]


def test_a_worker_that_ends_by_itself_is_lost_too() -> None:
    ((_, found),) = in_workers(crash, [0], jobs=1, seconds=60.0)
    assert found == Lost("the worker ended without a result, with exit code 7")


def test_a_worker_that_does_not_stop_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "GRACE", 0.1)
    ((_, found),) = in_workers(sleep_for_ever, [0], jobs=1, seconds=0.1)
    assert found == Lost("did not stop in time; was stopped")


def test_a_process_does_several_tasks_unless_it_must_be_fresh() -> None:
    def processes(is_fresh: bool) -> set[object]:
        return {found for _, found in in_workers(process_number, [0, 0, 0], 1, 60.0, is_fresh)}

    assert len(processes(is_fresh=False)) == 1
    assert len(processes(is_fresh=True)) == 3


def test_a_worker_that_dies_of_idleness_is_replaced() -> None:
    results = in_workers(process_number, [0, 0], jobs=1, seconds=60.0)
    _, first = next(results)
    assert isinstance(first, int)
    os.kill(first, signal.SIGKILL)
    with suppress(ChildProcessError):  # Somebody else has waited for it already.
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)  # Till its last thread has closed the line.
    ((_, second),) = results
    assert isinstance(second, int)
    assert second != first


def test_a_worker_that_dies_in_the_middle_of_a_word_is_lost() -> None:
    """A message begins with its length; this one ends before it has so many bytes."""
    context = get_context("spawn")
    process = context.Process(target=process_number, args=(0,))
    process.start()
    ours, theirs = context.Pipe()
    os.write(theirs.fileno(), struct.pack("!i", 1000) + b"half")
    theirs.close()
    assert receive(Worker(process, ours)) == Lost("the worker ended without a result, with exit code 0")


def test_workers_are_stopped_when_nobody_wants_their_results() -> None:
    results = in_workers(process_number, [0, 0, 0], jobs=2, seconds=60.0)
    _, number = next(results)
    assert isinstance(number, int)
    os.kill(number, 0)  # still there
    results.close()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def is_alive(number: int) -> bool:
    """Whether a process runs; one that has ended and whose parent has not noticed does not count."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not list its processes")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_process_that_has_started_them(ending: signal.Signals, tmp_path: Path) -> None:
    script = tmp_path / "start.py"
    script.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(TESTS)!r})\n"
        "from testkit.running.misbehaving_work import announce_and_sleep\n"
        "from seriatim.workers import in_workers\n"
        "if __name__ == '__main__':\n"
        "    list(in_workers(announce_and_sleep, [0, 0], jobs=2, seconds=60.0))\n"
    )
    with subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        numbers = [int(process.stdout.readline()) for _ in range(2)]
        assert all(map(is_alive, numbers))
        process.send_signal(ending)
        process.wait(timeout=30)
        process.stdout.read()  # ends when the last worker has
    assert not any(map(is_alive, numbers))
