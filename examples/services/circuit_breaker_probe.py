"""The first call opens the breaker while it tries the backend; the others are rejected meanwhile."""

import asyncio


class Breaker:
    def __init__(self, backend):
        self.backend = backend
        self.is_open = True
        self.lock = asyncio.Lock()

    async def call(self) -> str:
        async with self.lock:
            works = await self.backend.request()  # ser: opaque -> bool
            self.is_open = not works
            return "failed" if self.is_open else "ok"
