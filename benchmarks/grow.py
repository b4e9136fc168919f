"""How far each family goes: larger and larger programs, until one is not decided within some CPU time.

python benchmarks/grow.py [--seconds S] [FAMILY]…
"""

import argparse
import math
import sys
from collections.abc import Iterator, Sequence

from families import FAMILIES, Family
from families.named import family_named
from seriatim.bench.result import VERDICTS, BenchTask, Result, Stage
from seriatim.bench.suite import measure_in_workers
from seriatim.deciding.pipeline import Options
from seriatim.source import SourceText
from seriatim.systems.limits import Limits

PATIENCE = 10
"""Wall-clock time allowed for a second of CPU time: the machine may be shared."""

LIMITS = Limits(max_states=10_000_000, max_value=10_000_000)
"""Out of the way: here time is what counts."""

MAX_SIZE = 100_000
"""Where to stop if nothing else does."""

LARGE = 12
"""Sizes grow one by one up to here, then they double."""

Sized = tuple[int, Result]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="How far each family goes within some CPU time.")
    parser.add_argument(
        "--seconds", type=positive, default=10.0, help="CPU time for each program (default: 10)"
    )
    parser.add_argument("families", nargs="*", type=family_named, metavar="FAMILY")
    options = parser.parse_args(arguments)
    sys.stdout.write(HEADER)
    is_wrong = False
    for family in options.families or FAMILIES.values():
        solved: list[Sized] = []
        failed: Sized | None = None
        for size, result in growing(family, options.seconds):
            if VERDICTS.get(result.outcome) is (not family.is_serializable):
                sys.stdout.write(f"WRONG VERDICT: {family.file_name(size)}: {result.outcome}\n")
                is_wrong = True
            if is_solved(family, result, options.seconds):
                solved.append((size, result))
            else:
                failed = (size, result)
        sys.stdout.write(row(family, solved, failed))
        sys.stdout.flush()
    return 1 if is_wrong else 0


def positive(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < math.inf:
        raise ValueError
    return seconds


def growing(family: Family, seconds: float) -> Iterator[Sized]:
    """The results of larger and larger programs, until one is not solved in time."""
    size = family.sizes[0]
    while True:
        source = SourceText(family.file_name(size), family.text(size))
        task = BenchTask(source, Stage.CHECK, PATIENCE * seconds, LIMITS, Options().max_memory)
        ((_, result),) = measure_in_workers([task], jobs=1)
        yield size, result
        if size == MAX_SIZE or not is_solved(family, result, seconds):
            return
        size = min(MAX_SIZE, 2 * size if size >= LARGE else size + 1)


def is_solved(family: Family, result: Result, seconds: float) -> bool:
    return VERDICTS.get(result.outcome) is family.is_serializable and result.seconds <= seconds


HEADER = """\
| family | largest | method | seconds | re-check | peak MB | next |
|---|--:|---|--:|--:|--:|---|
"""


def row(family: Family, solved: Sequence[Sized], failed: Sized | None) -> str:
    """A line of a Markdown table."""
    stopped = "" if failed is None else f"{failed[0]:,}: {obstacle(failed[1])}"
    if not solved:
        return f"| {family.name} | – | | | | | {stopped} |\n"
    size, result = solved[-1]
    recheck = result.recheck_seconds or 0.0
    peak = "" if result.peak_bytes is None else f"{result.peak_bytes / 1e6:,.0f}"
    return (
        f"| {family.name} | {size:,} | {result.method} | {result.seconds:.2f} |"
        f" {recheck:.2f} | {peak} | {stopped} |\n"
    )


def obstacle(result: Result) -> str:
    """Why the next size is not solved, in a few words."""
    if result.outcome in VERDICTS:
        return f"{result.seconds:.1f} s"
    reason = (result.reason or "no verdict").partition(";")[0].replace("|", "/")
    return f"{result.outcome.value}, {result.seconds:.1f} s ({reason})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
