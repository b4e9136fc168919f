"""A session that is closed while a request uses it: after its pause, the request finds None."""

import asyncio


class Session:
    async def get(self, path: str) -> str:
        await asyncio.sleep(0.02)
        return f"page {path}"


class Browser:
    def __init__(self) -> None:
        self.session: Session | None = Session()

    async def visit(self) -> str:
        if self.session is None:
            return "closed"
        first = await self.session.get("/")
        second = await self.session.get("/next")
        return f"{first}, {second}"

    async def close(self) -> str:
        self.session = None
        return "closed"
