"""Answers in a bounded number of worker processes; other questions wait, and hanging up stops the work."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, Protocol

from seriatim.engines.stage import Progress
from seriatim.memory import resident_bytes
from seriatim.result import Lost
from seriatim.source import Diagnostic
from seriatim.web.answers import answer_question, progress_json, refuse
from seriatim.web.questions import Question, Room
from seriatim.workers import GRACE, Worker, receive, serve_telling, start_worker, stop

Json = dict[str, Any]

MAX_WAITING = 100
"""How many questions may wait for a worker; more are refused."""

TIRED_AFTER = 200
"""How many answers a process gives before it is replaced."""

TIRED_BYTES = 400 << 20
"""How much memory a process may keep after an answer."""

TELL_EVERY = 0.1
"""Seconds between two progress reports."""


Told = tuple[str, Json]
"""A message: `progress` or `answer`, and its content."""


@dataclass(frozen=True, slots=True)
class Job:
    question: Question
    room: Room


@dataclass(frozen=True, slots=True)
class PoolAnswer:
    """The final message about a job."""

    answer: Json
    is_tired: bool
    """Whether the process keeps so much memory that it should be replaced."""


class Tell(Protocol):
    def __call__(self, told: object, /) -> None: ...


def do(job: Job, tell: Tell) -> PoolAnswer:
    """Does a job in a worker."""
    next_word = monotonic() + TELL_EVERY

    def observe(progress: Progress) -> None:
        nonlocal next_word
        if monotonic() >= next_word:
            next_word = monotonic() + TELL_EVERY
            tell(progress_json(progress))

    found = answer_question(job.question, job.room, observe)
    return PoolAnswer(found, (resident_bytes() or 0) > TIRED_BYTES)


class Pool:
    """Workers, started on demand and kept, up to a fixed number."""

    def __init__(self, workers: int, room: Room) -> None:
        self.room = room
        self.places = asyncio.Semaphore(workers)
        self.threads = ThreadPoolExecutor(2 * workers, "worker")
        """Two threads for each worker: one waits for its messages, one stops it."""
        self.idle: list[tuple[Worker, int]] = []
        """Idle workers, each with the number of answers it has given."""
        self.waiting = 0

    @property
    def is_full(self) -> bool:
        """Whether too many questions are waiting already."""
        return self.waiting >= MAX_WAITING

    async def answer(self, question: Question) -> AsyncGenerator[Told, None]:
        """Progress reports, then the answer.

        If the client hangs up, this generator is closed, and the process that works on the answer is stopped.
        """
        self.waiting += 1
        try:
            await self.places.acquire()
        finally:
            self.waiting -= 1
        worker, answers = self._take()
        is_free = False
        try:
            async with aclosing(self._tell(worker, Job(question, self.room))) as words:
                async for told in words:
                    if isinstance(told, PoolAnswer):
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

    async def _tell(self, worker: Worker, job: Job) -> AsyncGenerator[Json | PoolAnswer, None]:
        ends = monotonic() + self.room.seconds + GRACE
        send: Callable[[], object] = partial(worker.line.send, job)
        try:
            async with asyncio.timeout(ends - monotonic()):
                await self._in_thread(send)
                while True:
                    told = await self._in_thread(partial(receive, worker))
                    if isinstance(told, Lost):
                        yield lost(told.reason)
                        return
                    yield told
                    if isinstance(told, PoolAnswer):
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
        return start_worker(serve_telling, do), 0

    def _replace(self, worker: Worker) -> None:
        """Stops a worker; only then does it free the place for another one."""
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


def lost(reason: str) -> PoolAnswer:
    hint = "perhaps this needs more time or memory than this machine allows"
    message = f"the process for this answer ended: {reason}"
    return PoolAnswer(refuse(Diagnostic("SER974", message, hint=hint)), True)
