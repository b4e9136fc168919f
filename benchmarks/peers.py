"""Runs other tools beside Seriatim on the same questions, and tells what each says and what it costs.

SPIN and Quint get models of two programs, written for them in `peers/`; ThreadSanitizer and helgrind get the
C programs of `examples/threads`, compiled and run. A tool that is not installed has no row. Costs are CPU
seconds with all that a user has to run: for SPIN, its generator, the compiler and the search.
"""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODELS = ROOT / "benchmarks" / "peers"
THREADS = ROOT / "examples" / "threads"
SER = Path(sys.executable).with_name("ser")

REQUESTS = (2, 4, 8, 12, 16)
"""How many requests SPIN gets: as many as its model has."""

PATIENCE = 60
"""Seconds for one tool and one question."""

SAMPLES = 10_000
QUINT_REQUESTS = 8

LONGEST = 5
"""Seconds for one run of a compiled program."""

STOPPED = -1
"""Instead of an exit code, of what was stopped because it took too long."""

RUNS = 20
"""How often ThreadSanitizer runs a program; helgrind, which is slow, runs it a quarter as often."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What one or several processes printed, how the last one ended, and the CPU seconds of all."""

    text: str
    code: int
    seconds: float


def run(command: Sequence[str | Path], folder: Path, patience: float = PATIENCE) -> Ran:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        ended = subprocess.run(
            [str(part) for part in command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=patience,
            check=False,
            env={**os.environ, "TSAN_OPTIONS": "report_thread_leaks=0"},
        )
        text, code = ended.stdout, ended.returncode
    except subprocess.TimeoutExpired:
        text, code = "", STOPPED
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Ran(text, code, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


# Models


def models_table() -> Iterator[str]:
    """One program with a race and one without: who finds it, who proves it, for how many requests."""
    rows = [
        "| program | tool | requests | answer | states | CPU s |",
        "|---|---|--:|---|--:|--:|",
    ]
    for name in ("lost_update", "spin_lock"):
        rows.append(ours(name))
        yield "\n".join(rows) + "\n"
        if shutil.which("spin") and shutil.which("gcc"):
            for requests in REQUESTS if name == "spin_lock" else REQUESTS[:1]:
                rows.append(by_spin(name, requests))
                yield "\n".join(rows) + "\n"
        if shutil.which("quint"):
            rows.append(by_quint(name))
            yield "\n".join(rows) + "\n"


def ours(name: str) -> str:
    file = ROOT / "examples" / f"{name}.ser"
    ran = run([SER, "check", file, "--json"], ROOT)
    told = json.loads(ran.text)
    holds = told["verdict"] == "serializable"
    answer = "serializable, with a proof" if holds else "not serializable, the shortest run"
    return f"| `{name}` | Seriatim | {'any' if holds else 2} | {answer} | | {ran.seconds:.1f} |"


def by_spin(name: str, requests: int) -> str:
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        made = run(["spin", "-a", f"-DN={requests}", MODELS / f"{name}.pml"], folder)
        compiled = run(["gcc", "-O2", "-DSAFETY", "-DCOLLAPSE", "-o", "pan", "pan.c"], folder)
        searched = run(["./pan", "-m100000"], folder)
    seconds = made.seconds + compiled.seconds + searched.seconds
    errors = re.search(r"errors: (\d+)", searched.text)
    states = re.search(r"(\d+) states, stored", searched.text)
    if errors is None or states is None:
        return f"| `{name}` | SPIN | {requests} | no answer in {PATIENCE} s | | {seconds:.1f} |"
    answer = "a run in which the assertion fails" if int(errors[1]) else "no assertion fails"
    return f"| `{name}` | SPIN | {requests} | {answer} | {int(states[1]):,} | {seconds:.1f} |"


def by_quint(name: str) -> str:
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        model = (
            (MODELS / f"{name}.qnt")
            .read_text("utf-8")
            .replace("{\n", f"{{\n  pure val N = {QUINT_REQUESTS}\n", 1)
        )
        (folder / f"{name}.qnt").write_text(model, "utf-8")
        command = ["quint", "run", "--backend=typescript", "--invariant=explained", "--seed=1"]
        ran = run([*command, f"--max-samples={SAMPLES}", "--max-steps=40", f"{name}.qnt"], folder)
    found = "[violation]" in ran.text
    assert found or "[ok]" in ran.text, ran.text
    answer = "a run that breaks the invariant" if found else f"none in {SAMPLES:,} random runs"
    return f"| `{name}` | Quint's simulator | {QUINT_REQUESTS} | {answer} | | {ran.seconds:.1f} |"


# Races


def sanitizers_table() -> Iterator[str]:
    """Each C example: what is decided about it, and in how many of its runs the two detectors speak."""
    valgrind = shutil.which("valgrind") is not None
    rows = [
        f"| `examples/threads/…` | Seriatim | CPU s | ThreadSanitizer, of {RUNS} runs |"
        + (f" helgrind, of {RUNS // 4} runs |" if valgrind else ""),
        "|---|---|--:|--:|" + ("--:|" if valgrind else ""),
    ]
    for file in sorted(THREADS.glob("*.c")):
        rows.append(detected(file, valgrind))
        yield "\n".join(rows) + "\n"


def detected(file: Path, valgrind: bool) -> str:
    ran = run([SER, "check", file, "--json"], ROOT)
    verdict = json.loads(ran.text)["verdict"]
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        plain, checked = folder / "plain", folder / "checked"
        run(["gcc", "-g", "-O1", "-pthread", "-o", plain, file], folder)
        run(["gcc", "-g", "-O1", "-pthread", "-fsanitize=thread", "-o", checked, file], folder)
        by_tsan = alarms([checked], folder, RUNS)
        helgrind: list[str | Path] = ["valgrind", "--tool=helgrind", "--error-exitcode=66", plain]
        by_helgrind = alarms(helgrind, folder, RUNS // 4) if valgrind else ""
    return f"| `{file.name}` | {verdict} | {ran.seconds:.1f} | {by_tsan} |" + (
        f" {by_helgrind} |" if valgrind else ""
    )


def alarms(command: Sequence[str | Path], folder: Path, runs: int) -> str:
    """In how many runs the detector speaks, how many others fail; a run without end is the last."""
    said = failed = 0
    for number in range(1, runs + 1):
        ran = run(command, folder, patience=LONGEST)
        if ran.code == 66 or "WARNING: ThreadSanitizer" in ran.text:
            said += 1
        elif ran.code == STOPPED:
            return f"{said} of {number}, then no end"
        elif ran.code < 0:
            failed += 1
    return f"{said}" + (f"; {failed} others fail" if failed else "")
