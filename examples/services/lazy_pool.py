"""A pool that is made when it is first needed, and by two requests at once."""

import asyncio


class Database:
    def __init__(self):
        self.pool = None

    async def connect(self):
        if self.pool is None:
            self.pool = await make_pool()
        return self.pool


async def _make_pool():
    await asyncio.sleep(0.1)
    return object()


make_pool = _make_pool
