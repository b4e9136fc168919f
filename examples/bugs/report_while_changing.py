"""A report that goes through all accounts, with a pause at each: it adds up amounts of different moments."""

import asyncio

accounts = {"ann": 60, "bob": 40}


async def read(name: str) -> int:
    await asyncio.sleep(0.01)
    return accounts[name]


async def total() -> int:
    found = 0
    for name in accounts:
        found += await read(name)
    return found


async def transfer() -> str:
    accounts["ann"] -= 10
    accounts["bob"] += 10
    return "done"
