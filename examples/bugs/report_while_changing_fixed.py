"""A report about one moment: it copies what it adds up before it pauses."""

import asyncio

accounts = {"ann": 60, "bob": 40}


async def show(amount: int) -> None:
    await asyncio.sleep(0.01)


async def total() -> int:
    found = 0
    for amount in list(accounts.values()):
        await show(amount)
        found += amount
    return found


async def transfer() -> str:
    accounts["ann"] -= 10
    accounts["bob"] += 10
    return "done"
