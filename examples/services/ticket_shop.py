"""Overselling: the number of seats is tested before the payment and changed after it."""

from typing import Literal


class Shop:
    def __init__(self, bank):
        self.bank = bank
        self.seats = 2

    async def buy(self, count: Literal[1, 2]) -> bool:
        if self.seats < count:
            return False
        paid = await self.bank.charge(count)
        if not paid:
            return False
        self.seats -= count
        return True

    async def left(self) -> int:
        return self.seats
