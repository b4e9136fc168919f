"""A cache that answers what it has just loaded, though another request has filled it meanwhile."""

from typing import Literal

Key = Literal["home", "about"]


class Pages:
    def __init__(self, origin):
        self.origin = origin
        self.cache: dict[Literal["home", "about"], Literal["v1", "v2"]] = {}

    async def page(self, key: Literal["home", "about"]) -> str:
        if key in self.cache:
            return self.cache[key]
        text = await self.origin.load(key)
        self.cache[key] = text
        return text

    async def cached(self, key: Literal["home", "about"]) -> str | None:
        return self.cache.get(key)
