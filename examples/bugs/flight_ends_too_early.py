"""Requests that share one load of a value: the flight is removed before its value is in the cache.

A request that comes in between finds neither, and loads the value again.
"""

import asyncio


class Cache:
    def __init__(self) -> None:
        self.value: int | None = None
        self.flight: asyncio.Future[int] | None = None
        self.loads = 0

    async def _load(self) -> int:
        self.loads += 1
        number = self.loads
        await asyncio.sleep(0.05)
        return number

    async def get(self) -> int:
        if self.value is not None:
            return self.value
        if self.flight is not None:
            return await asyncio.shield(self.flight)
        self.flight = asyncio.get_running_loop().create_future()
        found = await self._load()
        self.flight.set_result(found)
        self.flight = None
        await asyncio.sleep(0)
        self.value = found
        return found
