"""Context managers of the file, `suppress`, properties and kept exceptions mean what Python says."""

import pytest

from seriatim.source import InputError
from testkit.generators.services import analysed, model_outcomes, real_outcomes
from testkit.samples import deep

HEAD = """import asyncio
from contextlib import asynccontextmanager, contextmanager, suppress
class S:
    MOST = 2
    def __init__(self):
        self.x = 0  # ser: 0..30
        self.lock = asyncio.Lock()
        self.jobs = asyncio.Queue(2)
        self.box: dict[str, int] = {}  # ser: keys {'k'}, values 0..3
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

ALONE = [
    ("async with self._lend(2) as n:\n    self.x += n\nreturn self.x", "8"),
    ("async with self._lend(2) as n:\n    return n\n", "2"),
    ("try:\n    async with self._lend():\n        raise KeyError\nexcept KeyError:\n    return self.x", "5"),
    (
        "for i in range(3):\n    async with self._lend(i):\n        if i == 1:\n            break\n"
        "return self.x",
        "5",
    ),
    ("async with self._lend(), self._locked():\n    pass\nreturn (self.x, self.lock.locked())", "(5, 0)"),
    ("async with self._locked():\n    return self.lock.locked()", "1"),
    ("async with self._tolerant() as n:\n    raise KeyError\nreturn self.x", "8"),
    ("async with self._tolerant() as n:\n    raise ValueError\nreturn self.x", "raise ValueError"),
    ("async with self._tolerant() as n:\n    self.x = n\nreturn self.x", "4"),
    (
        "async with self._tolerant():\n    async with self._tolerant():\n        raise KeyError\n"
        "return self.x",
        "9",
    ),
    ("with self._counted():\n    await asyncio.sleep(0)\n    self.x += 1\nreturn self.x", "3"),
    ("with self._hasty():\n    self.x = 5\nreturn self.x", "raise RuntimeError"),
    ("self.box['k'] = 2\nwith self._hasty() as n:\n    raise KeyError\nreturn self.x", "1"),
    (
        "async with self._lend(2):\n    async with self._lend(3) as n:\n        pass\nreturn (n, self.x)",
        "(3, 11)",
    ),
    (
        "n, y = 0, self.x\nasync for i in self._numbers(y):\n    async for j in self._numbers(y + 1):\n"
        "        n += i + j\n"
        "self.x = 0\nreturn n",
        "8",
    ),
    ("with self._counted():\n    raise KeyError\n", "raise KeyError"),
    ("with suppress(KeyError):\n    self.box['k'] += 1\n    self.x = 5\nreturn self.x", "0"),
    ("with suppress(LookupError, OSError):\n    return self.box['k']\nreturn 'none'", "'none'"),
    ("with suppress():\n    return self.box['k']\n", "raise KeyError"),
    ("with suppress(OSError), self._counted():\n    self.x = 3\nreturn self.x", "4"),
    ("self.x = 3\nreturn self._twice + 1", "7"),
    ("if self._broken:\n    pass\nreturn 1", "raise LookupError"),
    ("try:\n    print(self.box['k'])\nexcept KeyError:\n    return 'none'\nreturn 1", "'none'"),
    ("return S.MOST + self.x", "2"),
    ("self.box.update({'k': 1})\nself.box.update(k=self.box['k'] + 1)\nreturn self.box['k']", "2"),
    ("async with pool.get() as c:  # ser: opaque\n    self.x += 1\nreturn self.x", "1"),
    ("async with pool.get() as c, self.lock:  # ser: opaque\n    return self.lock.locked()", "1"),
    ("return self.jobs.maxsize", "2"),
    ("with open('f'):  # ser: opaque\n    raise KeyError\nreturn 1", "raise KeyError"),
    ("for i in range(2):\n    async with pool:  # ser: opaque\n        continue\nreturn i", "1"),
    ("await asyncio.gather(self._fail(1), self._work(2), return_exceptions=True)\nreturn self.x", "3"),
    ("await asyncio.gather(self._work(1), self._work(2), return_exceptions=False)\nreturn self.x", "3"),
    (
        "r = await asyncio.gather(self._work(1), self._work(2), return_exceptions=True)\n"
        "if isinstance(r[0], Exception):\n    return 'bad'\nreturn r",
        "[1, 2]",
    ),
]


@pytest.mark.parametrize(("body", "expected"), ALONE)
def test_a_request_alone_answers_as_in_python(body: str, expected: str) -> None:
    indented = "".join(f"        {line}\n" for line in body.splitlines())
    source, analysis, program = analysed(f"{HEAD}    async def f(self):\n{indented}")
    [outcome] = model_outcomes(analysis, program, ["f"])  # With the state, if the answer is constant.
    assert outcome[0] == expected
    assert real_outcomes(analysis, source, ["f"]) == ({outcome}, True)


@deep
@pytest.mark.parametrize("body", [body for body, _ in ALONE if "raise" not in body])
def test_two_requests_answer_as_on_the_event_loop(body: str) -> None:
    indented = "".join(f"        {line}\n" for line in body.splitlines())
    source, analysis, program = analysed(f"{HEAD}    async def f(self):\n{indented}")
    real, is_all = real_outcomes(analysis, source, ["f", "f"])
    assert is_all
    assert real <= model_outcomes(analysis, program, ["f", "f"])


@pytest.mark.parametrize(
    ("lender", "use", "message"),
    [
        ("for i in range(2):\n            yield", "async with self.m(): pass", "exactly once"),
        ("if self.x:\n            yield", "async with self.m(): pass", "exactly once"),
        ("yield\n        yield", "async with self.m(): pass", "exactly once"),
        ("n = yield", "async with self.m(): pass", "exactly once"),
        ("if self.x:\n            return\n        yield", "async with self.m(): pass", "exactly once"),
        ("yield\n        self.x = 1", "async with self.m(): return 2", "`return 2` leaves a block"),
        ("yield", "return await self.m()", "is a context manager"),
        ("yield", "with self.m(): pass", "is not known"),
    ],
)
def test_other_context_managers_are_refused(lender: str, use: str, message: str) -> None:
    manager = f"    @asynccontextmanager\n    async def m(self):\n        {lender}\n"
    with pytest.raises(InputError) as caught:
        analysed(f"{HEAD}{manager}    async def f(self):\n        {use}\n        return self.x\n")
    assert any(message in each.message for each in caught.value.diagnostics), caught.value.diagnostics
