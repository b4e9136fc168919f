"""Writes a long log with times, of a register or a map that works: for `ser history`.

python benchmarks/logs.py register|map ENTRIES PATH

Processes (5 for a register, 10 for a map of 100 keys) ask one request after the other; each takes effect at
some time between its start and its end.
"""

import json
import sys
from heapq import heappop, heappush
from pathlib import Path
from random import Random
from typing import TextIO

KEYS = 100


def write_log(model: str, entries: int, out: TextIO) -> None:
    random = Random(1)
    values: dict[int, int] = {}
    agenda: list[tuple[float, int, str]] = []
    asked: dict[int, tuple[float, str, int, int | None]] = {}
    answers: dict[int, object] = {}
    begun = 0
    for process in range(5 if model == "register" else 10):
        heappush(agenda, (random.random(), process, "begin"))
    while agenda:
        now, process, what = heappop(agenda)
        if what == "begin":
            if begun == entries:
                continue
            begun += 1
            key = random.randrange(KEYS) if model == "map" else 0
            value = begun if random.random() < 0.5 else None
            asked[process] = now, request_text(model, key, value), key, value
            heappush(agenda, (now + random.random() / 2, process, "act"))
        elif what == "act":
            _, _, key, value = asked[process]
            answers[process] = values.get(key) if value is None else "ok"
            if value is not None:
                values[key] = value
            heappush(agenda, (now + random.random() / 2, process, "end"))
        else:
            start, request, _, _ = asked[process]
            entry = {"request": request, "answer": answers[process]}
            out.write(json.dumps(entry | {"start": round(start, 6), "end": round(now, 6)}) + "\n")
            heappush(agenda, (now + random.random() * 0.3, process, "begin"))


def request_text(model: str, key: int, value: int | None) -> str:
    if model == "map":
        return f"get({key})" if value is None else f"put({key},{value})"
    return "read" if value is None else f"write({value})"


if __name__ == "__main__":
    with Path(sys.argv[3]).open("w", encoding="utf-8") as file:
        write_log(sys.argv[1], int(sys.argv[2]), file)
