"""When Ctrl-C and SIGTERM have their effect: while a command runs, but not in the middle of a file."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

ENDINGS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interruptible() -> Iterator[None]:
    """Within, Ctrl-C raises `KeyboardInterrupt`; before and after it does what it did.

    Where Ctrl-C is already ignored, as shells do for background jobs, it stays ignored.
    """
    before = signal.getsignal(signal.SIGINT)
    if before in (None, signal.SIG_IGN) or not is_main_thread():  # None: somebody else takes care of it.
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def undisturbed() -> Iterator[None]:
    """What would end the process has its effect afterwards.

    Not by a mask: that holds for one thread only, and the system takes any thread to deliver a signal.
    """
    if not is_main_thread():
        yield
        return
    came: list[int] = []

    def remember(number: int, _: FrameType | None) -> None:
        came.append(number)

    before = {number: signal.signal(number, remember) for number in ENDINGS}
    try:
        yield
    finally:
        for number, action in before.items():
            signal.signal(number, action or signal.SIG_DFL)
        for kept in came:
            signal.raise_signal(kept)


def is_main_thread() -> bool:
    """Only the main thread can say what signals do."""
    return current_thread() is main_thread()
