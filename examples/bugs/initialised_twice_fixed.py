"""A client that one request makes, under a lock, while the others wait for it."""

import asyncio


class Client:
    def __init__(self) -> None:
        self.is_connected = False

    async def connect(self) -> None:
        await asyncio.sleep(0.05)
        self.is_connected = True


_client: Client | None = None
_lock = asyncio.Lock()


async def get_client() -> Client:
    global _client
    async with _lock:
        if _client is None:
            client = Client()
            await client.connect()
            _client = client
    return _client
