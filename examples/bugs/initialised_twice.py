"""A client that is made when it is first needed. Two requests at the same time make two, and one is never closed."""

import asyncio


class Client:
    def __init__(self) -> None:
        self.is_connected = False

    async def connect(self) -> None:
        await asyncio.sleep(0.05)
        self.is_connected = True


_client: Client | None = None


async def get_client() -> Client:
    global _client
    if _client is None:
        client = Client()
        await client.connect()
        _client = client
    return _client
