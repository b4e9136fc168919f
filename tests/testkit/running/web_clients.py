"""The server of the page, asked without a socket; shared by tests of the page."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio
import httpx

from seriatim.web.questions import Room
from seriatim.web.server import application

Found = TypeVar("Found")

PORT = 8000
LOST_UPDATE = "X := 0\nrequest inc { x := X; yield; X := x + 1; x }\n"
_MIXED = range(10)
ENDLESS = "\n".join(
    [f"A{n} in 0..9 wrap := 0" for n in _MIXED]
    + [
        f"request r{j} {{ lock(L); yield; "
        + " ".join(f"A{n} := A{n} + A{(n + j + 1) % 10} + {j + 1}; yield;" for n in _MIXED)
        + f" x := A{j}; unlock(L); x }}"
        for j in range(4)
    ]
)
"""Takes more time than anybody gives it."""


@asynccontextmanager
async def client(room: Room, workers: int = 1) -> AsyncIterator[httpx.AsyncClient]:
    app = application(PORT, workers, room, None)
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://127.0.0.1:{PORT}") as found:
            yield found


def asked(work: Callable[[httpx.AsyncClient], Awaitable[Found]], room: Room | None = None) -> Found:
    """What comes of some work with a client."""

    async def go() -> Found:
        async with client(room or Room()) as found:
            return await work(found)

    return anyio.run(go)
