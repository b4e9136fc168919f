"""The lock lets one request make the pool; the test is repeated under it."""

import asyncio


class Database:
    def __init__(self):
        self.pool = None
        self.lock = asyncio.Lock()

    async def connect(self):
        if self.pool is None:
            async with self.lock:
                if self.pool is None:
                    self.pool = await make_pool()
        return self.pool
