"""Two people sign up with the same name: the name is looked up before the password is hashed."""

import asyncio
from typing import Literal


class Accounts:
    def __init__(self):
        self.owner: dict[Literal["neo"], Literal["ann", "bob"]] = {}

    async def sign_up(self, name: Literal["neo"], person: Literal["ann", "bob"]) -> str:
        if name in self.owner:
            return "taken"
        await asyncio.sleep(0.2)  # hashing
        self.owner[name] = person
        return "welcome"
