"""A room for two: the number of members is tested before the greeting is sent."""

from typing import Literal


class RoomFull(Exception):
    pass


class Room:
    def __init__(self):
        self.members: set[Literal["ann", "bob", "eve"]] = set()

    async def join(self, name: Literal["ann", "bob", "eve"], socket) -> int:
        if len(self.members) >= 2:
            raise RoomFull
        await socket.send_text("welcome")
        self.members.add(name)
        return len(self.members)

    async def leave(self, name: Literal["ann", "bob", "eve"]) -> None:
        self.members.discard(name)
