"""One transfer at a time."""

import asyncio
from typing import Literal


class Bank:
    def __init__(self):
        self.balance: dict[Literal["ann", "bob"], int] = {"ann": 1, "bob": 1}
        self.lock = asyncio.Lock()

    async def transfer(self, source: Literal["ann", "bob"], target: Literal["ann", "bob"]) -> bool:
        async with self.lock:
            if source == target or self.balance[source] == 0 or self.balance[target] == 2:
                return False
            old = self.balance[source]
            await asyncio.sleep(0.1)  # fraud check
            self.balance[source] = old - 1
            self.balance[target] += 1
            return True

    async def total(self) -> int:
        async with self.lock:
            return self.balance["ann"] + self.balance["bob"]
