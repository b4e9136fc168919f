"""`self.visits += await …` reads the counter first: visits are lost."""


class Page:
    def __init__(self, store):
        self.store = store
        self.visits = 0

    async def visit(self) -> int:
        self.visits += await self.store.weight()  # ser: opaque -> 1..1
        return self.visits
