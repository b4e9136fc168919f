"""Measurements in processes of their own: several at a time, each with its peak memory, none able to harm
another."""

from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from time import monotonic

from seriatim.bench.measure import measure
from seriatim.bench.result import Outcome, Result, Task, unmeasured
from seriatim.memory import peak_bytes

GRACE = 10.0
"""Seconds that a worker gets beyond its time before it is stopped from outside."""


@dataclass(frozen=True, slots=True)
class Running:
    """A worker and when it has to be done."""

    index: int
    task: Task
    process: SpawnProcess
    ends: float


def measure_in_workers(tasks: Sequence[Task], jobs: int) -> Generator[tuple[int, Result], None, None]:
    """The results with the positions of their tasks, as they come; a fresh process for each."""
    waiting = deque(enumerate(tasks))
    running: dict[Connection, Running] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                index, task = waiting.popleft()
                connection, worker = start(index, task)
                running[connection] = worker
            next_end = min(worker.ends for worker in running.values())
            ready = set(wait(list(running), max(0.0, next_end - monotonic())))
            for connection, worker in list(running.items()):
                if connection in ready:
                    result = received(connection, worker)
                elif worker.ends <= monotonic():
                    result = unmeasured(worker.task, Outcome.UNKNOWN, "did not stop in time; was stopped")
                else:
                    continue
                stop(connection, running.pop(connection))
                yield worker.index, result
    finally:
        for connection, worker in running.items():
            stop(connection, worker)


def start(index: int, task: Task) -> tuple[Connection, Running]:
    context = get_context("spawn")  # A fork would inherit our memory, and count it.
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(task, theirs), daemon=True)
    process.start()
    theirs.close()
    # Deciding and checking once more, at most `timeout` each.
    return ours, Running(index, task, process, monotonic() + 2 * task.timeout + GRACE)


def stop(connection: Connection, worker: Running) -> None:
    connection.close()
    worker.process.kill()
    worker.process.join()
    worker.process.close()


def received(connection: Connection, worker: Running) -> Result:
    """What a worker has sent; if it ended without a word, that."""
    try:
        result = connection.recv()
    except EOFError:
        worker.process.join()
        reason = f"the worker ended without a result, with exit code {worker.process.exitcode}"
        return unmeasured(worker.task, Outcome.UNKNOWN, reason)
    assert isinstance(result, Result)
    return result


def work(task: Task, connection: Connection) -> None:
    """What a worker does."""
    connection.send(replace(measure(task), peak_bytes=peak_bytes()))
