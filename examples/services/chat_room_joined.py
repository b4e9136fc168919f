"""Members join before the greeting is sent."""

from typing import Literal


class RoomFull(Exception):
    pass


class Room:
    def __init__(self):
        self.members: set[Literal["ann", "bob", "eve"]] = set()

    async def join(self, name: Literal["ann", "bob", "eve"], socket) -> int:
        if len(self.members) >= 2:
            raise RoomFull
        self.members.add(name)
        size = len(self.members)
        await socket.send_text("welcome")
        return size

    async def leave(self, name: Literal["ann", "bob", "eve"]) -> None:
        self.members.discard(name)
