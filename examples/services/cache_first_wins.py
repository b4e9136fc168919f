"""The request that loads first fills the cache; all of them answer what is in it."""

from typing import Literal


class Pages:
    def __init__(self, origin):
        self.origin = origin
        self.cache: dict[Literal["home", "about"], Literal["v1", "v2"]] = {}

    async def page(self, key: Literal["home", "about"]) -> str:
        if key not in self.cache:
            text = await self.origin.load(key)
            self.cache.setdefault(key, text)
        return self.cache[key]
