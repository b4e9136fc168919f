"""Measures what docs/performance.md says about the families, and writes it there.

python benchmarks/page.py [FAMILY]…

With families, only their rows are measured anew; all others stay as they are.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from families import Family
from families.named import family_named
from seriatim.bench.result import VERDICTS, Result, Stage, Task
from seriatim.bench.suite import measure_in_workers
from seriatim.deciding.pipeline import Options
from seriatim.source import SourceText
from seriatim.systems.limits import Limits

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"

SIZES = {
    "bank": (48, 192),
    "counter": (20_000, 100_000),
    "key_value": (10, 20),
    "locked_counter": (1_536, 6_144),
    "locks": (96, 320),
    "modular": (5, 7),
    "ring": (96, 192),
    "ring_rw": (96, 192),
    "semaphore": (3_072,),
    "snapshot": (6, 8),
    "ticket_lock": (24, 48, 96),
    "transfers": (5, 6),
    "bank_broken": (48,),
    "counter_broken": (100_000,),
    "flips_broken": (200, 1_000),
    "key_value_broken": (12,),
    "observer_broken": (48, 100),
    "ring_broken": (64,),
    "ticket_lock_broken": (12,),
}

LIMITS = Limits(max_states=10_000_000, max_value=10_000_000)
"""Out of the way: here time is what counts."""

PATIENCE = 600.0
"""Wall-clock seconds for each program: the machine may be shared."""

BEGIN, END = "<!-- begin: benchmarks/page.py -->", "<!-- end: benchmarks/page.py -->"

HEADER = (
    "| program | verdict by | CPU, s | of these re-check | peak, MB | states searched | pairs in closures"
    " | states re-checked |\n|---|---|--:|--:|--:|--:|--:|--:|\n"
)

ROW = re.compile(r"^\| (\S+) ([\d,]+) \|.*\n", re.MULTILINE)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Measure the families and write the table of the page.")
    parser.add_argument("families", nargs="*", type=family_named, metavar="FAMILY")
    options = parser.parse_args(arguments)
    wanted = [family.name for family in options.families] or list(SIZES)
    rows = {(name, size): line for name, size, line in known(PAGE.read_text("utf-8"))}
    for name in wanted:
        family = family_named(name)
        for size in SIZES.get(name, family.sizes[-1:]):
            line = row(family, size, measured(family, size))
            sys.stdout.write(line)
            sys.stdout.flush()
            rows[name, size] = line
            PAGE.write_text(renewed(PAGE.read_text("utf-8"), rows), "utf-8")
    return 0


def measured(family: Family, size: int) -> Result:
    source = SourceText(family.file_name(size), family.text(size))
    task = Task(source, Stage.CHECK, PATIENCE, LIMITS, Options().max_memory)
    ((_, result),) = measure_in_workers([task], jobs=1)
    return result


def row(family: Family, size: int, result: Result) -> str:
    """A line of the table; raises `AssertionError` if the verdict is wrong."""
    name = f"{family.name} {size:,}"
    if result.outcome not in VERDICTS:
        return f"| {name} | undecided | {result.seconds:.1f} | | | | | |\n"
    assert VERDICTS[result.outcome] is family.is_serializable, f"{name}: {result.outcome}"
    recheck, peak = result.recheck_seconds or 0.0, (result.peak_bytes or 0) / 1e6
    counts = " | ".join(f"{count or 0:,}" for count in (result.searched, result.closed, result.checked))
    return f"| {name} | {result.method} | {result.seconds:.1f} | {recheck:.1f} | {peak:,.0f} | {counts} |\n"


def known(page: str) -> list[tuple[str, int, str]]:
    """The rows that the page has: family, size, line."""
    table = page[page.index(BEGIN) : page.index(END)]
    return [(m[1], int(m[2].replace(",", "")), m[0]) for m in ROW.finditer(table)]


def renewed(page: str, rows: dict[tuple[str, int], str]) -> str:
    """The page with these rows in its table, by name and size."""
    start, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    table = HEADER + "".join(rows[key] for key in sorted(rows))
    return f"{page[:start]}\n\n{table}\n{page[end:]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
