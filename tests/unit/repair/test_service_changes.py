"""Changes of asyncio services: what is proposed, and what is not; each copy keeps its layout."""

import ast

import pytest

from seriatim.repair.service_changes import propose_changes

BANK = """\
import asyncio

class Bank:
    def __init__(self):
        self.balance = 100

    async def withdraw(self, amount):
        if self.balance < amount:
            return False
        await asyncio.sleep(1)  # the slow part
        self.balance -= amount
        return True
"""


def titles(text: str, *handlers: tuple[str, int]) -> list[str]:
    found = list(propose_changes(text, handlers))
    for each in found:
        ast.parse(each.text)
    return [each.title for each in found]


def test_a_bank_gets_a_second_look_an_earlier_write_and_locks() -> None:
    assert titles(BANK, ("withdraw", 7)) == [
        "repeat the test of line 8 after the pause in line 10",
        "move line 11 before the pause in line 10",
        "hold a lock in lines 10 to 11",
        "hold a lock in lines 10 to 12",
        "hold a lock in lines 8 to 11",
        "hold a lock in lines 8 to 12",
    ]


def test_a_lock_is_made_in_the_constructor_and_comments_stay() -> None:
    (lock,) = [
        each.text for each in propose_changes(BANK, [("withdraw", 7)]) if each.title.endswith("lines 8 to 11")
    ]
    assert "        self.balance = 100\n        self._lock = asyncio.Lock()\n" in lock
    assert "        async with self._lock:\n            if self.balance < amount:\n" in lock
    assert "            await asyncio.sleep(1)  # the slow part\n" in lock
    assert "            self.balance -= amount\n        return True\n" in lock


def test_a_handler_before_its_constructor_gets_a_lock_and_an_import() -> None:
    text = """\
'''A counter.'''
class Counter:
    async def add(self):
        seen = self.n
        await pause()
        self.n = seen + 1
    def __init__(self):
        self.n = 0
"""
    (lock,) = [
        each.text for each in propose_changes(text, [("add", 3)]) if each.title.endswith("lines 4 to 6")
    ]
    assert (
        lock
        == """\
'''A counter.'''
import asyncio
class Counter:
    async def add(self):
        async with self._lock:
            seen = self.n
            await pause()
            self.n = seen + 1
    def __init__(self):
        self.n = 0
        self._lock = asyncio.Lock()
"""
    )


def test_a_module_gets_a_lock_below_its_imports() -> None:
    handler = "async def a():\n    global n\n    t = n\n    await x()\n    n = t + 1\n"
    text = f"from fastapi import FastAPI\n\nn = 0\n\n{handler}"
    last = list(propose_changes(text, [("a", 5)]))[-1].text
    assert last.startswith("from fastapi import FastAPI\nimport asyncio\n\n_lock = asyncio.Lock()\n")
    assert "    async with _lock:\n" in last


@pytest.mark.parametrize(
    "body",
    [
        "        n = self.n\n        await x()\n        self.n = n + 1 if await x() else 0\n",
        "        found = await x()\n        self.n = found\n",
        "        if await x(): return 1\n        self.n = 1\n",
        "        self.n = await x()\n        self.n = 1\n",
    ],
    ids=["it pauses itself", "it uses what was awaited", "the pause may leave", "both assign it"],
)
def test_nothing_moves_over_what_it_depends_on(body: str) -> None:
    head = "import asyncio\nclass S:\n    def __init__(self):\n        self.n = 0\n"
    text = f"{head}    async def a(self):\n{body}"
    assert not [title for title in titles(text, ("a", 5)) if title.startswith("move")]


@pytest.mark.parametrize(
    "text",
    [
        BANK.replace("        self.balance = 100\n", "").replace(
            "def __init__(self):", "def __init__(self): pass"
        ),
        BANK.replace("    def __init__(self):\n        self.balance = 100\n", "    balance = 100\n"),
    ],
    ids=["a constructor in one line", "no constructor"],
)
def test_no_lock_without_a_place_for_it(text: str) -> None:
    line = text.splitlines().index("    async def withdraw(self, amount):") + 1
    assert not [title for title in titles(text, ("withdraw", line)) if "lock" in title]


def test_texts_of_several_lines_are_not_indented() -> None:
    text = BANK.replace("asyncio.sleep(1)  # the slow part", 'self.tell("""two\nlines""")')
    assert not [title for title in titles(text, ("withdraw", 7)) if "lock" in title]


def test_a_handler_that_is_not_there_has_no_changes() -> None:
    assert titles(BANK, ("deposit", 7)) == []
    assert titles(BANK, ("withdraw", 3)) == []
