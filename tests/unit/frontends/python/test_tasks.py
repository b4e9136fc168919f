"""Tasks of a request, limits of time, generators: model and real event loop have the same outcomes."""

import gc
from collections.abc import Iterator

import pytest

from testkit.generators.services import (
    analysed,
    model_outcomes,
    multisets,
    real_outcomes,
)
from testkit.samples import IS_DEEP, deep, deep_cases, sampled

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(autouse=True, scope="module")
def last_words() -> Iterator[None]:
    """Runs that are cut leave coroutines behind; they end here."""
    yield
    gc.collect()


MOST = 2 if IS_DEEP else 1
"""Requests at a time: tasks multiply the interleavings of two, and cancelled ones even more, so that there is
one of these alone; random services are in `reliability/services.py`."""

HEAD = "import asyncio\nclass S:\n    def __init__(self):\n        self.x = 0  # ser: 0..3\n"
LOCKED = f"{HEAD}        self.lock = asyncio.Lock()\n"

TASKS = {
    "children start later, in order": f"""{HEAD}
    async def f(self):
        task = asyncio.create_task(self._put(1))
        self.x = 2
        seen = self.x
        await task
        return seen, self.x
    async def _put(self, n):
        self.x = n
""",
    "gathered ones see each other's pauses": f"""{HEAD}
    async def f(self):
        a, b = await asyncio.gather(self._add(1), self._add(2))
        return a, b, self.x
    async def _add(self, n):
        old = self.x
        await asyncio.sleep(1)
        self.x = (old + n) % 4
        return old
""",
    "sleep(0) goes on after all that is ready": f"""{HEAD}
    async def f(self):
        await asyncio.gather(self._a(), self._b())
        return self.x
    async def _a(self):
        await asyncio.sleep(0)
        self.x = (self.x * 2 + 1) % 4
    async def _b(self):
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        self.x = self.x * 2 % 4
""",
    "an exception reaches the handler while others go on": f"""{HEAD}
    async def f(self):
        try:
            await asyncio.gather(self._fail(), self._late())
        except ValueError:
            return self.x
    async def _fail(self):
        raise ValueError
    async def _late(self):
        await asyncio.sleep(1)
        self.x = (self.x + 1) % 4
""",
    "what nobody awaits goes on": f"""{HEAD}
    async def f(self):
        asyncio.create_task(self._later())
        return self.x
    async def _later(self):
        await asyncio.sleep(1)
        self.x = (self.x + 1) % 4
""",
    "a group waits for its tasks": f"""{HEAD}
    async def f(self):
        async with asyncio.TaskGroup() as group:
            one = group.create_task(self._add(1))
            group.create_task(self._add(2))
        return one.result(), self.x
    async def _add(self, n):
        await asyncio.sleep(1)
        self.x = (self.x + n) % 4
        return self.x
""",
    "tasks of a list": f"""{HEAD}
    async def f(self):
        tasks = [asyncio.create_task(self._add(n)) for n in (1, 2)]
        found = await asyncio.gather(*tasks)
        return found[0], self.x
    async def _add(self, n):
        self.x = (self.x + n) % 4
        return self.x
""",
}

LIMITS = {
    "a limit cancels where the coroutine waits": f"""{HEAD}
    async def f(self):
        try:
            return await asyncio.wait_for(self._slow(), 1)
        except TimeoutError:
            return "late"
    async def _slow(self):
        old = self.x
        try:
            await asyncio.sleep(2)
            self.x = (old + 1) % 4
        finally:
            self.x = (self.x + 1) % 4
        return self.x
""",
    "a coroutine may refuse to be cancelled": f"""{HEAD}
    async def f(self):
        return await asyncio.wait_for(self._stubborn(), timeout=1)
    async def _stubborn(self):
        try:
            await asyncio.sleep(2)
        except asyncio.CancelledError:
            return "stays"
        return "done"
""",
    "a block with a limit": f"""{HEAD}
    async def f(self):
        old = self.x
        try:
            async with asyncio.timeout(1):
                await asyncio.sleep(2)
                self.x = (old + 1) % 4
        except TimeoutError:
            self.x = 3
            raise
        return self.x
""",
    "the inner limit, or the outer one": f"""{HEAD}
    async def f(self):
        try:
            async with asyncio.timeout(5):
                try:
                    await asyncio.wait_for(self._slow(), 1)
                except TimeoutError:
                    await asyncio.sleep(1)
                    return "inner"
        except TimeoutError:
            return "outer"
        return "in time"
    async def _slow(self):
        await asyncio.sleep(2)
""",
}


LOOPS = {
    "a generator and its loop alternate": f"""{HEAD}
    async def f(self):
        total = 0
        async for n in self._numbers(2):
            total = (total + n + self.x) % 4
            self.x = total
        return total
    async def _numbers(self, most):
        yield self.x
        await asyncio.sleep(1)
        if self.x == 1:
            return
        for n in range(2):
            yield n
        yield most
""",
    "a loop is left early": f"""{HEAD}
    async def f(self):
        async for n in self._numbers():
            if n == 1:
                continue
            if self.x == 2:
                break
            if n == 3:
                return "found"
            self.x = (self.x + n) % 4
        return self.x
    async def _numbers(self):
        n = 0
        while n < 3:
            n += 1
            await asyncio.sleep(1)
            yield n
""",
    "exceptions of a loop do not pass its generator": f"""{HEAD}
    async def f(self):
        try:
            async for n in self._numbers():
                self.x = (self.x + n) % 4
                if self.x == 2:
                    raise ValueError
        except ValueError:
            return "failed"
        return self.x
    async def _numbers(self):
        try:
            await asyncio.sleep(1)
        except ValueError:
            self.x = 0
        yield 1
        yield 1
""",
}

CANCELLED = {
    "a request that awaits a task cancels that one": f"""{HEAD}
    async def f(self):
        task = asyncio.create_task(self._put(1))
        try:
            await task
        except asyncio.CancelledError:
            self.x = 3
            raise
        return self.x
    async def _put(self, n):
        self.x = n
        await asyncio.sleep(1)
        self.x = 2
""",
    "a task that does not give up lets its request go on": f"""{HEAD}
    async def f(self):
        task = asyncio.create_task(self._put(1))
        await asyncio.sleep(1)
        r = await task
        return r, self.x
    async def _put(self, n):
        try:
            await asyncio.sleep(1)
        except asyncio.CancelledError:
            self.x = n
            return "late"
        return "done"
""",
    "gather cancels all of its tasks": f"""{HEAD}
    async def f(self):
        try:
            a, b = await asyncio.gather(self._add(1), self._add(2))
        finally:
            self.x = (self.x * 2) % 4
        return a, b, self.x
    async def _add(self, n):
        old = self.x
        try:
            await asyncio.sleep(1)
        except asyncio.CancelledError:
            self.x = 1
            if n == 2:
                return old
            raise
        self.x = (old + n) % 4
        return old
""",
    "gather is cancelled, also if its tasks are not": f"""{HEAD}
    async def f(self):
        a, b = await asyncio.gather(self._add(1), self._add(2))
        return a, b, self.x
    async def _add(self, n):
        try:
            await asyncio.sleep(1)
        except asyncio.CancelledError:
            self.x = n
        await asyncio.sleep(0)
        return n
""",
    "a task is cancelled where it waits": f"""{HEAD}
    async def f(self):
        task = asyncio.create_task(self._put(1))
        await asyncio.sleep(1)
        was = task.cancel()
        try:
            r = await task
        except asyncio.CancelledError:
            r = "cancelled"
        return was, r, self.x
    async def _put(self, n):
        self.x = n
        await asyncio.sleep(1)
        self.x = 2
        return "done"
""",
    "a task that has not begun never does": f"""{HEAD}
    async def f(self):
        task = asyncio.create_task(self._put(1))
        task.cancel()
        await asyncio.sleep(1)
        return task.done(), self.x
    async def _put(self, n):
        self.x = n
""",
    "a task that nobody awaits goes on": f"""{HEAD}
    async def f(self):
        task = asyncio.create_task(self._put(1))
        await asyncio.sleep(0)
        self.x = 3
        return "ok"
    async def _put(self, n):
        await asyncio.sleep(1)
        self.x = n
""",
    "tasks of tasks are cancelled in turn": f"""{HEAD}
    async def f(self):
        await asyncio.gather(self._outer(), self._leaf(2))
        return self.x
    async def _outer(self):
        task = asyncio.create_task(self._leaf(1))
        await task
        self.x = 3
    async def _leaf(self, n):
        try:
            await asyncio.sleep(1)
        finally:
            self.x = n
""",
}

EVERYTHING = TASKS | LIMITS | LOOPS | CANCELLED


@pytest.mark.parametrize("name", EVERYTHING)
def test_outcomes_are_those_of_the_event_loop(name: str) -> None:
    source, analysis, program = analysed(EVERYTHING[name])
    for requests in multisets(program, 1 if name in CANCELLED else MOST):
        real, is_all = real_outcomes(analysis, source, requests)
        modelled = model_outcomes(analysis, program, requests)
        assert real <= modelled
        assert not is_all or modelled == real
        serial, is_all = real_outcomes(analysis, source, requests, is_serial=True)
        assert is_all
        assert model_outcomes(analysis, program, requests, is_serial=True) == serial


def test_locks_of_tasks_are_handed_over_in_order() -> None:
    """Alone, tasks get the lock in the order in which they asked for it."""
    text = f"""{LOCKED}
    async def f(self):
        await asyncio.gather(self._add(0), self._add(1), self._add(2))
        return self.x
    async def _add(self, n):
        async with self.lock:
            await asyncio.sleep(1)
            self.x = (self.x * 2 + n) % 4
"""
    source, analysis, program = analysed(text)
    real, is_all = real_outcomes(analysis, source, ["f"])
    assert is_all
    assert model_outcomes(analysis, program, ["f"]) == real == {("0",)}


@deep_cases("gather is cancelled, also if its tasks are not")
@pytest.mark.parametrize("name", sampled(list(CANCELLED), 3))
def test_a_request_with_tasks_may_be_cancelled(name: str) -> None:
    cancel = {"cancel": "yes"}
    source, analysis, program = analysed(CANCELLED[name], cancel)
    real, is_all = real_outcomes(analysis, source, ["f"], cancel)
    assert is_all
    assert any("CancelledError" in outcome[0] for outcome in real)
    assert model_outcomes(analysis, program, ["f"]) == real
    assert real_outcomes(analysis, source, ["f"], cancel, is_serial=True) == (real, True)


@deep
def test_a_request_may_be_cancelled_inside_of_a_limit() -> None:
    source, analysis, program = analysed(
        LIMITS["a limit cancels where the coroutine waits"], {"cancel": "yes"}
    )
    real, is_all = real_outcomes(analysis, source, ["f", "f"], {"cancel": "yes"})
    modelled = model_outcomes(analysis, program, ["f", "f"])
    assert real <= modelled
    assert not is_all or real == modelled
