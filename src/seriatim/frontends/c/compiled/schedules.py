"""Compiles a C program with a scheduler of its own, and runs it under hundreds of schedules.

The compiler calls a function before each access to memory (`-fsanitize=thread`), and the linker redirects
the functions of pthreads. All of these are scheduling points in `runtime.c`, where one thread runs at a time.
So a run is an interleaving of the accesses of the compiled program, on real threads.
"""

import os
import re
import subprocess
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

from seriatim.budget import Deadline
from seriatim.source import SourceText

PROGRAM = "program.c"
"""What the source is called in the executable."""
RUNTIME = Path(__file__).parent / "runtime.c"
MAX_RUNS = 300
MAX_SECONDS = 2
"""CPU time for all runs of a program."""
MAX_VALUES = 200

INSTRUMENTED = (
    *("-std=gnu11", "-w", "-g", "-O0", "-fno-pie", "-finstrument-functions", "-fno-sanitize-recover=all"),
    *("-fsanitize=thread", "-fsanitize=bounds,signed-integer-overflow,integer-divide-by-zero"),
)
HANDLERS = """#define _GNU_SOURCE 1
#include <pthread.h>
#undef pthread_cleanup_push
#undef pthread_cleanup_pop
#define pthread_cleanup_push(function, argument) do { seriatim_push(function, argument)
#define pthread_cleanup_pop(wanted) seriatim_pop(wanted); } while (0)
void seriatim_push(void (*)(void *), void *);
void seriatim_pop(int);
"""
"""What stands before programs that push handlers: our `pthread_exit` does not call those of the library."""

_ATOMIC = re.compile(r"\b(__VERIFIER_atomic_(?!begin\b|end\b)\w+)\s*\([^;{})]*\)\s*\{")
_OWN_SECTIONS = re.compile(r"\b__VERIFIER_atomic_(?:begin|end)\s*\([^;{})]*\)\s*\{")
_MARKER = re.compile(r"^[ \t]*#[ \t]*(?:line[ \t]+)?[0-9].*$", re.MULTILINE)
"""What preprocessors leave: it would change the numbers of lines."""
_NUMBER = re.compile(r"\b(?:0[xX][0-9a-fA-F]{1,15}|[1-9][0-9]{0,17}|0)\b")


class NotRun(Exception):
    """A program cannot be compiled or run; says why."""


@dataclass(frozen=True, slots=True)
class Ends:
    """How the runs of a program ended."""

    compiler: str
    """Its name and version."""
    counts: dict[str, int]
    """How many runs came to each end, by the names of `runtime.c`."""
    lines: dict[str, tuple[int, ...]]
    """Where the first of them was: the line, and for a race the other one."""

    @property
    def runs(self) -> int:
        return sum(self.counts.values())


@cache
def compiler_version(name: str) -> str | None:
    """The version of gcc; None if there is none under this name."""
    path = which(name)
    if path is None:
        return None
    command = [path, "-dumpfullversion"]
    found = subprocess.run(command, check=False, capture_output=True, text=True, timeout=20)
    version = found.stdout.strip()
    return version if found.returncode == 0 and re.fullmatch(r"[0-9.]+", version) else None


def run_compiled(
    source: SourceText,
    ends: Sequence[str],
    plan: Sequence[tuple[int, int]],
    deadline: Deadline,
    settings: Mapping[str, str] | None = None,
) -> Ends:
    """Runs a program until it comes to one of these ends, or has run often enough.

    Most runs follow the plan, if there is one: threads and lines. Raises `NotRun` or `OutOfBudget`."""
    name = os.environ.get("CC", "gcc")
    version = compiler_version(name)
    if version is None:
        raise NotRun(f"there is no `{name}`")
    if _OWN_SECTIONS.search(source.text):
        raise NotRun("the program defines atomic sections itself")
    if "//@" in source.text:
        raise NotRun("compilers take `//@ assert` for a comment")
    with TemporaryDirectory(prefix="ser-c-") as made:
        folder = Path(made)
        program = _compile(source, [name, *_preprocessing(settings or {})], folder, deadline)
        lines = _lines(program, deadline)
        rows = "".join(f"{place:x} {line}\n" for place, line in lines)
        (folder / "lines").write_text(rows, "utf-8")
        (folder / "values").write_text("\n".join(_numbers(source.text)), "utf-8")
        (folder / "plan").write_text("".join(f"{thread} {line}\n" for thread, line in plan), "utf-8")
        command = [str(program), str(MAX_RUNS), str(MAX_SECONDS), ",".join(ends)]
        said = _call([*command, "lines", "values", "plan"], folder, deadline)
    rows_said = [row.split() for row in said.splitlines()]
    counts = {row[0]: int(row[1]) for row in rows_said}
    if not counts:
        raise NotRun("its runs could not be started")
    places = {row[0]: tuple(int(each, 16) for each in row[2:] if int(each, 16)) for row in rows_said}
    found = {end: tuple(_line(lines, place) for place in seen) for end, seen in places.items()}
    return Ends(f"gcc {version}", counts, found)


def _preprocessing(settings: Mapping[str, str]) -> list[str]:
    """The options for headers and macros."""
    folders = [f"-I{Path(each).absolute()}" for each in settings.get("include", "").splitlines()]
    return folders + [f"-D{each}" for each in settings.get("define", "").splitlines()]


def _compile(source: SourceText, compiler: list[str], folder: Path, deadline: Deadline) -> Path:
    """The executable. A table of the functions that are atomic sections stands behind the program."""
    table = "".join(f"(void *){each}, " for each in sorted(set(_ATOMIC.findall(source.text))))
    text = _MARKER.sub("", source.text)
    handlers = HANDLERS if "pthread_cleanup_push" in text else ""
    unit = f'{handlers}#line 1 "{PROGRAM}"\n{text}\nvoid *seriatim_atomic[] = {{{table}0}};\n'
    (folder / "unit.c").write_text(unit, "utf-8")
    beside = Path(source.name).absolute().parent
    wrapped = sorted(set(re.findall(r"__wrap_(\w+)\(", RUNTIME.read_text("utf-8"))))
    _call([*compiler, *INSTRUMENTED, "-iquote", str(beside), "-c", "unit.c"], folder, deadline)
    _call([compiler[0], "-w", "-O1", "-fno-pie", "-c", str(RUNTIME)], folder, deadline)
    options = [f"-Wl,--wrap={each}" for each in wrapped]
    linked = ["-no-pie", "-pthread", "unit.o", "runtime.o", *options, "-o", "run"]
    _call([compiler[0], *linked], folder, deadline)
    return folder / "run"


def _call(command: list[str], folder: Path, deadline: Deadline) -> str:
    """What a command prints. Raises `NotRun` with why it failed."""
    deadline.check()
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    environment = {**kept, "LC_ALL": "C"}
    seconds = min(30.0, deadline.remaining())
    try:
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            cwd=folder,
            env=environment,
            timeout=seconds,
            text=True,
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        deadline.check()
        raise NotRun("it takes too long") from None
    except OSError as error:
        raise NotRun(str(error)) from None
    if done.returncode != 0:
        told = [line for line in done.stderr.splitlines() if "error" in line or "undefined" in line]
        detail = told[0].split("error: ")[-1].split(": ")[-1].strip() if told else "it gives no reason"
        raise NotRun(f"`{Path(command[0]).name}` refuses the program: {detail}")
    return done.stdout


def _lines(program: Path, deadline: Deadline) -> list[tuple[int, int]]:
    """The places in the code at which lines of the source begin, in order."""
    said = _call(["objdump", "--dwarf=decodedline", str(program)], program.parent, deadline)
    found: set[tuple[int, int]] = set()
    for row in said.splitlines():
        match row.split():
            case [name, line, place, *_] if name == PROGRAM and line.isdigit() and place[:2] == "0x":
                found.add((int(place, 16), int(line)))
    return sorted(found)


def _line(lines: list[tuple[int, int]], place: int) -> int:
    """The line of a place in the code; 0 if it is not of the source."""
    number = bisect_right(lines, (place, 1 << 60)) - 1
    return lines[number][1] if number >= 0 else 0


def _numbers(text: str) -> list[str]:
    """The numbers in a text: its inputs are often compared with them."""
    found = dict.fromkeys(
        int(each, 0) for each in _NUMBER.findall(text) if not re.fullmatch(r"0[0-7]+", each)
    )
    return [str(each) for each in list(found)[:MAX_VALUES]]
