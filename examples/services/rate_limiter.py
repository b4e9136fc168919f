"""A limiter that counts after it has asked for the time: too many calls pass."""

import asyncio

LIMIT = 2


class Limiter:
    def __init__(self):
        self.used = 0

    async def call(self) -> bool:
        if self.used >= LIMIT:
            return False
        await asyncio.sleep(0)
        self.used += 1
        return True

    async def reset(self) -> None:
        self.used = 0
