"""What some requests of a service answer on asyncio's own event loop, in all runs, each in a fresh process.

This is the slow and obvious way: the file is executed as it is, and its requests are tasks of a
`SelectorEventLoop`. Nothing of asyncio is replaced but `sleep` for a positive time, which ends when the
schedule says so. Between two rounds of the loop, the schedule lets a request arrive, a sleep end, or the loop
go on. Sleeps of one request end in the order of their times.
"""

import asyncio
import contextvars
import itertools
import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

OWNER: contextvars.ContextVar[int] = contextvars.ContextVar("owner", default=-1)
MOST_ROUNDS = 400

Outcome = tuple[tuple[str, str | None], ...]
"""Requests with their answers, sorted; None where one waits for ever."""


def is_complete(outcome: Outcome) -> bool:
    """Whether all requests have answered."""
    return all(answer is not None for _, answer in outcome)


class Stage:
    """One run."""

    def __init__(self, text: str, calls: Sequence[str], prefix: Sequence[int], is_serial: bool) -> None:
        self.text, self.calls, self.prefix, self.is_serial = text, calls, prefix, is_serial
        self.taken: list[tuple[int, int]] = []
        self.sleeps: list[tuple[int, float, int, Any]] = []
        self.times: dict[int, float] = {}
        self.answers: list[str | None] = [None] * len(calls)
        self.arrived = 0
        self.rounds = 0

    def perform(self) -> tuple[list[tuple[int, int]], Outcome]:
        self.loop: Any = asyncio.SelectorEventLoop()
        asyncio.set_event_loop(self.loop)
        real_sleep = asyncio.sleep
        numbers = itertools.count()

        async def sleep(delay: float, result: Any = None) -> Any:
            if delay <= 0:
                return await real_sleep(0, result)
            future, owner = self.loop.create_future(), OWNER.get()
            entry = (owner, self.times.get(owner, 0.0) + delay, next(numbers), future)
            self.sleeps.append(entry)
            try:
                await future
            finally:
                if entry in self.sleeps:
                    self.sleeps.remove(entry)
            return result

        setattr(asyncio, "sleep", sleep)  # noqa: B010 - the module is replaced on purpose
        names: dict[str, Any] = {"__name__": "service"}
        exec(self.text, names)
        self.service = names["Service"]()
        self.loop.call_soon(self.direct)
        self.loop.run_forever()
        pairs = zip(self.calls, self.answers, strict=True)
        return self.taken, tuple(sorted(pairs, key=repr))

    def choose(self, count: int) -> int:
        if count == 1:
            return 0
        number = len(self.taken)
        chosen = self.prefix[number] if number < len(self.prefix) else 0
        self.taken.append((chosen, count))
        return chosen

    def direct(self) -> None:
        """Comes first in each round: lets the world act, then goes on."""
        self.rounds += 1
        if self.rounds > MOST_ROUNDS:
            self.loop.stop()
            return
        while True:
            is_busy = bool(self.loop._ready)
            options: list[Callable[[], None]] = [self.arrive] if self.may_arrive() else []
            firsts: dict[int, tuple[int, float, int, Any]] = {}
            for each in self.sleeps:
                known = firsts.get(each[0])
                firsts[each[0]] = each if known is None or each[1:3] < known[1:3] else known
            options += [partial(self.wake, each) for each in firsts.values()]
            if not is_busy and not options:
                self.end_or_pass_time()
                return
            number = self.choose(len(options) + is_busy)
            if is_busy and number == 0:
                self.loop.call_soon(self.direct)
                return
            options[number - is_busy]()

    def may_arrive(self) -> bool:
        if self.arrived == len(self.calls):
            return False
        return not (self.is_serial and None in self.answers[: self.arrived])

    def arrive(self) -> None:
        number = self.arrived
        self.arrived += 1
        context = contextvars.copy_context()
        context.run(OWNER.set, number)
        self.loop.create_task(self.serve(number), context=context)

    async def serve(self, number: int) -> None:
        try:
            self.answers[number] = repr(
                await eval(f"service.{self.calls[number]}", {"service": self.service})
            )
        except BaseException as error:  # noqa: BLE001 - the service may raise anything
            self.answers[number] = f"raise {type(error).__name__}"

    def wake(self, entry: tuple[int, float, int, Any]) -> None:
        self.sleeps.remove(entry)
        self.times[entry[0]] = max(entry[1], self.times.get(entry[0], 0.0))
        if not entry[3].done():
            entry[3].set_result(None)

    def end_or_pass_time(self) -> None:
        """A limit of time is reached where nothing else can happen."""
        limits = [each for each in self.loop._scheduled if not each.cancelled()]
        if None not in self.answers or not limits:
            self.loop.stop()
            return
        first = min(limits, key=lambda each: each.when())
        self.loop._scheduled.remove(first)
        self.loop._ready.append(first)
        self.loop.call_soon(self.direct)
        self.loop._ready.rotate(1)  # It directs before the limit is reached.


def runs(text: str, calls: Sequence[str], is_serial: bool, most: int) -> Iterator[Outcome | None]:
    """The outcomes of all runs; at last None if there are more."""
    stack: list[tuple[int, ...]] = [()]
    for _ in range(most):
        if not stack:
            return
        prefix = stack.pop()
        taken, outcome = in_fresh_process(Stage(text, calls, prefix, is_serial).perform)
        chosen = [each for each, _ in taken]
        for place in range(len(prefix), len(taken)):
            stack += [(*chosen[:place], other) for other in range(1, taken[place][1])]
        yield outcome
    if stack:
        yield None


def outcomes(text: str, calls: Sequence[str], is_serial: bool, most: int = 3_000) -> set[Outcome] | None:
    """The outcomes of requests that arrive in any order; None if there are too many runs."""
    found: set[Outcome] = set()
    for order in dict.fromkeys(itertools.permutations(calls)):
        for outcome in runs(text, order, is_serial, most):
            if outcome is None:
                return None
            found.add(outcome)
    return found


def in_fresh_process(work: Callable[[], Any]) -> Any:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(pickle.dumps(work()))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(data)
