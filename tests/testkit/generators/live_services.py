"""Random asyncio services of all that running code has to get right.

They have several locks, queues, conditions, events, task groups, `shield`, `wait_for`, asynchronous
generators, early returns and waiters that are made by hand.
"""

from random import Random

HEAD = """import asyncio
import contextlib
class Service:
    def __init__(self):
        self.x, self.y = 0, 0
        self.items = [1]
        self.box = {"a": 0}
        self.locks = [asyncio.Lock(), asyncio.Lock()]
        self.gate = asyncio.Semaphore(1)
        self.event = asyncio.Event()
        self.condition = asyncio.Condition()
        self.queue = asyncio.Queue(2)
        self.queue.put_nowait(0)
        self.waiters = []
        self.flight = None
    async def _bump(self, n):
        t = self.x
        await asyncio.sleep(n)
        self.x = (t + 1) % 3
        return t
    async def _plain(self):
        self.y += 1
        return self.y
    async def _count(self):
        for each in range(2):
            if each: await asyncio.sleep(0)
            self.y += 1
            yield self.y
    @contextlib.asynccontextmanager
    async def _lent(self):
        self.x += 1
        try: yield self.x
        finally: self.x -= 1
"""

PIECES = (
    "t = self.x\nawait asyncio.sleep({pause})\nself.x = (t + 1) % 3",
    "self.y += 1",
    "await asyncio.sleep({pause})",
    "r.append(await self._bump({pause}))",
    "if self.x {relation} {number}: return ('early', self.y)",
    "async with self.locks[{number} % 2]:\n    t = self.y\n"
    "    await asyncio.sleep({pause})\n    self.y = t + 1",
    "async with self.locks[0]:\n    async with self.locks[1]:\n        r.append(self.x)",
    "async with self.gate:\n    await asyncio.sleep({pause})\n    r.append(self.x)",
    "r.append(await asyncio.gather(self._plain(), self._plain()))",
    "r.append(await asyncio.gather(self._bump({pause}), self._plain()))",
    "async with asyncio.TaskGroup() as group:\n"
    "    one = group.create_task(self._bump({pause}))\nr.append(one.result())",
    "r.append(await asyncio.wait_for(self._bump({pause}), 5))",
    "r.append(await asyncio.shield(self._bump({pause})))",
    "async for each in self._count():\n    r.append(each)",
    "async for each in self._count(): break",
    "async with self._lent() as lent:\n    await asyncio.sleep({pause})\n    r.append(lent)",
    "if self.items:\n    one = self.items.pop()\n"
    "    await asyncio.sleep({pause})\n    self.items.append(one)\n"
    "else: r.append('none')",
    "if not self.queue.full(): self.queue.put_nowait({number})\nr.append(self.queue.qsize())",
    "if not self.queue.empty(): r.append(await self.queue.get())",
    "await self.queue.put({number})\nr.append(await self.queue.get())",
    "self.event.set()\nself.event.clear()",
    "self.event.set()\nawait self.event.wait()",
    "async with self.condition:\n    self.condition.notify_all()\n    r.append(self.y)",
    "if self.flight is None:\n    self.flight = asyncio.ensure_future(self._bump({pause}))\n"
    "    r.append(await self.flight)\n    self.flight = None\n"
    "else: r.append(await asyncio.shield(self.flight))",
    "if self.waiters: self.waiters.pop(0).set_result(None)\nelif self.x == 1:\n"
    "    f = asyncio.get_running_loop().create_future()\n    self.waiters.append(f)\n"
    "    with contextlib.suppress(TimeoutError):\n        async with asyncio.timeout(5): await f",
    "for each in list(self.box):\n    await asyncio.sleep({pause})\n"
    "    self.box[each] += 1\nr.append(dict(self.box))",
    "for each in self.box:\n    await asyncio.sleep({pause})",
    "self.box['b'] = 1 - self.box.pop('b', 0)",
    "task = asyncio.create_task(self._bump(1))\nawait asyncio.sleep(0)\ntask.cancel()\n"
    "with contextlib.suppress(asyncio.CancelledError): await task",
    "try:\n    r.append(1 // self.x)\n    await asyncio.sleep({pause})\n"
    "except ZeroDivisionError: r.append('zero')\n"
    "finally: self.y += 1",
)


def write_service(seed: int) -> tuple[str, list[str]]:
    """The text of a service, and its requests."""
    random = Random(seed)
    lines = [HEAD]
    calls: list[str] = []
    for name in ("f", "g")[: random.randint(1, 2)]:
        lines.append(f"    async def {name}(self):\n        r = []\n")
        for _ in range(random.randint(1, 3)):
            piece = random.choice(PIECES).format(
                pause=random.choice((0, 1)),
                number=random.randint(0, 2),
                relation=random.choice(("==", ">", "<")),
            )
            lines += [f"        {line}\n" for line in piece.split("\n")]
        lines.append(f"        return r, {random.choice(('self.x', 'self.y', 'len(self.items)'))}\n")
        calls.append(f"{name}()")
    return "".join(lines), calls
