"""Services mean what Python says: answers of one request alone, and of two together."""

import pytest

from testkit.generators.services import analysed, model_outcomes, real_outcomes

HEAD = """import asyncio
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

SERVICE = """class S:
    MOST = 2
    def __init__(self, size: int = 2):
        self.most = self.MOST
        self.mode = Mode.ON
        self.jobs = asyncio.queues.Queue(size)
        self.x = 0
        self.y: int | None = None  # ser: 0..2 | None
        self.on = False
        self.color = Color.RED
        self.point = Point()
        self.points = {'a': Point(1), 'b': Point(2, Color.BLUE)}
        self.box: dict[Literal['k', 'l'], int] = {}  # ser: values 0..3
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
    ("self.x = await n()  # ser: opaque -> 3..4\nself.row[self.x] = 1", "raise IndexError"),
    ("return self.x + LIMIT", "2"),
    ("self.x += 1\nreturn self.x", "1"),
    ("self.x = self.x + await one()  # ser: opaque -> 1..1\nreturn self.x", "1"),
    ("if self.y is None:\n    self.y = 2\nreturn self.y", "2"),
    ("return self.y", "None"),
    ("word = 'a' if self.x else None\nreturn word is None", "1"),
    ("return self.y or 'none'", "'none'"),
    ("return self.x == 0 and not self.on", "1"),
    ("return self.color", "Color.RED"),
    ("self.color = Color.BLUE\nreturn self.color is Color.BLUE", "1"),
    ("self.point.left = 3\nreturn (self.point.left, self.point.color)", "(3, Color.RED)"),
    ("self.points['a'].left += 1\nreturn self.points['a'].left + self.points['b'].left", "4"),
    ("return self.box['k']", "raise KeyError"),
    (
        "self.box['k'] = 1\nreturn {'n': len(self.box), 'k': self.box.get('k'), 'l': self.box.get('l', 3)}",
        "{'n': 1, 'k': 1, 'l': 3}",
    ),
    ("return self.box.setdefault('l', 2) + self.box.pop('l')", "4"),
    ("self.box['k'] = 1\ndel self.box['k']\nreturn 'k' in self.box", "0"),
    ("del self.box['k']", "raise KeyError"),
    ("self.seen.add('k')\nself.seen.discard('l')\nreturn len(self.seen)", "1"),
    ("self.seen.remove('k')", "raise KeyError"),
    ("if not self.seen:\n    return 'empty'", "'empty'"),
    ("self.row[1] = 7\nreturn self.row[-2]", "7"),
    ("return self.row[5]", "raise IndexError"),
    ("n = 0\nfor i in range(3):\n    if i == 1:\n        continue\n    n += i\nreturn n", "2"),
    ("for i in range(3):\n    if i == 1:\n        break\nreturn i", "1"),
    ("self.row[self._twice(0)] = self.x\nreturn self.row[1]", "0"),
    ("self.box['k'] = 1\nself.box['k'] += 1\nreturn self.box['k']", "2"),
    ("n = 0\nfor v in self.row:\n    n += v\nreturn n", "3"),
    ("n = 0\nwhile True:\n    n += 1\n    if n > 3:\n        break\nreturn n", "4"),
    ("n = 0\nwhile n < 2:\n    n += 1\n    await asyncio.sleep(0)\nreturn n", "2"),
    ("return self._twice(0) + self._twice(3, more=9)", "7"),
    ("return await self._slow(1) + self.x", "6"),
    ("return await self._slow(2)", "raise Mine"),
    ("try:\n    await self._slow(2)\nexcept LookupError:\n    return self.x", "5"),
    (
        "try:\n    raise ValueError\nexcept (KeyError, ValueError):\n    return 'caught'\nreturn 'not'",
        "'caught'",
    ),
    ("try:\n    return self.x\nfinally:\n    self.x = 9", "0"),
    ("try:\n    self.x = 1\nexcept KeyError:\n    return 1\nelse:\n    return 2", "2"),
    ("raise Mine('why')", "raise Mine"),
    ("assert self.x == 1", "raise AssertionError"),
    ("a, b = self.x, 3\na, b = b, a\nreturn [a, b]", "[3, 0]"),
    ("self.on = not self.on\nreturn 'yes' if self.on else 'no'", "'yes'"),
    ("return f'x={self.x}!'", "'x=0!'"),
    ("return str(self.x)", "'0'"),
    ("return min(self.x, 3) + max(1, self.x) + abs(0 - 2)", "3"),
    ("return 0 <= self.x < 3 != 4", "1"),
    ("return self.x in (0, 5)", "1"),
    ("self.y = 1\nreturn self.y < 2", "1"),
    ("return self.y < 2", "raise TypeError"),
    ("if (n := self.x + 1) > 0:\n    return n", "1"),
    ("async with self.lock:\n    self.x = 3\n    return (self.x, self.lock.locked())", "(3, 1)"),
    ("async with self.lock, self.gate:\n    pass\nreturn self.lock.locked()", "0"),
    ("await self.lock.acquire()\nself.lock.release()\nreturn self.lock.locked()", "0"),
    ("self.lock.release()", "raise RuntimeError"),
    ("self.event.set()\nawait self.event.wait()\nself.event.clear()\nreturn self.event.is_set()", "0"),
    (
        "await self.queue.put(1)\nself.queue.put_nowait(2)\n"
        "return (await self.queue.get(), self.queue.qsize())",
        "(1, 1)",
    ),
    ("self.queue.get_nowait()", "raise QueueEmpty"),
    ("try:\n    self.queue.get_nowait()\nexcept asyncio.QueueEmpty:\n    return 'none'", "'none'"),
    ("async with self.condition:\n    await self.condition.wait_for(lambda: self.x == 0)\n    return 1", "1"),
    ("self.condition.notify()", "raise RuntimeError"),
    ("return (self.most, self.jobs.full(), self.mode is Mode.OFF)", "(2, 0, 0)"),
    ("self.mode = Mode.OFF\nreturn self.mode", "Mode.OFF"),
    ("for i, n in enumerate(self.row):\n    if n > 0:\n        return (i, n)", "(1, 1)"),
    ("box = self.box\nbox['k'] = 3\nreturn self.box['k']", "3"),
    ("lock = self.lock\nasync with lock:\n    return self.lock.locked()", "1"),
    ("global count\ncount += 1\nreturn count", "1"),
    ("x = object()  # ser: ignore\nprint(x)\nreturn 1", "1"),
    ("return await fetch()  # ser: opaque -> 1..1", "1"),
    (
        "n = 1\ntry:\n    try:\n        await self._break()\n    finally:\n        self.x = n\n"
        "except Mine:\n    return self.x",
        "1",
    ),
    (
        "try:\n    await self._break()\nfinally:\n    self.condition.notify()",
        "raise RuntimeError",
    ),
    (
        "try:\n    return await fetch()  # ser: opaque -> 2..2 raises OSError\nexcept OSError:\n    return 2",
        "2",
    ),
]


@pytest.mark.parametrize(("body", "expected"), ALONE, ids=[body.splitlines()[0] for body, _ in ALONE])
def test_a_request_alone_answers_as_in_python(body: str, expected: str) -> None:
    indented = "".join(f"        {line}\n" for line in body.splitlines())
    source, analysis, program = analysed(f"{HEAD}{SERVICE}    async def f(self):\n{indented}")
    names = [request.name for request in analysis.lowered.requests]
    modelled = {outcome[0] for outcome in model_outcomes(analysis, program, names)}
    real = {outcome[0] for outcome in real_outcomes(analysis, source, names)[0]}
    assert modelled == real == {expected}


TOGETHER = [
    (
        "if self.x == 0:\n    self.x = 1\n    self.row[self.x] += await one()  # ser: opaque -> 1..1\n"
        "    return self.row[1]\nself.x = 2\nreturn self.row[2]",
        {"2"},
    ),
    ("self.x = self.x + await one()  # ser: opaque -> 1..1\nreturn self.x", {"1", "2"}),
    ("self.x += 1\nreturn self.x", {"1", "2"}),
    (
        "async with self.lock:\n    n = self.x\n    await asyncio.sleep(0)\n"
        "    self.x = n + 1\n    return self.x",
        {"1", "2"},
    ),
    (
        "if self.x == 0:\n    self.x = 1\n    await self.event.wait()\n    return 'woken'\n"
        "self.event.set()\nself.event.clear()\nreturn 'woke'",
        {"'woken'", "'woke'"},
    ),
]


@pytest.mark.parametrize(("body", "answers"), TOGETHER)
def test_two_requests_answer_as_on_the_event_loop(body: str, answers: set[str]) -> None:
    indented = "".join(f"        {line}\n" for line in body.splitlines())
    source, analysis, program = analysed(f"{HEAD}{SERVICE}    async def f(self):\n{indented}")
    requests = [request.name for request in analysis.lowered.requests] * 2
    real, is_all = real_outcomes(analysis, source, requests)
    assert is_all
    assert model_outcomes(analysis, program, requests) == real
    assert {answer for outcome in real for answer in outcome[:2]} == answers


def test_handlers_are_specialised_by_their_arguments_and_equal_ones_merged() -> None:
    text = f"{HEAD}{SERVICE}    async def f(self, n: Literal[1, 2, 3], who: Color):\n        return n > 1\n"
    _, _, program = analysed(text)
    assert program.requests == ("f(1, Color.RED | Color.BLUE)", "f(2 | 3, Color.RED | Color.BLUE)")


def test_state_that_nothing_uses_is_left_out() -> None:
    _, _, program = analysed(
        f"{HEAD}{SERVICE}    async def f(self):\n        self.x += 1\n        return self.x\n"
    )
    assert [each.name for each in program.initial_values] == ["self.x"]


def test_leaving_a_scope_is_a_fault() -> None:
    text = (
        "class S:\n    def __init__(self):\n        self.x = 0  # ser: 0..1\n"
        "    async def f(self):\n        self.x += 1\n        return 1\n"
    )
    _, _, program = analysed(text)
    assert program.can_fail
