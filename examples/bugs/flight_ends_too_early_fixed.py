"""Requests that share one load of a value, which is in the cache before the flight is removed."""

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
        self.value = found
        self.flight.set_result(found)
        self.flight = None
        return found
