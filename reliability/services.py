"""Random asyncio services: what `ser` sees of them against the real event loop, over all interleavings.

    PYTHONPATH=tests:reliability python -m services --first 1000 --services 100

Prints a line for each difference, and what was compared. A race that is found has to be one of the event
loop, in which nothing but `asyncio.sleep` is replaced; where none is found, it has none with as many
requests.
"""

import sys
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from testkit.oracles.real_races import compare


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--services", type=int, default=100)
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        for seed in range(given.first, given.first + given.services):
            try:
                counts[compare(seed, Path(folder))] += 1
            except AssertionError as difference:
                counts["differences"] += 1
                sys.stdout.write(f"{seed}: {difference}\n")
                sys.stdout.flush()
    sys.stdout.write(", ".join(f"{name}: {count}" for name, count in counts.items()) + "\n")


if __name__ == "__main__":
    main()
