"""`ser bench`: measures a suite of inputs and compares it with known results."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seriatim.bench.reference import Reference, read_reference
from seriatim.bench.result import BenchTask, Outcome, Result, Stage, make_unmeasured
from seriatim.bench.score import Grade, Graded, grade
from seriatim.bench.suite import run, run_on, still_valid
from seriatim.bench.table import complaints, summary, table_text
from seriatim.cli.bench_folder import BenchFolder, keep_inputs
from seriatim.cli.bench_merge import merge
from seriatim.cli.cluster_options import Shard, cluster_option, shard_option
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import input_files
from seriatim.cli.limits_options import (
    Bounds,
    collect,
    jobs_option,
    limits_options,
    memory_for_each,
    memory_option,
    timeout_option,
)
from seriatim.cli.progress import counting
from seriatim.cli.terminal import Terminal, color_option
from seriatim.cluster.client import join_cluster
from seriatim.frontends.reading import BadInput, InputFile, load, read
from seriatim.source import InputError, SourceText
from seriatim.systems.limits import Limits

if TYPE_CHECKING:
    from seriatim.cluster.address import Address

EXIT_CODES = {
    Grade.WRONG: ExitCode.NO,
    Grade.BAD_INPUT: ExitCode.BAD_INPUT,
    Grade.UNDECIDED: ExitCode.UNKNOWN,
    Grade.SOLVED: ExitCode.YES,
}
"""The exit code of each grade. With several inputs, the first one in this order that occurs counts."""


@dataclass(frozen=True, slots=True)
class Known:
    """Options: the results to compare with."""

    expected: str | None
    against: str | None

    def load(self) -> tuple[Reference | None, Reference | None]:
        """Reads the known verdicts and times."""
        verdicts = None if self.expected is None else load_reference(self.expected)
        times = None if self.against is None else load_reference(self.against)
        if times is not None and not times.has_times:
            message = f"{self.against} has no column that ends in _ms."
            raise click.BadParameter(message, param_hint="--against")
        return verdicts, times


@dataclass(frozen=True, slots=True)
class Kept:
    """Options: the files to write."""

    output: Path | None
    with_png: bool
    resume: bool
    keep_undecided: Path | None


@dataclass(frozen=True, slots=True)
class Selection:
    """Options: the inputs to measure, and the machines that do it."""

    paths: tuple[str, ...]
    stage: str
    shard: Shard | None
    cluster: "Address | None"

    def inputs(self) -> list[InputFile]:
        found = input_files(self.paths)
        return found if self.shard is None else self.shard.take(found)


class MeasureOrMerge(click.Command):
    """Tells `ser bench PATH…` from the subcommand `ser bench merge FOLDER…`."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if args[:1] != ["merge"]:
            return super().make_context(info_name, args, parent, **extra)
        return merge.make_context(f"{info_name} merge", args[1:], parent, **extra)


@click.command("bench", cls=MeasureOrMerge, short_help="Measure a suite of inputs and compare.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option(
    "--stage",
    type=click.Choice([stage.value for stage in Stage]),
    default=Stage.CHECK.value,
    show_default=True,
    help="check: decide; compile: only find all states and steps that can occur.",
)
@timeout_option
@jobs_option
@cluster_option
@shard_option
@click.option(
    "--expected",
    metavar="FILE",
    help="The right verdicts: a table with columns file and serializable (yes, no), or an earlier result.",
)
@click.option(
    "--against",
    metavar="FILE",
    help="Times to compare with: an earlier result, or a table with times in columns that end in _ms.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write results.jsonl, results.csv, cactus.svg and, with --against, scatter.svg to this folder.",
)
@click.option("--png", "with_png", is_flag=True, help="Write the pictures as PNG, too.")
@click.option("--resume", is_flag=True, help="Continue the run whose results are in the --output folder.")
@click.option(
    "--keep-undecided",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Copy the inputs without a verdict to this folder.",
)
@limits_options
@memory_option
@color_option
@collect(selection=Selection, bounds=Bounds, known=Known, kept=Kept)
@click.pass_context
def command(
    context: click.Context,
    selection: Selection,
    bounds: Bounds,
    known: Known,
    kept: Kept,
    color: str,
) -> None:
    """Measure how long each input in PATH takes, and compare with known results.

    PATH is a program (.ser), a network system (.json), or a folder with such files. Times are CPU time. A
    verdict that --expected or --against contradicts is wrong: it does not count as solved.

    \b
    Examples:
      ser bench examples/
      ser bench programs/ --expected programs/expected.tsv --output before/
      ser bench programs/ --against before/results.jsonl --output after/
      ser bench programs/ --stage compile --jobs 2
      ser bench programs/ --shard 2/5 --output two/
      ser bench merge one/ two/ --output all/

    \b
    Exit codes (of several inputs, the first of 1, 2, 3, 0 that occurs):
      0  all solved
      1  a verdict is wrong
      2  bad input or usage
      3  undecided
    """
    if kept.with_png and kept.output is None:
        raise click.UsageError("--png needs an --output folder.")
    if kept.resume and kept.output is None:
        raise click.UsageError("--resume needs the --output folder of the run to continue.")
    terminal = Terminal.with_color(color)
    try:
        verdicts, times = known.load()
        graded = measure_suite(selection, bounds, (verdicts, times), kept, terminal)
    except BadInput as bad:
        terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    except InputError as error:
        terminal.complain(SourceText("ser bench", ""), *error.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    terminal.say(table_text(Stage(selection.stage), graded, times, terminal.out))
    terminal.say("\n" + summary(graded))
    terminal.warn(complaints(graded, terminal.err))
    context.exit(next(code for each, code in EXIT_CODES.items() if any(g.grade is each for g in graded)))


def measure_suite(
    selection: Selection,
    bounds: Bounds,
    known: tuple[Reference | None, Reference | None],
    kept: Kept,
    terminal: Terminal,
) -> list[Graded]:
    """Measures the inputs that an earlier run has not measured yet, and writes the files asked for."""
    memory = memory_for_each(bounds.max_memory, bounds.jobs)
    tasks, unreadable = read_suite(
        selection.inputs(), Stage(selection.stage), bounds.timeout, bounds.limits(), memory, terminal
    )
    folder = None if kept.output is None else BenchFolder.opened(kept.output, kept.with_png)
    earlier = folder.earlier() if folder is not None and kept.resume else ()
    results = still_valid(tasks, earlier) | unreadable
    if selection.cluster is None:
        measure_rest(tasks, results, partial(run, jobs=bounds.jobs), folder, terminal)
    else:
        with join_cluster(selection.cluster) as crew:
            measure_rest(tasks, results, partial(run_on, crew), folder, terminal)
    references = [each for each in known if each is not None]
    graded = [grade(results[position], references) for position in range(len(tasks))]
    if folder is not None:
        folder.finish(graded, known[1])
    if kept.keep_undecided is not None:
        keep_inputs(kept.keep_undecided, undecided_sources(tasks, graded))
    return graded


def load_reference(name: str) -> Reference:
    _, reference = load(InputFile.from_argument(name), read_reference)
    return reference


def read_suite(
    inputs: Sequence[InputFile],
    stage: Stage,
    timeout: float,
    limits: Limits,
    max_memory: int | None,
    terminal: Terminal,
) -> tuple[list[BenchTask], dict[int, Result]]:
    """A task for each input, and the results of inputs that cannot be read."""
    tasks: list[BenchTask] = []
    unreadable: dict[int, Result] = {}
    for file in inputs:
        source, problem = read(file)
        task = BenchTask(source, stage, timeout, limits, max_memory)
        if problem is not None:
            terminal.complain(source, problem)
            unreadable[len(tasks)] = make_unmeasured(task, Outcome.ERROR, problem.message)
        tasks.append(task)
    return tasks, unreadable


def measure_rest(
    tasks: Sequence[BenchTask],
    results: dict[int, Result],
    run_all: Callable[[Sequence[BenchTask]], Iterator[tuple[int, Result]]],
    folder: BenchFolder | None,
    terminal: Terminal,
) -> None:
    """Adds the missing results; saves each one as soon as it is known."""
    open_positions = [position for position in range(len(tasks)) if position not in results]
    if folder is not None:
        folder.begin([results[position] for position in sorted(results)])
    try:
        measured = run_all([tasks[position] for position in open_positions])
        for number, result in counting(measured, len(open_positions), "measuring", lambda item: item[1].file):
            results[open_positions[number]] = result
            if folder is not None:
                folder.add(result)
    except KeyboardInterrupt:
        if folder is not None:
            terminal.warn(f"ser: {len(results)} of {len(tasks)} are measured; continue with --resume\n")
        raise


def undecided_sources(tasks: Sequence[BenchTask], graded: Sequence[Graded]) -> list[SourceText]:
    return [task.source for task, each in zip(tasks, graded, strict=True) if each.grade is Grade.UNDECIDED]
