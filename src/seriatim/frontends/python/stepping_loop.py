"""An event loop that runs only what belongs to the request whose turn it is.

Tasks, locks and futures are those of asyncio. Whose callback something is, its context tells: each request
runs in a context of its own, which its tasks, and the callbacks that they register, inherit.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from typing import Any, TypeVarTuple

Arguments = TypeVarTuple("Arguments")

OWNER: ContextVar[int] = ContextVar("owner", default=-1)
"""The request that something belongs to; -1 for what belongs to nobody."""

MAX_CALLBACKS = 100_000
"""In one turn: more than that means that a request never waits."""


class Endless(Exception):
    """A request goes on and on without waiting for anything."""


class SteppingLoop(asyncio.SelectorEventLoop):
    """Keeps callbacks by owner, and runs them when told to."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[int, deque[asyncio.Handle]] = {}

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
        """Time does not pass here."""
        return asyncio.TimerHandle(when, callback, args, self, context)

    def is_ready(self, owner: int) -> bool:
        return any(not handle.cancelled() for handle in self.kept.get(owner, ()))

    def run(self, owner: int, stop: Callable[[], bool]) -> None:
        """Runs what belongs to an owner until it waits, or until it should stop."""
        kept = self.kept.setdefault(owner, deque())
        asyncio.events._set_running_loop(self)
        try:
            for _ in range(MAX_CALLBACKS):
                if not kept or stop():
                    return
                handle = kept.popleft()
                if not handle.cancelled():
                    handle._run()
            raise Endless
        finally:
            asyncio.events._set_running_loop(None)

    def start(self, owner: int, make: Callable[[], Any]) -> "asyncio.Task[Any]":
        """A task for a request, in a context of its own; it has not begun yet."""
        context = copy_context()
        context.run(OWNER.set, owner)

        def begin() -> "asyncio.Task[Any]":
            return asyncio.Task(make(), loop=self, context=context)

        asyncio.events._set_running_loop(self)
        try:
            return context.run(begin)
        finally:
            asyncio.events._set_running_loop(None)
