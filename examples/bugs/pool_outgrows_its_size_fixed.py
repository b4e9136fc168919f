"""A pool that counts a connection before it opens it, so that the limit holds while it waits."""

import asyncio

LIMIT = 1


async def connect() -> object:
    await asyncio.sleep(0.05)
    return object()


class Pool:
    def __init__(self) -> None:
        self.open: list[object] = []
        self.count = 0

    async def grow(self) -> int:
        if self.count >= LIMIT:
            return -1
        self.count += 1
        number = self.count
        self.open.append(await connect())
        return number
