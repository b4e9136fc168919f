"""The key is claimed before the payment, and given back if that fails."""

from typing import Literal


class CardDeclined(Exception):
    pass


class Payments:
    def __init__(self, bank):
        self.bank = bank
        self.claimed: set[Literal["k1", "k2"]] = set()

    async def pay(self, key: Literal["k1", "k2"]) -> str:
        if key in self.claimed:
            return "duplicate"
        self.claimed.add(key)
        await self.bank.charge(key)
        return "paid"
