"""Races are found where real asyncio has them, and only there. Each service here once misled a checker."""

from pathlib import Path

import pytest

from seriatim.frontends.python.service_runs import NotRun, ServiceRuns, run_file
from seriatim.source import SourceText

PREFIX = "import asyncio\n"

COUNTER = """
class S:
    def __init__(self): {init}
    async def a(self):
        {read}
        await asyncio.sleep(0)
        {write}
        return t
"""

RACES = {
    "a lost update": COUNTER.format(init="self.n = 0", read="t = self.n", write="self.n = t + 1"),
    "a cache of functools": """
import functools
@functools.lru_cache
def box(): return {"n": 0}
async def a():
    b = box(); t = b["n"]
    await asyncio.sleep(0)
    b["n"] = t + 1
    return t
""",
    "the default of a context variable": """
import contextvars
V = contextvars.ContextVar("v", default={"n": 0})
async def a():
    b = V.get(); t = b["n"]
    await asyncio.sleep(0)
    b["n"] = t + 1
    return t
""",
    "an attribute of a function": """
async def a():
    t = getattr(a, "n", 0)
    await asyncio.sleep(0)
    a.n = t + 1
    return t
""",
    "an attribute of a logger": """
import logging
log = logging.getLogger("x")
log.n = 0
async def a():
    t = log.n
    await asyncio.sleep(0)
    log.n = t + 1
    return t
""",
    "a built-in method in a global": """
def make():
    xs = [0]
    return xs.__getitem__, xs.__setitem__
get, put = make()
async def a():
    t = get(0)
    await asyncio.sleep(0)
    put(0, t + 1)
    return t
""",
    "a database in memory": """
import sqlite3
db = sqlite3.connect(":memory:")
db.execute("create table t(n int)"); db.execute("insert into t values (0)")
async def a():
    n = db.execute("select n from t").fetchone()[0]
    await asyncio.sleep(0)
    db.execute("update t set n=?", (n + 1,))
    return n
""",
    "the identity of a tuple": """
class S:
    def __init__(self): self.t = (0, 1)
    async def cas(self):
        snap = self.t
        await asyncio.sleep(0)
        return self.t is snap
    async def flip(self):
        self.t = tuple([0, 1])
        return "ok"
""",
    "a finalizer": """
FREE = [1]
class Lease:
    def __del__(self): FREE[0] = 1
class S:
    def __init__(self): self.cur = None
    async def take(self):
        if FREE[0] == 0: return "busy"
        FREE[0] = 0
        self.cur = Lease()
        await asyncio.sleep(0)
        self.cur = None
        return ("free", FREE[0])
""",
    "a task of the constructor": """
class S:
    def __init__(self): self.n = 0; self.t = asyncio.create_task(self._tick())
    async def _tick(self):
        for _ in range(3):
            await asyncio.sleep(0)
            self.n = (self.n + 1) % 3
    async def a(self):
        t = self.n
        await asyncio.sleep(0)
        return (t, self.n)
""",
    "listeners that change while they are called": """
class S:
    def __init__(self): self.subs = []
    async def sub(self):
        got = []
        self.subs.append(got.append)
        await asyncio.sleep(0)
        self.subs.pop()
        return len(got)
    async def pub(self):
        for each in self.subs: each(1)
""",
    "waiters made by hand": """
import collections
class S:
    def __init__(self): self.busy = False; self.w = collections.deque(); self.n = 0
    async def a(self):
        if self.busy:
            f = asyncio.get_running_loop().create_future(); self.w.append(f); await f
        self.busy = True
        t = self.n
        await asyncio.sleep(0)
        self.n = t + 1
        self.busy = False
        if self.w: self.w.popleft().set_result(None)
        return t
""",
    "a pool that two requests make": """
class Pool: pass
class Database:
    def __init__(self): self.pool = None
    async def connect(self):
        if self.pool is None:
            await asyncio.sleep(0.1)
            self.pool = Pool()
        return self.pool
""",
    "an update that is lost in silence": """
class S:
    def __init__(self): self.n = 0
    async def add(self):
        t = self.n
        await asyncio.sleep(0)
        self.n = t + 1
""",
    "a constructor in the handler": """
class Visit:
    def __init__(self, page): page.n = page.n + 1
class S:
    def __init__(self): self.n = 0
    async def a(self):
        t = self.n
        await asyncio.sleep(0)
        Visit(self)
        return (t, self.n)
""",
    "a limit that module code sets": """
class S:
    limit = 5
    def __init__(self): self.n = 0
    async def take(self):
        if self.n >= self.limit: return False
        await asyncio.sleep(0)
        self.n += 1
        return True
setattr(S, "limit", 1)
""",
    "a service that the file makes with arguments": """
class Shop:
    def __init__(self, limit=100): self.limit = limit; self.sold = 0
    async def buy(self):
        if self.sold >= self.limit: return False
        await asyncio.sleep(0)
        self.sold += 1
        return True
shop = Shop(limit=1)
""",
    "an async generator that nobody ends": """
class S:
    def __init__(self): self.n = 0
    async def _items(self):
        self.n += 1
        try: yield 1
        finally:
            await asyncio.sleep(0)
            self.n -= 1
    async def a(self):
        async for _ in self._items(): break
        await asyncio.sleep(0)
        return self.n > 1
""",
    "arguments beside a logger": """
import logging
log = logging.getLogger(__name__)
balance = {"ann": [100]}
async def withdraw(who: str, amount: int):
    if who not in balance or balance[who][0] < amount: return False
    await asyncio.sleep(0)
    balance[who][0] -= amount
    return True
""",
    "unknown answers that differ": """
class Pages:
    def __init__(self, origin): self.origin, self.cache = origin, {}
    async def page(self):
        if "k" not in self.cache: self.cache["k"] = await self.origin.load()
        return self.cache["k"]
    async def reload(self):
        mine = await self.origin.load()
        self.cache["k"] = mine
        await asyncio.sleep(0)
        return self.cache["k"] is mine
""",
}

EXPLAINED = {
    "ids that are cut": """
import uuid
class S:
    def __init__(self): self.jobs = {}
    async def create(self, name: str):
        job = str(uuid.uuid4())[:8]
        assert job not in self.jobs
        self.jobs[job] = name
        await asyncio.sleep(0)
        return self.jobs[job]
""",
    "calls that are made once for several requests": """
class S:
    def __init__(self, api): self.api, self.flight = api, None
    async def get(self):
        if self.flight is not None: return await asyncio.shield(self.flight)
        self.flight = asyncio.get_running_loop().create_future()
        answer = await self.api.load()
        self.flight.set_result(answer)
        self.flight = None
        return answer
""",
    "timers within one request": """
class S:
    def __init__(self): self.n = 0
    async def _later(self): await asyncio.sleep(1.5); self.n += 1; return self.n
    async def go(self):
        child = asyncio.create_task(self._later())
        await asyncio.sleep(2)
        return child.done()
""",
    "facts that fit together": """
class S:
    def __init__(self, shop): self.shop, self.limit = shop, 3
    async def buy(self):
        price = await self.shop.price()
        if price < self.limit:
            await asyncio.sleep(0)
            return price < self.limit + 1
        return "too much"
    async def raise_limit(self):
        self.limit = 4
        return "ok"
""",
    "a pool in a list": """
class S:
    def __init__(self): self.free = ["c1", "c2", "c3"]
    async def query(self):
        c = self.free.pop()
        await asyncio.sleep(0)
        self.free.append(c)
        return "done"
""",
    "two coroutines that do not wait": """
class S:
    def __init__(self): self.n = 0
    async def _x(self): self.n += 1; return self.n
    async def _y(self): return self.n
    async def a(self):
        x, y = await asyncio.gather(self._x(), self._y())
        return x == y
""",
    "a lock": """
class S:
    def __init__(self): self.n, self.lock = 0, asyncio.Lock()
    async def a(self):
        async with self.lock:
            t = self.n
            await asyncio.sleep(0)
            self.n = t + 1
            return t
""",
    "a lock for each key": """
class S:
    def __init__(self): self.locks, self.n = {}, {}
    async def a(self, k: str):
        async with self.locks.setdefault(k, asyncio.Lock()):
            t = self.n.get(k, 0)
            await asyncio.sleep(0)
            self.n[k] = t + 1
            return t
""",
    "waiters in order": """
import collections
class S:
    def __init__(self): self.busy = False; self.w = collections.deque(); self.n = 0
    async def a(self):
        if self.busy:
            f = asyncio.get_running_loop().create_future(); self.w.append(f); await f
        self.busy = True
        t = self.n
        await asyncio.sleep(0)
        self.n = t + 1
        if self.w: self.w.popleft().set_result(None)
        else: self.busy = False
        return t
""",
    "fresh ids": """
import uuid
class S:
    def __init__(self): self.d = {}
    async def a(self):
        k = uuid.uuid4().hex
        self.d[k] = 1
        await asyncio.sleep(0)
        return self.d.pop(k)
""",
    "an empty gather": """
class S:
    def __init__(self): self.n = 0
    async def a(self):
        t = self.n
        await asyncio.gather()
        self.n = t + 1
        return t
""",
    "random numbers": """
import os, random, secrets
class S:
    def __init__(self): self.n = 0
    async def a(self):
        one = random.random()
        await asyncio.sleep(0)
        return one == random.random()
    async def b(self):
        return random.randint(1, 6), secrets.choice("abc"), os.urandom(4), secrets.randbelow(9)
""",
}


def run(folder: Path, text: str) -> list[ServiceRuns]:
    file = folder / "service_under_check.py"
    file.write_text(PREFIX + text)
    return list(run_file(SourceText(str(file), PREFIX + text)).services)


@pytest.mark.parametrize("name", RACES)
def test_a_race_is_seen(name: str, tmp_path: Path) -> None:
    found = run(tmp_path, RACES[name])
    races = [each.race for each in found if each.race is not None]
    assert races
    assert None not in races[0].run.answers
    assert races[0].serial


@pytest.mark.parametrize("name", EXPLAINED)
def test_no_race_is_seen_where_asyncio_has_none(name: str, tmp_path: Path) -> None:
    (found,) = run(tmp_path, EXPLAINED[name])
    assert found.race is None
    assert found.doubt is None
    assert found.explored >= 2
    assert not found.only_errors


def test_a_thread_is_refused_by_name(tmp_path: Path) -> None:
    text = (
        "class S:\n    def _w(self): pass\n    async def a(self): return await asyncio.to_thread(self._w)\n"
    )
    (found,) = run(tmp_path, text)
    assert found.refusal is not None
    assert "`S._w` runs in a thread" in found.refusal


def test_a_step_without_end_is_refused(tmp_path: Path) -> None:
    (found,) = run(tmp_path, "async def a():\n    while True: pass\n")
    assert found.refusal is not None
    assert "without waiting" in found.refusal


def test_an_unknown_lock_makes_a_race_a_suspicion(tmp_path: Path) -> None:
    text = """
class S:
    def __init__(self, lock): self.n, self.lock = 0, lock
    async def a(self):
        async with self.lock:
            t = self.n
            await asyncio.sleep(0)
            self.n = t + 1
            return t
"""
    (found,) = run(tmp_path, text)
    assert found.race is None
    assert found.doubt is not None


@pytest.mark.parametrize(
    "take", ["await self.lock.acquire()", "await redis.lock('k').acquire()", "n = random.random()"]
)
def test_a_race_that_an_unknown_lock_or_chance_explains_is_a_suspicion(take: str, tmp_path: Path) -> None:
    text = f"""
import random
import redis
class S:
    def __init__(self, lock): self.n, self.lock = 0, lock
    async def a(self):
        {take}
        t = self.n
        await asyncio.sleep(0)
        self.n = t + 1
        return t
"""
    (found,) = run(tmp_path, text)
    assert found.race is None
    assert found.doubt is not None


def test_a_lock_that_a_type_asks_for_is_one(tmp_path: Path) -> None:
    text = """
class S:
    def __init__(self, lock: asyncio.Lock): self.n, self.lock = 0, lock
    async def a(self):
        async with self.lock:
            t = self.n
            await asyncio.sleep(0)
            self.n = t + 1
            return t
"""
    (found,) = run(tmp_path, text)
    assert (found.race, found.doubt) == (None, None)
    assert found.explored == 3


def test_state_elsewhere_is_no_proof(tmp_path: Path) -> None:
    text = "import redis\nr = redis.Redis()\nasync def buy():\n    await r.decr('stock')\n    return True\n"
    (found,) = run(tmp_path, text)
    assert not found.changes_state
    assert found.elsewhere


@pytest.mark.parametrize("mistake", ["self.nothing", "{}['room']", "[][0]", "1 // 0"])
def test_a_handler_that_only_fails_is_told_and_nothing_is_proved(tmp_path: Path, mistake: str) -> None:
    (found,) = run(
        tmp_path,
        "class S:\n    def __init__(self): self.n = 0\n    async def b(self): self.n = 1\n"
        f"    async def a(self): return {mistake}\n",
    )
    assert found.only_errors == ("a",)
    assert not found.is_whole
    assert not found.is_whole_for_all


def test_a_handler_that_always_raises_is_told(tmp_path: Path) -> None:
    (found,) = run(tmp_path, "class S:\n    async def a(self): raise ValueError('closed')\n")
    assert (found.only_errors, found.only_raise) == ((), ("a",))


def test_a_file_is_loaded_as_a_part_of_its_package(tmp_path: Path) -> None:
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "stock.py").write_text("left = {'mug': 1}\n")
    text = (
        "import asyncio\nfrom .stock import left\nimport not_installed.anywhere as far\n\n"
        "async def buy():\n    if left['mug'] == 0:\n        return False\n"
        "    await far.pay()\n    left['mug'] -= 1\n    return True\n"
    )
    (package / "api.py").write_text(text)
    (found,) = run_file(SourceText(str(package / "api.py"), text)).services
    assert found.race is not None
    assert ("shop.stock.left", "{'mug': 1}") in found.initial


def test_a_file_that_cannot_be_imported_says_where(tmp_path: Path) -> None:
    with pytest.raises(NotRun) as caught:
        run(tmp_path, "x = 1\ny = 1 // 0\n")
    diagnostic = caught.value.diagnostics[0]
    assert "ZeroDivisionError" in diagnostic.message
    assert diagnostic.span is not None
    assert diagnostic.span.line == 3


def test_asyncio_run_at_import_changes_the_first_state(tmp_path: Path) -> None:
    text = """
class S:
    def __init__(self): self.limit = 5; self.n = 0
    async def take(self):
        if self.n >= self.limit: return False
        await asyncio.sleep(0)
        self.n += 1
        return True
s = S()
async def main(): s.limit = 1
asyncio.run(main())
"""
    found = run(tmp_path, text)
    assert any(each.race is not None for each in found)
    assert ("self.limit", "1") in found[0].initial


def test_the_same_file_gives_the_same_race(tmp_path: Path) -> None:
    one = run(tmp_path, RACES["waiters made by hand"])
    run_file.cache_clear()
    assert run(tmp_path, RACES["waiters made by hand"]) == one
