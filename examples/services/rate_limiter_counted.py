"""Test and count happen between two awaits."""

import asyncio

LIMIT = 2


class Limiter:
    def __init__(self):
        self.used = 0

    async def call(self) -> bool:
        if self.used >= LIMIT:
            return False
        self.used += 1
        await asyncio.sleep(0)
        return True

    async def reset(self) -> None:
        self.used = 0
