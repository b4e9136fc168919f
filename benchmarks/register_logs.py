"""Writes a log of requests about one register, with many in flight: for `ser history register`.

python benchmarks/register_logs.py cas|different REQUESTS CLIENTS PATH [SEED]

Each client has one request after the other. With `cas`, values are few, and many requests compare and set;
with `different`, no value is written twice. One request in a hundred is never answered. The last read of
a log with an odd SEED answers what was overwritten long before.
"""

import json
import sys
from pathlib import Path
from random import Random


def write_log(kind: str, count: int, clients: int, path: Path, seed: int) -> None:
    random, value, written = Random(seed), "null", 0
    events: list[tuple[int, str]] = []
    entries: dict[int, dict[str, object]] = {}
    running: dict[int, int] = {}
    pending: dict[int, str] = {}
    clock = 0
    while len(events) < count or running:
        clock += 1
        client = random.randrange(clients)
        if client not in running:
            if len(events) < count:
                written += 1
                pending[client] = draw(kind, random, written)
                running[client] = len(events)
                entries[len(events)] = {"request": pending[client], "start": clock}
                events.append((clock, pending[client]))
            continue
        number = running[client]
        if client in pending:  # It takes effect now.
            value, answer = execute(pending.pop(client), value)
            entries[number]["answer"] = answer
        elif random.random() < 0.01:
            del entries[number]["answer"]
            del running[client]
        else:
            entries[number]["end"] = clock
            del running[client]
    if seed % 2:
        reads = [entry for entry in entries.values() if entry["request"] == "read" and "end" in entry]
        old = reads[len(reads) // 2]["answer"]
        entries[len(entries)] = {"request": "read", "answer": old, "start": clock + 1, "end": clock + 2}
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries.values()), "utf-8")


def draw(kind: str, random: Random, written: int) -> str:
    if random.random() < 0.4:
        return "read"
    if kind == "different":
        return f"write({written})"
    if random.random() < 0.5:
        return f"write({random.randrange(5)})"
    return f"cas({random.randrange(5)},{random.randrange(5)})"


def execute(request: str, value: str) -> tuple[str, object]:
    head, _, rest = request.partition("(")
    if head == "read":
        return value, None if value == "null" else int(value)
    if head == "write":
        return rest[:-1], "ok"
    old, new = rest[:-1].split(",")
    return (new, True) if value == old else (value, False)


if __name__ == "__main__":
    kind, count, clients, path, *rest = sys.argv[1:]
    write_log(kind, int(count), int(clients), Path(path), int(rest[0]) if rest else 0)
