"""A chat room that sends to each member in turn, while members come and go.

A set that changes while a loop goes through it ends the loop with an exception: the others get nothing.
"""

import asyncio


class Room:
    def __init__(self) -> None:
        self.members = {"ann"}

    async def _send(self, member: str, text: str) -> None:
        await asyncio.sleep(0.01)

    async def join(self, member: str) -> str:
        self.members.add(member)
        return "welcome"

    async def broadcast(self) -> str:
        for member in self.members:
            await self._send(member, "hello")
        return "sent"
