"""The table of docs/performance.md that says how far each family goes: a row for each program."""

import re
from collections.abc import Iterator, Sequence

from families import Family
from families.named import family_named
from seriatim.bench.result import VERDICTS, BenchTask, Result, Stage
from seriatim.bench.suite import measure_in_workers
from seriatim.deciding.pipeline import Options
from seriatim.source import SourceText
from seriatim.systems.limits import Limits

SIZES = {
    "bank": (48, 192),
    "counter": (20_000, 100_000),
    "journal": (8, 16, 32),
    "key_value": (10, 20),
    "locked_counter": (1_536, 6_144),
    "locks": (96, 320),
    "modular": (5, 7),
    "ring": (96, 192),
    "ring_rw": (96, 192),
    "semaphore": (3_072,),
    "snapshot": (8, 16, 24),
    "ticket_lock": (24, 48, 96),
    "transfers": (6, 8, 16, 32),
    "transfers_broken": (8,),
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

HEADER = (
    "| program | verdict by | CPU, s | of these re-check | peak, MB | states searched | pairs in closures"
    " | states re-checked |\n|---|---|--:|--:|--:|--:|--:|--:|\n"
)

ROW = re.compile(r"^\| (\S+) ([\d,]+) \|.*\n", re.MULTILINE)


def measured(family: Family, size: int) -> Result:
    source = SourceText(family.file_name(size), family.text(size))
    task = BenchTask(source, Stage.CHECK, PATIENCE, LIMITS, Options().max_memory)
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


def known(table: str) -> dict[tuple[str, int], str]:
    """The rows that a table has, by family and size."""
    return {(m[1], int(m[2].replace(",", ""))): m[0] for m in ROW.finditer(table)}


def family_table(before: str, names: Sequence[str]) -> Iterator[str]:
    """The table again after each program of these families; all other rows stay as they are."""
    rows = {key: line for key, line in known(before).items() if key[1] in SIZES.get(key[0], ())}
    for name in names:
        family = family_named(name)
        for size in SIZES.get(name, family.sizes[-1:]):
            rows[name, size] = row(family, size, measured(family, size))
            yield written(rows)


def written(rows: dict[tuple[str, int], str]) -> str:
    """The table with these rows, by name and size."""
    return HEADER + "".join(rows[key] for key in sorted(rows))
