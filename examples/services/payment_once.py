"""An idempotency key that is remembered only after the payment: a retry pays twice."""

import asyncio
from typing import Annotated, Literal


class Range:
    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high


class Payments:
    def __init__(self):
        self.seen: set[Literal["k1", "k2"]] = set()
        self.charged: Annotated[int, Range(0, 3)] = 0

    async def pay(self, key: Literal["k1", "k2"]) -> int:
        if key in self.seen:
            return 0
        await asyncio.sleep(0.1)
        if self.charged < 3:
            self.charged += 1
        self.seen.add(key)
        return 1
