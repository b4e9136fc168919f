"""Decides all nets of a folder, each with its formula, and prints a table.

python benchmarks/net_folder.py FOLDER

FOLDER has, at any depth, `model.pnml` beside a `Reachability….xml`, or `NAME.pnml` beside `NAME_.xml`,
as the nets of SMPT do. Times are CPU seconds with start; a question gets 15 seconds.
"""

import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

SER = Path(sys.executable).parent / "ser"


def formula_of(net: Path) -> Path | None:
    beside = [net.with_name(f"{net.stem}_.xml"), *sorted(net.parent.glob("Reachability*.xml"))]
    return next((each for each in beside if each.exists()), None)


def decided(net: Path, formula: Path) -> tuple[str, float]:
    before = getrusage(RUSAGE_CHILDREN)
    asked = [SER, "net", "reach", net, "--formula", formula, "--contest", "--timeout", "15"]
    ended = subprocess.run(list(map(str, asked)), capture_output=True, text=True, check=False)
    after = getrusage(RUSAGE_CHILDREN)
    told = [line.split()[2] for line in ended.stdout.splitlines() if line.startswith("FORMULA")]
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return " ".join(told) or f"exit {ended.returncode}", seconds


def main(folder: Path) -> None:
    for net in sorted(folder.rglob("*.pnml")):
        formula = formula_of(net)
        if formula is not None:
            answer, seconds = decided(net, formula)
            sys.stdout.write(f"| {net.relative_to(folder)} | {answer} | {seconds:.1f} s |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
