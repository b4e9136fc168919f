"""The process that does the tasks of one worker: `python -m seriatim.cluster.hand`.

A worker of Dask does its tasks in threads. Ours need a process of their own: limits of time are enforced by
signals, which only a main thread gets; limits of memory are those of a process; and a task that does not stop
can be killed. The process does one task after the other, so that it loads everything once.

On standard input come pairs of a function and its task, pickled by the worker that has started this process;
on standard output go the texts that the functions return. Standard input ends when the worker ends, however
that ends, and then this process ends as well, in the middle of a task if need be.
"""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from struct import Struct
from threading import Thread
from typing import IO, Any

from seriatim.memory import collect_rarely

LENGTH = Struct("!Q")
"""What goes before each message."""

Order = tuple[Callable[[Any], str], Any]


@dataclass(frozen=True, slots=True)
class Hand:
    """Our end of the line to such a process."""

    process: "subprocess.Popen[bytes]"

    def order(self, work: Callable[[Any], str], task: object) -> None:
        """Sends an order; raises `OSError` if the process is gone."""
        assert self.process.stdin is not None
        send(self.process.stdin, pickle.dumps((work, task)))

    def receive(self) -> str | None:
        """Waits for the answer of the process; None if it ended without an answer."""
        assert self.process.stdout is not None
        found = receive(self.process.stdout)
        return None if found is None else found.decode("utf-8", "surrogatepass")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            try:
                stream.close()
            except OSError:  # The receiver of unsent data is gone.
                continue


def start_hand() -> Hand:
    process = subprocess.Popen(
        [sys.executable, "-m", "seriatim.cluster.hand"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    return Hand(process)


def send(stream: IO[bytes], message: bytes) -> None:
    stream.write(LENGTH.pack(len(message)) + message)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """A whole message; None if the stream ends before."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    message = stream.read(length)
    return message if len(message) == length else None


def serve() -> None:
    """Does what the process is told, until it is told no more."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # Output of libraries is not an answer.
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who has asked.
    collect_rarely()
    orders: SimpleQueue[Order] = SimpleQueue()
    Thread(target=listen, args=(orders,), daemon=True).start()
    while True:
        work, task = orders.get()
        send(answers, work(task).encode("utf-8", "surrogatepass"))


def listen(orders: "SimpleQueue[Order]") -> None:
    while (message := receive(sys.stdin.buffer)) is not None:
        orders.put(pickle.loads(message))
    os._exit(0)  # The answer is no longer needed.


if __name__ == "__main__":
    serve()
