"""Runs a task on a Dask worker: in a process of its own, which it supervises.

It answers with text. The text starts with the version of seriatim, so that nobody reads what another version
has written.
"""

from collections.abc import Callable
from importlib import import_module
from selectors import EVENT_READ, DefaultSelector
from threading import Lock
from time import monotonic
from typing import Any

from seriatim.cluster.hand import Hand, start_hand

LOOK_EVERY = 0.2
"""Seconds between two checks whether the answer is still needed."""

GRACE = 10.0
"""Seconds that a task gets beyond its time before it is stopped from outside."""


class HandLost(Exception):
    """The process ended without an answer; another one may do better."""


class Overdue(Exception):
    """The process did not stop in time, and was stopped."""


class Unwanted(Exception):
    """The answer is no longer needed."""


_idle: list[Hand] = []
_lock = Lock()


def version() -> str:
    return str(import_module("seriatim").__version__)  # The package itself, which is above everything in it.


def perform(work: Callable[[Any], str], task: object, seconds: float) -> str:
    """The version of seriatim, a line end, and what `work`, a function of a module, makes of the task."""
    hand = take_hand()
    try:
        answer = done_by(hand, work, task, seconds)
    except BaseException:
        hand.stop()
        raise
    with _lock:
        _idle.append(hand)
    return f"{version()}\n{answer}"


def take_hand() -> Hand:
    with _lock:
        return _idle.pop() if _idle else start_hand()


def done_by(hand: Hand, work: Callable[[Any], str], task: object, seconds: float) -> str:
    """Waits for the answer of the process; raises `HandLost`, `Overdue` or `Unwanted`."""
    try:
        hand.order(work, task)
    except OSError:
        raise HandLost("the process of the worker was gone before its task") from None
    ends = monotonic() + seconds + GRACE
    with DefaultSelector() as selector:
        assert hand.process.stdout is not None
        selector.register(hand.process.stdout, EVENT_READ)
        while not selector.select(LOOK_EVERY):
            if monotonic() > ends:
                raise Overdue("did not stop in time; was stopped")
            if not is_wanted():
                raise Unwanted
    answer = hand.receive()
    if answer is None:
        code = hand.process.wait()
        raise HandLost(f"the worker ended without a result, with exit code {code}")
    return answer


def is_wanted() -> bool:
    """Whether the task of this thread is neither cancelled nor abandoned by its client."""
    from distributed import get_worker

    worker = get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    return task is not None and task.state not in ("cancelled", "released", "forgotten")
