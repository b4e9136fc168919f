"""Realistic SQL scripts: job queues, shops, ledgers, tenants and so on, each at each level.

    .venv/bin/python reliability/scripts.py

The first line of a script in `reliability/sql` says at which levels it has a violation. Prints a line for
each script and level whose verdict is another one, or that gets no answer, and what was counted. An answer is
a proof, a violation with a certificate, or "unknown" with what was explored.
"""

import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path

from seriatim.frontends.protocol import ISOLATION_LEVELS

FOLDER = Path(__file__).parent / "sql"

WORDS = {0: "proved", 1: "violation", 2: "no answer", 3: "unknown"}


def expected(path: Path) -> set[str]:
    """The levels at which a script has a violation."""
    first = path.read_text("utf-8").partition("\n")[0]
    return set(first.removeprefix("-- violations at: ").split())


def answer(path: Path, level: str) -> str:
    """What `ser check` says, in a process of its own, so that the time of its server counts."""
    ser = Path(sys.executable).parent / "ser"
    command = [str(ser), "check", str(path), "--isolation", level, "--quiet"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return WORDS.get(done.returncode, "crash")


def cpu() -> float:
    """The CPU time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    counts: Counter[str] = Counter()
    wrong = 0
    slowest = 0.0
    for path in sorted(FOLDER.glob("*.sql")):
        for level in ISOLATION_LEVELS:
            before = cpu()
            found = answer(path, level)
            slowest = max(slowest, cpu() - before)
            counts[found] += 1
            is_wrong = found in ("no answer", "crash") or (found == "violation") != (level in expected(path))
            if is_wrong:
                wrong += 1
                print(f"{path.name} at {level}: {found}", flush=True)  # noqa: T201 - a tool for people
    print(f"{dict(sorted(counts.items()))}, {wrong} wrong, at most {slowest:.1f} CPU s")  # noqa: T201
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
