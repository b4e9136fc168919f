"""A registration that looks whether a name is taken, computes the hash of the password, and then stores both."""

import asyncio

users: dict[str, str] = {}


async def hash_password(password: str) -> str:
    await asyncio.sleep(0.1)
    return password[::-1]


async def register(name: str, password: str) -> str:
    if name in users:
        return "taken"
    users[name] = await hash_password(password)
    return "welcome"
