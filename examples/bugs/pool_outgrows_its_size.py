"""A pool that compares its size with the limit, opens a connection, and only then counts it.

Requests that arrive while the connection is being opened see the old size, and all of them open one.
"""

import asyncio

LIMIT = 1


async def connect() -> object:
    await asyncio.sleep(0.05)
    return object()


class Pool:
    def __init__(self) -> None:
        self.open: list[object] = []

    async def grow(self) -> int:
        if len(self.open) >= LIMIT:
            return -1
        self.open.append(await connect())
        return len(self.open)
