"""Writes a history of transactions, as Jepsen would record it from a database: for `ser history`.

python benchmarks/transaction_logs.py lists|registers strict|snapshot TRANSACTIONS PATH [STALE]

Twenty clients ask for transactions of one to four operations about ten keys at a time; a key is retired
after 64 writes. The database is strictly serializable, or has snapshots, where the first of two writers wins.
STALE transactions read from a snapshot and write all the same.
"""

import sys
from pathlib import Path
from random import Random
from typing import TextIO

CLIENTS, KEYS, WRITES = 20, 10, 64

Operation = tuple[str, int, int]
"""A name, a key, and the value that is written."""


class Database:
    def __init__(self) -> None:
        self.values: dict[int, list[int]] = {}

    def sizes(self, operations: list[Operation]) -> dict[int, int]:
        """How much was written to each key so far."""
        return {key: len(self.values.get(key, ())) for _, key, _ in operations}

    def execute(self, operations: list[Operation], sizes: dict[int, int], has_lists: bool) -> str:
        """Executes a transaction on a snapshot; what it read and wrote, as EDN."""
        seen = {key: self.values.get(key, [])[:size] for key, size in sizes.items()}
        words: list[str] = []
        for name, key, value in operations:
            if name != "r":
                seen[key].append(value)
                self.values.setdefault(key, []).append(value)
                words.append(f"[:{name} {key} {value}]")
            elif has_lists:
                words.append(f"[:r {key} [{' '.join(map(str, seen[key]))}]]")
            else:
                words.append(f"[:r {key} {seen[key][-1] if seen[key] else 'nil'}]")
        return f"[{' '.join(words)}]"


def write_history(kind: str, mode: str, count: int, stale: int, out: TextIO) -> None:
    random, database = Random(1), Database()
    has_lists = kind == "lists"
    keys, written = list(range(KEYS)), dict[int, int]()
    running: dict[int, tuple[list[Operation], dict[int, int], str | None]] = {}
    stale_ones = set(random.sample(range(count), stale))
    begun = 0
    while begun < count or running:
        client = random.randrange(CLIENTS)
        if client not in running:
            if begun < count:
                operations = draw(random, keys, written, "append" if has_lists else "w")
                asked = " ".join(f"[:{f} {k} {'nil' if f == 'r' else v}]" for f, k, v in operations)
                out.write(f"{{:type :invoke, :f :txn, :value [{asked}], :process {client}}}\n")
                is_snapshot = mode == "snapshot" or begun in stale_ones
                running[client] = operations, database.sizes(operations) if is_snapshot else {}, None
                begun += 1
            continue
        operations, sizes, result = running[client]
        if result is None:
            now = database.sizes(operations)
            lost = mode == "snapshot" and any(f != "r" and sizes[k] != now[k] for f, k, _ in operations)
            result = "" if lost else database.execute(operations, sizes or now, has_lists)
            running[client] = operations, sizes, result
        else:
            word = "ok" if result else "fail"
            out.write(f"{{:type :{word}, :f :txn, :value {result or 'nil'}, :process {client}}}\n")
            del running[client]


def draw(random: Random, keys: list[int], written: dict[int, int], name: str) -> list[Operation]:
    found: list[Operation] = []
    for _ in range(random.randint(1, 4)):
        place = random.randrange(KEYS)
        key = keys[place]
        if random.random() < 0.5:
            found.append(("r", key, 0))
            continue
        written[key] = written.get(key, 0) + 1
        found.append((name, key, written[key]))
        if written[key] == WRITES:
            keys[place] = max(keys) + 1
    return found


if __name__ == "__main__":
    kind, mode, count, path, *rest = sys.argv[1:]
    with Path(path).open("w", encoding="utf-8") as file:
        write_history(kind, mode, int(count), int(rest[0]) if rest else 0, file)
