"""The item is taken in the step that tests the queue."""

import asyncio


class Mailbox:
    def __init__(self):
        self.letters: asyncio.Queue[int] = asyncio.Queue(maxsize=2)

    async def post(self) -> str:
        if self.letters.full():
            return "full"
        self.letters.put_nowait(1)
        await asyncio.sleep(0)
        return "posted"

    async def read(self) -> str:
        try:
            self.letters.get_nowait()
        except asyncio.QueueEmpty:
            return "nothing"
        return "letter"
