"""Compares searches that drop dominated states with searches that explore everything, and with brute force.

python reliability/domination.py FIRST LAST

For each seed: a random network system, a random program and a random program whose globals count requests.
With one, two or any number of requests in flight, all searches find violations with as few requests. With up
to three requests, brute force over the rules alone says the same, unless a limit hides states from the
searches; with up to five, only searches are compared. Each run that is found is replayed.
"""

import sys
from collections import Counter
from pathlib import Path
from random import Random
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

MOST_REQUESTS = 5


def compare(seed: int, kind: str, found: Counter[str]) -> None:
    from seriatim.systems.run import replays
    from testkit.generators.cases import KINDS
    from testkit.oracles.domination_comparisons import runs_found

    given = KINDS[kind](Random(seed))
    fewest = given.fewest()
    found["systems"] += 1
    found["systems with a violation of at most three requests"] += fewest is not None
    for in_flight in (1, 2, None):
        for requests in (given.requests, MOST_REQUESTS):
            runs, shows_all = runs_found(given, in_flight, requests)
            found["comparisons"] += bool(runs)
            found["comparisons with a violation"] += bool(runs) and runs[0] is not None
            sizes = {None if run is None else run.requests() for run in runs}
            assert all(run is None or replays(run, given.unfolding) for run in runs)
            if shows_all and in_flight is None and requests == given.requests:
                assert sizes == {fewest}, f"{kind} {seed}: brute force finds {fewest}, searches {sizes}"
                found["comparisons with brute force"] += 1


def main(first: int, last: int) -> None:
    found: Counter[str] = Counter()
    began = process_time()
    for seed in range(first, last):
        for kind in ("system", "program", "counter"):
            try:
                compare(seed, kind, found)
            except AssertionError as error:
                sys.stdout.write(f"{kind} {seed}: {error}\n")
                found["differences"] += 1
    figures = ", ".join(f"{number:,} {words}" for words, number in sorted(found.items()))
    sys.stdout.write(f"seeds {first} to {last - 1}: {figures}; {process_time() - began:.0f} s of CPU\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
