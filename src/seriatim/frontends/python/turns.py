"""Requests that go on one callback at a time, each with a queue of its own, on the real asyncio.

What belongs to a request is what its tasks do: each callback runs for the request that owns its context.
Callbacks of one request run in the order in which asyncio queues them. Between requests, any order is
possible: a request's next callback may run whenever somebody else's could. So every real run, in which one
queue serves all, is among these runs; and a request that is alone runs exactly as in reality.

A request that waits for something shared (a lock, a future that others hold) waits for a condition on the
shared state, instead of being listed there: else the state would grow with the number of requests. Who goes
next is then open, where asyncio serves in order. Where asyncio would wake somebody although the condition
does not hold any more (an event that was set and cleared, a condition that was notified), the wake-up is
possible from then on, and marked as *loose*: no one-at-a-time run may depend on it.
"""

import asyncio
import builtins
import contextvars
import gc
import signal
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVarTuple

from seriatim.frontends.python.canonical import (
    WAKE_UPS,
    Form,
    LocalState,
    Seer,
    SharedState,
    Unseen,
    digest,
    woken_task,
)
from seriatim.frontends.python.recording import RECORDER, Question, Term, Watching, Whole, in_order
from seriatim.frontends.python.running import (
    CHANCE,
    OWNER,
    SECONDS_A_TURN,
    Loop,
    Pending,
    Request,
    Timer,
    substitute,
)
from seriatim.frontends.python.sandbox import GUARD
from seriatim.frontends.python.stand_ins import WORLD
from seriatim.frontends.python.texts import describe, is_told_whole

Arguments = TypeVarTuple("Arguments")

STEPS = ("TaskStepMethWrapper", "builtin_function_or_method", *WAKE_UPS)
"""The types of callbacks that start tasks, or let them go on."""

ANSWER_NAMES = ("a", "b")
"""The names of the different values that an unknown call may answer."""


@dataclass(eq=False)
class Watch:
    """A task that waits until a condition on the shared state holds."""

    owner: int
    about: str
    subject: Any
    holds: Callable[[], bool]
    is_loose: Callable[[], bool]
    future: Any


@dataclass(eq=False)
class Live:
    """A request that is in flight."""

    number: int
    request: Request
    context: contextvars.Context
    tasks: list[asyncio.Task[Any]] = field(default_factory=list)
    contexts: list[contextvars.Context] = field(default_factory=list)
    queue: deque[Any] = field(default_factory=deque)
    inbox: list[Any] = field(default_factory=list)
    """Wake-ups that others caused; what they are about is done, and the shared state says so."""
    left: int = 0
    """How many callbacks are left in this round of the loop."""
    answer: str | None = None
    answer_terms: tuple[Term, ...] = ()
    """The recorded integers in the answer, in the order of its text."""
    key: str = ""
    held: frozenset[str] = frozenset()
    integers: tuple[Whole, ...] = ()
    """The recorded integers that were met when it was last looked at."""


@dataclass(frozen=True)
class Option:
    """What a request may do next: the kind, and which one."""

    kind: str
    """start, run, event, watch or inbox."""
    index: int = 0
    is_loose: bool = False


class Turns:
    """The requests in flight in this process. Copies of the process try different turns."""

    def __init__(self, loop: Loop, requests: Sequence[Request], seer: Seer, shared: SharedState) -> None:
        self.loop, self.requests, self.seer, self.shared = loop, requests, seer, shared
        self.live: list[Live] = []
        self.watches: list[Watch] = []
        self.current: Live | None = None
        self.arrived = 0
        self.prefix: Sequence[int] = ()
        self.choices: list[tuple[int, int]] = []
        self.tests: list[Question | None] = []
        """What was asked about recorded integers, for each choice; None where the world has chosen."""
        self.alarm = ""
        self.watching = Watching(lambda _: False)

    # What the code meets

    def choose(self, count: int, about: str, test: Question | None = None) -> int:
        del about
        number = len(self.choices)
        taken = self.prefix[number] if number < len(self.prefix) else 0
        self.choices.append((taken, count))
        self.tests.append(test)
        return taken

    def decide(self, test: Question) -> bool:
        """Which outcome of a test is tried now: at first that it holds."""
        if self.current is None:
            raise self.refuse("recorded integers are compared outside of a turn")
        return self.choose(2, "a test", test) == 0

    def make_name(self) -> str:
        """The name of an unknown answer; it may be the same as another one, or not."""
        return ANSWER_NAMES[self.choose(len(ANSWER_NAMES), "the answer")]

    async def pause(self, about: str) -> None:
        """Waits until the world lets a call return."""
        future = self.loop.create_future()
        event = Pending(OWNER.get(), about, lambda: _settle(future))
        vars(event)["future"] = future
        self.loop.pending.append(event)
        try:
            await future
        finally:
            if event in self.loop.pending:
                self.loop.pending.remove(event)

    async def until(
        self,
        about: str,
        subject: Any,
        holds: Callable[[], bool],
        is_loose: Callable[[], bool] = lambda: False,
    ) -> None:
        """Waits until a condition on the shared state holds."""
        watch = Watch(OWNER.get(), about, subject, holds, is_loose, self.loop.create_future())
        self.watches.append(watch)
        try:
            await watch.future
        finally:
            self.watches.remove(watch)

    def queue_up(self, handle: Any, owner: int) -> None:
        """Takes a callback into the queue of its request."""
        live = next((each for each in self.live if each.number == owner), None)
        if live is None:
            raise self.refuse("something goes on that belongs to no request")
        if live is self.current:
            live.queue.append(handle)
            return
        if woken_task(handle._callback) is None:
            raise self.refuse("one request calls back into another one")
        live.inbox.append(handle)

    def refuse(self, message: str) -> Unseen:
        """Remembers why nothing can be proved; the code may catch the exception."""
        self.alarm = self.alarm or message
        return Unseen(message)

    def new_task(self, task: Any, context: contextvars.Context) -> None:
        owner = context.get(OWNER, -1)
        live = next((each for each in self.live if each.number == owner), None)
        if live is None:
            raise self.refuse("a task that belongs to no request")
        live.tasks.append(task)
        live.contexts.append(context)

    # Turns

    def options(self, live: Live) -> list[Option]:
        """What a request may do now."""
        found: list[Option] = []
        if live.queue:
            found.append(Option("run"))
        if live.left == 0:
            found += [Option("event", number) for number in range(len(self.events(live)))]
        for number, watch in enumerate(self._watches(live)):
            if not watch.future.done() and watch.holds():
                found.append(Option("watch", number, watch.is_loose()))
        found += [Option("inbox", number) for number in range(len(live.inbox))]
        return found

    def _watches(self, live: Live) -> list[Watch]:
        return [each for each in self.watches if each.owner == live.number]

    def events(self, live: Live) -> list[Pending]:
        """What the world may do for a request: answer its calls, and let its first timer ring."""
        own = [each for each in self.loop.pending if each.owner == live.number]
        timers = [each for each in own if each.is_timer and not each.is_limit]
        return [each for each in own if not each.is_timer] + sorted(timers, key=lambda each: each.when)[:1]

    def waits_within_limit(self, live: Live) -> bool:
        """Whether only others can let a request go on, and a limit of time ends its waiting.

        In runs, the limit is reached where requests wait for each other for ever. That may take more requests
        than were tried.
        """
        is_waiting = not (live.queue or live.inbox or self.events(live))
        return is_waiting and any(each.is_limit and each.owner == live.number for each in self.loop.pending)

    def start(self, index: int) -> Live:
        """Lets a request arrive."""
        request = self.requests[index]
        context = contextvars.copy_context()
        context.run(OWNER.set, self.arrived)
        live = Live(self.arrived, request, context)
        self.arrived += 1
        self.live.append(live)
        self.current = live
        work: Any = request.make()
        self.loop.create_task(work, context=context, name="request")
        return live

    def _read_answer(self, live: Live) -> None:
        """Tells the answer as soon as it is there: what it refers to may change."""
        task = live.tasks[0]
        if live.answer is not None or not task.done():
            return
        if task.cancelled():
            live.answer = "raise CancelledError"
        elif task.exception() is not None:
            live.answer = f"raise {describe(task.exception())}"
        else:
            live.answer = describe(task.result()) + self._identity(task.result())
        live.answer, live.answer_terms = in_order(live.answer)

    def _identity(self, answer: Any) -> str:
        """A mark of an object that only its identity tells apart; it keeps that mark."""
        if is_told_whole(answer):
            return ""
        self.shared.see()
        name = self.shared.name_of(answer)
        if name is not None and name not in self.shared.first:
            self.shared.holders[name] = 3
        return f" [{name or 'a new one'}]"

    def take(self, live: Live, option: Option) -> None:
        """A turn of a request: at most one callback."""
        self.current = live
        before = {id(each) for each in self._watches(live) if each.holds()}
        waiting = {id(each) for each in self._watches(live)}
        was_idle = not live.queue
        match option.kind:
            case "event":
                event = self.events(live)[option.index]
                if event in self.loop.pending and not event.is_timer:
                    self.loop.pending.remove(event)
                event.happen()
                live.queue.extend(self.loop._ready)
                self.loop._ready.clear()
            case "watch":
                self._watches(live)[option.index].future.set_result(None)
            case "inbox":
                live.queue.append(live.inbox.pop(option.index))
        if option.kind in ("start", "run") or was_idle:
            self._run_next(live)
        for watch in self._watches(live):
            if id(watch) in waiting and id(watch) not in before and watch.holds():
                self.refuse(f"tasks of one request wait for each other at {watch.about}")

    def _run_next(self, live: Live) -> None:
        if live.left == 0:
            live.left = len(live.queue)
        live.left -= 1
        handle = live.queue.popleft()
        if not handle.cancelled():
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_A_TURN)
            try:
                with self.watching:
                    handle._run()
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        self._read_answer(live)

    def has_ended(self, live: Live) -> bool:
        """Whether a request is over; refuses one that leaves something behind."""
        if live.answer is None:
            return False
        if live.queue or live.inbox or not all(each.done() for each in live.tasks) or self.events(live):
            self.refuse(f"`{live.request.function}` leaves tasks behind that go on after its answer")
        return True

    # What can be seen

    def local_form(self, live: Live, index: int) -> tuple[str, frozenset[str]]:
        """The form of a request in flight, and which shared objects it holds."""
        local = LocalState(self.seer, self.shared)
        parts: list[Form] = [("request", index)]
        for task, context in zip(live.tasks, live.contexts, strict=True):
            if not task.done():
                parts.append(self._task(task, local.form))
                parts.append(_context(context, local.form))
        parts.append(("queue", live.left, *(_handle(each, local.form) for each in live.queue)))
        clock = self.loop.clocks.get(live.number, 0.0)
        for event in self.loop.pending:
            if event.owner == live.number:
                waits = vars(event).get("future")
                happens = local.form(waits) if waits else _handle(vars(event)["handle"], local.form)
                parts.append(("event", event.about, event.is_limit, event.when - clock, happens))
        parts.append(("clock", clock))
        parts += [
            ("watch", each.about, local.form(each.subject), local.form(each.future))
            for each in self._watches(live)
        ]
        live.integers = tuple(local.integers)
        return digest(tuple(parts)), frozenset(local.held)

    def _task(self, task: Any, form: Callable[[Any], Form]) -> Form:
        """A task in flight: what it is, where its coroutine stands, and what it waits for."""
        waits = task._fut_waiter
        return (
            "task",
            form(task),
            form(task.get_coro()),
            form(waits),
            task._must_cancel,
            task.cancelling(),
        )

    def place(self, live: Live, file: str) -> tuple[int | None, str]:
        """The line of the user's file at which a request waits, and for what."""
        line, waits = None, ""
        for task in live.tasks:
            awaited: Any = task.get_coro() if not task.done() else None
            while awaited is not None:
                frame = getattr(awaited, "cr_frame", None) or getattr(awaited, "gi_frame", None)
                frame = frame or getattr(awaited, "ag_frame", None)
                if frame is not None and frame.f_code.co_filename == file:
                    line = frame.f_lineno
                awaited = getattr(awaited, "cr_await", None) or getattr(awaited, "gi_yieldfrom", None)
        for watch in self._watches(live):
            waits = f", waits for {watch.about}"
        return line, waits


def _settle(future: Any) -> None:
    if not future.done():
        future.set_result(None)


def _handle(handle: Any, form: Callable[[Any], Form]) -> Form:
    if handle.cancelled():
        return ("cancelled",)
    callback = handle._callback
    if type(callback).__name__ in STEPS:
        tasks = [each for each in gc.get_referents(callback) if isinstance(each, asyncio.Task)]
        if tasks:
            return ("step", type(callback).__name__, *map(form, tasks), *map(form, handle._args))
    return ("call", form(callback), *map(form, handle._args))


def _context(context: contextvars.Context, form: Callable[[Any], Form]) -> Form:
    return ("context", *((each.name, form(value)) for each, value in context.items() if each is not OWNER))


class TurnLoop(Loop):
    """The loop, with a queue for each request."""

    turns: Turns

    def call_soon(
        self,
        callback: Callable[[*Arguments], object],
        *args: *Arguments,
        context: contextvars.Context | None = None,
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        inner: Any = handle
        self.turns.queue_up(handle, inner._context.get(OWNER, -1))
        return handle

    def create_task(self, coro: Any, *, name: Any = None, context: Any = None, **named: Any) -> Any:
        context = contextvars.copy_context() if context is None else context
        task = super().create_task(coro, name=name, context=context, **named)
        self.turns.new_task(task, context)
        return task

    def call_at(
        self,
        when: float,
        callback: Callable[[*Arguments], object],
        *args: *Arguments,
        context: contextvars.Context | None = None,
    ) -> Timer:
        handle = super().call_at(when, callback, *args, context=context)
        vars(handle.event)["handle"] = handle
        return handle


def patch_primitives(turns: Turns) -> None:
    """Lets locks, events, conditions and queues wait for conditions on the shared state."""
    patch_locks(turns)
    patch_events(turns)
    patch_conditions(turns)
    patch_queues(turns)


def patch_locks(turns: Turns) -> None:
    async def acquire_lock(self: Any) -> bool:
        while self._locked:
            await turns.until("a lock", self, lambda: not self._locked)
        self._locked = True
        return True

    async def acquire_permit(self: Any) -> bool:
        while self._value <= 0:
            await turns.until("a semaphore", self, lambda: self._value > 0)
        self._value -= 1
        return True

    def is_locked(_: Any) -> bool:
        raise turns.refuse("it asks a semaphore whether it is locked, which depends on who waits")

    async def wait_at_barrier(_: Any) -> int:
        raise turns.refuse("it waits at a barrier")

    substitute(asyncio.Lock, "acquire", acquire_lock)
    substitute(asyncio.Semaphore, "acquire", acquire_permit)
    substitute(asyncio.Semaphore, "locked", is_locked)
    substitute(asyncio.Barrier, "wait", wait_at_barrier)


def patch_events(turns: Turns) -> None:
    async def wait_for_event(self: Any) -> bool:
        if not self._value:
            await turns.until(
                "an event",
                self,
                lambda: self._value or "_pulsed" in vars(self),
                lambda: not self._value,
            )
        return True

    def clear_event(self: Any) -> None:
        if self._value:
            self._pulsed = True
        self._value = False

    substitute(asyncio.Event, "wait", wait_for_event)
    substitute(asyncio.Event, "clear", clear_event)


def patch_conditions(turns: Turns) -> None:
    async def wait_at_condition(self: Any) -> bool:
        if not self.locked():
            raise RuntimeError("cannot wait on un-acquired lock")
        self.release()
        try:
            await turns.until("a notification", self, lambda: "_notified" in vars(self), lambda: True)
        finally:
            await self.acquire()
        return True

    def notify(self: Any, n: int = 1) -> None:
        del n
        if not self.locked():
            raise RuntimeError("cannot notify on un-acquired lock")
        self._notified = True

    substitute(asyncio.Condition, "wait", wait_at_condition)
    substitute(asyncio.Condition, "notify", notify)
    substitute(asyncio.Condition, "notify_all", notify)


def patch_queues(turns: Turns) -> None:
    async def get_item(self: Any) -> Any:
        while self.empty():
            await turns.until("an item of a queue", self, lambda: not self.empty())
        return self.get_nowait()

    async def put_item(self: Any, item: Any) -> None:
        while self.full():
            await turns.until("room in a queue", self, lambda: not self.full())
        self.put_nowait(item)

    substitute(asyncio.Queue, "get", get_item)
    substitute(asyncio.Queue, "put", put_item)


def patch_unseen(turns: Turns, is_users: Callable[[str], bool]) -> None:
    """Refuses what lets code see more than forms tell: addresses, and numbers that only grow."""

    def refuse_to_users(function: Any, message: str) -> Any:
        def guarded(*args: Any, **named: Any) -> Any:
            if is_users(sys._getframe(1).f_code.co_filename) and turns.current is not None:
                raise turns.refuse(message)
            return function(*args, **named)

        return guarded

    substitute(builtins, "id", refuse_to_users(builtins.id, "it uses addresses (`id`)"))

    def notice() -> None:
        raise turns.refuse("it uses random numbers or fresh ids, of which there are too many")

    CHANCE.notice = notice


def prepare(loop: Loop, turns: Turns, is_users: Callable[[str], bool]) -> TurnLoop:
    """Makes this process one in which requests take turns."""
    loop.__class__ = TurnLoop
    assert isinstance(loop, TurnLoop)
    loop.turns = turns
    patch_primitives(turns)
    patch_unseen(turns, is_users)
    WORLD.choose, WORLD.pause, WORLD.make_name = turns.choose, turns.pause, turns.make_name
    RECORDER.decide, RECORDER.refuse = turns.decide, turns.refuse
    turns.watching = Watching(is_users)
    asyncio.events._set_running_loop(loop)
    loop.hook_generators()
    signal.signal(signal.SIGVTALRM, _stop_turn)
    GUARD.complaint = None
    return loop


def _stop_turn(*_: object) -> None:
    GUARD.refuse(f"a step computes for more than {SECONDS_A_TURN:g} seconds without waiting")
