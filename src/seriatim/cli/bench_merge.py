"""`ser bench merge`: the results of shards as one result."""

from pathlib import Path

import click

from seriatim.bench.result import VERDICTS, Result
from seriatim.bench.score import grade
from seriatim.bench.table import summary, table_text
from seriatim.cli.bench_folder import BenchFolder
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.terminal import Terminal, color_option
from seriatim.frontends.reading import BadInput
from seriatim.source import Diagnostic, InputError, SourceText


@click.command("merge", short_help="Put the results of shards together.")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FOLDER…")
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write the whole result to this folder.",
)
@color_option
@click.pass_context
def merge(context: click.Context, folders: tuple[Path, ...], output: Path, color: str) -> None:
    """Put the results that `ser bench --shard I/N --output FOLDER` has written together, sorted by file.

    If several folders have a result for an input, the last one counts. Verdicts that contradict each other
    are an error.

    \b
    Examples:
      ser bench programs/ --shard 1/2 --output one/
      ser bench programs/ --shard 2/2 --output two/
      ser bench merge one/ two/ --output all/
    """
    terminal = Terminal.with_color(color)
    try:
        results = merged([result for each in folders for result in results_in(each)])
        graded = [grade(result, []) for result in results]
        BenchFolder.opened(output).finish(graded, None)
    except BadInput as bad:
        terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    except InputError as error:
        terminal.complain(SourceText("ser bench merge", ""), *error.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    terminal.say(table_text(results[0].stage, graded, None, terminal.out))
    terminal.say("\n" + summary(graded))


def results_in(folder: Path) -> tuple[Result, ...]:
    """Reads the results in a folder. Raises `InputError` if there are none."""
    found = BenchFolder(folder, with_png=False).earlier()
    if not found:
        message = f"there is no result in {click.format_filename(folder)}"
        hint = "name a folder to which `ser bench --output` has written"
        raise InputError([Diagnostic("SER502", message, hint=hint)])
    return found


def merged(results: list[Result]) -> list[Result]:
    """One result for each file. Raises `InputError` if verdicts contradict each other or stages differ."""
    found: dict[str, Result] = {}
    for result in results:
        other = found.get(result.file)
        is_contradiction = (
            other is not None
            and other.input == result.input
            and {other.outcome, result.outcome} == VERDICTS.keys()
        )
        if is_contradiction:
            message = f"two results contradict each other about {result.file}"
            hint = "check it alone, with --certificate, and see which evidence holds"
            raise InputError([Diagnostic("SER502", message, hint=hint)])
        if result.stage is not results[0].stage:
            message = f"{results[0].file} and {result.file} were measured up to different stages"
            raise InputError([Diagnostic("SER502", message, hint="merge results of one kind")])
        found[result.file] = result
    return [found[file] for file in sorted(found)]
