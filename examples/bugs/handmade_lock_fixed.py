"""A lock made of futures that is handed over: it stays held while the next in line wakes up."""

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
        if self.waiters:
            self.waiters.pop(0).set_result(None)
        else:
            self.is_held = False


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
