"""Test and claim happen between two awaits."""

import asyncio
from enum import Enum


class Status(Enum):
    FREE = "free"
    TAKEN = "taken"
    DONE = "done"


class Board:
    def __init__(self):
        self.status = Status.FREE

    async def claim(self) -> bool:
        if self.status is not Status.FREE:
            return False
        self.status = Status.TAKEN
        await asyncio.sleep(0)
        return True

    async def finish(self) -> bool:
        if self.status is Status.TAKEN:
            self.status = Status.DONE
            return True
        return False
