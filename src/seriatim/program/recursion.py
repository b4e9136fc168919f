"""Room on the interpreter's stack for a recursive walk of a deep program."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from seriatim.program.syntax import MAX_DEPTH

FRAMES_PER_LEVEL = 30
"""How many calls a walk may spend on one level of a program; the parser needs about half of them."""


class _Room:
    """The recursion limit. Python has one for all threads, so the last walk to end restores it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._walks = 0
        self._limit_before = 0

    def enter(self) -> None:
        with self._lock:
            if self._walks == 0:
                self._limit_before = sys.getrecursionlimit()
                sys.setrecursionlimit(max(self._limit_before, FRAMES_PER_LEVEL * MAX_DEPTH))
            self._walks += 1

    def leave(self) -> None:
        with self._lock:
            self._walks -= 1
            if self._walks == 0:
                sys.setrecursionlimit(self._limit_before)


_room = _Room()


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Lets plain Python functions recurse to `MAX_DEPTH`; such calls take no C stack (CPython 3.11 on)."""
    _room.enter()
    try:
        yield
    finally:
        _room.leave()
