"""A budget of time and memory that long work consults; only a face or the portfolio sets one."""

import signal
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from threading import Event, Thread, current_thread, main_thread
from time import monotonic, process_time
from types import FrameType
from typing import Protocol, TypeVar

from seriatim.memory import resident_bytes

LOOK_EVERY = 0.02
"""Seconds between two checks of the memory; in between it grows by some megabytes at most."""

GRACE = 5.0
"""Seconds that work has to stop after an interrupt."""

TICK = 0.05
"""Seconds of CPU time between two checks of an enforced deadline."""

AGAIN = 0.5
"""Seconds between two checks after the work has been interrupted, or could not be."""

LONGEST = 3e7
"""Seconds after which a timer goes off at the latest, about a year: systems refuse times without end."""

FINALIZER_DEPTH = 8
"""How many nested calls the methods `__del__` of libraries make at most."""

PULSE_EVERY = 0.2
"""Seconds between two pulses."""


class OutOfBudget(Exception):
    """The budget is used up; the work under way has no answer."""

    spent = "the limits of time and memory are reached"
    hint = "allow more with --timeout and --max-memory"


class OutOfTime(OutOfBudget):
    """The time limit is reached."""

    spent = "the time limit is reached"
    hint = "allow more with --timeout"


class OutOfMemory(OutOfBudget):
    """The memory limit is reached."""

    spent = "the memory limit is reached"
    hint = "allow more with --max-memory"


Seen = TypeVar("Seen", contravariant=True)
Result = TypeVar("Result")

Pieces = Generator[int, None, Result]
"""Long work in pieces: yields the amount of work of each piece, and returns the result."""


def finish(pieces: Pieces[Result]) -> Result:
    """Does all pieces and returns the result."""
    while True:
        try:
            next(pieces)
        except StopIteration as end:
            result: Result = end.value
            return result


class Observer(Protocol[Seen]):
    """A receiver of progress reports about long work."""

    def __call__(self, progress: Seen, /) -> None: ...


class Deadline:
    """A moment after which `check` raises; using too much memory brings it forward.

    None for seconds or bytes means no such limit. If an earlier task has left the process with more bytes
    than allowed, only memory beyond that counts.
    """

    def __init__(self, seconds: float | None = None, max_bytes: int | None = None) -> None:
        now = monotonic()
        self.ends = None if seconds is None else now + seconds
        self.max_bytes = None if max_bytes is None else max(max_bytes, resident_bytes() or 0)
        self.questions = 0
        """Questions to solvers so far; progress reports show them."""
        self.pairs = 0
        """Pairs of a local and a global state that closures have explored so far."""
        self._looks_next = now
        self.pulse: Callable[[], None] | None = None
        """What to do now and then while the work goes on."""
        self._pulses_next = now
        self.cpu_ends: float | None = None
        """The CPU time of this process after which `check` raises as well."""

    def check(self) -> None:
        """Raises `OutOfTime` or `OutOfMemory`."""
        now = monotonic()
        if self.ends is not None and now > self.ends:
            raise OutOfTime
        if self.cpu_ends is not None and process_time() > self.cpu_ends:
            raise OutOfTime
        if self.pulse is not None and now >= self._pulses_next:
            self._pulses_next = now + PULSE_EVERY
            self.pulse()
        if self.max_bytes is not None and now >= self._looks_next:
            self._looks_next = now + LOOK_EVERY
            if self.remaining_bytes() == 0:
                raise OutOfMemory

    def part(self, share: float) -> "Deadline":
        """A deadline after a share of the time that is left."""
        sooner = Deadline()
        sooner.ends = None if self.ends is None else monotonic() + share * self.remaining()
        sooner.max_bytes, sooner.pulse = self.max_bytes, self.pulse
        return sooner

    def of_cpu(self, seconds: float) -> "Deadline":
        """This deadline, or an earlier one after some seconds of this process's CPU time. A busy machine then
        makes work slower, but does not make it fail."""
        sooner = self.part(1.0)
        sooner.cpu_ends = process_time() + seconds
        if self.cpu_ends is not None:
            sooner.cpu_ends = min(sooner.cpu_ends, self.cpu_ends)
        return sooner

    def remaining(self) -> float:
        """Seconds left, infinite without a deadline."""
        return float("inf") if self.ends is None else max(0.0, self.ends - monotonic())

    def remaining_bytes(self) -> int | None:
        """Memory left; None if it is not bounded, or not known."""
        resident = None if self.max_bytes is None else resident_bytes()
        if self.max_bytes is None or resident is None:
            return None
        return max(0, self.max_bytes - resident)


def _is_finalizer(frame: FrameType | None) -> bool:
    """Whether Python is running a finalizer."""
    for _ in range(FINALIZER_DEPTH):
        if frame is None:
            return False
        if frame.f_code.co_name == "__del__":
            return True
        frame = frame.f_back
    return False


def _imports(frame: FrameType | None) -> int:
    """How many nested imports are under way."""
    found = 0
    while frame is not None:
        found += frame.f_code.co_name == "_find_and_load"
        frame = frame.f_back
    return found


@contextmanager
def enforce(deadline: Deadline) -> Iterator[None]:
    """Enforces the deadline on work that never checks it: a timer interrupts it as Ctrl-C would.

    Loops that can be long check the deadline themselves. This is for the rest: passes over a text or a tree
    that are long only if the input is huge, and waiting for other processes. It works in the main thread
    only, and not on Windows, which has no such timers. One counts CPU time; another one goes off at the end,
    once, so that cleaning up is left alone. Use `run_attended` for long calls of libraries.
    """
    if current_thread() is not main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    is_over = False

    def look(_: int, frame: FrameType | None) -> None:
        if is_over or _is_finalizer(frame):
            return  # An exception would be lost there.
        try:
            deadline.check()
        except OutOfBudget:
            if _imports(frame) > imports_before:
                return  # A module that is loaded in part would break whatever uses it later.
            # The caller that catches this needs time to report what was found. If the exception was lost,
            # because it was raised in a callback of the interpreter, the timer raises it again.
            signal.setitimer(signal.ITIMER_PROF, AGAIN, AGAIN)
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            raise

    def look_at_end(number: int, frame: FrameType | None) -> None:
        if not is_over:
            signal.setitimer(signal.ITIMER_REAL, AGAIN)  # It may not be interrupted yet.
            look(number, frame)

    def tell_others(lost: "sys.UnraisableHookArgs") -> None:
        """Handles exceptions that callbacks of the interpreter drop. An interrupt comes again; all other
        exceptions are reported as before."""
        if not isinstance(lost.exc_value, OutOfBudget):
            hook_before(lost)

    imports_before = _imports(sys._getframe())
    hook_before = sys.unraisablehook
    at_end = 0.0 if deadline.ends is None else min(deadline.remaining(), LONGEST) + TICK
    with (
        _timer(signal.ITIMER_PROF, signal.SIGPROF, look, TICK, TICK),
        _timer(signal.ITIMER_REAL, signal.SIGALRM, look_at_end, at_end),
    ):
        try:
            sys.unraisablehook = tell_others
            yield
        finally:
            is_over = True  # First: a tick that comes now must not keep the rest from being done.
            sys.unraisablehook = hook_before


@contextmanager
def _timer(
    timer: int,
    number: int,
    handler: Callable[[int, FrameType | None], None],
    first: float,
    every: float = 0.0,
) -> Iterator[None]:
    """Sets a timer with its handler; afterwards, the ones before are back, with the time that is left."""
    clock = monotonic if timer == signal.ITIMER_REAL else process_time
    handler_before, (left, interval), began = signal.getsignal(number), signal.getitimer(timer), clock()
    signal.signal(number, handler)
    signal.setitimer(timer, first, every)
    try:
        yield
    finally:
        signal.setitimer(timer, 0.0)
        signal.signal(number, _ignore_tick if handler_before is signal.SIG_DFL else handler_before)
        signal.setitimer(timer, max(TICK, left - clock() + began) if left else 0.0, interval)


def _ignore_tick(_: int, __: FrameType | None) -> None:
    """A tick may still be on its way when its timer has stopped, and by default it would end the process."""


def run_attended(work: Callable[[], Result], deadline: Deadline, interrupt: Callable[[], None]) -> Result:
    """Runs work that cannot check its budget in another thread, while this thread checks it.

    Interrupts the work before it raises `OutOfBudget` or `KeyboardInterrupt`. If the work does not stop even
    then, it is abandoned, and the objects that it uses must not be used again.
    """
    is_done = Event()
    results: list[Result] = []

    def attend() -> None:
        while not is_done.wait(LOOK_EVERY):
            deadline.check()

    def do() -> None:
        try:
            results.append(work())
        finally:
            is_done.set()

    try:
        Thread(target=do, daemon=True).start()
        attend()
    except (OutOfBudget, KeyboardInterrupt):
        interrupt()
        is_done.wait(GRACE)
        raise
    assert results, "what the work has raised is on standard error"
    return results[0]
