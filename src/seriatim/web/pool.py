"""Answers in worker processes: so many at a time, the others wait; a client that hangs up stops its work."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from functools import partial
from time import monotonic
from typing import Any, Protocol

from seriatim.engines.stage import Progress
from seriatim.frozen import frozen
from seriatim.memory import resident_bytes
from seriatim.result import Lost
from seriatim.source import Diagnostic
from seriatim.web.desk import answer_question, progress_json, refuse
from seriatim.web.questions import Question, Room
from seriatim.workers import GRACE, Worker, received, serve_telling, started_with, stop

Json = dict[str, Any]

MAX_WAITING = 100
"""Questions that wait for a worker; more are refused."""

TIRED_AFTER = 200
"""Answers of one process."""

TIRED_BYTES = 400 << 20
"""What a process may keep when it has answered."""

TELL_EVERY = 0.1
"""Seconds between two words of progress."""


Told = tuple[str, Json]
"""`progress` or `answer`, and what."""


@frozen
class Job:
    question: Question
    room: Room


@frozen
class Answered:
    """The last word about a job."""

    answer: Json
    is_tired: bool
    """Whether the process keeps so much memory that it had better end."""


class Tell(Protocol):
    def __call__(self, told: object, /) -> None: ...


def do(job: Job, tell: Tell) -> Answered:
    """What a worker does about a job."""
    next_word = monotonic() + TELL_EVERY

    def observe(progress: Progress) -> None:
        nonlocal next_word
        if monotonic() >= next_word:
            next_word = monotonic() + TELL_EVERY
            tell(progress_json(progress))

    found = answer_question(job.question, job.room, observe)
    return Answered(found, (resident_bytes() or 0) > TIRED_BYTES)


class Pool:
    """Workers, started when they are needed and kept; never more than there are places."""

    def __init__(self, workers: int, room: Room) -> None:
        self.room = room
        self.places = asyncio.Semaphore(workers)
        self.threads = ThreadPoolExecutor(2 * workers, "worker")
        """For each worker, one that waits for its word and one that stops it."""
        self.idle: list[tuple[Worker, int]] = []
        """With how many answers each has given."""
        self.waiting = 0

    @property
    def is_full(self) -> bool:
        """Whether so many questions wait already that another one would wait too long."""
        return self.waiting >= MAX_WAITING

    async def answer(self, question: Question) -> AsyncGenerator[Told, None]:
        """Words of progress, and then the answer.

        If nobody wants the answer any more, this is closed, and the process that works on it stopped.
        """
        self.waiting += 1
        try:
            await self.places.acquire()
        finally:
            self.waiting -= 1
        worker, answers = self._take()
        is_free = False
        try:
            async with aclosing(self._told(worker, Job(question, self.room))) as words:
                async for told in words:
                    if isinstance(told, Answered):
                        is_free = not told.is_tired and answers + 1 < TIRED_AFTER
                        yield "answer", told.answer
                    else:
                        yield "progress", told
        finally:
            if is_free:
                self.idle.append((worker, answers + 1))
                self.places.release()
            else:
                self._replace(worker)

    async def _told(self, worker: Worker, job: Job) -> AsyncGenerator[Json | Answered, None]:
        ends = monotonic() + self.room.seconds + GRACE
        send: Callable[[], object] = partial(worker.line.send, job)
        try:
            async with asyncio.timeout(ends - monotonic()):
                await self._in_thread(send)
                while True:
                    told = await self._in_thread(partial(received, worker))
                    if isinstance(told, Lost):
                        yield lost(told.reason)
                        return
                    yield told
                    if isinstance(told, Answered):
                        return
        except TimeoutError:
            yield lost("it did not stop in time")
        except OSError:
            yield lost("it has ended")

    def _take(self) -> tuple[Worker, int]:
        """A worker that is idle and alive, or a new one."""
        while self.idle:
            worker, answers = self.idle.pop()
            if worker.process.is_alive():
                return worker, answers
            stop(worker)
        return started_with(serve_telling, do), 0

    def _replace(self, worker: Worker) -> None:
        """Stops a worker; only then, there is a place for another one."""
        loop = asyncio.get_running_loop()
        stopped = self.threads.submit(stop, worker)
        stopped.add_done_callback(lambda _: loop.call_soon_threadsafe(self.places.release))

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self.threads, work)

    def close(self) -> None:
        for worker, _ in self.idle:
            stop(worker)
        self.idle.clear()
        self.threads.shutdown(wait=True)


def lost(reason: str) -> Answered:
    hint = "perhaps this needs more time or memory than there is here"
    message = f"the process for this answer ended: {reason}"
    return Answered(refuse(Diagnostic("SER974", message, hint=hint)), True)
