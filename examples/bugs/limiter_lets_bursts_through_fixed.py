"""A limit of one call: requests are counted when they begin."""

import asyncio

LIMIT = 1


class Limiter:
    def __init__(self) -> None:
        self.begun = 0

    async def call(self) -> str:
        if self.begun >= LIMIT:
            return "too many requests"
        self.begun += 1
        await asyncio.sleep(0.02)
        return "ok"
