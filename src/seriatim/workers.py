"""Runs tasks in worker processes: several at a time, isolated from each other, none left behind.

A worker ends with this process, however that ends. Ctrl-C reaches this process alone, which then stops the
workers: it asks them to end, so that no file is left half-written, and kills them if they do not. The modules
for processes are imported on first use, because most commands need none.
"""

import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from seriatim.memory import collect_rarely
from seriatim.result import Lost

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

Task = TypeVar("Task")
Result = TypeVar("Result")

GRACE = 10.0
"""Seconds beyond its time limit before a worker is stopped from outside."""

LAST_WORDS = 2.0
"""Seconds for a worker to end before it is killed: enough to finish writing a file."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that does one task after the other, and our end of the connection to it."""

    process: "SpawnProcess"
    line: "Connection"


@dataclass(frozen=True, slots=True)
class RunningTask:
    """A worker with its task and its deadline."""

    index: int
    worker: Worker
    ends: float


class Crew(Protocol):
    """Workers that work at the same time and answer with text."""

    def perform(
        self, work: Callable[[Task], str], tasks: Iterable[Task], seconds: float
    ) -> Generator[tuple[int, str | Lost], None, None]:
        """Applies `work`, a function of a module, to each task; yields (position, answer) as answers come."""


@dataclass(frozen=True, slots=True)
class LocalCrew:
    """Processes on this machine."""

    jobs: int

    def perform(
        self, work: Callable[[Task], str], tasks: Iterable[Task], seconds: float
    ) -> Generator[tuple[int, str | Lost], None, None]:
        yield from in_workers(work, list(tasks), self.jobs, seconds)


def in_workers(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    jobs: int,
    seconds: float,
    is_fresh: bool = False,
) -> Generator[tuple[int, Result | Lost], None, None]:
    """Applies `work`, a function of a module, to each task; yields (position, result) as results come.

    Each task has `seconds`. If `is_fresh`, each task gets a new process.
    """
    from multiprocessing.connection import wait

    waiting = deque(enumerate(tasks))
    idle: list[Worker] = []
    running: dict[Connection, RunningTask] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                index, task = waiting.popleft()
                worker = employ(work, task, idle)
                running[worker.line] = RunningTask(index, worker, monotonic() + seconds + GRACE)
            next_end = min(each.ends for each in running.values())
            ready = set(wait(list(running), max(0.0, next_end - monotonic())))
            for line, each in list(running.items()):
                result: Result | Lost
                if line in ready:
                    result = receive(each.worker)
                elif each.ends <= monotonic():
                    result = Lost("did not stop in time; was stopped")
                else:
                    continue
                del running[line]
                if is_fresh or isinstance(result, Lost):
                    stop(each.worker)
                else:
                    idle.append(each.worker)
                yield each.index, result
    finally:
        for worker in [*idle, *(each.worker for each in running.values())]:
            stop(worker)


def employ(work: Callable[[Task], Result], task: Task, idle: list[Worker]) -> Worker:
    """Gives a task to an idle worker, or to a new one if that has died meanwhile."""
    while idle:
        worker = idle.pop()
        try:
            worker.line.send(task)
        except OSError:
            stop(worker)
        else:
            return worker
    worker = start_serving(work)
    with suppress(OSError):  # It is dead already; the wait for its result ends.
        worker.line.send(task)
    return worker


def start_serving(work: Callable[[Task], Result]) -> Worker:
    return start_worker(serve, work)


def start_worker(serve: "Callable[[Any, Connection], None]", work: Callable[..., Any]) -> Worker:
    """Starts a process in which `serve` does `work` for our end of the connection."""
    from multiprocessing import get_context

    context = get_context("spawn")  # A forked process would inherit our memory, which would count as its own.
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(work, theirs), daemon=True)
    with interrupts_blocked():  # The worker inherits this setting for its whole life.
        process.start()
    theirs.close()
    return Worker(process, ours)


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Delays Ctrl-C until the block is done, where the system supports that."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # The first worker would start it, which would unblock Ctrl-C.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def stop(worker: Worker) -> None:
    worker.process.terminate()
    worker.process.join(LAST_WORDS)
    worker.process.kill()
    worker.process.join()
    worker.process.close()
    worker.line.close()


def receive(worker: Worker) -> Any:
    """The message of a worker; `Lost` if it ended without one."""
    try:
        return worker.line.recv()
    except (EOFError, OSError):  # before its first word, or in the middle of one
        worker.process.join()
        return Lost(f"the worker ended without a result, with exit code {worker.process.exitcode}")


def serve(work: Callable[[Task], Result], line: "Connection") -> None:
    """The main loop of a worker."""

    def silent(task: Task, _: Callable[[object], None]) -> Result:
        return work(task)

    serve_telling(silent, line)


def serve_telling(work: Callable[[Task, Callable[[object], None]], Result], line: "Connection") -> None:
    """The main loop of a worker that also sends progress messages before its result."""
    collect_rarely()
    Thread(target=end_with_parent, daemon=True).start()
    try:
        while True:
            line.send(work(line.recv(), line.send))
    except (EOFError, ConnectionError):  # The parent process is gone.
        return


def end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    assert parent is not None
    parent.join()
    signal.raise_signal(signal.SIGTERM)
