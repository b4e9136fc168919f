"""A client that refreshes its token under a lock, and looks again once it has the lock."""

import asyncio


class Issuer:
    def __init__(self) -> None:
        self.issued = 0

    async def refresh(self) -> int:
        await asyncio.sleep(0.05)
        self.issued += 1
        return self.issued


class Client:
    def __init__(self) -> None:
        self.issuer = Issuer()
        self.token: int | None = None
        self.lock = asyncio.Lock()

    async def fetch(self) -> str:
        if self.token is None:
            async with self.lock:
                if self.token is None:
                    self.token = await self.issuer.refresh()
        return f"fetched with token {self.token}"
