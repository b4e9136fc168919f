"""Budgets and memory: time and memory end work where it consults them, and where it cannot."""

import signal
import subprocess
import sys
import weakref
from importlib import import_module
from pathlib import Path
from threading import Event
from time import monotonic, process_time, sleep

import pytest

from seriatim import budget
from seriatim.budget import LOOK_EVERY, Deadline, OutOfBudget, OutOfMemory, OutOfTime, run_attended
from seriatim.memory import machine_bytes, peak_bytes, resident_bytes

MEGABYTE = 2**20


def test_without_bounds_it_never_ends() -> None:
    deadline = Deadline()
    deadline.check()
    assert deadline.remaining() == float("inf")
    assert deadline.remaining_bytes() is None


def test_time_is_over() -> None:
    with pytest.raises(OutOfTime):
        Deadline(-1.0).check()


def test_memory_that_is_used_up_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    deadline = Deadline(max_bytes=10_000 * MEGABYTE)
    deadline.check()
    monkeypatch.setattr(budget, "resident_bytes", lambda: 10_001 * MEGABYTE)
    sleep(LOOK_EVERY)  # it does not look every time
    with pytest.raises(OutOfMemory):
        deadline.check()


def test_what_an_earlier_task_left_behind_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "resident_bytes", lambda: 900 * MEGABYTE)
    deadline = Deadline(max_bytes=500 * MEGABYTE)
    assert deadline.max_bytes == 900 * MEGABYTE


def test_a_system_that_does_not_tell_has_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "resident_bytes", lambda: None)
    deadline = Deadline(max_bytes=1)
    deadline.check()
    assert deadline.remaining_bytes() is None


def test_work_that_cannot_look_after_itself_is_interrupted() -> None:
    interrupted = Event()
    hoard: list[bytes] = []

    def work() -> None:
        while not interrupted.wait(0.001) and len(hoard) < 1_000:
            hoard.append(b"x" * MEGABYTE)

    with pytest.raises(OutOfMemory):
        run_attended(work, Deadline(max_bytes=1), interrupted.set)
    assert interrupted.is_set()
    assert len(hoard) < 1_000


def test_nobody_waits_for_work_that_does_not_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "GRACE", 0.1)
    with pytest.raises(OutOfTime):
        run_attended(Event().wait, Deadline(0.1), lambda: None)


def test_ctrl_c_reaches_whoever_waits_for_work() -> None:
    interrupted = Event()

    def work() -> None:
        signal.raise_signal(signal.SIGINT)
        interrupted.wait()

    with pytest.raises(KeyboardInterrupt):
        run_attended(work, Deadline(), interrupted.set)
    assert interrupted.is_set()


def test_work_that_is_done_in_time_is_left_alone() -> None:
    assert run_attended(lambda: 7, Deadline(60.0), lambda: pytest.fail("interrupted")) == 7


@pytest.mark.parametrize("kind", [OutOfTime, OutOfMemory])
def test_each_end_says_what_ran_out_and_what_allows_more(kind: type[OutOfBudget]) -> None:
    word, option = {OutOfTime: ("time", "--timeout"), OutOfMemory: ("memory", "--max-memory")}[kind]
    assert word in kind.spent
    assert option in kind.hint


def test_figures_of_this_process_are_plausible() -> None:
    resident, peak, machine = resident_bytes(), peak_bytes(), machine_bytes()
    assert resident is not None
    assert peak is not None
    assert machine is not None
    assert 5 * MEGABYTE < resident < machine
    assert resident <= peak + 16 * MEGABYTE  # read one after the other, and kept in pages by two counters


def test_the_peak_of_a_process_is_at_least_what_it_has() -> None:
    program = """
from seriatim.memory import peak_bytes
peak = peak_bytes()
block = bytearray(peak)
assert peak_bytes() > peak
"""
    subprocess.run([sys.executable, "-c", program], check=True)  # A process of tests is large.


def test_an_interrupt_in_a_callback_of_the_interpreter_is_not_told_and_comes_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A weak reference that calls back for ever, so that the first interrupt is lost there."""
    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)

    class Thing:
        pass

    def spin(_: object) -> None:
        while True:
            pass

    thing = Thing()
    reference = weakref.ref(thing, spin)

    def work() -> None:
        nonlocal thing
        with budget.enforce(budget.Deadline(0.1)):
            del thing
            spin(None)

    with pytest.raises(budget.OutOfTime):
        work()
    assert reference() is None
    assert told == []


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no such timer")
def test_a_tick_that_comes_as_the_work_ends_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """It raised after the work was done, and its handler stayed: whatever came next was out of time."""
    hook, set_timer = sys.unraisablehook, signal.setitimer

    def tick(which: int, seconds: float, interval: float = 0.0) -> tuple[float, float]:
        before = set_timer(which, seconds, interval)
        if seconds == 0.0:
            signal.raise_signal(signal.SIGPROF)
        return before

    monkeypatch.setattr(signal, "setitimer", tick)
    deadline = Deadline(60)
    with budget.enforce(deadline):
        deadline.ends = 0.0
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert sys.unraisablehook is hook
    signal.raise_signal(signal.SIGPROF)  # one that comes later still


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no such timers")
def test_waiting_for_a_process_ends_with_the_deadline() -> None:
    """Waiting uses no CPU time, so a timer of CPU time never went off: services were run for ever."""
    began = monotonic()
    with pytest.raises(OutOfTime), budget.enforce(Deadline(0.1)):
        subprocess.run([sys.executable, "-c", "import time; time.sleep(60)"], check=True)
    assert monotonic() - began < 30
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no such timers")
@pytest.mark.parametrize("seconds", [float("inf"), 1e300, 1e10])
def test_a_deadline_without_end_is_enforced(seconds: float) -> None:
    with budget.enforce(Deadline(seconds)):
        pass


def test_an_outer_deadline_goes_on_while_an_inner_one_is_enforced() -> None:
    with budget.enforce(Deadline(30)):
        with budget.enforce(Deadline(60)):
            sleep(0.2)
        left, _ = signal.getitimer(signal.ITIMER_REAL)
        assert 0 < left < 29.9


def test_a_deadline_of_cpu_time_ends_with_the_work_and_not_with_waiting() -> None:
    deadline = Deadline(60).of_cpu(0.05)
    sleep(0.1)
    deadline.check()
    began = process_time()
    while process_time() < began + 0.1:
        pass
    with pytest.raises(OutOfTime):
        deadline.check()
    assert 0 < deadline.remaining() <= 60


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no such timer")
def test_modules_are_loaded_whole_before_time_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = "from time import process_time\nends = process_time() + 0.4\nwhile process_time() < ends: pass\n"
    (tmp_path / "loaded_slowly.py").write_text(f"{busy}is_whole = True\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))

    def load_and_go_on() -> None:
        with budget.enforce(Deadline(0.1)):
            import_module("loaded_slowly")
            while True:
                pass

    with pytest.raises(OutOfTime):
        load_and_go_on()
    assert sys.modules.pop("loaded_slowly").is_whole
