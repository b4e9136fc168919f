"""The smaller tables of docs/performance.md: what each measures, and how it is written."""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from subprocess import DEVNULL, Popen
from tempfile import TemporaryDirectory
from time import monotonic, process_time, sleep

from families.named import family_named
from family_table import LIMITS, PATIENCE
from many_files import program
from seriatim.bench.result import BenchTask, Result, Stage
from seriatim.bench.suite import measure_in_workers
from seriatim.certificate.certificate import write
from seriatim.checking.verify import verify
from seriatim.deciding.answer import THE_ANSWER_ALONE
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.all import read_input
from seriatim.program.inputs import Input
from seriatim.properties.conflict_serializable import ConflictSerializability
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.properties.strict import StrictSerializability
from seriatim.result import Holds, Violated
from seriatim.source import SourceText

HERE = Path(__file__).parent
PAPER = HERE.parents[1] / "shared" / "benchmarks"
OWN = HERE.parent / "examples" / "paper"

COMPILED = {
    "locked_counter": (5, 100, 500, 1_000, 8_400, 10_000),
    "key_value": (10,),
    "snapshot": (8,),
    "bank": (5,),
    "counter_broken": (22, 70, 223),
}

QUESTIONS: dict[str, Property] = {
    "`serializable`": SERIALIZABILITY,
    "`conflict-serializable`": ConflictSerializability(),
    "`strict --barriers 1`": StrictSerializability(1),
}

RANDOM_SEEDS = 20
"""For each setting."""

SLOW_FILES, QUICK_FILES = 200, 200
"""That `--jobs` is measured with: of about a second each, and of some milliseconds."""


def measured(name: str, size: int, stage: Stage) -> Result:
    family = family_named(name)
    source = SourceText(family.file_name(size), family.text(size))
    task = BenchTask(source, stage, PATIENCE, LIMITS, Options().max_memory)
    ((_, result),) = measure_in_workers([task], jobs=1)
    return result


def compile_table() -> Iterator[str]:
    lines = [
        "| program | pairs (local, global) | steps in δ | closure, CPU s | in all, CPU s | peak, MB |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, sizes in COMPILED.items():
        for size in sizes:
            found = measured(name, size, Stage.COMPILE)
            figures = f"{found.closure_seconds or 0:.3f} | {found.seconds:.3f}"
            peak = f"{(found.peak_bytes or 0) / 1e6:,.0f}"
            lines.append(f"| {name} {size:,} | {found.pairs:,} | {found.steps:,} | {figures} | {peak} |")
    yield "\n".join(lines)


def paper_table() -> Iterator[str]:
    lines = [
        "| inputs | question | decided | hold | do not | CPU, s | slowest, CPU s |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for title, folder in (("the paper's", PAPER), ("ours, `examples/paper`", OWN)):
        files = sorted(path for path in folder.glob("*") if path.suffix in (".ser", ".json"))
        for words, question in QUESTIONS.items():
            found: list[tuple[float, bool | None]] = []
            for path in files:
                content = read_input(SourceText(path.name, path.read_text("utf-8")))
                began = process_time()
                found.append((holds(content, question), process_time() - began)[::-1])
            answers = Counter(answer for _, answer in found)
            yes, no = answers[True], answers[False]
            times = (
                f"{sum(time for time, _ in found):.1f} | {max((time for time, _ in found), default=0):.1f}"
            )
            lines.append(f"| {title} | {words} | {yes + no} of {len(files)} | {yes} | {no} | {times} |")
            yield "\n".join(lines)


def holds(content: Input, question: Property) -> bool | None:
    """Whether a property holds; None if that is undecided."""
    options = Options(timeout=PATIENCE / 5, question=question, wants=THE_ANSWER_ALONE, stuck_runs=False)
    answer = decide(content, options).answer
    return True if isinstance(answer, Holds) else False if isinstance(answer, Violated) else None


def random_table() -> Iterator[str]:
    """Systems of eleven settings, with some seeds each."""
    sys.path.insert(0, str(HERE.parent / "tests"))
    from testkit.generators.systems import Setting, random_system

    settings = [
        *(
            (2, 1, 4, 5, 2),
            (3, 2, 4, 6, 2),
            (4, 2, 5, 10, 2),
            (4, 2, 5, 12, 2),
            (3, 3, 5, 9, 2),
            (4, 3, 5, 12, 3),
        ),
        *((6, 2, 7, 16, 2), (8, 2, 6, 18, 2), (5, 3, 6, 12, 2), (6, 3, 6, 14, 2), (10, 2, 6, 24, 2)),
    ]
    ways: Counter[str] = Counter()
    slowest = 0.0
    for numbers in settings:
        for seed in range(RANDOM_SEEDS):
            content = random_system(Random(seed), Setting(*numbers))
            began = process_time()
            result = decide(content, Options(timeout=PATIENCE, wants=THE_ANSWER_ALONE, stuck_runs=False))
            slowest = max(slowest, process_time() - began)
            word = {Holds: "a proof", Violated: "a violation"}.get(type(result.answer), "undecided")
            ways[f"{word} | {result.method}"] += 1
        lines = ["| answer | by | systems |", "|---|---|--:|"]
        lines += [f"| {way} | {count:,} |" for way, count in sorted(ways.items(), key=lambda each: -each[1])]
        yield "\n".join([*lines, f"| slowest | CPU, s | {slowest:.1f} |"])


def long_table() -> Iterator[str]:
    lines = [
        "| kinds | requests | steps | check, CPU s | certificate, KB | re-check by `verify`, CPU s |",
        "|--:|--:|--:|--:|--:|--:|",
    ]
    for size in (3, 4, 5):
        family = family_named("packing_broken")
        content = read_input(SourceText(family.file_name(size), family.text(size)))
        began = process_time()
        answer = decide(content, Options(timeout=PATIENCE, wants=THE_ANSWER_ALONE, stuck_runs=False)).answer
        taken = process_time() - began
        assert isinstance(answer, Violated), "it is broken"
        began = process_time()
        assert verify(answer.certificate, content).accepted, "it has been accepted before"
        checked = process_time() - began
        length = len(write(answer.certificate)) / 1000
        steps = f"{answer.run.requests:,} | {answer.run.steps:,}"
        lines.append(f"| {size} | {steps} | {taken:.1f} | {length:.0f} | {checked:.1f} |")
        yield "\n".join(lines)


def arguments_table() -> Iterator[str]:
    lines = [
        "| accounts | requests | transfers, CPU s | its re-check | transfers_written, CPU s | its re-check |",
        "|--:|--:|--:|--:|--:|--:|",
    ]
    for size in (3, 5, 8, 16):
        found = [measured(name, size, Stage.CHECK) for name in ("transfers", "transfers_written")]
        figures = (f"{each.seconds:.2f} | {each.recheck_seconds or 0:.2f}" for each in found)
        lines.append(f"| {size} | {size * size} | {' | '.join(figures)} |")
        yield "\n".join(lines)


def jobs_table() -> Iterator[str]:
    """`ser check` of many files with one process and with two. By the clock, the gain depends on how busy the
    machine is. What does not: CPU time of the first process and of the workers that it starts. Two idle cores
    are busy as long as the busiest worker at least, and at least for half of all CPU time."""
    slow = family_named("locked_counter")
    suites = {
        f"{SLOW_FILES} of about a second": [slow.text(700 + number) for number in range(SLOW_FILES)],
        f"{QUICK_FILES} of some milliseconds": [program(number) for number in range(QUICK_FILES)],
    }
    lines = [
        "| files | `--jobs` | CPU of all, s | of the first process | of workers | two idle cores need, s"
        " | clock here, s |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for title, texts in suites.items():
        with TemporaryDirectory() as folder:
            for number, text in enumerate(texts):
                (Path(folder) / f"program{number:03}.ser").write_text(text, "utf-8")
            for jobs in (1, 2):
                ser = Path(sys.executable).with_name("ser")
                began = monotonic()
                first, *workers = cpu_times(
                    [str(ser), "check", folder, "--jobs", str(jobs), "--quiet", "--no-cache"]
                )
                clock = monotonic() - began
                needed = max(first, *workers, (first + sum(workers)) / 2) if workers else first
                each = " + ".join(f"{seconds:.1f}" for seconds in sorted(workers, reverse=True)[:jobs])
                lines.append(
                    f"| {title} | {jobs} | {first + sum(workers):.1f} | {first:.1f} | {each} | {needed:.1f}"
                    f" | {clock:.0f} |"
                )
                yield "\n".join(lines)


def cpu_times(command: list[str]) -> list[float]:
    """CPU seconds of a process, and of its children, looked up again and again while they live."""
    ticks = os.sysconf("SC_CLK_TCK")
    found: dict[int, float] = {}
    with Popen(command, stdout=DEVNULL) as process:
        while process.poll() is None:
            for path in Path("/proc").glob("[0-9]*/stat"):
                with suppress(OSError):
                    fields = path.read_text("ascii").rpartition(")")[2].split()
                    number, parent = int(path.parent.name), int(fields[1])
                    if process.pid in (number, parent):
                        found[number] = (int(fields[11]) + int(fields[12])) / ticks
            sleep(0.05)
        assert process.returncode in (0, 1), "every file is decided"
    return [found.pop(process.pid), *found.values()]
