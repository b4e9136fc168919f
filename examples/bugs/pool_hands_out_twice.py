"""A pool that looks for a free connection, checks its health, and only then marks it as taken.

While it waits for the health check, the next request finds the same connection free.
"""

import asyncio


class Connection:
    def __init__(self, number: int) -> None:
        self.number = number
        self.is_free = True

    async def ping(self) -> None:
        await asyncio.sleep(0.01)


class Pool:
    def __init__(self) -> None:
        self.connections = [Connection(1), Connection(2)]

    async def acquire(self) -> int | None:
        for connection in self.connections:
            if connection.is_free:
                await connection.ping()
                connection.is_free = False
                return connection.number
        return None

    async def release(self, number: int) -> None:
        self.connections[number - 1].is_free = True
