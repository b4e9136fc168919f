"""Measures Seriatim and Porcupine side by side, in CPU seconds, and prints the tables of docs/performance.md.

python benchmarks/side_by_side.py CHECKOUT [public|generated]

CHECKOUT is a folder with Porcupine's source; it is built here with Go. Its public logs, then generated ones
(`register_logs.py`). Seriatim's times include its start, the evidence and the check of the evidence; those of
Porcupine its start.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

from register_logs import write_log

HERE = Path(__file__).parent
SER = Path(sys.executable).parent / "ser"


def measure(*command: str | Path) -> tuple[float, str, int]:
    """User and system time, what was printed, and the exit code."""
    before = getrusage(RUSAGE_CHILDREN)
    one_core = {**os.environ, "GOMAXPROCS": "1"}
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, env=one_core)
    after = getrusage(RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, done.stdout, done.returncode


def build(checkout: Path, folder: Path) -> tuple[Path, Path]:
    """Porcupine's own tests, and the reader of generated logs."""
    source = folder / "porcupine"
    shutil.copytree(checkout, source)
    (source / "register").mkdir()
    shutil.copy(HERE / "porcupine_register.go", source / "register" / "main.go")
    tests, register = source / "porcupine.test", source / "of_register"
    for arguments in (("test", "-c", "-o", tests), ("build", "-o", register, "./register")):
        subprocess.run(["go", *arguments], cwd=source, check=True)
    return tests, register


def tell(*cells: object) -> None:
    sys.stdout.write(f"| {' | '.join(map(str, cells))} |\n")
    sys.stdout.flush()


def compare_public(checkout: Path, tests: Path) -> None:
    found = measure(sys.executable, HERE / "porcupine_logs.py", checkout)
    sys.stdout.write(f"Seriatim, one process: {found[0]:.1f} s\n{found[1]}")
    for name in ("TestEtcdJepsen", "TestKv[0-9]+Clients?(Ok|Bad)$"):
        os.chdir(tests.parent)
        seconds, text, code = measure(tests, "-test.run", name)
        sys.stdout.write(f"Porcupine, {name}: {seconds:.1f} s, {'as expected' if code == 0 else text}\n")


def compare_generated(register: Path, folder: Path) -> None:
    words = {0: "explained", 1: "not explained", 3: "undecided"}
    for kind in ("cas", "different"):
        for count in (500, 2_000):
            for clients in (8, 20):
                for seed in (0, 1):
                    path = folder / f"{kind}-{count}-{clients}-{seed}.jsonl"
                    write_log(kind, count, clients, path, seed)
                    ours = measure(SER, "history", "register", path, "--no-cache", "--timeout", "60")
                    theirs = measure(register, path)
                    name = "`cas`" if kind == "cas" else "different values"
                    what = f"{name}, {count:,} requests, {clients} clients" if seed == 0 else ""
                    verdict = f"{theirs[1].strip()} | {theirs[0]:.1f} s"
                    tell(what, seed, words[ours[2]], f"{ours[0]:.1f} s", verdict)


def main(checkout: Path, parts: list[str]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        tests, register = build(checkout.resolve(), folder)
        if "public" in parts:
            compare_public(checkout.resolve(), tests)
        if "generated" in parts:
            compare_generated(register, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or ["public", "generated"])
