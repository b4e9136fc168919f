"""For tests of workers: work that ends its process, or never ends. Workers import it by its name."""

import os
import signal


def die_of_odd(number: int) -> int:
    """Ends without a word if the number is odd."""
    if number % 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return 10 * number


def crash(_: int) -> int:
    os._exit(7)


def sleep_for_ever(_: int) -> int:
    signal.pause()
    return 0


def process_number(_: int) -> int:
    return os.getpid()


def announce_and_sleep(_: int) -> int:
    os.write(1, f"{os.getpid()}\n".encode())
    return sleep_for_ever(0)
