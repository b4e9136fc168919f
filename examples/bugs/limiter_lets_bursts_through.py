"""A limit of one call: requests are counted when they end, so those that come together all get in."""

import asyncio

LIMIT = 1


class Limiter:
    def __init__(self) -> None:
        self.done = 0

    async def call(self) -> str:
        if self.done >= LIMIT:
            return "too many requests"
        await asyncio.sleep(0.02)
        self.done += 1
        return "ok"
