"""Workers that look for a free job, write to the log, and take the job then: two of them do the same work."""

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
        await asyncio.sleep(0)
        self.status = Status.TAKEN
        return True

    async def finish(self) -> bool:
        if self.status is Status.TAKEN:
            self.status = Status.DONE
            return True
        return False
