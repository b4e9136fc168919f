"""Seats are reserved before the payment, and given back if that fails."""

from typing import Literal


class Shop:
    def __init__(self, bank):
        self.bank = bank
        self.seats = 2

    async def buy(self, count: Literal[1, 2]) -> bool:
        if self.seats < count:
            return False
        self.seats -= count
        return True
