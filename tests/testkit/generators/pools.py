"""Random services whose queues are filled at the start."""

from random import Random

STEPS = (
    "c = await self.q.get()",
    "c = await self.q.get()",
    "self.q.put_nowait(c)",
    "await self.q.put(c)",
    "self.q.put_nowait(2)",
    "await asyncio.sleep(0)",
    "await asyncio.sleep(0)",
    "await call()  # ser: opaque raises ValueError",
    "if self.q.empty():\n            return 'empty'",
    "if self.q.qsize() > 1:\n            c = self.q.get_nowait()",
    "try:\n            c = self.q.get_nowait()\n        except asyncio.QueueEmpty:\n            pass",
    "try:\n            await call()  # ser: opaque raises ValueError\n"
    "        finally:\n            self.q.put_nowait(c)",
)


def pool_text(seed: int) -> str:
    """A class with a queue of any kind, filled in one of several ways, and one or two coroutines."""
    random = Random(seed)
    kind, size = random.choice(("Queue", "LifoQueue")), random.randint(1, 3)
    is_bounded = random.random() < 0.7
    made = f"asyncio.{kind}({size})" if is_bounded else f"asyncio.{kind}()  # ser: at most 13"
    filled = random.randint(0, size)
    fills = {
        "range": f"for i in range({filled}):\n            self.q.put_nowait(i)",
        "tuple": f"for i in {tuple(random.choices((0, 1, 'a', None), k=filled))}:\n"
        "            self.q.put_nowait(i)",
        "each": "\n        ".join(["pass", *(f"self.q.put_nowait({number})" for number in range(filled))]),
    }
    lines = ["import asyncio", "class Pool:", "    def __init__(self):", f"        self.q = {made}"]
    lines.append(f"        {random.choice(sorted(fills.values()))}")
    for name in ("f", "g")[: random.randint(1, 2)]:
        lines += [f"    async def {name}(self):", "        c = 0"]
        lines += [f"        {random.choice(STEPS)}" for _ in range(random.randint(2, 5))]
        lines.append(f"        return {random.choice(('c', 'self.q.qsize()', repr('done')))}")
    return "\n".join(lines) + "\n"
