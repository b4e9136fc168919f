"""An event loop that runs only what belongs to the request whose turn it is.

Tasks, locks and futures are those of asyncio. Whose callback something is, its context tells: each request
runs in a context of its own, which its tasks, and the callbacks that they register, inherit.
"""

import asyncio
import inspect
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextvars import Context, ContextVar, copy_context
from typing import Any, TypeVarTuple

Arguments = TypeVarTuple("Arguments")

OWNER: ContextVar[int] = ContextVar("owner", default=-1)
"""The request that something belongs to; -1 for what belongs to nobody."""


class SteppingLoop(asyncio.SelectorEventLoop):
    """Keeps callbacks by owner, and runs them when told to, in order."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file = file
        """The user's."""
        self.kept: dict[int, deque[asyncio.Handle]] = {}
        self.timers: dict[int, list[asyncio.TimerHandle]] = {}
        self.lines: dict[asyncio.TimerHandle, int] = {}
        """Where limits of time were set."""
        self.tasks: dict[int, list[asyncio.Task[Any]]] = {}
        """The tasks of each request, as they were made; the first one executes its handler."""
        self.set_exception_handler(lambda *_: None)
        self.set_task_factory(self._make_task)

    def _make_task(self, _: asyncio.AbstractEventLoop, coroutine: Any, **given: Any) -> "asyncio.Task[Any]":
        task = asyncio.Task(coroutine, loop=self, **given)
        context: Context = given.get("context") or copy_context()
        self.tasks.setdefault(context.get(OWNER, -1), []).append(task)
        return task

    def call_soon(
        self, callback: Callable[[*Arguments], object], *args: *Arguments, context: Context | None = None
    ) -> asyncio.Handle:
        context = copy_context() if context is None else context
        handle = asyncio.Handle(callback, args, self, context)
        self.kept.setdefault(context.get(OWNER, -1), deque()).append(handle)
        return handle

    def call_at(
        self,
        when: float,
        callback: Callable[[*Arguments], object],
        *args: *Arguments,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Time passes only when told to."""
        context = copy_context() if context is None else context
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self.timers.setdefault(context.get(OWNER, -1), []).append(handle)
        frame = sys._getframe()
        while frame.f_back is not None and frame.f_code.co_filename != self.file:
            frame = frame.f_back
        self.lines[handle] = frame.f_lineno
        return handle

    def is_ready(self, owner: int) -> bool:
        return any(not handle.cancelled() for handle in self.kept.get(owner, ()))

    def run_next(self, owner: int) -> "asyncio.Task[Any] | None":
        """Runs the next callback of an owner; the task that goes on by it, if any does."""
        kept = self.kept.get(owner, deque())
        while kept:
            handle = kept.popleft()
            if handle.cancelled():
                continue
            self._perform(handle)
            task = getattr(getattr(handle, "_callback"), "__self__", None)  # noqa: B009 - types do not know it
            return task if isinstance(task, asyncio.Task) else None
        return None

    def _perform(self, handle: asyncio.Handle) -> None:
        asyncio.events._set_running_loop(self)
        try:
            handle._run()
        finally:
            asyncio.events._set_running_loop(None)

    def limits(self, owner: int) -> list[asyncio.TimerHandle]:
        """The limits of time that a request may reach."""
        return [handle for handle in self.timers.get(owner, ()) if not handle.cancelled()]

    def reach_limit(self, owner: int, handle: asyncio.TimerHandle) -> None:
        self.timers[owner].remove(handle)
        self._perform(handle)

    def is_cancelling(self, owner: int) -> bool:
        """Whether a task waits for the end of another one that it has cancelled."""
        return any(
            coroutine.cr_code is CANCEL_AND_WAIT
            for task in self.tasks[owner]
            if not task.done()
            for coroutine in list_coroutines(task)
        )

    def start(self, owner: int, make: Callable[[], Any]) -> "asyncio.Task[Any]":
        """A task for a request, in a context of its own; it has not begun yet."""
        context = copy_context()
        context.run(OWNER.set, owner)
        asyncio.events._set_running_loop(self)
        try:
            return context.run(lambda: self.create_task(make(), context=context))
        finally:
            asyncio.events._set_running_loop(None)


_waiting = getattr(asyncio.tasks, "_cancel_and_wait", None)
CANCEL_AND_WAIT = None if _waiting is None else _waiting.__code__
"""The coroutine by which a task waits for another one that it has cancelled."""


def list_coroutines(task: "asyncio.Task[Any]") -> Iterator[Any]:
    """The coroutines of a task that waits, the outermost first."""
    coroutine: Any = task.get_coro()
    while inspect.iscoroutine(coroutine):
        yield coroutine
        coroutine = coroutine.cr_await
