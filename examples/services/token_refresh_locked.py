"""One request refreshes at a time; the others find the new token."""

import asyncio


class InvalidGrant(Exception):
    pass


class Session:
    def __init__(self):
        self.is_valid = False
        self.token = 0
        self.accepted = 0
        self.lock = asyncio.Lock()

    async def call(self) -> bool:
        async with self.lock:
            if not self.is_valid:
                await self._refresh()
        return True

    async def expire(self) -> None:
        self.is_valid = False

    async def _refresh(self) -> None:
        mine = self.token
        await asyncio.sleep(0.1)  # the request travels
        if mine != self.accepted:
            raise InvalidGrant
        self.accepted = 1 - self.accepted
        fresh = self.accepted
        await asyncio.sleep(0.1)  # the answer travels
        self.token = fresh
        self.is_valid = True
