"""How long a short check takes, as CPU time, in starts of an empty Python; and how many modules it loads.

    .venv/bin/python benchmarks/latency.py [FILE…]

The runs take turns, so that a busy machine slows all of them alike. The first round writes the bytecode.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median

ROUNDS = 15
SER = Path(sys.executable).parent / "ser"
COUNT = (
    "import sys; sys.argv = ['ser', 'check', {file!r}, '-q']\n"
    "from seriatim.cli.entry import run\n"
    "try: run()\n"
    "except SystemExit: pass\n"
    "print(sum(name.split('.')[0] == 'seriatim' for name in sys.modules), file=sys.stderr)"
)


def cpu_seconds(command: list[str]) -> float:
    """Of a child, with everything that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, capture_output=True, check=False, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def loaded_modules(file: str) -> int:
    """Modules of the package that a check of a file loads."""
    command = [sys.executable, "-c", COUNT.format(file=file)]
    found = subprocess.run(command, capture_output=True, check=False, text=True)
    return int(found.stderr.split()[-1])


def main(files: list[str]) -> None:
    commands = {"empty Python": [sys.executable, "-c", "pass"]}
    commands |= {file: [str(SER), "check", file] for file in files}
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(ROUNDS + 1):
        for name, command in commands.items():
            taken = cpu_seconds(command)
            if number > 0:
                seconds[name].append(taken)
    empty = median(seconds["empty Python"])
    for name in files:
        ratio = median(seconds[name]) / empty
        sys.stdout.write(f"{name}: {ratio:.1f} empty starts, {loaded_modules(name)} modules\n")


if __name__ == "__main__":
    main(sys.argv[1:] or ["examples/lost_update.ser", "examples/spin_lock.ser"])
