"""The weight is known before the counter is read."""


class Page:
    def __init__(self, store):
        self.store = store
        self.visits = 0

    async def visit(self) -> int:
        weight = await self.store.weight()  # ser: opaque -> 1..1
        self.visits = (self.visits + weight) % 4
        return self.visits
