"""A shop that takes the tickets first, and gives them back if the payment fails."""

import asyncio
from dataclasses import dataclass


@dataclass
class Event:
    name: str
    left: int


EVENTS = {"concert": Event("concert", 2)}


async def charge(card: str, tickets: int) -> bool:
    await asyncio.sleep(0.1)
    return True


async def buy(tickets: int) -> str:
    event = EVENTS["concert"]
    if event.left < tickets:
        return "sold out"
    event.left -= tickets
    left = event.left
    if not await charge("4242", tickets):
        event.left += tickets
        return "not paid"
    return f"{left} left"
