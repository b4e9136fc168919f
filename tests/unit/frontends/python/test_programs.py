"""Programs of all kinds: what is said about them is what asyncio's own event loop shows."""

from pathlib import Path

import pytest

from seriatim.frontends.python.service_runs import ServiceRuns, run_file
from seriatim.source import SourceText
from testkit.oracles.real_loop import is_complete, outcomes
from testkit.samples import seldom

HEAD = "import asyncio\nclass Service:\n    def __init__(self):\n        self.x = 0\n"

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
        await asyncio.sleep(0)
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

EVERYTHING = TASKS | LOOPS | CANCELLED

STATEMENTS = """import asyncio
from enum import Enum
from dataclasses import dataclass
from typing import Annotated, Literal
class Range:
    def __init__(self, low, high): pass
class Color(Enum):
    RED = 1
    BLUE = 2
class Mode(str, Enum):
    ON = 'on'
    OFF = 'off'
class Mine(LookupError): pass
@dataclass
class Point:
    left: int = 0
    color: Color = Color.RED
LIMIT = 2
count = 0
"""

SERVICE = """class Service:
    MOST = 2
    def __init__(self, size: int = 2):
        self.most = self.MOST
        self.mode = Mode.ON
        self.jobs = asyncio.queues.Queue(size)
        self.x = 0
        self.y: int | None = None
        self.on = False
        self.color = Color.RED
        self.point = Point()
        self.points = {'a': Point(1), 'b': Point(2, Color.BLUE)}
        self.box: dict[Literal['k', 'l'], int] = {}
        self.seen: set[Literal['k', 'l']] = set()
        self.row = [0, 1, 2]
        self.lock = asyncio.Lock()
        self.gate = asyncio.Semaphore(1)
        self.event = asyncio.Event()
        self.condition = asyncio.Condition()
        self.queue = asyncio.Queue(2)
    def _twice(self, n, *, more=1):
        if n == 0:
            return more
        return n * 2
    async def _break(self):
        n = 7
        async with self.condition:
            await asyncio.sleep(0)
            raise Mine
    async def _slow(self, n):
        await asyncio.sleep(0)
        try:
            if n > 1:
                raise Mine
            return n
        finally:
            self.x = 5
"""

ALONE = [
    "return self.x + LIMIT",
    "self.x += 1\nreturn self.x",
    "if self.y is None:\n    self.y = 2\nreturn self.y",
    "return self.y",
    "word = 'a' if self.x else None\nreturn word is None",
    "return self.y or 'none'",
    "return self.x == 0 and not self.on",
    "return self.color",
    "self.color = Color.BLUE\nreturn self.color is Color.BLUE",
    "self.point.left = 3\nreturn (self.point.left, self.point.color)",
    "self.points['a'].left += 1\nreturn self.points['a'].left + self.points['b'].left",
    "return self.box['k']",
    "self.box['k'] = 1\nreturn {'n': len(self.box), 'k': self.box.get('k'), 'l': self.box.get('l', 3)}",
    "return self.box.setdefault('l', 2) + self.box.pop('l')",
    "self.box['k'] = 1\ndel self.box['k']\nreturn 'k' in self.box",
    "del self.box['k']",
    "self.seen.add('k')\nself.seen.discard('l')\nreturn len(self.seen)",
    "self.seen.remove('k')",
    "if not self.seen:\n    return 'empty'",
    "self.row[1] = 7\nreturn self.row[-2]",
    "return self.row[5]",
    "n = 0\nfor i in range(3):\n    if i == 1:\n        continue\n    n += i\nreturn n",
    "for i in range(3):\n    if i == 1:\n        break\nreturn i",
    "self.row[self._twice(0)] = self.x\nreturn self.row[1]",
    "self.box['k'] = 1\nself.box['k'] += 1\nreturn self.box['k']",
    "n = 0\nfor v in self.row:\n    n += v\nreturn n",
    "n = 0\nwhile True:\n    n += 1\n    if n > 3:\n        break\nreturn n",
    "n = 0\nwhile n < 2:\n    n += 1\n    await asyncio.sleep(0)\nreturn n",
    "return self._twice(0) + self._twice(3, more=9)",
    "return await self._slow(1) + self.x",
    "return await self._slow(2)",
    "try:\n    await self._slow(2)\nexcept LookupError:\n    return self.x",
    "try:\n    raise ValueError\nexcept (KeyError, ValueError):\n    return 'caught'\nreturn 'not'",
    "try:\n    return self.x\nfinally:\n    self.x = 9",
    "try:\n    self.x = 1\nexcept KeyError:\n    return 1\nelse:\n    return 2",
    "raise Mine('why')",
    "assert self.x == 1",
    "a, b = self.x, 3\na, b = b, a\nreturn [a, b]",
    "self.on = not self.on\nreturn 'yes' if self.on else 'no'",
    "return f'x={self.x}!'",
    "return str(self.x)",
    "return min(self.x, 3) + max(1, self.x) + abs(0 - 2)",
    "return 0 <= self.x < 3 != 4",
    "return self.x in (0, 5)",
    "self.y = 1\nreturn self.y < 2",
    "return self.y < 2",
    "if (n := self.x + 1) > 0:\n    return n",
    "async with self.lock:\n    self.x = 3\n    return (self.x, self.lock.locked())",
    "async with self.lock, self.gate:\n    pass\nreturn self.lock.locked()",
    "await self.lock.acquire()\nself.lock.release()\nreturn self.lock.locked()",
    "self.lock.release()",
    "self.event.set()\nawait self.event.wait()\nself.event.clear()\nreturn self.event.is_set()",
    "await self.queue.put(1)\nself.queue.put_nowait(2)\nreturn (await self.queue.get(), self.queue.qsize())",
    "self.queue.get_nowait()",
    "try:\n    self.queue.get_nowait()\nexcept asyncio.QueueEmpty:\n    return 'none'",
    "async with self.condition:\n    await self.condition.wait_for(lambda: self.x == 0)\n    return 1",
    "self.condition.notify()",
    "return (self.most, self.jobs.full(), self.mode is Mode.OFF)",
    "self.mode = Mode.OFF\nreturn self.mode",
    "for i, n in enumerate(self.row):\n    if n > 0:\n        return (i, n)",
    "box = self.box\nbox['k'] = 3\nreturn self.box['k']",
    "lock = self.lock\nasync with lock:\n    return self.lock.locked()",
    "global count\ncount += 1\nreturn count",
    "n = 1\ntry:\n    try:\n        await self._break()\n    finally:\n        self.x = n\n"
    "except Mine:\n    return self.x",
    "try:\n    await self._break()\nfinally:\n    self.condition.notify()",
]

LENDERS = """import asyncio
from contextlib import asynccontextmanager, contextmanager, suppress
class Service:
    MOST = 2
    def __init__(self):
        self.x = 0
        self.lock = asyncio.Lock()
        self.jobs = asyncio.Queue(2)
        self.box: dict[str, int] = {}
    @property
    def _twice(self):
        return self.x * 2
    @property
    def _broken(self):
        raise LookupError
    @asynccontextmanager
    async def _lend(self, n=1):
        self.x = n
        await asyncio.sleep(0)
        try:
            yield self.x
        finally:
            await asyncio.sleep(0)
            self.x += 3 + n - n
            self.x += 1
    @asynccontextmanager
    async def _locked(self):
        async with self.lock:
            yield
    @asynccontextmanager
    async def _tolerant(self):
        try:
            yield 3
        except KeyError:
            self.x = 7
        self.x += 1
    @contextmanager
    def _counted(self, *_, **more):
        self.x += 1
        yield more
        self.x += 1
    @contextmanager
    def _hasty(self):
        try:
            yield self.box['k']
        except KeyError:
            self.x = 1
    async def _numbers(self, n):
        for i in range(2):
            yield n + i
            self.x += n
    async def _fail(self, n):
        await asyncio.sleep(0)
        self.x += n
        raise ValueError(n)
    async def _work(self, n):
        await asyncio.sleep(0)
        self.x += n
        return n
"""

LENT = [
    "async with self._lend(2) as n:\n    self.x += n\nreturn self.x",
    "async with self._lend(2) as n:\n    return n\n",
    "try:\n    async with self._lend():\n        raise KeyError\nexcept KeyError:\n    return self.x",
    "for i in range(3):\n    async with self._lend(i):\n        if i == 1:\n            break\nreturn self.x",
    "async with self._lend(), self._locked():\n    pass\nreturn (self.x, self.lock.locked())",
    "async with self._locked():\n    return self.lock.locked()",
    "async with self._tolerant() as n:\n    raise KeyError\nreturn self.x",
    "async with self._tolerant() as n:\n    raise ValueError\nreturn self.x",
    "async with self._tolerant() as n:\n    self.x = n\nreturn self.x",
    "async with self._tolerant():\n    async with self._tolerant():\n        raise KeyError\nreturn self.x",
    "with self._counted():\n    await asyncio.sleep(0)\n    self.x += 1\nreturn self.x",
    "with self._hasty():\n    self.x = 5\nreturn self.x",
    "self.box['k'] = 2\nwith self._hasty() as n:\n    raise KeyError\nreturn self.x",
    "async with self._lend(2):\n    async with self._lend(3) as n:\n        pass\nreturn (n, self.x)",
    "n, y = 0, self.x\nasync for i in self._numbers(y):\n    async for j in self._numbers(y + 1):\n"
    "        n += i + j\nself.x = 0\nreturn n",
    "with self._counted():\n    raise KeyError\n",
    "with suppress(KeyError):\n    self.box['k'] += 1\n    self.x = 5\nreturn self.x",
    "with suppress(LookupError, OSError):\n    return self.box['k']\nreturn 'none'",
    "with suppress():\n    return self.box['k']\n",
    "with suppress(OSError), self._counted():\n    self.x = 3\nreturn self.x",
    "self.x = 3\nreturn self._twice + 1",
    "if self._broken:\n    pass\nreturn 1",
    "try:\n    print(self.box['k'])\nexcept KeyError:\n    return 'none'\nreturn 1",
    "return Service.MOST + self.x",
    "self.box.update({'k': 1})\nself.box.update(k=self.box['k'] + 1)\nreturn self.box['k']",
    "return self.jobs.maxsize",
    "await asyncio.gather(self._fail(1), self._work(2), return_exceptions=True)\nreturn self.x",
    "await asyncio.gather(self._work(1), self._work(2), return_exceptions=False)\nreturn self.x",
    "r = await asyncio.gather(self._work(1), self._work(2), return_exceptions=True)\n"
    "if isinstance(r[0], Exception):\n    return 'bad'\nreturn r",
]

TOGETHER = [
    "self.x += 1\nreturn self.x",
    "async with self.lock:\n    n = self.x\n    await asyncio.sleep(0)\n"
    "    self.x = n + 1\n    return self.x",
    "if self.x == 0:\n    self.x = 1\n    await self.event.wait()\n    return 'woken'\n"
    "self.event.set()\nself.event.clear()\nreturn 'woke'",
]


def seen(text: str, folder: Path) -> ServiceRuns:
    file = folder / "service.py"
    file.write_text(text)
    (found,) = run_file(SourceText(str(file), text), "Service", most_requests=2).services
    assert found.refusal is None
    return found


def short(answer: str) -> str:
    """An answer as the slow way tells it: exceptions by their types."""
    return answer.partition("(")[0] if answer.startswith("raise ") else answer


def agree(text: str, folder: Path) -> None:
    """The answers of one request and of two are those of the event loop, and so are races."""
    found = seen(text, folder)
    (label,) = found.requests
    alone = outcomes(text, (label,), True)
    serial, together = outcomes(text, (label, label), True), outcomes(text, (label, label), False)
    assert alone is not None
    assert serial is not None
    if together is None:
        return  # There are too many runs for the slow way.
    answers = {answer for each in (*serial, *together) for _, answer in each if answer is not None}
    told = {short(answer) for _, each in found.answers for answer in each}
    if found.race is None:
        assert {each for each in together if is_complete(each)} <= serial
        assert told == answers
        if found.system is not None:
            read_off = {short(each.answer) for each in found.system.locals if each.answer is not None}
            assert answers <= read_off
    elif not found.race.sees_state:
        assert {each for each in together if is_complete(each)} - serial


@pytest.mark.parametrize("name", seldom(list(EVERYTHING), 6))
def test_tasks_and_generators(name: str, tmp_path: Path) -> None:
    agree(EVERYTHING[name], tmp_path)


def method(body: str) -> str:
    return "    async def f(self):\n" + "".join(f"        {line}\n" for line in body.splitlines())


@pytest.mark.parametrize("body", seldom([*ALONE, *TOGETHER], 8))
def test_statements(body: str, tmp_path: Path) -> None:
    agree(f"{STATEMENTS}{SERVICE}{method(body)}", tmp_path)


@pytest.mark.parametrize("body", seldom(LENT, 5))
def test_context_managers(body: str, tmp_path: Path) -> None:
    agree(f"{LENDERS}{method(body)}", tmp_path)


def test_locks_of_tasks_are_handed_over_in_order(tmp_path: Path) -> None:
    """Alone, tasks get the lock in the order in which they asked for it."""
    text = f"""{HEAD}        self.lock = asyncio.Lock()
    async def f(self):
        await asyncio.gather(self._add(0), self._add(1), self._add(2))
        return self.x
    async def _add(self, n):
        async with self.lock:
            await asyncio.sleep(1)
            self.x = (self.x * 2 + n) % 4
"""
    assert outcomes(text, ("f()",), True) == {(("f()", "0"),)}
    assert dict(seen(text, tmp_path).answers)["f"][0] == "0"
