"""What once misled a checker of running code, each with what the real asyncio does.

| what has to hold | where it is tested |
|---|---|
| 1. a run that is repeated leads to the same state | `test_proving`: addresses; `test_exploring`: same race |
| 2. two histories of one state go on alike | `test_proving`: the way that a state was reached |
| 3. objects that are unlinked stay in the state | `EXPLAINED`: a box that is replaced |
| 4. context variables belong to the request | `EXPLAINED`: a context variable |
| 5. no addresses in answers; objects up to renaming | `EXPLAINED`: an address in an answer, a new object |
| 6. containers of all kinds | `RACY`: an ordered dictionary, a shared generator |
| 7. iterators over what others change | `RACY`: a dictionary that changes while it is iterated |
| 8. the order of a set | `EXPLAINED`: a set |
| 9. waiting is no guard | `RACY`: a getter, an event; `EXPLAINED`: tickets |
| 10. every violation was seen in a run | `test_exploring`: all races carry their run |
| 11. runs that say nothing are told | `test_a_request_that_never_ends_is_told`, `test_exploring` |
| 12. what was tried is told | `test_wishes`, `test_what_was_tried_is_told` |
| 13. final values, where answers are constant | `test_exploring`: lost in silence |
| 14. the code touches nothing | `test_sandbox` |
| 15. loading | `test_loading` |
| 16. the serial side has no choices that reality has not | `EXPLAINED`: two coroutines, fresh ids |
| 17. state elsewhere is no proof | `test_exploring`: state elsewhere, unknown locks |
| 18. the world is closed | `RACY`: where state hides; `test_proving` |
| 19. values by type and representation | `RACY`: a decimal number, a bounded deque |
| 20. background tasks | `RACY`: an answer that changes later; `test_exploring`: a task of the constructor |
| 21. the real asyncio, in its order | `EXPLAINED`: an empty gather, `wait_for` |
| 22. threads are refused | `test_exploring`: a thread |
| 23. ends | `RACY`: a cancelled parent; `test_exploring`: finalizers, generators |
| 24. domains | `RACY`: a withdrawal of more than half |
| 25. digests do not depend on addresses | `test_proving`: the same system again |
| 26. walls also in `finally` and at the end | `test_sandbox` |
"""

from pathlib import Path

import pytest

from seriatim.frontends.python.frontend import translate
from seriatim.frontends.python.service_runs import ServiceRuns, run_file
from seriatim.source import SourceText

UPDATE = """
        t = {0}
        await asyncio.sleep(0)
        {0} = t + 1
        return t
"""

RACY = {
    "a constructor after the fields": """
from dataclasses import dataclass
@dataclass
class Visit:
    page: object
    def __post_init__(self): self.page.n += 1
class S:
    def __init__(self): self.n = 0
    async def a(self):
        t = self.n
        await asyncio.sleep(0)
        Visit(self)
        return t, self.n
""",
    "the maker of an object": """
class Visit:
    def __new__(cls, page):
        page.n += 1
        return super().__new__(cls)
class S:
    def __init__(self): self.n = 0
    async def a(self):
        t = self.n
        await asyncio.sleep(0)
        Visit(self)
        return t, self.n
""",
    "the constructor of an exception": """
class Failed(Exception):
    def __init__(self, page): page.n += 1
class S:
    def __init__(self): self.n = 0
    async def a(self):
        t = self.n
        await asyncio.sleep(0)
        try: raise Failed(self)
        except Failed: return t, self.n
""",
    "what leaves a block": """
class S:
    def __init__(self): self.n = 0
    async def __aenter__(self): self.seen = self.n
    async def __aexit__(self, *_): self.n = self.seen + 1
    async def a(self):
        async with self: await asyncio.sleep(0)
        return self.n
""",
    "an object that is called": """
class S:
    def __init__(self): self.n = 0
    async def __call__(self):""" + UPDATE.format("self.n"),
    "a class beside a coroutine of the module": """
async def health(): return "ok"
class S:
    def __init__(self): self.n = 0
    async def a(self):""" + UPDATE.format("self.n"),
    "an abstract class": """
import abc
class S(abc.ABC):
    def __init__(self): self.n = 0
    @abc.abstractmethod
    async def load(self): ...
    async def a(self):
        t = self.n
        await self.load()
        self.n = t + 1
        return t
""",
    "an argument whose default is None": """
class S:
    def __init__(self, broker=None): self.broker, self.n = broker, 0
    async def a(self):
        if self.broker is not None: return "sent"
        t = self.n
        await asyncio.sleep(0)
        self.n = t + 1
        return t
""",
    "a limit that is set through globals": """
class S:
    limit = 5
    def __init__(self): self.n = 0
    async def take(self):
        if self.n >= self.limit: return False
        await asyncio.sleep(0)
        self.n += 1
        return True
globals()["S"].limit = 1
""",
    "a method that is replaced": """
class S:
    def __init__(self): self.n = 0
    async def a(self): return 1
async def counted(self):""" + UPDATE.format("self.n").replace("        ", "    ") + "S.a = counted\n",
    "the other branch of the main guard": """
class S:
    limit = 5
    def __init__(self): self.n = 0
    async def take(self):
        if self.n >= self.limit: return False
        await asyncio.sleep(0)
        self.n += 1
        return True
if __name__ == "__main__": pass
else: S.limit = 1
""",
    "a class decorator": """
def limited(cls):
    cls.limit = 1
    return cls
@limited
class S:
    limit = 5
    def __init__(self): self.n = 0
    async def take(self):
        if self.n >= self.limit: return False
        await asyncio.sleep(0)
        self.n += 1
        return True
""",
    "a metaclass": """
class Limited(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.limit = 1
        return made
class S(metaclass=Limited):
    def __init__(self): self.n, self.limit = 0, 5
    async def take(self):
        if self.n >= self.limit: return False
        await asyncio.sleep(0)
        self.n += 1
        return True
""",
    "a constructor that calls the one above": """
class Base:
    def __init__(self, limit=5): self.limit, self.n = limit, 0
class S(Base):
    def __init__(self): super().__init__(1)
    async def take(self):
        if self.n >= self.limit: return False
        await asyncio.sleep(0)
        self.n += 1
        return True
""",
    "the order of base classes": """
class One:
    def limit(self): return 1
class Many:
    def limit(self): return 5
class S(One, Many):
    def __init__(self): self.n = 0
    async def take(self):
        if self.n >= self.limit(): return False
        await asyncio.sleep(0)
        self.n += 1
        return True
""",
    "the truth of an object": """
class Pool:
    def __init__(self): self.free = 1
    def __bool__(self): return self.free > 0
class S:
    def __init__(self): self.pool = Pool()
    async def take(self):
        if not self.pool: return False
        await asyncio.sleep(0)
        self.pool.free -= 1
        return True
""",
    "the length of an object": """
class Pool:
    def __init__(self): self.free = 1
    def __len__(self): return self.free
class S:
    def __init__(self): self.pool = Pool()
    async def take(self):
        if not self.pool: return False
        await asyncio.sleep(0)
        self.pool.free -= 1
        return True
""",
    "a mark that hides what changes": """
class S:
    def __init__(self): self.free = ["c"]
    async def take(self):
        if not self.free: return "none"
        await asyncio.sleep(0)
        return self.free.pop()  # ser: opaque
""",
    "an unknown answer about a field of the request": """
from dataclasses import dataclass
@dataclass
class Order: quantity: int
class Shop:
    def __init__(self, bank): self.bank, self.stock = bank, 1
    async def _charge(self, quantity): return await self.bank.charge(quantity)
    async def buy(self, order: Order):
        if self.stock < order.quantity: return "sold out"
        if not await self._charge(order.quantity): return "not paid"
        self.stock -= order.quantity
        return order.quantity
""",
    "a step that fails with two requests": """
class S:
    def __init__(self): self.busy = False
    async def a(self):
        assert not self.busy
        self.busy = True
        await asyncio.sleep(0)
        self.busy = False
        return "ok"
""",
    "errors with different numbers": """
class HTTPException(Exception):
    def __init__(self, status): self.status = status
class S:
    def __init__(self): self.seats = {"a": 1}
    async def take(self, seat: str):
        if seat not in self.seats: raise HTTPException(404)
        await asyncio.sleep(0)
        if seat not in self.seats: raise HTTPException(409)
        del self.seats[seat]
        return seat
""",
    "a private field": """
class S:
    def __init__(self): self.__n = 0
    async def a(self):""" + UPDATE.format("self.__n"),
    "a suspicion before a race": """
class S:
    def __init__(self, lock): self.lock, self.m, self.n = lock, 0, 0
    async def a(self):
        async with self.lock:
            t = self.m
            await asyncio.sleep(0)
            self.m = t + 1
            return t
    async def b(self):""" + UPDATE.format("self.n"),
    "any number of arguments": """
class S:
    def __init__(self, *args, **named): self.n = 0
    async def a(self, *args, **named):""" + UPDATE.format("self.n"),
    "a call of what a call gives": """
class S:
    def __init__(self): self.n = 0
    async def a(self):
        t = self.n
        await client().fetch()  # ser: opaque
        self.n = t + 1
        return t
""",
    "an ordered dictionary": """
import collections
class S:
    def __init__(self): self.d = collections.OrderedDict(a=1, b=2)
    async def use(self):
        first = next(iter(self.d))
        await asyncio.sleep(0)
        self.d.move_to_end(first)
        return first
""",
    "a shared generator": """
def count():
    n = 0
    while True:
        n = 1 - n
        yield n
class S:
    def __init__(self): self.g = count()
    async def a(self):
        one = next(self.g)
        await asyncio.sleep(0)
        return one, next(self.g)
""",
    "a dictionary that changes while it is iterated": """
class S:
    def __init__(self): self.clients = {"a": 1}
    async def send(self):
        found = 0
        for each in self.clients:
            await asyncio.sleep(0)
            found += 1
        return found
    async def rename(self):
        self.clients["b"] = self.clients.pop("a", 1)
        return "ok"
""",
    "a getter overtakes": """
class S:
    def __init__(self): self.q = asyncio.Queue()
    async def swap(self):
        self.q.put_nowait(1)
        self.q.put_nowait(2)
        one = await self.q.get()
        await asyncio.sleep(0)
        return one, await self.q.get()
""",
    "an event that is cleared at once": """
class S:
    def __init__(self): self.e = asyncio.Event()
    async def fire(self):
        self.e.set()
        self.e.clear()
        return "ok"
    async def wait(self):
        await self.e.wait()
        return "woken"
""",
    "a decimal number": """
from decimal import Decimal
class S:
    def __init__(self): self.d = Decimal("1.0")
    async def a(self):
        t = self.d
        await asyncio.sleep(0)
        self.d = Decimal("1.00") if str(t) == "1.0" else Decimal("1.0")
        return str(t)
""",
    "a bounded deque": """
import collections
class S:
    def __init__(self): self.last = collections.deque([0, 0], maxlen=2)
    async def a(self):
        t = self.last[-1]
        await asyncio.sleep(0)
        self.last.append((t + 1) % 3)
        return t
""",
    "an answer that changes later": """
class S:
    def __init__(self): self.xs = []
    async def a(self):
        self.xs.append(1)
        await asyncio.sleep(0)
        return self.xs
""",
    "a cancelled parent": """
class S:
    def __init__(self): self.n, self.parent = 0, None
    async def _work(self):
        await asyncio.sleep(1)
        self.n += 1
    async def start(self):
        self.parent = asyncio.current_task()
        try: await asyncio.gather(self._work())
        except asyncio.CancelledError: return "stopped"
        return self.n
    async def stop(self):
        if self.parent is None or self.parent.done(): return "nothing to stop"
        self.parent.cancel()
        return "ok"
""",
    "a withdrawal of more than half": """
class Account:
    def __init__(self): self.balance = 100
    async def withdraw(self, amount: int):
        if self.balance < amount: return False
        await asyncio.sleep(0)
        self.balance -= amount
        return True
""",
}  # fmt: skip

EXPLAINED = {
    "a box that is replaced": """
class Box:
    def __init__(self): self.v = 0
class S:
    def __init__(self): self.box = Box()
    async def add(self):
        b = self.box
        await asyncio.sleep(0)
        b.v += 1
        return b.v
    async def swap(self):
        self.box = Box()
        return "ok"
    async def read(self): return self.box.v
""",
    "a context variable": """
import contextvars
V = contextvars.ContextVar("v")
class S:
    async def a(self, name: str):
        V.set(name)
        await asyncio.sleep(0)
        return V.get()
""",
    "an address in an answer": """
class C: pass
class S:
    async def a(self):
        await asyncio.sleep(0)
        return f"made {C()}"
""",
    "a new object": """
class C: pass
class S:
    async def a(self):
        await asyncio.sleep(0)
        return C()
""",
    "a set": """
class S:
    def __init__(self): self.s = {"a", "b", "c"}
    async def a(self):
        await asyncio.sleep(0)
        return list(self.s)
""",
    "tickets before a lock": """
class S:
    def __init__(self): self.n, self.served, self.lock = 0, 0, asyncio.Lock()
    async def a(self):
        mine = self.n
        self.n += 1
        async with self.lock:
            await asyncio.sleep(0)
            served = self.served
            self.served += 1
            return mine == served
""",
    "a limit of time that is not reached": """
class S:
    def __init__(self): self.n, self.lock = 0, asyncio.Lock()
    async def _one(self):
        async with self.lock:
            t = self.n
            await asyncio.sleep(0)
            self.n = t + 1
            return t
    async def a(self): return await asyncio.wait_for(self._one(), 5)
""",
    "a lock that is answered": """
class S:
    def __init__(self): self.guard = Guard()
    async def a(self):
        async with self.guard.lock: await asyncio.sleep(0)
        return self.guard
class Guard:
    def __init__(self): self.lock = asyncio.Lock()
""",
    "a base class that is not there": """
from nowhere import Base
class S(Base):
    async def a(self):
        if not hasattr(self, "_n"): self._n = 0
        self._n += 1
        n = self._n
        await asyncio.sleep(0)
        return n
""",
}


def run(folder: Path, text: str) -> list[ServiceRuns]:
    file = folder / "service_under_check.py"
    file.write_text("import asyncio\n" + text)
    return list(run_file(SourceText(str(file), file.read_text()), proves=False).services)


NEVER_ALONE = {"an event that is cleared at once"}
"""Programs whose requests are never all answered one at a time."""


@pytest.mark.parametrize("name", RACY)
def test_what_asyncio_does_is_seen(name: str, tmp_path: Path) -> None:
    races = [each.race for each in run(tmp_path, RACY[name]) if each.race is not None]
    assert races
    assert bool(races[0].serial) == (name not in NEVER_ALONE)


@pytest.mark.parametrize("name", EXPLAINED)
def test_nothing_else_is_seen(name: str, tmp_path: Path) -> None:
    found = [each for each in run(tmp_path, EXPLAINED[name]) if each.requests]
    assert found
    for each in found:
        assert (each.race, each.doubt, each.refusal) == (None, None, None)
        assert each.explored >= 2


def test_a_request_that_never_ends_is_told(tmp_path: Path) -> None:
    text = """
class S:
    def __init__(self, api): self.api, self.n = api, 0
    async def poll(self):
        while True: await self.api.ping()
    async def a(self):""" + UPDATE.format("self.n")
    (found,) = run(tmp_path, text)
    assert found.race is not None
    assert found.requests == ("a()",)
    assert "`poll` goes on for ever, so it is no request" in found.notes


def test_what_was_tried_is_told(tmp_path: Path) -> None:
    file = tmp_path / "service.py"
    head = "import asyncio\nclass S:\n    def __init__(self): self.n = 0\n"
    file.write_text(head + "    async def a(self, k: str):" + UPDATE.format("self.n"))
    found = translate(SourceText(str(file), file.read_text()), {"run": "yes"})
    sentences = [each.sentence for each in found.approximations]
    assert "the requests that were tried are `a('a')`, `a('b')`" in sentences
    assert sentences[-1].endswith("nothing is cancelled (--timeouts, --failures, --cancel would try more)")
