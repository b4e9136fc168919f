"""A consumer that tests the queue, logs, and takes an item then: it may wait for an item that another one took."""

import asyncio


class Mailbox:
    def __init__(self):
        self.letters: asyncio.Queue[int] = asyncio.Queue(maxsize=2)

    async def post(self) -> str:
        if self.letters.full():
            return "full"
        self.letters.put_nowait(1)
        return "posted"

    async def read(self) -> str:
        if self.letters.empty():
            return "nothing"
        await asyncio.sleep(0)
        try:
            self.letters.get_nowait()
        except asyncio.QueueEmpty:
            return "lost"
        return "letter"
