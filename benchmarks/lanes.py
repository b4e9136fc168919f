"""What each method costs alone, and all of them in turns: `python benchmarks/lanes.py FILE…`.

A row for each input: CPU seconds of the plain check, and of each method alone, with the word of the verdict.
Lanes can be no faster than the fastest method alone, so the rows say what lanes could gain at best.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

METHODS = ("auto", "search", "commit", "modular", "simulation", "state-equation", "chains")
SECONDS = "60"
SER = (sys.executable, "-c", "from seriatim.cli.entry import run; run()")


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(files: Sequence[str]) -> int:
    sys.stdout.write("\t".join(("input", *METHODS)) + "\n")
    for file in files:
        cells = [Path(file).stem]
        for method in METHODS:
            before = cpu()
            asked = ("check", file, "--json", "--no-cache", "--timeout", SECONDS, "--method", method)
            ran = subprocess.run([*SER, *asked], capture_output=True, text=True, check=False)
            verdict = json.loads(ran.stdout)["verdict"] if ran.stdout else "error"
            cells.append(f"{verdict} {cpu() - before:.1f}")
        sys.stdout.write("\t".join(cells) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
