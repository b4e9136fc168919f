"""What workers of a cluster are told to do in tests."""

import os
import time
from pathlib import Path


def double(number: int) -> str:
    return str(2 * number)


def print_and_double(number: int) -> str:
    os.write(1, b"a library that prints\n")
    return str(2 * number)


def die_of_twos(number: int) -> str:
    if number == 2:
        os._exit(3)
    return str(number)


def die_once(folder: str) -> str:
    """The first time."""
    marker = Path(folder) / "died"
    if not marker.exists():
        marker.touch()
        os._exit(1)
    return "done"


def sleep_long(file: str) -> str:
    """Says in the file which process sleeps; without a file, nobody does."""
    if not file:
        return "awake"
    Path(file).write_text(str(os.getpid()), "utf-8")
    time.sleep(300)
    return "awake"


def sleep_first(number: int) -> str:
    """The earlier, the longer."""
    time.sleep(0.3 if number == 0 else 0.0)
    return str(number)


def raise_error(number: int) -> str:
    raise ValueError(f"{number} is no good")
