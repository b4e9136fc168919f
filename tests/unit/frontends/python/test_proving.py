"""Systems are read off from runs where all of the state can be seen, and only there."""

import asyncio
from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from seriatim.frontends.python.canonical import Seer, Unseen, is_python_class, probe_stacks
from seriatim.frontends.python.closed_system import closed_system
from seriatim.frontends.python.covering import (
    ANY,
    Moves,
    cover,
    is_closed,
    is_covered,
    outcomes,
    unknown_pairs,
    witnesses,
)
from seriatim.frontends.python.service_runs import ServiceRuns, run_file
from seriatim.source import SourceText

PROVED = {
    "a lock around a pause": """
class S:
    def __init__(self): self.lock = asyncio.Lock(); self.n = 0
    async def a(self):
        async with self.lock:
            t = self.n
            await asyncio.sleep(0)
            self.n = (t + 1) % 3
            return t
""",
    "a value on the stack of a coroutine": """
class S:
    def __init__(self): self.n = 0
    async def a(self): return [await self._flip(), self.n][0]
    async def _flip(self):
        self.n = 1 - self.n
        t = self.n
        await asyncio.sleep(0.1)
        return t
""",
    "an unknown call that pauses": """
class S:
    def __init__(self, bank): self.bank = bank; self.paid = False
    async def a(self):
        if self.paid: return False
        self.paid = True
        await self.bank.charge()
        return True
""",
}

NOT_PROVED = {
    "a list without bound": (
        """
class S:
    def __init__(self): self.seen = []
    async def a(self):
        await asyncio.sleep(0)
        self.seen.append(None)
        return len(self.seen)
""",
        "more than 250 shared states|takes too long",
    ),
    "private state of the library": (
        """
import logging
class S:
    async def a(self):
        n = logging._nameToLevel.get("x", 0)
        await asyncio.sleep(0)
        logging._nameToLevel["x"] = 1
        return n > 3
""",
        "something in Python's library changes",
    ),
    "a weak reference": (
        """
import collections
class S:
    def __init__(self): self.x = __import__("weakref").WeakValueDictionary()
    async def a(self):
        await asyncio.sleep(0)
        return len(self.x)
""",
        "weak|__import__",
    ),
    "addresses": (
        """
class S:
    def __init__(self): self.n = 0
    async def a(self):
        k = id(object())
        await asyncio.sleep(0)
        return k == 0
""",
        "addresses",
    ),
    "the order of a set of objects": (
        """
class C: pass
class S:
    def __init__(self): self.free = {C(), C()}
    async def a(self):
        await asyncio.sleep(0)
        return len(self.free)
""",
        "a set of several objects",
    ),
    "whether a semaphore is locked": (
        """
class S:
    def __init__(self): self.s = asyncio.Semaphore(1)
    async def a(self):
        async with self.s: await asyncio.sleep(0)
    async def probe(self): return self.s.locked() and False
""",
        "semaphore",
    ),
    "something that happens when an object is given up": (
        """
class Lease:
    def __del__(self): pass
class S:
    def __init__(self): self.x = Lease()
    async def a(self):
        await asyncio.sleep(0)
        return 1
""",
        "__del__",
    ),
    "a task that goes on after the answer": (
        """
class S:
    def __init__(self): self.n = 0
    async def _later(self):
        await asyncio.sleep(0)
        self.n = 1
    async def a(self):
        self.task = asyncio.create_task(self._later())
        return None
""",
        "leaves tasks behind",
    ),
    "tasks of one request that wait for each other": (
        """
class S:
    def __init__(self): self.lock = asyncio.Lock(); self.n = 0
    async def _one(self):
        async with self.lock:
            await asyncio.sleep(0)
            self.n = 1 - self.n
            return self.n
    async def a(self): return await asyncio.gather(self._one(), self._one())
""",
        "wait for each other",
    ),
    "an iterator over a dictionary that is kept": (
        """
class S:
    def __init__(self): self.d = {1: 1, 2: 2}
    async def a(self):
        for k in self.d: await asyncio.sleep(0)
        return 1
""",
        "an iterator over a dictionary",
    ),
    "an iterator over a deque that is kept": (
        """
import collections
items = collections.deque("a")
done = [0]
async def spin():
    done[0] = min(done[0] + 1, 9)
    if done[0] == 9: items.append(items.popleft())
    return 1
async def walk():
    for x in items: await asyncio.sleep(0)
    return 2
""",
        "an iterator over a deque",
    ),
    "an attribute of the loop": (
        """
async def a():
    loop = asyncio.get_running_loop()
    loop.seen = True
    return 1
""",
        "attributes to the loop",
    ),
    "a dictionary in the library": (
        """
import http.client
async def a():
    http.client.responses[299] = "seen"
    return 1
""",
        "library",
    ),
    "an attribute of a class of the library": (
        """
import string
string.Template.n = 0
async def a():
    string.Template.n = 1 - string.Template.n
    return 1
""",
        "library",
    ),
    "an attribute of a member of the library": (
        """
from http import HTTPStatus
HTTPStatus.OK.n = 0
async def a():
    HTTPStatus.OK.n = 1 - HTTPStatus.OK.n
    return 1
""",
        "library",
    ),
    "a list of the library": (
        """
import sys
async def a():
    sys.path.append("x")
    return 1
""",
        "library",
    ),
    "a module that is made by hand": (
        """
import types
kept = [types.ModuleType("config")]
async def a():
    kept[0].n = 1
    return 1
""",
        "made by hand",
    ),
    "a class that is made by hand": (
        """
import types
Stats = types.new_class("Stats")
async def a():
    Stats.n = 1
    return 1
""",
        "made by hand",
    ),
    "a partial function with attributes": (
        """
import functools
tick = functools.partial(print)
tick.n = 0
async def a():
    tick.n = 1 - tick.n
    return 1
""",
        "a partial function with attributes",
    ),
    "a static method with attributes": (
        """
class Tick:
    @staticmethod
    def tick(): pass
Tick.__dict__["tick"].n = 0
async def a():
    Tick.__dict__["tick"].n = 1
    return 1
""",
        "a method of a class with attributes",
    ),
    "a time zone with a state": (
        """
import datetime
class Zone(datetime.tzinfo):
    n = 0
    def __repr__(self): return "Zone()"
when = datetime.datetime(2020, 1, 1, tzinfo=Zone())
async def a():
    when.tzinfo.n = 1
    return 1
""",
        "time zone",
    ),
    "two context variables with one name": (
        """
from contextvars import ContextVar
one, other = ContextVar("name"), ContextVar("name")
async def a():
    one.set(1)
    await asyncio.sleep(0)
    return other.get(0)
""",
        "two context variables",
    ),
    "a limit of time while requests wait for each other": (
        """
class S:
    def __init__(self): self.forks = [asyncio.Lock() for _ in range(4)]
    async def a(self, one: Literal[0, 1, 2, 3]):
        async with self.forks[one]:
            await asyncio.sleep(0)
            try:
                async with asyncio.timeout(5): await self.forks[(one + 1) % 4].acquire()
            except TimeoutError: return "late"
            self.forks[(one + 1) % 4].release()
            return "fed"
""",
        "a limit of time may be reached",
    ),
    "a class that is only in a type": (
        """
class Kept:
    pass
kept = list[Kept]
async def a():
    kept.__args__[0].n = 1
    return 1
""",
        "__args__",
    ),
    "an attribute of a type variable": (
        """
import typing
V = typing.TypeVar("V")
V.n = 0
async def a():
    V.n = 1 - V.n
    return V.n
""",
        "a type with the attribute `n`",
    ),
    "an attribute of a method of the library": (
        """
import json
async def a():
    decode = json.JSONDecoder.decode
    decode.n = 1 - getattr(decode, "n", 0)
    return decode.n
""",
        "something in Python's library changes",
    ),
    "a number that the interpreter keeps": (
        """
import sys
async def a():
    sys.setrecursionlimit(sys.getrecursionlimit() + 1)
    return 1
""",
        "setrecursionlimit",
    ),
}

SEEN_STATES = {
    "the order of an ordered dictionary": """
import collections
order = collections.OrderedDict.fromkeys("xyz")
async def a():
    order.move_to_end(next(iter(order)))
    return next(iter(order))
""",
    "the default of a context variable": """
from contextvars import ContextVar
box = ContextVar("box", default=[0])
async def a():
    box.get()[0] = (box.get()[0] + 1) % 3
    return box.get()[0]
""",
    "a logger that no variable names": """
import logging
logging.getLogger("stats").setLevel(1)
async def a():
    log = logging.getLogger("stats")
    log.setLevel(log.level % 3 + 1)
    return log.level
""",
    "a handler that only its logger knows": """
import logging
class Keep(logging.Handler):
    def __init__(self): super().__init__(); self.n = 0
logging.getLogger("stats").addHandler(Keep())
async def a():
    keep = logging.getLogger("stats").handlers[0]
    keep.n = (keep.n + 1) % 3
    return keep.n
""",
    "the name of a function": """
def box(): pass
box.__name__ = "0"
async def a():
    box.__name__ = str((int(box.__name__) + 1) % 3)
    return box.__name__
""",
    "an attribute of a metaclass": """
def make():
    class Meta(type):
        n = 0
    return Meta("A", (), {})
A = make()
async def a():
    type(A).n = (A.n + 1) % 3
    return A.n
""",
    "the text of a class": """
class Box:
    "0"
async def a():
    Box.__doc__ = str((int(Box.__doc__) + 1) % 3)
    return Box.__doc__
""",
}


def run(folder: Path, text: str) -> ServiceRuns:
    file = folder / "service.py"
    file.write_text("import asyncio\nfrom typing import Literal\n" + text)
    return run_file(SourceText(str(file), file.read_text())).services[0]


@pytest.mark.parametrize("name", PROVED)
def test_a_system_is_read_off(name: str, tmp_path: Path) -> None:
    service = run(tmp_path, PROVED[name])
    assert service.system is not None, service.why_open
    assert service.race is None
    system = closed_system([service])
    assert len(system.requests) >= 1
    assert len(system.delta) >= len(service.system.delta) > 0


@pytest.mark.parametrize("name", NOT_PROVED)
def test_what_cannot_be_seen_is_refused(name: str, tmp_path: Path) -> None:
    text, reason = NOT_PROVED[name]
    service = run(tmp_path, text)
    assert service.system is None
    assert any(each in service.why_open for each in reason.split("|"))


@pytest.mark.parametrize("name", SEEN_STATES)
def test_state_in_odd_places_is_seen(name: str, tmp_path: Path) -> None:
    service = run(tmp_path, SEEN_STATES[name])
    assert service.system is not None, service.why_open
    assert len(service.system.states) == 3


def test_the_stack_of_a_coroutine_can_be_seen() -> None:
    assert probe_stacks()


def test_classes_with_hidden_parts_are_told_apart() -> None:
    import array

    class Plain:
        __slots__ = ("one", "other")

    class Inherits(dict[str, int]):
        pass

    assert is_python_class(Plain)
    assert is_python_class(Inherits)
    assert is_python_class(asyncio.Lock)
    assert not is_python_class(array.array)


def test_the_layout_of_a_set_is_part_of_it() -> None:
    seer = Seer(lambda _: False, sees_identity=False, sees_joins=False)

    def form(value: Any) -> Any:
        return seer.value(value, form)

    def table(*values: int) -> Any:
        return seer.contents(set(values), form, is_shared=True)

    assert table(0, 8) != table(8, 0)
    assert table(0, 1) == table(1, 0)
    with pytest.raises(Unseen):
        seer.contents({Unseen("a"), Unseen("b")}, form, is_shared=True)


def random_moves(random: Random) -> Moves:
    """Moves of one kind of request through three states, some of which are over."""
    locals_, states = ("start 0", "one", "two", "end"), ("g", "h")
    targets = {
        (local, state): tuple(
            (random.choice(locals_[1:]), random.choice(states)) for _ in range(random.randrange(3))
        )
        for local, state in product(locals_[:-1], states)
    }
    return Moves(targets, ("start 0",), lambda local: local == "end")


Moment = tuple[str, tuple[str, ...]]


def moments(moves: Moves, most: int) -> set[Moment]:
    """All moments of at most so many requests, the slow way."""
    root: Moment = ("g", ())
    seen, todo = {root}, [root]
    while todo:
        moment = todo.pop()
        for local in {*moves.starts, *moment[1]}:
            for number in range(len(moves.targets.get((local, moment[0]), ()))):
                following = step(moves, moment, local, number)
                if len(following[1]) <= most and following not in seen:
                    seen.add(following)
                    todo.append(following)
    return seen


def step(moves: Moves, moment: Moment, local: str, number: int) -> Moment:
    """The moment after a move, which has to be one that can be made."""
    state, rest = moment[0], list(moment[1])
    if local not in moves.starts:
        rest.remove(local)
    target, new = moves.targets[local, state][number]
    return new, tuple(sorted([*rest, *([] if moves.over(target) else [target])]))


@pytest.mark.parametrize("seed", range(60))
def test_what_can_occur_together_is_covered(seed: int) -> None:
    """Each moment of at most three requests lies below one that was found."""
    moves = random_moves(Random(seed))
    found = cover(moves, "g")
    assert is_closed(moves, "g", found)
    assert unknown_pairs(moves, found) <= set()
    assert all(is_covered(found, moment) for moment in moments(moves, 3))


@pytest.mark.parametrize("seed", range(60))
def test_all_pairs_that_occur_have_a_way_to_them(seed: int) -> None:
    """Every way can be gone; and where few requests are enough, one is found."""
    random = Random(seed)
    known = random_moves(random)
    pairs = set(known.targets)
    unknown = set(random.sample(sorted(pairs), 2)) - {("start 0", "g")}
    moves = Moves({pair: known.targets[pair] for pair in sorted(pairs - unknown)}, known.starts, known.over)
    found = cover(moves, "g")
    wanted = unknown_pairs(moves, found)
    ways = dict(witnesses(moves, "g", wanted, partial(is_covered, found), 4, 10_000))
    for (local, state), way in ways.items():
        moment: Moment = ("g", ())
        for moving, at, number in way:
            assert moment[0] == at
            moment = step(moves, moment, moving, number)
        assert moment[0] == state
        assert local in (*moves.starts, *moment[1])
    few = {(local, state) for state, locals_ in moments(moves, 3) for local in (*moves.starts, *locals_)}
    assert wanted & few <= set(ways)


def test_a_pair_that_is_not_known_has_a_witness() -> None:
    moves = Moves(
        {("s", "g"): (("l", "g"),), ("l", "g"): (("end", "h"),)}, ("s",), lambda each: each == "end"
    )
    found = cover(moves, "g")
    assert found["g"] == [{"l": ANY}]
    wanted = unknown_pairs(moves, found)
    assert wanted == {("s", "h"), ("l", "h")}
    ways = dict(witnesses(moves, "g", wanted, partial(is_covered, found), 3, 1_000))
    assert len(ways["s", "h"]) == 2
    assert len(ways["l", "h"]) == 3
    together = outcomes(moves, "g", ("s",), lambda local: local, one_at_a_time=True)
    assert together == {("end",)}
