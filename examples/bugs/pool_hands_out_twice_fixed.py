"""A pool that marks a connection as taken before it waits for the health check.

No request finds it free in between.
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
                connection.is_free = False
                await connection.ping()
                return connection.number
        return None

    async def release(self, number: int) -> None:
        self.connections[number - 1].is_free = True
