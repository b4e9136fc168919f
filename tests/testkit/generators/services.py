"""Random asyncio services, what their models answer, and what the real event loop answers.

Services have early returns, helper coroutines, several locks, `try`, loops, opaque calls and sleeps. All
interleavings of up to three requests are compared, on both sides.
"""

import gc
import json
from collections.abc import Iterator
from itertools import combinations_with_replacement
from random import Random
from typing import Any

from seriatim.frontends.protocol import NO_SETTINGS, Settings
from seriatim.frontends.python.analysis import Analysis, analyse, choose_observed, model
from seriatim.frontends.python.replayer import task
from seriatim.program.execution import big_steps
from seriatim.program.recursion import deep_recursion
from seriatim.program.semantics import (
    Configuration,
    Store,
    initial_configuration,
    initial_store,
    lookup,
    response,
)
from seriatim.program.syntax import Program
from seriatim.source import SourceText
from testkit.oracles.real_states import Explorer

MOST_RUNS = 4_000


class ServiceWriter:
    """Writes one service."""

    def __init__(self, seed: int, has_locks: bool, extra: str = "") -> None:
        self.random = Random(seed)
        self.has_locks = has_locks
        self.extra = extra
        """`limits`: of time; `tasks`: beside the handler; `cancels`: such tasks, some of them cancelled;
        `kept`: such tasks, whose exceptions `gather` keeps; `records`: dataclasses, lists and a second lock;
        `lenders`: context managers."""
        self.lines: list[str] = []
        self.fresh = 0
        self.tasks = 0
        """Those of one handler: each makes more interleavings."""

    def text(self) -> str:
        random = self.random
        self.say(0, "import asyncio")
        if self.extra == "records":
            self.say(0, "from dataclasses import dataclass")
            self.say(0, "@dataclass")
            self.say(0, "class Item:")
            self.say(1, "count: int = 0")
            self.say(1, "is_sold: bool = False")
        if self.extra == "lenders":
            self.say(0, "from contextlib import asynccontextmanager, contextmanager, suppress")
        self.say(0, "class Service:")
        self.say(1, "def __init__(self):")
        self.say(2, "self.x = 0  # ser: 0..2")
        self.say(2, f"self.y = {random.choice(('None', 'False', repr('a')))}")
        self.say(2, "self.box: dict[str, int] = {}  # ser: keys {'k', 'l'}, values 0..2")
        self.say(2, "self.tags: set[int] = set()  # ser: keys 0..1")
        if self.has_locks:
            self.say(2, "self.lock = asyncio.Lock()")
            self.say(2, "self.gate = asyncio.Semaphore(1)")
            self.say(2, "self.event = asyncio.Event()")
            self.say(2, "self.condition = asyncio.Condition()")
            self.say(2, "self.queue = asyncio.Queue(1)")
        if self.extra == "records":
            self.say(2, "self.item = Item()")
            self.say(2, "self.items = {'a': Item(1), 'b': Item(is_sold=True)}")
            self.say(2, "self.row = [0, 1]")
            self.say(2, "self.other = asyncio.Lock()")
        self.helper = random.random() < 0.5 or bool(self.extra)
        if self.helper:
            self.say(1, "async def _help(self, a):")
            self.block(2, ["a"], 1, in_helper=True)
            self.say(2, f"return {self.expression(['a'])}")
        if self.extra == "lenders":
            self.lender("asynccontextmanager", "async def _lend(self, a):")
            self.lender("contextmanager", "def _lend_plain(self, a):")
        for name in ("f", "g")[: random.randint(1, 2)]:
            self.tasks = 0
            parameter = random.random() < 0.4
            self.say(1, f"async def {name}(self{', n: bool' if parameter else ''}):")
            known = ["n"] if parameter else []
            if random.random() < 0.6:
                self.say(2, "old = self.x")
                known.append("old")
                self.say(
                    2,
                    random.choice(
                        ("await asyncio.sleep(0)", "pass", "if self.x == 1:\n            return self.y")
                    ),
                )
            self.block(2, known, 2)
            if random.random() < 0.5 and "old" in known:
                self.say(2, "self.x = (old + 1) % 3")
            self.say(2, f"return {self.answer(known)}")
        return "\n".join(self.lines) + "\n"

    def say(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def block(
        self, depth: int, known: list[str], size: int, in_helper: bool = False, in_loop: bool = False
    ) -> None:
        for _ in range(self.random.randint(1, size + 1)):
            self.statement(depth, known, size, in_helper, in_loop)

    def lender(self, decorator: str, head: str) -> None:
        """A context manager: before, between and after what it surrounds."""
        random = self.random
        is_plain = decorator == "contextmanager"
        self.say(1, f"@{decorator}")
        self.say(1, head)
        self.around(2, is_plain)
        depth, is_locked = 2, self.has_locks and not is_plain and random.random() < 0.4
        if is_locked:
            self.say(2, f"async with self.{random.choice(('lock', 'gate'))}:")
            depth = 3
        is_tried = random.random() < 0.7
        if is_tried:
            self.say(depth, "try:")
        self.say(depth + is_tried, random.choice(("yield", f"yield {self.expression(['a'])}")))
        if is_tried:
            is_caught = random.random() < 0.5
            if is_caught:
                self.say(depth, f"except {random.choice(('KeyError', 'LookupError', 'Exception'))}:")
                self.around(depth + 1, is_plain)
                if random.random() < 0.4:
                    self.say(depth + 1, "raise")
            if not is_caught or random.random() < 0.5:
                self.say(depth, "finally:")
                self.around(depth + 1, is_plain)
        if random.random() < 0.3:
            self.around(2, is_plain)

    def around(self, depth: int, is_plain: bool) -> None:
        """What a context manager does itself."""
        random = self.random
        if not is_plain and random.random() < 0.5:
            self.say(depth, "await asyncio.sleep(0)")
        self.write(depth, ["a"])
        if random.random() < 0.15:
            self.say(depth, f"if {self.condition(['a'])}:")
            self.say(depth + 1, f"raise {random.choice(('KeyError', 'ValueError'))}")

    def lent(self, depth: int, known: list[str], size: int, in_helper: bool, in_loop: bool) -> None:
        """A block in a context manager."""
        random = self.random
        given = f"{self.expression(known)} % 3"
        choice = random.random()
        inner = list(known)
        if choice < 0.25:
            self.say(
                depth, f"with suppress({random.choice(('KeyError', 'KeyError, ValueError', 'OSError'))}):"
            )
        elif choice < 0.85:
            is_plain = random.random() < 0.4
            name = f"v{self.fresh}"
            self.fresh += 1
            taken = random.random() < 0.4
            call = f"self._lend{'_plain' if is_plain else ''}({given}){f' as {name}' if taken else ''}"
            self.say(depth, f"{'' if is_plain else 'async '}with {call}:")
        elif choice < 0.93:
            self.say(depth, "async with outside() as o:  # ser: opaque")
        elif choice < 0.96:
            self.say(depth, "with outside(), suppress(KeyError):  # ser: opaque")
        else:
            self.say(depth, f"with self._lend_plain({given}), suppress(KeyError):")
        self.block(depth + 1, inner, size - 1, in_helper, in_loop)
        if random.random() < 0.4:
            self.say(depth + 1, f"if {self.condition(inner)}:")
            self.say(depth + 2, f"raise {random.choice(('KeyError', 'ValueError'))}")

    def limited(self, depth: int, known: list[str], size: int, in_helper: bool, in_loop: bool) -> None:
        """A block or a call with a limit of time."""
        random = self.random
        catches = random.random() < 0.6
        inner = depth + catches
        if catches:
            self.say(depth, "try:")
        if in_helper or random.random() < 0.3:
            self.say(inner, "async with asyncio.timeout(1):")
            self.block(inner + 1, list(known), size - 1, in_helper, in_loop)
        else:
            self.say(inner, f"await asyncio.wait_for(self._help({self.expression(known)} % 3), 1)")
        if catches:
            self.say(depth, f"except {random.choice(('TimeoutError', 'asyncio.CancelledError', 'OSError'))}:")
            self.write(depth + 1, known)
            if random.random() < 0.4:
                self.say(depth + 1, "raise")

    def started(self, depth: int, known: list[str], in_helper: bool) -> None:
        """Tasks that are started, or a helper that takes its time."""
        random = self.random
        name = f"v{self.fresh}"
        self.fresh += 1
        work = [f"self._help({self.expression(known)} % 3)" for _ in range(2)]
        choice = random.random()
        if in_helper or self.tasks > 2:
            self.say(depth, random.choice(("await asyncio.sleep(1)", "await asyncio.sleep(0)")))
        elif choice < 0.6 and self.extra == "kept":
            self.tasks += 2
            self.say(depth, f"await asyncio.gather({', '.join(work)}, return_exceptions=True)")
        elif choice < 0.4:
            self.tasks += 2
            self.say(depth, f"{name}, {name}b = await asyncio.gather({', '.join(work)})")
            known += [name, f"{name}b"]
        elif choice < 0.8 or self.extra == "cancels":
            self.tasks += 1
            self.say(depth, f"{name} = asyncio.create_task({work[0]})")
            self.write(depth, known)
            if random.random() < 0.5:
                self.say(depth, "await asyncio.sleep(1)")
            if self.extra == "cancels" and random.random() < 0.5:
                self.cancelled(depth, known, name)
                return
            if random.random() < 0.6:
                self.say(depth, f"{name}r = await {name}")
                known.append(f"{name}r")
        else:
            self.tasks += 1
            self.say(depth, "async with asyncio.TaskGroup() as group:")
            self.say(depth + 1, f"{name} = group.create_task({work[0]})")
            self.write(depth + 1, known)
            self.say(depth, f"{name}r = {name}.result()")
            known.append(f"{name}r")

    def cancelled(self, depth: int, known: list[str], name: str) -> None:
        """A task that is cancelled, and perhaps awaited."""
        random = self.random
        self.say(depth, f"{name}c = {name}.cancel()")
        known.append(f"{name}c")
        if random.random() < 0.7:
            self.say(depth, "try:")
            self.say(depth + 1, f"await {name}")
            self.say(depth, f"except {random.choice(('asyncio.CancelledError', 'KeyError'))}:")
            self.write(depth + 1, known)

    def statement(self, depth: int, known: list[str], size: int, in_helper: bool, in_loop: bool) -> None:
        if self.extra == "limits" and size > 0 and self.random.random() < 0.25:
            self.limited(depth, known, size, in_helper, in_loop)
            return
        if self.extra == "lenders" and size > 0 and self.random.random() < 0.3:
            self.lent(depth, known, size, in_helper, in_loop)
            return
        if self.extra in ("tasks", "cancels", "kept") and self.random.random() < 0.35:
            self.started(depth, known, in_helper)
            return
        choice = self.random.random()
        if choice < 0.25:
            self.say(depth, "await asyncio.sleep(0)")
        elif choice < 0.45:
            self.write(depth, known)
        elif choice < 0.52:
            name = f"v{self.fresh}"
            self.fresh += 1
            self.say(depth, f"{name} = {self.value(known, in_helper)}")
            known.append(name)
        elif size > 0:
            self.compound(depth, known, size, in_helper, in_loop)
        else:
            self.write(depth, known)

    def compound(self, depth: int, known: list[str], size: int, in_helper: bool, in_loop: bool) -> None:
        choice = self.random.random()
        if choice < 0.2:
            self.say(depth, f"if {self.condition(known)}:")
            self.block(depth + 1, list(known), size - 1, in_helper, in_loop)
            if self.random.random() < 0.5:
                self.say(depth, "else:")
                self.block(depth + 1, list(known), size - 1, in_helper, in_loop)
        elif choice < 0.4:
            self.leave(depth, known, in_helper, in_loop)
        elif choice < 0.55:
            self.attempt(depth, known, size, in_helper, in_loop)
        elif choice < 0.7 and not in_loop:
            self.say(depth, f"for i{depth} in range(2):")
            self.block(depth + 1, [*known, f"i{depth}"], size - 1, in_helper, in_loop=True)
        elif self.has_locks:
            self.locked(depth, known, size, in_helper, in_loop)
        else:
            self.write(depth, known)

    def leave(self, depth: int, known: list[str], in_helper: bool, in_loop: bool) -> None:
        """Leaves a loop or a function early."""
        self.say(depth, f"if {self.condition(known)}:")
        if in_loop and self.random.random() < 0.5:
            self.say(depth + 1, self.random.choice(("break", "continue")))
        else:
            self.say(depth + 1, f"return {self.expression(known) if in_helper else self.answer(known)}")

    def attempt(self, depth: int, known: list[str], size: int, in_helper: bool, in_loop: bool) -> None:
        """`try`, with what belongs to it."""
        random = self.random
        self.say(depth, "try:")
        self.block(depth + 1, list(known), size - 1, in_helper, in_loop)
        if random.random() < 0.6:
            self.say(depth + 1, f"if {self.condition(known)}:")
            self.say(depth + 2, f"raise {random.choice(('KeyError', 'ValueError'))}")
        is_caught = random.random() < 0.6
        if is_caught:
            self.say(depth, f"except {random.choice(('KeyError', 'LookupError', 'Exception'))}:")
            self.block(depth + 1, list(known), size - 1, in_helper, in_loop)
        if not is_caught or random.random() < 0.5:
            self.say(depth, "finally:")
            self.write(depth + 1, known)

    def locked(self, depth: int, known: list[str], size: int, in_helper: bool, in_loop: bool) -> None:
        choice = self.random.random()
        if choice < 0.5:
            names = ("lock", "gate", "other") if self.extra == "records" else ("lock", "gate")
            self.say(depth, f"async with self.{self.random.choice(names)}:")
            self.block(depth + 1, list(known), size - 1, in_helper, in_loop)
        elif choice < 0.65:
            self.say(
                depth,
                self.random.choice(("self.event.set()", "self.event.clear()", "await self.event.wait()")),
            )
        elif choice < 0.8:
            self.say(depth, "async with self.condition:")
            self.say(
                depth + 1,
                self.random.choice(
                    ("self.condition.notify_all()", "self.condition.notify()", "await self.condition.wait()")
                ),
            )
            self.write(depth + 1, known)
        else:
            self.say(depth, self.random.choice(("await self.queue.put(1)", "await self.queue.get()")))

    def write(self, depth: int, known: list[str]) -> None:
        random = self.random
        if self.extra == "records" and random.random() < 0.4:
            self.say(
                depth,
                random.choice(
                    (
                        f"self.item.count = {self.expression(known)} % 3",
                        f"self.items['a'].count = {self.expression(known)} % 3",
                        "self.item.is_sold = not self.items['b'].is_sold",
                        "self.items['b'].is_sold = self.item.count == 1",
                        f"self.row[{random.choice(('0', '-1', 'self.x'))}] = {self.expression(known)} % 3",
                    )
                ),
            )
            return
        self.say(
            depth,
            random.choice(
                (
                    f"self.x = {self.expression(known)} % 3",
                    f"self.y = {random.choice(('None', 'True', repr('a')))}",
                    "self.x = 1 - self.x if self.x < 2 else 0",
                    f"self.box[{self.key()}] = {self.expression(known)} % 3",
                    f"self.box.pop({self.key()}, None)",
                    f"self.tags.add({random.randint(0, 1)})",
                    f"self.tags.discard({random.randint(0, 1)})",
                    "self.x += 1 if self.x < 2 else -1",
                    "self.x, other = 0, self.x",
                )
            ),
        )

    def key(self) -> str:
        return self.random.choice(("'k'", "'l'", "'k' if self.x else 'l'"))

    def value(self, known: list[str], in_helper: bool) -> str:
        if self.helper and not in_helper and self.random.random() < 0.3:
            return f"await self._help({self.expression(known)} % 3)"
        if self.random.random() < 0.3:
            return "await outside()  # ser: opaque -> 0..1"
        return f"{self.expression(known)} % 3"

    def expression(self, known: list[str]) -> str:
        random = self.random
        simple = [
            "0",
            "1",
            "self.x",
            "len(self.box)",
            "len(self.tags)",
            "self.box.get('k', 0)",
            *known,
            *known,
        ]
        if self.extra == "records":
            simple += ["self.item.count", "self.items['a'].count", "self.row[0]", "self.row[1]"]
        if random.random() < 0.3:
            return f"({random.choice(simple)} {random.choice('+-*')} {random.choice(simple)})"
        if random.random() < 0.1:
            return f"({random.choice(simple)} if {self.condition(known)} else {random.choice(simple)})"
        if random.random() < 0.08:
            return f"self.box[{self.key()}]"
        return random.choice(simple)

    def condition(self, known: list[str]) -> str:
        random = self.random
        tests = [
            f"{self.plain(known)} < {self.plain(known)}",
            f"{self.plain(known)} == 1",
            "self.y is None",
            "self.y",
            "not self.y",
            "'k' in self.box",
            "1 in self.tags",
            "self.x in (0, 1)",
        ]
        if self.extra == "records":
            tests += ["self.item.is_sold", "self.items['b'].is_sold", "self.items['a'].count == self.row[1]"]
        test = random.choice(tests)
        if random.random() < 0.25:
            test = f"{test} {random.choice(('and', 'or'))} {random.choice(tests)}"
        return test

    def plain(self, known: list[str]) -> str:
        return self.random.choice(["self.x", "len(self.tags)", *known])

    def answer(self, known: list[str]) -> str:
        random = self.random
        return random.choice(
            (
                self.expression(known),
                "self.y",
                f"({self.plain(known)}, self.x, self.y)",
                f"{{'x': self.x, 'y': {self.plain(known)}}}",
                "f'x={self.x}'",
                "self.x",
                "None",
                "self.box.get('l')",
                "self.x or self.y",
            )
        )


def service_text(seed: int, has_locks: bool, extra: str = "") -> str:
    return ServiceWriter(seed, has_locks, extra).text()


Outcome = tuple[str, ...]


def model_outcomes(
    analysis: Analysis, program: Program, requests: list[str], is_serial: bool = False
) -> set[Outcome]:
    """All outcomes of some requests, interleaved in all ways or one at a time, by the reference semantics."""
    handlers = {handler.name: handler for handler in program.handlers}
    names = analysis.atoms.names()
    final = choose_observed(analysis)
    start: tuple[Store, tuple[Any, ...]] = (initial_store(program), tuple([None] * len(requests)))
    seen, pending = {start}, [start]
    found: set[Outcome] = set()
    with deep_recursion():
        while pending:
            globals_, places = pending.pop()
            if all(isinstance(place, int) for place in places):
                answers = [
                    analysis.lowered.canonical_answers.get(name, {}).get(place, str(place))
                    for name, place in zip(requests, places, strict=True)
                ]
                values = [lookup(globals_, name) for name in final]
                found.add((*answers, *(names.get(value, str(value)) for value in values)))
                continue
            for index, place in enumerate(places):
                if isinstance(place, int):
                    continue
                if is_serial and place is None and any(isinstance(each, tuple) for each in places):
                    continue
                if place is None:
                    begin = initial_configuration(handlers[requests[index]], globals_)
                else:
                    expression, locals_ = place
                    begin = Configuration(expression, locals_, globals_)
                for after in big_steps(begin):
                    answer = response(after.expression)
                    new = (after.expression, after.locals) if answer is None else answer
                    reached = (after.globals, (*places[:index], new, *places[index + 1 :]))
                    if reached not in seen:
                        seen.add(reached)
                        pending.append(reached)
    return found


def multisets(program: Program, most: int) -> Iterator[list[str]]:
    for size in range(1, most + 1):
        for names in combinations_with_replacement(program.requests, size):
            yield list(names)


def real_outcomes(
    analysis: Analysis,
    source: SourceText,
    requests: list[str],
    settings: Settings = NO_SETTINGS,
    is_serial: bool = False,
) -> tuple[set[Outcome], bool]:
    """All outcomes of some requests on the real event loop, and whether these are all."""
    gc.disable()  # Coroutines of earlier runs that were cut must not end while this one is parsed.
    try:
        explorer = Explorer(json.loads(json.dumps(task(analysis, source, requests, settings))), is_serial)
    finally:
        gc.enable()
    outcomes, is_all = explorer.outcomes(MOST_RUNS)
    return {tuple(str(part) for part in outcome) for outcome in outcomes}, is_all


def analysed(text: str, settings: Settings = NO_SETTINGS) -> tuple[SourceText, Analysis, Program]:
    source = SourceText("service.py", text)
    analysis = analyse(source, settings)
    return source, analysis, model(analysis)
