"""`ser reproduce`: repeats the paper's evaluation on given inputs."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import input_files, make_directory, write_whole
from seriatim.cli.limits_options import jobs_option
from seriatim.cli.reproduce_actions import reproduce_sequentialization
from seriatim.cli.terminal import Terminal, color_option
from seriatim.frontends.all import read_decidable
from seriatim.frontends.languages import CONC, C
from seriatim.frontends.reading import BadInput, load, read
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.reproduction.measure import (
    PaperResult,
    PaperTask,
    json_line,
    make_unmeasured,
    measure_task,
    read_lines,
)
from seriatim.reproduction.petrification import ALGORITHMS, measure, table
from seriatim.reproduction.plots import cactus, net_sizes
from seriatim.reproduction.reference import ABLATIONS, CONFIGURATIONS
from seriatim.reproduction.slicing import slicing_picture
from seriatim.reproduction.tables import FULL, csv_text, report
from seriatim.result import Lost
from seriatim.source import Diagnostic, InputError, SourceText
from seriatim.workers import in_workers

MEASUREMENTS = "measurements.jsonl"


@click.command("reproduce", short_help="Repeat the paper's evaluation.")
@click.argument("paths", nargs=-1, required=True, metavar="DIR…")
@click.option(
    "--paper",
    type=click.Choice(["serializability", "sequentialization", "petrification"]),
    default="serializability",
    show_default=True,
    help="Which paper's evaluation; sequentialization is about asynchronous programs (.actions), "
    "petrification about programs with threads (.conc, .c).",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=20.0,
    show_default=True,
    metavar="SECONDS",
    help="For each input in each configuration.",
)
@click.option(
    "--output",
    "-o",
    "--out",
    "out",
    type=click.Path(path_type=Path),
    default=Path("reproduction"),
    show_default=True,
    metavar="FOLDER",
    help="Where tables, pictures and measurements go. Measurements that are already there are kept.",
)
@jobs_option
@color_option
@click.pass_context
def command(
    context: click.Context,
    paths: tuple[str, ...],
    paper: str,
    timeout: float,
    out: Path,
    jobs: int,
    color: str,
) -> None:
    """Run the paper's method on the programs and network systems in each DIR, with all of its optimizations,
    with none, and with some; write the paper's tables and figures with these measurements.

    An input with a name from the paper, such as g7.ser or g7_guests.ser, is compared with the paper's
    figures. An interrupted run continues where it stopped.

    \b
    Examples:
      ser reproduce examples/paper --out results/
      ser reproduce programs/ --timeout 5 --jobs 2
      ser reproduce examples/protocols --paper sequentialization --timeout 60
      ser reproduce examples/threads --paper petrification
    """
    terminal = Terminal.with_color(color)
    if paper == "petrification":
        context.exit(reproduce_petrification(paths, timeout, out, terminal))
    if paper == "sequentialization":
        reproduce_sequentialization(context, terminal, paths, timeout, out)
    try:
        tasks = read_tasks(paths, timeout)
        make_directory(out)
        results = measure_all(tasks, out / MEASUREMENTS, jobs, timeout)
        full = [result for result in results if result.configuration == FULL]
        tables = report(results, timeout)
        write_whole(out / "tables.md", f"# The paper's evaluation, repeated\n\n{tables}")
        write_whole(out / "measurements.csv", csv_text(results))
        write_whole(out / "figure14.svg", slicing_picture())
        write_whole(out / "figure15.svg", cactus(results))
        write_whole(out / "figure16.svg", net_sizes(full))
    except InputError as error:
        terminal.complain(SourceText("ser reproduce", ""), *error.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    terminal.say(tables)
    open_inputs = [result for result in full if not result.is_solved]
    context.exit(ExitCode.UNKNOWN if open_inputs else ExitCode.YES)


def reproduce_petrification(paths: Sequence[str], timeout: float, out: Path, terminal: Terminal) -> ExitCode:
    """Measures the three algorithms for threads; inputs about requests are left out."""
    try:
        make_directory(out)
        files = input_files(paths, CONC.suffixes + C.suffixes)
        programs = [(file.name, load(file, read_thread_program)[1]) for file in files]
        found = [
            measure(name, each, algorithm, timeout) for name, each in programs for algorithm in ALGORITHMS
        ]
        text = table(found, timeout)
        write_whole(out / "petrification.md", f"# Petrification, measured again\n\n{text}")
    except BadInput as bad:
        terminal.complain(bad.source, *bad.diagnostics)
        return ExitCode.BAD_INPUT
    except InputError as error:
        terminal.complain(SourceText("ser reproduce", ""), *error.diagnostics)
        return ExitCode.BAD_INPUT
    terminal.say(text)
    solved = {each.file for each in found if each.verdict != "open"}
    return ExitCode.YES if len(solved) == len(programs) else ExitCode.UNKNOWN


def read_thread_program(source: SourceText) -> "ThreadProgram":
    content = read_decidable(source)
    if not isinstance(content, ThreadProgram):
        message = "this is about requests, and petrification is about threads"
        raise InputError(
            [Diagnostic("SER215", message, hint="name .conc and .c files, or a folder with them")]
        )
    return content


def read_tasks(paths: Sequence[str], timeout: float) -> list[PaperTask]:
    """Each input in each configuration, the full one first. Raises `InputError` for unreadable ones."""
    sources: list[SourceText] = []
    for file in input_files(paths):
        source, problem = read(file)
        if problem is not None:
            raise InputError(
                [Diagnostic(problem.code, f"{source.name}: {problem.message}", hint=problem.hint)]
            )
        sources.append(source)
    configurations = dict.fromkeys((FULL, *CONFIGURATIONS, *ABLATIONS))
    return [PaperTask(source, each, timeout) for each in configurations for source in sources]


def measure_all(tasks: Sequence[PaperTask], path: Path, jobs: int, timeout: float) -> list[PaperResult]:
    """The results of all tasks, in order; saves each new one as soon as it is known."""
    earlier = read_lines(path.read_text("utf-8", "replace")) if path.exists() else []
    known: dict[tuple[str, str], PaperResult] = {(each.file, each.configuration): each for each in earlier}
    results: dict[int, PaperResult] = {}
    for position, task in enumerate(tasks):
        result = known.get((task.source.name, task.configuration))
        if result is not None and result.answers(task):
            results[position] = result
    write_whole(path, "".join(json_line(results[position]) for position in sorted(results)))
    rest = [position for position in range(len(tasks)) if position not in results]
    with path.open("a", encoding="utf-8") as file:
        for number, result in with_progress([tasks[position] for position in rest], jobs, timeout):
            results[rest[number]] = result
            file.write(json_line(result))
            file.flush()
    return [results[position] for position in range(len(tasks))]


def with_progress(tasks: Sequence[PaperTask], jobs: int, timeout: float) -> Iterator[tuple[int, PaperResult]]:
    """Results as they come; shows progress on a terminal."""
    found = in_workers(measure_task, tasks, jobs, 2 * timeout)
    results = (
        (
            number,
            make_unmeasured(tasks[number], "unknown", result.reason) if isinstance(result, Lost) else result,
        )
        for number, result in found
    )
    if not sys.stderr.isatty():
        yield from results
        return
    with click.progressbar(
        results, length=len(tasks), label="measuring", show_pos=True, file=sys.stderr
    ) as shown:
        yield from shown
