"""One run of some requests on the real asyncio, decided by a list of choices.

Only what the world decides is a choice: when requests arrive, which timer or which awaited call of a stand-in
comes next, and facts about unknown values. All the rest is asyncio's: its tasks, futures, locks and queues,
and one queue of ready callbacks, first in, first out. As in asyncio's own loop, arrivals, timers and answers
join the queue between two of its rounds, never within one.

Timers of one request come in the order of their times. A limit of time (`asyncio.timeout`, `wait_for`) is
reached only where nothing else can happen. `Wishes` make more of the world a choice: limits that are
reached at any time, calls that fail, requests that are cancelled.
"""

import asyncio
import contextvars
import datetime
import os
import random
import secrets
import signal
import sys
import time
import uuid
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from types import FrameType
from typing import Any, NoReturn, TypeVar, TypeVarTuple

from seriatim.frontends.python.sandbox import GUARD
from seriatim.frontends.python.stand_ins import FRESH, WORLD, StandIn, is_shared
from seriatim.frontends.python.texts import describe, is_told_whole
from seriatim.frontends.python.wishes import NO_WISHES, Wishes

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")

OWNER: contextvars.ContextVar[int] = contextvars.ContextVar("owner", default=-1)
"""The number of the request that a callback belongs to; -1 is the service itself."""

MOST_CALLBACKS, MOST_PAUSES = 2_000, 150
"""Callbacks of one run, and calls that it awaits, after which it is said to have no end."""

SECONDS_A_TURN = 3.0
NOON = 1_700_000_000.0
"""Where the clock stands."""


CALLS = "the calls outside"
"""The name under which calls of stand-ins are compared, as a part of the state."""


class Endless(Exception):
    """A run has more callbacks than it may."""


ENDS_PROGRAM = (SystemExit, KeyboardInterrupt)
"""What a loop does not catch: the program is over, with all its requests."""


@dataclass(eq=False)
class Pending:
    """Something that the world will do: let a call return, or a timer ring."""

    owner: int
    about: str
    happen: Callable[[], None]
    when: float = 0.0
    """The time of a timer; calls that are awaited have none, and come in any order."""
    is_limit: bool = False
    """Whether it is a limit of time."""
    is_timer: bool = False


class Timer(asyncio.TimerHandle):
    """A timer that knows its event."""

    __slots__ = ("event",)
    event: Pending
    _context: contextvars.Context


class Loop(asyncio.BaseEventLoop):
    """An event loop whose clock stands still and whose outside world is a list of pending events."""

    _ready: deque[Any]

    def __init__(self) -> None:
        super().__init__()
        self.pending: list[Pending] = []
        self.clocks: dict[int, float] = {}
        """How late it is for each request: as late as its last timer."""
        self.set_debug(False)
        for name in WITHOUT_PROTOCOL:
            setattr(self, name, partial(_call_outside, name))
        for name in WITH_PROTOCOL:
            setattr(self, name, partial(_connect_outside, name))
        for name in ("add_signal_handler", "remove_signal_handler"):
            setattr(self, name, lambda *_: None)  # Nobody sends signals.

    def time(self) -> float:
        return self.clocks.get(OWNER.get(), 0.0)

    def call_at(
        self,
        when: float,
        callback: Callable[[*Arguments], object],
        *args: *Arguments,
        context: contextvars.Context | None = None,
    ) -> Timer:
        asked: Any = when
        if isinstance(asked, StandIn):
            when = self.time() + 1.0  # How long something unknown takes makes no difference.
        handle = Timer(when, callback, args, self, context)
        module = getattr(getattr(callback, "__func__", callback), "__module__", "") or ""
        name = getattr(callback, "__name__", "")
        is_limit = module.startswith("asyncio") and name != "_set_result_unless_cancelled"
        owner = handle._context.get(OWNER, -1)
        event = Pending(owner, "a timer", lambda: None, when, is_limit, is_timer=True)

        def ring() -> None:
            self.pending.remove(event)
            self.clocks[owner] = max(when, self.clocks.get(owner, 0.0))
            if not handle.cancelled():
                self._ready.append(handle)

        event.happen = ring
        handle.event = event
        self.pending.append(event)
        return handle

    def _timer_handle_cancelled(self, handle: Any) -> None:
        self.pending = [each for each in self.pending if each is not handle.event]

    def call_soon_threadsafe(
        self,
        callback: Callable[[*Arguments], object],
        *args: *Arguments,
        context: contextvars.Context | None = None,
    ) -> asyncio.Handle:
        return self.call_soon(callback, *args, context=context)

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*Arguments], Result], *args: *Arguments
    ) -> NoReturn:
        """Refuses threads."""
        del executor, args
        inner: Any = func
        while isinstance(inner, partial) and inner.args:
            inner = inner.args[0]  # `to_thread` wraps it.
        GUARD.refuse(
            f"`{getattr(inner, '__qualname__', inner)}` runs in a thread, beside the event loop;"
            " threads can be interrupted anywhere, which is not checked"
        )

    def hook_generators(self) -> None:
        """Lets this loop close asynchronous generators that nobody uses any more, as `run_forever` does."""
        hooks = vars(asyncio.BaseEventLoop)
        sys.set_asyncgen_hooks(
            firstiter=partial(hooks["_asyncgen_firstiter_hook"], self),
            finalizer=partial(hooks["_asyncgen_finalizer_hook"], self),
        )

    def call_exception_handler(self, context: Any) -> None:
        """Says nothing: the answer tells."""

    def take_round(self) -> int:
        """Runs the callbacks that are ready now; returns how many there were."""
        ready = self._ready
        count = len(ready)
        for _ in range(count):
            handle = ready.popleft()
            if not handle.cancelled():
                handle._run()
        return count

    @property
    def is_idle(self) -> bool:
        return not self._ready


WITH_PROTOCOL = (
    "create_connection", "create_unix_connection", "create_datagram_endpoint", "subprocess_exec",
    "subprocess_shell", "connect_read_pipe", "connect_write_pipe",
)  # fmt: skip
"""What a loop does outside with a protocol of the caller's."""

WITHOUT_PROTOCOL = (
    "create_server", "create_unix_server", "getaddrinfo", "getnameinfo", "sock_connect", "sock_accept",
    "sock_recv", "sock_sendall", "start_tls", "sendfile",
)  # fmt: skip


async def _call_outside(name: str, *_: Any, **__: Any) -> Any:
    return await StandIn(f"loop.{name}")()


async def _connect_outside(name: str, factory: Callable[[], Any], *_: Any, **__: Any) -> Any:
    """Pauses, and gives a new protocol to something unknown."""
    protocol = factory()
    await StandIn(f"loop.{name}")()
    transport = StandIn("transport")
    if hasattr(protocol, "connection_made"):
        protocol.connection_made(transport)
    return transport, protocol


@dataclass
class Choice:
    """A choice that a run made: which of how many, and what about."""

    taken: int
    count: int
    about: str
    is_arrangement: bool = False
    """Whether it only joined the queue while others were ready: it matters if something is ready after."""
    matters: bool = True


@dataclass
class Request:
    """A request: a function and its arguments, made again in each run."""

    label: str
    function: str
    make: Callable[[], Awaitable[Any]]
    number: int = 0
    """Its place among the requests of its service."""
    integers: tuple[tuple[str, int], ...] = ()
    """The parameters that may be any integers, with their values here."""
    remake: "Callable[[dict[str, Callable[[], Any]]], Request] | None" = None
    """Makes the same request with other integers."""


@dataclass
class Turn:
    """What a request did between two others: its lines, the state after it, and its answer."""

    request: int
    lines: list[int]
    state: dict[str, str]
    """What is different from the start."""
    answer: str | None = None


@dataclass
class Outcome:
    """What a run came to."""

    answers: list[str | None]
    """The answers of the requests; None where one is still waiting."""
    state: dict[str, str] | None
    """What is different from the start at the end; None while tasks in the background go on for ever."""
    choices: list[Choice]
    calls: list[str]
    awaited: list[str]
    entered: list[str]
    turns: list[Turn] = field(default_factory=list)
    complaint: str | None = None
    is_endless: bool = False
    has_drawn: bool = False
    """Whether random numbers were used: another run may draw others."""
    cancelled: int | None = None
    """The request that was cancelled."""
    met: list[int | str] = field(default_factory=list)
    """Keys of the state that an answer names, so that other requests may name them."""
    unkept: list[str] = field(default_factory=list)
    """What requests share and the run wrote to, but does not keep: it is of a package that is not there."""
    ended_by: list[int] = field(default_factory=list)
    """The request that has ended the whole program; -1 for a task of its own, empty if there is none."""


class Run:
    """A run in a process of its own. Nothing is set back afterwards: the process ends."""

    def __init__(
        self,
        loop: Loop,
        requests: Sequence[Request],
        prefix: Sequence[int],
        look: Callable[[], dict[str, str]],
        file: str,
        *,
        alone: int,
        traces: bool = False,
        wishes: Wishes = NO_WISHES,
        keys: Callable[[], set[int | str]] | None = None,
    ) -> None:
        """`alone` requests, the first ones, answer one after the other before others arrive; `keys` tells the
        keys of the state."""
        self.loop, self.requests, self.prefix, self.file = loop, requests, prefix, file
        self.look_inside, self.keys = look, keys
        self.alone, self.traces, self.wishes = alone, traces, wishes
        self.cancelled: int | None = None
        self.has_failed = False
        self.pauses = 0
        self.met: list[int | str] = []
        self.choices: list[Choice] = []
        self.tasks: list[asyncio.Task[Any]] = []
        self.answers: list[str | None] = [None] * len(requests)
        self.turns: list[Turn] = []
        self.lines: list[int] = []
        self.identities: dict[int, tuple[str, Any]] = {}
        """The names of objects that were answered; the objects stay alive, so that ids stay theirs."""

    # Choices

    def choose(self, count: int, about: str) -> int:
        """One of several possibilities: as the prefix says, else the first."""
        number = len(self.choices)
        taken = self.prefix[number] if number < len(self.prefix) else 0
        self.choices.append(Choice(taken, count, about))
        return taken

    def look(self) -> dict[str, str]:
        """What is different from the start."""
        found = self.look_inside()
        if self.wishes.calls:
            found[CALLS] = describe_calls(WORLD.calls)
        return found

    async def pause(self, about: str) -> None:
        """Waits until the world lets a call return; it may fail."""
        self.pauses += 1
        future = self.loop.create_future()
        event = Pending(OWNER.get(), about, lambda: None)

        def happen() -> None:
            self.loop.pending.remove(event)
            if not future.done():
                future.set_result(None)

        event.happen = happen
        self.loop.pending.append(event)
        try:
            await future
        finally:
            if event in self.loop.pending:
                self.loop.pending.remove(event)
        if self.wishes.failures and not self.has_failed and self.choose(2, f"{about} fails"):
            self.has_failed = True
            raise WORLD.make_failure(about)

    def possible_events(self) -> list[Pending]:
        """What the world may do next."""
        found = [each for each in self.loop.pending if not each.is_timer]
        firsts: dict[int, Pending] = {}
        for each in self.loop.pending:
            if each.is_timer and (self.wishes.timeouts or not each.is_limit):
                known = firsts.get(each.owner)
                firsts[each.owner] = each if known is None or each.when < known.when else known
        return [*found, *firsts.values()]

    def possible_victims(self) -> list[int]:
        """The requests that may be cancelled now."""
        if not self.wishes.cancels or self.cancelled is not None:
            return []
        return [number for number, task in enumerate(self.tasks) if not task.done()]

    def _cancel(self, number: int) -> None:
        self.cancelled = number
        self.tasks[number].cancel()

    def next_arrival(self) -> int | None:
        """The request that may arrive next; they arrive in the order of the list."""
        number = len(self.tasks)
        if number == len(self.requests) or None in self.answers[: min(number, self.alone)]:
            return None
        return number

    # The run

    def perform(self) -> Outcome:
        """Makes the run; everything that it does is decided by the prefix."""
        WORLD.choose, WORLD.pause = self.choose, self.pause
        WORLD.make_name = CHANCE.make_name
        CHANCE.start(self.requests)
        earlier = set(WORLD.calls)
        WORLD.calls, WORLD.written, WORLD.entered, WORLD.awaited = [], [], [], []
        asyncio.events._set_running_loop(self.loop)
        self.loop.hook_generators()
        signal.signal(signal.SIGVTALRM, _stop_turn)
        GUARD.is_active, GUARD.complaint = True, None
        is_endless = False
        ended_by: list[int] = []
        state: dict[str, str] | None = None
        try:
            self._go_on()
            state = self._final_state()
        except Endless:
            is_endless = True
        except ENDS_PROGRAM:
            ended_by = [number for number, task in enumerate(self.tasks) if has_ended_program(task)] or [-1]
        finally:
            GUARD.is_active = False
        met = [] if self.keys is None else [each for each in self.met if each in self.keys()]
        return Outcome(
            self.answers,
            state,
            self.choices,
            list(WORLD.calls),
            list(WORLD.awaited),
            list(WORLD.entered),
            self.turns,
            GUARD.complaint,
            is_endless,
            CHANCE.has_drawn,
            self.cancelled,
            met,
            sorted({each for each in WORLD.written if is_shared(each, {*WORLD.calls} - earlier)}),
            ended_by,
        )

    def _go_on(self) -> None:
        """Rounds of the loop, until all requests have answered or nothing can happen any more."""
        callbacks = 0
        while GUARD.complaint is None:
            arranged = self._arrange()
            if self.loop.is_idle:
                return
            callbacks += self._take_round()
            self._answer_for_cancelled()
            for choice in arranged:
                choice.matters = not self.loop.is_idle
            if callbacks > MOST_CALLBACKS or self.pauses > MOST_PAUSES:
                raise Endless
            if len(self.tasks) == len(self.requests) and None not in self.answers:
                return

    def _answer_for_cancelled(self) -> None:
        """A request that was cancelled before it began has no code that could answer."""
        number = self.cancelled
        if number is not None and self.answers[number] is None and self.tasks[number].done():
            self.answers[number] = "raise CancelledError"

    def _arrange(self) -> list[Choice]:
        """Lets the world act between two rounds; returns choices that may make no difference."""
        arranged: list[Choice] = []
        while True:
            arrival, events = self.next_arrival(), self.possible_events()
            options: list[Callable[[], None]] = []
            names: list[str] = []
            is_busy = not self.loop.is_idle
            if is_busy:
                options.append(lambda: None)
                names.append("go on")
            if arrival is not None:
                options.append(self._arrive)
                names.append("arrival")
            options += [each.happen for each in events]
            names += [each.about for each in events]
            if not is_busy and not options:
                limits = [each for each in self.loop.pending if each.is_limit]
                if None in self.answers[: len(self.tasks)] and limits:
                    options.append(min(limits, key=lambda each: each.when).happen)
                    names.append("a limit of time")
            victims = self.possible_victims()
            options += [partial(self._cancel, number) for number in victims]
            names += [f"request {number + 1} is cancelled" for number in victims]
            if not options:
                return arranged
            taken = 0
            if len(options) > 1:
                taken = self.choose(len(options), " or ".join(names))
                self.choices[-1].is_arrangement = is_busy
                if is_busy:
                    arranged.append(self.choices[-1])
            options[taken]()
            if is_busy and taken == 0:
                return arranged

    def _arrive(self) -> None:
        number = len(self.tasks)
        context = contextvars.copy_context()
        context.run(OWNER.set, number)
        task = self.loop.create_task(self._serve(number), context=context, name=f"request-{number}")
        self.tasks.append(task)

    async def _serve(self, number: int) -> None:
        """A request from its arrival to its answer, which is told at once: what it refers to may change."""
        try:
            found = await self.requests[number].make()
            self.answers[number] = describe(found) + self._identity(found)
            self.met += plain_values(found)
        except asyncio.CancelledError:
            self.answers[number] = "raise CancelledError"
        except Exception as error:  # noqa: BLE001 - the user's code may raise anything
            self.answers[number] = f"raise {describe(error)}"

    def _identity(self, answer: Any) -> str:
        """A mark that tells objects apart that only their identity tells apart."""
        if is_told_whole(answer):
            return ""
        if id(answer) not in self.identities:
            self.identities[id(answer)] = (CHANCE.make_name(), answer)
        return f" [{self.identities[id(answer)][0]}]"

    def _take_round(self) -> int:
        if not self.traces:
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_A_TURN)
            try:
                return self.loop.take_round()
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        ready = self.loop._ready
        count = len(ready)
        for _ in range(count):
            self._take_traced(ready.popleft())
        return count

    def _take_traced(self, handle: Any) -> None:
        """Runs one callback and notes what it did, as part of a turn of its request."""
        if handle.cancelled():
            return
        owner = handle._context.get(OWNER, -1)
        self.lines = []
        before = self.answers[owner] if owner >= 0 else None
        sys.settrace(self._trace)
        try:
            handle._run()
        finally:
            sys.settrace(None)
        answer = self.answers[owner] if owner >= 0 and before is None else None
        state = self.look()
        last = self.turns[-1] if self.turns else None
        if last is not None and last.request == owner and last.answer is None:
            last.lines += self.lines
            last.state, last.answer = state, answer
        elif self.lines or answer is not None:
            self.turns.append(Turn(owner, self.lines, state, answer))

    def _trace(self, frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename != self.file:
            return None
        if event == "line" and (not self.lines or self.lines[-1] != frame.f_lineno):
            self.lines.append(frame.f_lineno)
        return self._trace

    def _final_state(self) -> dict[str, str] | None:
        """The shared state after the last answer; None while tasks in the background wait for something."""
        callbacks = 0
        while not self.loop.is_idle and callbacks <= MOST_CALLBACKS:
            callbacks += self._take_round()
        return None if self.possible_events() or not self.loop.is_idle else self.look()


def has_ended_program(task: "asyncio.Task[Any]") -> bool:
    return task.done() and not task.cancelled() and isinstance(task.exception(), ENDS_PROGRAM)


ALIKE = 8
"""How many equal requests of a run have different ids."""


def plain_values(answer: Any, depth: int = 0) -> list[int | str]:
    """The numbers and words in an answer."""
    if type(answer) in (int, str):
        return [answer]
    if depth > 3:
        return []
    inside: list[Any] = []
    if isinstance(answer, dict):
        inside = list(answer.values())
    elif isinstance(answer, list | tuple):
        inside = list(answer)
    elif isinstance(getattr(answer, "__dict__", None), dict) and not callable(answer):
        inside = list(vars(answer).values())
    return [found for each in inside[:8] for found in plain_values(each, depth + 1)]


def describe_calls(calls: Sequence[str]) -> str:
    """Calls of stand-ins as text; which of the unknown values they name does not count."""
    counts = Counter(FRESH.sub("…", each) for each in calls)
    return ", ".join(f"{name} ×{count}" for name, count in sorted(counts.items())) or "none"


class Chance:
    """Random numbers and fresh ids: the same in each run, whatever the order of the requests.

    Each request has a sequence of random numbers of its own, and ids that no other request gets.
    """

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.bases: list[int] = []
        self.sequences: dict[int, random.Random] = {}
        self.drawn: dict[int, int] = {}
        self.has_drawn = False
        """Whether this run has used random numbers."""
        self.notice: Callable[[], None] = lambda: None
        """Is called before something is drawn."""

    def start(self, requests: Sequence[Request]) -> None:
        self.labels, self.has_drawn = [each.label for each in requests], False
        numbers = [each.number for each in requests]
        self.bases = [number * ALIKE + numbers[:at].count(number) + 1 for at, number in enumerate(numbers)]

    def base(self, owner: int) -> int:
        """What the ids of a request begin with: the same in whatever order the requests arrive."""
        return 0 if owner < 0 or not self.bases else self.bases[owner]

    def draw(self, name: str, *args: Any, **named: Any) -> Any:
        """Calls a function of `random` for the request that is running."""
        self.notice()
        owner = OWNER.get()
        self.has_drawn = True
        if owner not in self.sequences:
            self.sequences[owner] = random.Random(self.labels[owner] if owner >= 0 else "")
        return getattr(self.sequences[owner], name)(*args, **named)

    def make_id(self, *_: object) -> uuid.UUID:
        self.notice()
        owner = OWNER.get()
        self.drawn[owner] = self.drawn.get(owner, 0) + 1
        # What differs comes first: some code cuts ids to their first digits.
        return uuid.UUID(int=(self.base(owner) << 120) | (self.drawn[owner] << 96) | (0xF5E5 << 80))

    def make_name(self) -> str:
        """A name for a value that may turn out to be equal to another one, unlike an id."""
        return self.make_id().hex.replace("f5e5", "f5e6", 1)

    def draw_bytes(self, count: int) -> bytes:
        found: bytes = self.draw("randbytes", count)
        return found


CHANCE = Chance()


class StillDatetime(datetime.datetime):
    """The date on which the clock stands."""

    @classmethod
    def now(cls, tz: Any = None) -> "StillDatetime":
        return cls.fromtimestamp(NOON, tz)

    @classmethod
    def utcnow(cls) -> "StillDatetime":
        return cls.fromtimestamp(NOON)


def substitute(owner: object, name: str, value: object) -> None:
    """Puts something else in the place of what a module or an object has."""
    setattr(owner, name, value)


def still_the_world() -> None:
    """Stops the clock and tames chance in this process, before the user's modules are loaded."""
    for name in ("time", "monotonic", "perf_counter"):
        setattr(time, name, lambda: NOON)
    for name in ("time_ns", "monotonic_ns", "perf_counter_ns"):
        setattr(time, name, lambda: int(NOON) * 10**9)
    substitute(time, "sleep", lambda _: None)
    substitute(datetime, "datetime", StillDatetime)
    for name in dir(random):
        if isinstance(getattr(getattr(random, name), "__self__", None), random.Random):
            setattr(random, name, partial(CHANCE.draw, name))
    substitute(os, "urandom", CHANCE.draw_bytes)
    substitute(random, "_urandom", CHANCE.draw_bytes)
    for name in ("uuid1", "uuid4"):
        setattr(uuid, name, CHANCE.make_id)
    for name, size in (("token_hex", 32), ("token_urlsafe", 32), ("token_bytes", 32)):
        setattr(secrets, name, partial(_token, name, size))


def _token(name: str, _: int, *__: object) -> str | bytes:
    fresh = CHANCE.make_id().hex
    return fresh.encode() if name == "token_bytes" else fresh


def _stop_turn(*_: object) -> None:
    GUARD.refuse(f"a step computes for more than {SECONDS_A_TURN:g} seconds without waiting")


def finish(work: Coroutine[Any, Any, Any], loop: Loop) -> tuple[bool, Any]:
    """Runs a coroutine, as `asyncio.run` does at import, each call answering at once; returns whether it has
    ended, and what it has returned."""
    task = loop.create_task(work)
    for _ in range(MOST_CALLBACKS):
        if task.done():
            return True, task.result()
        if loop.is_idle:
            if not loop.pending:
                return False, None
            min(loop.pending, key=lambda each: each.when).happen()
        loop.take_round()
    return False, None
