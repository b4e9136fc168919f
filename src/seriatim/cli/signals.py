"""When Ctrl-C and SIGTERM have their effect: while a command runs, but not in the middle of a file."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

ENDINGS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interruptible() -> Iterator[None]:
    """Lets Ctrl-C raise `KeyboardInterrupt` inside; before and after, it does what it did.

    Where Ctrl-C is already ignored, as shells do for background jobs, it stays ignored.
    """
    before = signal.getsignal(signal.SIGINT)
    if before in (None, signal.SIG_IGN) or not is_main_thread():  # None: not set by Python.
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def delay_signals() -> Iterator[None]:
    """Delays signals that would end the process until the block is done.

    A mask would not do: it holds for one thread only, and the system may deliver a signal to any thread.
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
    """Whether this is the main thread, the only one that can set signal handlers."""
    return current_thread() is main_thread()
