"""Balances that are read before, and written after, a call to another service: money is lost or made."""

import asyncio
from typing import Literal

Name = Literal["ann", "bob"]


class Bank:
    def __init__(self):
        self.balance: dict[Literal["ann", "bob"], int] = {"ann": 1, "bob": 1}

    async def transfer(self, source: Literal["ann", "bob"], target: Literal["ann", "bob"]) -> bool:
        if source == target or self.balance[source] == 0:
            return False
        old = self.balance[source]
        await asyncio.sleep(0.1)  # fraud check
        self.balance[source] = old - 1
        if self.balance[target] < 2:
            self.balance[target] += 1
        return True

    async def total(self) -> int:
        return self.balance["ann"] + self.balance["bob"]
