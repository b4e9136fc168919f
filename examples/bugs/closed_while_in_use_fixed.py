"""A request that keeps the session it began with, whatever happens to the browser meanwhile."""

import asyncio


class Session:
    async def get(self, path: str) -> str:
        await asyncio.sleep(0.02)
        return f"page {path}"


class Browser:
    def __init__(self) -> None:
        self.session: Session | None = Session()

    async def visit(self) -> str:
        session = self.session
        if session is None:
            return "closed"
        first = await session.get("/")
        second = await session.get("/next")
        return f"{first}, {second}"

    async def close(self) -> str:
        self.session = None
        return "closed"
