"""A lock made of futures: who waits is woken, and takes the lock without looking whether it is still free.

A request that arrives after the release and before the woken one goes on takes the lock as well.
"""

import asyncio


class Lock:
    def __init__(self) -> None:
        self.is_held = False
        self.waiters: list[asyncio.Future[None]] = []

    async def acquire(self) -> None:
        if self.is_held:
            turn = asyncio.get_running_loop().create_future()
            self.waiters.append(turn)
            await turn
        self.is_held = True

    def release(self) -> None:
        self.is_held = False
        if self.waiters:
            self.waiters.pop(0).set_result(None)


class Counter:
    def __init__(self) -> None:
        self.lock = Lock()
        self.value = 0

    async def increment(self) -> int:
        await self.lock.acquire()
        seen = self.value
        await asyncio.sleep(0.01)
        self.value = seen + 1
        self.lock.release()
        return seen + 1
