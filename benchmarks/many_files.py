"""How the cost of many files grows: `python benchmarks/many_files.py FILES [--cluster ADDRESS]`.

Writes so many small programs to a temporary folder, no two alike, and checks them twice with a cache of their
own: the second time, everything comes from there and is re-checked. Says how many files a second that is, and
how large a task, an answer and an entry of the cache are.
"""

import argparse
import pickle
import resource
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from click.testing import CliRunner

from seriatim.cli.main import main as ser
from seriatim.cli.one_check import CheckTask, answer_text
from seriatim.cli.outputs import NOWHERE
from seriatim.cli.translation_options import Handling
from seriatim.deciding.pipeline import Options
from seriatim.source import SourceText

SHAPES = (
    "request bump{0}:\n    x := X\n    yield\n    X := (x + 1) % {1}\n    return x\n",
    "request bump{0}:\n    lock(L)\n    x := X\n    yield\n    X := (x + 1) % {1}\n    unlock(L)\n    x\n",
    "request put{0}(v in 0..{1}):\n    X := v\n    return v\n\nrequest get:\n    return X\n",
)


def program(number: int) -> str:
    return SHAPES[number % len(SHAPES)].format(number, 2 + number % 3)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Measure checks of many files.")
    parser.add_argument("files", type=int)
    parser.add_argument("--cluster")
    options = parser.parse_args(arguments)
    where = [] if options.cluster is None else ["--cluster", options.cluster]
    with TemporaryDirectory() as folder:
        suite, cache = Path(folder) / "suite", Path(folder) / "cache"
        suite.mkdir()
        for number in range(options.files):
            (suite / f"program_{number:06}.ser").write_text(program(number), "utf-8")
        for run in ("decided", "from the cache"):
            began, used = monotonic(), cpu()
            CliRunner().invoke(
                ser, ["check", str(suite), "--quiet", "--cache", str(cache), *where], catch_exceptions=False
            )
            seconds = monotonic() - began
            sys.stdout.write(
                f"{run}: {options.files} files, {seconds:.1f} s, {options.files / seconds:.0f} a second,"
                f" {1000 * (cpu() - used) / options.files:.1f} ms of CPU time here for each\n"
            )
        entries = [path.stat().st_size for path in cache.rglob("*.result.json")]
    task = CheckTask(
        (SourceText("a.ser", program(1)), None), Options(), NOWHERE, Handling({}, None, None, True, False),
        frozenset(), True,
    )  # fmt: skip
    sys.stdout.write(
        f"a task has {len(pickle.dumps(task.bare())):,} bytes, an answer {len(answer_text(task)):,},"
        f" an entry {sum(entries) // max(1, len(entries)):,} ({len(entries)} entries)\n"
    )
    return 0


def cpu() -> float:
    """Of this process alone."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
