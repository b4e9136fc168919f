"""How much work programs of the families take, in counts that do not depend on the machine.

python benchmarks/work.py             compares with work.tsv, and says what takes more
python benchmarks/work.py --accept    records the counts of today in work.tsv
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from families import FAMILIES
from seriatim.deciding.answer import THE_ANSWER_ALONE
from seriatim.deciding.pipeline import Options, work_out
from seriatim.frontends.all import read_input
from seriatim.source import SourceText

RECORDED = Path(__file__).with_name("work.tsv")
COUNTED = ("searched", "closed", "asked", "checked")
"""States of searches, pairs of closures, questions to solvers, states of the re-check."""

WORDS = {
    "searched": "states searched",
    "closed": "pairs in closures",
    "asked": "questions to solvers",
    "checked": "states re-checked",
}

TOLERANCE = 1.2
SLACK = 50
"""A count may grow by a fifth, and by so many in any case."""

HOW_TO_ACCEPT = "if that is worth it, record it: .venv/bin/python benchmarks/work.py --accept"

SIZES = {
    "unbounded": 2,
    "unbounded_broken": 4,
    "transfers": 8,
    "transfers_broken": 6,
    "transfers_written": 8,
    "journal": 8,
    "journal_broken": 4,
    "counter": 300,
    "counter_broken": 100,
    "locked_counter": 100,
    "locked_counter_broken": 100,
    "modular": 5,
    "modular_broken": 5,
    "flips_broken": 60,
    "observer_broken": 24,
    "locks": 8,
    "locks_broken": 6,
    "bank": 4,
    "bank_broken": 7,
    "ticket_lock": 8,
    "ticket_lock_broken": 4,
    "semaphore": 63,
    "semaphore_broken": 63,
    "ring": 16,
    "ring_broken": 8,
    "ring_rw": 8,
    "ring_rw_broken": 8,
    "packing_broken": 2,
    "key_value": 5,
    "key_value_broken": 8,
    "snapshot": 10,
    "snapshot_broken": 8,
}
"""For each family a size that takes a fraction of a second, and shows how it grows."""

Counts = dict[str, int]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Compare how much work the families take with work.tsv.")
    parser.add_argument("--accept", action="store_true", help="record the counts of today instead")
    options = parser.parse_args(arguments)
    today = {name: counts(name) for name in SIZES}
    if options.accept:
        RECORDED.write_text(table(today), "utf-8")
        return 0
    complaints = [line for name in SIZES for line in grown(name, today[name], read(RECORDED))]
    sys.stdout.write("".join(line + "\n" for line in complaints) or "No count has grown.\n")
    return 1 if complaints else 0


def counts(name: str) -> Counts:
    """Of one program; raises `AssertionError` if its verdict is wrong."""
    family, size = FAMILIES[name], SIZES[name]
    source = SourceText(family.file_name(size), family.text(size))
    result, work = work_out(read_input(source), Options(timeout=None, wants=THE_ANSWER_ALONE))
    expected = "Holds" if family.is_serializable else "Violated"
    found = type(result.answer).__name__
    assert found == expected, f"{source.name} is {found}, not {expected}"
    return {each: getattr(work.counts, each) for each in COUNTED}


def grown(name: str, today: Mapping[str, int], recorded: Mapping[str, Counts]) -> Iterator[str]:
    """What takes more work than recorded, and what to do about it."""
    before = recorded.get(name)
    if before is None:
        yield f"{name}: no work is recorded; {HOW_TO_ACCEPT}"
        return
    for each in COUNTED:
        if today[each] > TOLERANCE * before[each] + SLACK:
            yield (
                f"{name} {SIZES[name]}: {today[each]:,} {WORDS[each]}, {before[each]:,} are recorded;"
                f" {HOW_TO_ACCEPT}"
            )


def table(today: Mapping[str, Counts]) -> str:
    rows = ["\t".join(("family", "size", *COUNTED))]
    rows += ["\t".join(map(str, (name, SIZES[name], *found.values()))) for name, found in today.items()]
    return "".join(row + "\n" for row in rows)


def read(path: Path) -> dict[str, Counts]:
    """The recorded counts; those of another size do not count."""
    found: dict[str, Counts] = {}
    for line in path.read_text("utf-8").splitlines()[1:]:
        name, size, *numbers = line.split("\t")
        if SIZES.get(name) == int(size):
            found[name] = dict(zip(COUNTED, map(int, numbers), strict=True))
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
