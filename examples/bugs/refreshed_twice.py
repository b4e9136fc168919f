"""A client whose token runs out: each request that sees that asks for a new one.

A refresh makes the token before it invalid, so of two refreshes at the same time one gives a token that does not work.
"""

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

    async def fetch(self) -> str:
        if self.token is None:
            self.token = await self.issuer.refresh()
        return f"fetched with token {self.token}"
