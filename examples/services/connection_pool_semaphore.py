"""A semaphore guards the handshake; the index moves before it."""

import asyncio


class Pool:
    def __init__(self):
        self.next = 0
        self.handshakes = asyncio.Semaphore(2)

    async def acquire(self) -> int | None:
        if self.next == 2:
            return None
        mine = self.next
        self.next = mine + 1
        async with self.handshakes:
            await asyncio.sleep(0.01)
        return mine
