"""A registration that does its slow work first, and looks and stores without a pause in between."""

import asyncio

users: dict[str, str] = {}


async def hash_password(password: str) -> str:
    await asyncio.sleep(0.1)
    return password[::-1]


async def register(name: str, password: str) -> str:
    hashed = await hash_password(password)
    if name in users:
        return "taken"
    users[name] = hashed
    return "welcome"
