"""Load on the server of the page: many clients ask for a while. What fails, grows, or is left behind?

    .venv/bin/python benchmarks/page_load.py --clients 50 --seconds 60

It starts `ser play` itself, prints a table, and ends with 1 if a request failed, a process was left behind,
or memory kept growing.
"""

import asyncio
import os
import random
import signal
import sys
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from statistics import median, quantiles
from time import monotonic

import httpx

ROOT = Path(__file__).parents[1]
ENTRY = "from seriatim.cli.entry import run; run()"
PROGRAMS = sorted(ROOT.glob("examples/*.ser"))
SECONDS_TO_END = 5.0
"""For processes that notice that the server has ended."""

GROWTH = 1.15
"""How much more memory than in the second quarter the last one may need."""


def questions(chance: random.Random) -> tuple[str, dict[str, object]]:
    """What a page asks: mostly checks, sometimes something else."""
    path = chance.choice(PROGRAMS)
    source: dict[str, object] = {"name": path.name, "text": path.read_text("utf-8")}
    kind = chance.choices(("check", "explore", "format", "draw"), (70, 15, 10, 5))[0]
    return kind, source | ({"moves": [0, 0]} if kind == "explore" else {})


def tree(root: int) -> list[int]:
    """A process and those that descend from it, from /proc."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                status = (folder / "stat").read_text()
            except OSError:
                continue
            parents[int(folder.name)] = int(status.rpartition(")")[2].split()[1])
    found = [root]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def resident(root: int) -> int:
    """Bytes of a process and its descendants."""
    pages = 0
    for process in tree(root):
        try:
            pages += int(Path(f"/proc/{process}/statm").read_text().split()[1])
        except OSError:
            continue
    return pages * os.sysconf("SC_PAGE_SIZE")


class Load:
    def __init__(self, address: str, ends: float) -> None:
        self.address = address
        self.ends = ends
        self.statuses: Counter[str] = Counter()
        self.times: list[float] = []
        self.hung_up = 0

    async def client(self, number: int) -> None:
        chance = random.Random(number)
        async with httpx.AsyncClient(timeout=120) as http:
            while monotonic() < self.ends:
                kind, body = questions(chance)
                if chance.random() < 0.05:
                    await self.hang_up(http, kind, body)
                    continue
                began = monotonic()
                try:
                    found = await http.post(f"{self.address}api/{kind}", json=body)
                    lost = found.status_code == 200 and "SER974" in found.text
                    self.statuses["lost" if lost else str(found.status_code)] += 1
                except httpx.HTTPError as error:
                    self.statuses[type(error).__name__] += 1
                self.times.append(monotonic() - began)

    async def hang_up(self, http: httpx.AsyncClient, kind: str, body: dict[str, object]) -> None:
        """Somebody types on: the answer is not wanted any more."""
        try:
            await http.post(f"{self.address}api/{kind}", json=body, timeout=0.05)
        except httpx.TimeoutException:
            self.hung_up += 1


async def measure(clients: int, seconds: float, jobs: int) -> int:
    command = [sys.executable, "-c", ENTRY, "play", "--no-browser", "--port", "0", "--jobs", str(jobs)]
    server = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert server.stdout is not None
    line = (await server.stdout.readline()).decode()
    load = Load(line.removeprefix("The page is at ").strip(), monotonic() + seconds)
    working = asyncio.gather(*(load.client(number) for number in range(clients)))
    memory: list[int] = []
    while not working.done():
        memory.append(resident(server.pid))
        await asyncio.wait([working], timeout=1.0)
    await working
    family = tree(server.pid)
    server.send_signal(signal.SIGTERM)
    await server.wait()
    return report(load, memory, await left_of(family), clients, seconds)


async def left_of(family: list[int]) -> list[int]:
    """Those processes that are still there after a while."""
    ends = monotonic() + SECONDS_TO_END
    while True:
        left = [process for process in family if Path(f"/proc/{process}").exists()]
        if not left or monotonic() > ends:
            return left
        await asyncio.sleep(0.1)


def report(load: Load, memory: list[int], left: list[int], clients: int, seconds: float) -> int:
    quarter = max(1, len(memory) // 4)
    early, late = median(memory[quarter : 2 * quarter]), median(memory[-quarter:])
    slowest = quantiles(load.times, n=100)[-1]
    rows = {
        "clients, seconds": f"{clients}, {seconds:g}",
        "answers": f"{load.statuses['200']:,} ({load.statuses['200'] / seconds:.0f} a second)",
        "hung up on": f"{load.hung_up:,}",
        "failed": f"{load.statuses.total() - load.statuses['200']}  {dict(load.statuses)}",
        "time of an answer, median and 99 %": f"{median(load.times):.2f} s, {slowest:.2f} s",
        "memory of all processes, early and late": f"{early / 2**20:.0f} MB, {late / 2**20:.0f} MB",
        "processes left behind": str(len(left)),
    }
    for name, value in rows.items():
        sys.stdout.write(f"{name:<42} {value}\n")
    return int(bool(left) or load.statuses.keys() != {"200"} or late > GROWTH * early)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    sys.exit(asyncio.run(measure(given.clients, given.seconds, given.jobs)))


if __name__ == "__main__":
    main()
