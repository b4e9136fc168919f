"""Random packet programs: outcomes of the model against those of the interpreter, over all interleavings.

    PYTHONPATH=tests:reliability python -m packets --first 0 --cases 1000 [--most 3]

Each program is translated under one of the three models, in turn. Prints a line for each difference, and at
the end how many programs were compared. Groups of packets with too many interleavings are left out.
"""

from argparse import ArgumentParser
from collections import Counter

from seriatim.frontends.p4.models import Model
from testkit.generators.packets import comparison


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--most", type=int, default=3, help="packets at a time")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.cases):
        found = comparison(seed, list(Model)[seed % 3], options.most)
        counts["refused" if found is None else "different" if found else "equal"] += 1
        for each in found or ():
            print(f"{seed}: {each}", flush=True)  # noqa: T201 - a tool for people
        if seed % 50 == 49:
            print(f"up to {seed}: {dict(counts)}", flush=True)  # noqa: T201 - a tool for people
    print(dict(counts))  # noqa: T201 - a tool for people
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
