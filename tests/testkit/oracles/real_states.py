"""All outcomes of requests on the real event loop, where runs that meet in one state are followed once.

Claim: what a service does from now on depends on its module, its object, the tasks of its requests, and what
waits in the event loop for them. `Portrait` writes all of that down: every object that can be reached from
there, how far its coroutines are, what lies on their stacks. Objects are numbered as they are met, so two
states with the same portrait differ in the identity of objects alone, and go on alike. Runs are enumerated
depth first; all that follows from a state is tried before a choice above it changes. So a run may be cut
where it reaches a state that was met before: its outcomes are found there. A state with an object whose
inside `Portrait` cannot see has no portrait, and no run is cut there.
"""

import asyncio
import contextvars
import enum
import functools
import gc
import types
from collections import deque
from collections.abc import Iterable
from typing import Any

from seriatim.frontends.python.child import Company
from seriatim.frontends.python.choices import Choices
from seriatim.frontends.python.stage import Performance, Record
from seriatim.frontends.python.stepping_loop import OWNER, SteppingLoop
from seriatim.frontends.python.strangers import Stranger

Outcomes = list[list[str | None]]

CONSTANT = (types.ModuleType, types.CodeType, types.BuiltinFunctionType, type, SteppingLoop, Performance)
"""What requests do not change: a builtin function that belongs to an object comes earlier."""

PARTS: dict[type, tuple[str, ...]] = {
    asyncio.Handle: ("_cancelled", "_callback", "_args", "_context"),
    asyncio.TimerHandle: ("_cancelled", "_callback", "_args", "_context"),
    functools.partial: ("func", "args", "keywords"),
    types.MethodType: ("__func__", "__self__"),
    types.CellType: ("cell_contents",),
    asyncio.Timeout: ("_state", "_timeout_handler", "_task"),
}
"""What some objects are made of; times are left out, since nothing happens by the clock."""

INSTANCES = (
    asyncio.Lock,
    asyncio.Semaphore,
    asyncio.Event,
    asyncio.Condition,
    asyncio.Queue,
    asyncio.TaskGroup,
    Record,
)
"""Classes outside of a service whose attributes say everything about an object."""

EMPTY: tuple[Any, ...] = (range(0), [], (), {}, {}.values(), {}.items(), set())
ITERATORS = (
    *(type(iter(each)) for each in EMPTY),
    enumerate,
    zip,
)
"""They tell how far they are, by `__reduce__`."""

HOLDERS = ("FutureIter", "TaskStepMethWrapper", "coroutine_wrapper", "async_generator_asend")
"""Types that hold one object and, while a task waits, have no state of their own."""


FRAMES = {
    types.CoroutineType: "cr_frame",
    types.AsyncGeneratorType: "ag_frame",
    types.GeneratorType: "gi_frame",
}


class Unseen(Exception):
    """There is an object whose inside cannot be seen."""


class Portrait:
    """Writes down a state."""

    def __init__(self, module: str) -> None:
        self.module = module
        """The user's."""
        self.numbers: dict[int, int] = {}
        self.met: list[object] = []
        """Keeps objects alive, so that no other one gets the same identity."""

    def of(self, item: Any) -> Any:
        """An object as plain data."""
        if item is None or isinstance(item, bool | int | float | str | bytes):
            return (type(item).__name__, repr(item))
        if id(item) in self.numbers:
            return self.numbers[id(item)]
        self.numbers[id(item)] = len(self.numbers)
        self.met.append(item)
        return (type(item).__name__, *self.inside(item))

    def all(self, items: Iterable[Any]) -> list[Any]:
        return [self.of(each) for each in items]

    def inside(self, item: Any) -> list[Any]:
        match item:
            case tuple() | list() | deque() | set() | frozenset():
                return self.all(item)
            case dict():
                return self.all(part for pair in item.items() for part in pair)
            case enum.Enum() | Stranger() | range():
                return [str(item)]
            case types.CoroutineType() | types.AsyncGeneratorType() | types.GeneratorType():
                return self.coroutine(item)
            case asyncio.Future():
                return self.future(item)
            case contextvars.Context():
                return [item.get(OWNER, -1)]
            case BaseException():
                return self.all([item.args, item.__cause__, item.__context__])
            case types.FunctionType():
                return self.all([item.__qualname__, item.__closure__, item.__defaults__, item.__kwdefaults__])
            case types.BuiltinMethodType() if isinstance(item.__self__, asyncio.Future):
                return self.all([item.__name__, item.__self__])
            case type() if item.__module__ == self.module:
                names = {name: each for name, each in vars(item).items() if not name.startswith("__")}
                return [item.__qualname__, *self.of_names(names)]
            case _ if isinstance(item, CONSTANT):
                return [str(getattr(item, "__name__", ""))]
            case _:
                return self.other(item)

    def other(self, item: Any) -> list[Any]:
        kind = type(item)
        if kind in PARTS:
            return self.all(getattr(item, part, None) for part in PARTS[kind])
        if isinstance(item, INSTANCES) or kind.__module__ == self.module:
            return self.of_names(vars(item))
        if kind in ITERATORS:
            return self.all(item.__reduce__()[1:])
        if kind.__name__ in HOLDERS:
            return self.all(gc.get_referents(item))
        raise Unseen(kind.__name__)

    def of_names(self, names: dict[str, Any]) -> list[Any]:
        return [part for name, value in names.items() for part in (name, self.of(value))]

    def coroutine(self, item: Any) -> list[Any]:
        """How far it is, which variables have values, and all that it holds, its stack as well."""
        frame = getattr(item, FRAMES[type(item)])
        if frame is None:
            return ["ended"]
        names = frame.f_locals
        held = [
            each
            for each in gc.get_referents(item)
            if each is not names and not isinstance(each, types.FrameType | types.CodeType)
        ]
        return [frame.f_code.co_qualname, frame.f_lasti, sorted(names), *self.all(held)]

    def future(self, item: Any) -> list[Any]:
        found: list[Any] = [item._state]
        if item.done() and not item.cancelled():
            failure = item._exception
            found += self.all([failure, item._result if failure is None else None])
        found += self.all(part for pair in item._callbacks or () for part in pair)
        found += self.of_names(getattr(item, "__dict__", {}))
        if not isinstance(item, asyncio.Task):
            return found
        untyped: Any = item  # Types do not know all that tells how far a task is.
        waits_for = [untyped._fut_waiter, untyped.get_coro()]
        return [*found, untyped.cancelling(), untyped._must_cancel, *self.all(waits_for)]


def portrait(performance: Performance, requests: int) -> str | None:
    """All that decides how a run goes on, as text; None if it cannot be seen."""
    drawn = Portrait(performance.module.__name__)
    loop = performance.loop
    names = {name: each for name, each in performance.module.__dict__.items() if not name.startswith("__")}
    try:
        found = [drawn.of_names(names), drawn.of(performance.owner)]
        found += [
            [
                number in performance.begun,
                number in performance.waiting,
                drawn.all(loop.tasks.get(number, ())),
                drawn.all(handle for handle in loop.kept.get(number, ()) if not handle.cancelled()),
                drawn.all(loop.limits(number)),
            ]
            for number in range(requests)
        ]
        found.append([(key, place, drawn.of(future)) for key, (future, place) in performance.gates.items()])
        found.append(sorted(performance.objects.known))
    except Unseen:
        return None
    return repr(found)


class Cut(Exception):
    """A run has reached a state that was met before."""


class Explorer(Company):
    """Enumerates runs, and cuts them where they reach a state that was met before."""

    def __init__(self, told: dict[str, Any], is_serial: bool = False) -> None:
        super().__init__(told)
        self.is_serial = is_serial
        """Whether a request begins only when the others have ended."""
        self.seen: set[str] = set()
        self.unseen = 0
        """States without a portrait."""

    def able(self, performance: Performance, choices: Choices) -> list[int]:
        if len(choices.made) >= len(choices.prescribed):
            drawn = portrait(performance, len(self.requests))
            if drawn in self.seen:
                raise Cut
            self.unseen += drawn is None
            if drawn is not None:
                self.seen.add(drawn)
        current = [number for number in performance.begun if not performance.is_over(number)]
        if self.is_serial and current:
            return [number for number in current if self.options(performance, number)]
        return super().able(performance, choices)

    def outcomes(self, most: int) -> tuple[Outcomes, bool]:
        """The outcomes of all interleavings or all one-at-a-time orders, and whether these were all."""
        found: dict[str, list[str | None]] = {}
        choices = Choices()
        for _ in range(most):
            try:
                outcome = self.interleave(choices)
            except Cut:
                outcome = [None]
            if None not in outcome:
                found[repr(outcome)] = outcome
            if not choices.advance():
                return list(found.values()), True
        return list(found.values()), False
