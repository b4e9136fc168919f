"""Many checks in one process: memory stays flat, nothing stays open.

python reliability/soak.py [CHECKS]

All examples in turn, most of them small; each is decided, its evidence written, read and checked once more,
and told as text and HTML. Ends with 1 if memory or open files grow.
"""

import gc
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from time import process_time

from seriatim.api import (
    NotSerializable,
    Serializable,
    certificate_from,
    certificate_text,
    check,
    verify,
)
from seriatim.memory import resident_bytes

EXAMPLES = Path(__file__).parents[1] / "examples"
CHECKS = 10_000
ROWS = 10
GROWTH = 1.05
"""How much more memory than in the first half there may be in the end."""


@dataclass(frozen=True, slots=True)
class Reading:
    checks: int
    megabytes: float
    open_files: int
    threads: int
    seconds: float

    def __str__(self) -> str:
        numbers = f"{self.checks:>8,} {self.megabytes:>8.1f} {self.open_files:>11} {self.threads:>8}"
        return f"{numbers} {self.seconds:>8.0f}"


def soak(checks: int) -> Iterator[Reading]:
    """Readings after each tenth."""
    inputs = cycle(
        sorted([*EXAMPLES.glob("*.ser"), *EXAMPLES.glob("paper/*.ser"), *EXAMPLES.glob("paper/*.json")])
    )
    for row in range(1, ROWS + 1):
        for path in islice(inputs, checks // ROWS):
            once(path)
        yield reading(row * (checks // ROWS))


def once(path: Path) -> None:
    verdict = check(path)
    assert str(verdict)
    assert verdict._repr_html_()
    if isinstance(verdict, Serializable | NotSerializable):
        certificate = certificate_from(certificate_text(verdict.certificate))
        assert verify(certificate, path).accepted


def reading(checks: int) -> Reading:
    gc.collect()
    return Reading(
        checks,
        (resident_bytes() or 0) / 1e6,
        len(os.listdir("/proc/self/fd")),
        threading.active_count(),
        process_time(),
    )


def main(arguments: Sequence[str]) -> int:
    checks = int(arguments[0]) if arguments else CHECKS
    sys.stdout.write(f"{'checks':>8} {'MB':>8} {'open files':>11} {'threads':>8} {'CPU s':>8}\n")
    readings: list[Reading] = []
    for each in soak(checks):
        sys.stdout.write(f"{each}\n")
        sys.stdout.flush()
        readings.append(each)
    first, last = readings[0], readings[-1]
    is_flat = last.megabytes <= GROWTH * max(each.megabytes for each in readings[: ROWS // 2])
    is_closed = (last.open_files, last.threads) == (first.open_files, first.threads)
    sys.stdout.write("Flat.\n" if is_flat and is_closed else "Something grows.\n")
    return 0 if is_flat and is_closed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
