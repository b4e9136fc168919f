"""The password is hashed first; then the name is looked up and taken."""

import asyncio
from typing import Literal


class Accounts:
    def __init__(self):
        self.owner: dict[Literal["neo"], Literal["ann", "bob"]] = {}

    async def sign_up(self, name: Literal["neo"], person: Literal["ann", "bob"]) -> str:
        await asyncio.sleep(0.2)  # hashing
        if name in self.owner:
            return "taken"
        self.owner[name] = person
        return "welcome"
