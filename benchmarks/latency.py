"""How long a short check takes, as CPU time, in starts of an empty Python; and how many modules it loads.

    .venv/bin/python benchmarks/latency.py [FILE…]
    .venv/bin/python benchmarks/latency.py --modules FILE

The runs take turns, so that a busy machine slows all of them alike. The first round writes the bytecode.
`--modules` lists the modules of the package in the order in which a check loads them, each with the line of
code that loads it: whatever a short check does not use should be imported inside the function that uses it.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.abc import MetaPathFinder
from pathlib import Path
from statistics import median

ROUNDS = 15
SER = Path(sys.executable).parent / "ser"
MODULES = "--modules"


def cpu_seconds(command: list[str]) -> float:
    """Of a child, with everything that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, capture_output=True, check=False, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


class Recorder(MetaPathFinder):
    """Finds no module, and remembers who asks for which."""

    def __init__(self) -> None:
        self.importers: dict[str, str] = {}

    def find_spec(self, name: str, *_: object) -> None:
        if name.partition(".")[0] == "seriatim" and name not in self.importers:
            self.importers[name] = next(_importers(), "")


def _importers() -> Iterator[str]:
    """The lines of code that are being executed, the innermost first, without those that import."""
    frame = sys._getframe(2)
    while frame.f_back is not None:
        frame = frame.f_back
        if "importlib" not in frame.f_code.co_filename:
            yield f"{frame.f_globals.get('__name__')}:{frame.f_lineno}"


def list_modules(file: str) -> None:
    """Checks a file in this process, and tells what that has loaded."""
    recorder = Recorder()
    sys.meta_path.insert(0, recorder)
    sys.argv = ["ser", "check", file, "--no-cache"]
    from seriatim.cli.entry import run

    with suppress(SystemExit):
        run()
    for name, importer in recorder.importers.items():
        sys.stderr.write(f"{name}  <- {importer}\n")


def loaded_modules(file: str) -> int:
    """How many modules of the package a check of a file loads."""
    command = [sys.executable, __file__, MODULES, file]
    found = subprocess.run(command, capture_output=True, check=False, text=True)
    return len(found.stderr.splitlines())


def measure(files: list[str]) -> None:
    commands = {"empty Python": [sys.executable, "-c", "pass"]}
    commands |= {file: [str(SER), "check", file, "--no-cache"] for file in files}
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
    if sys.argv[1:2] == [MODULES]:
        list_modules(sys.argv[2])
    else:
        measure(sys.argv[1:] or ["examples/lost_update.ser", "examples/spin_lock.ser"])
