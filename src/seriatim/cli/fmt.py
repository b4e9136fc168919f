"""`ser fmt`: programs in one fixed form."""

from collections.abc import Iterator
from difflib import unified_diff
from functools import partial
from io import StringIO

import click

from seriatim.budget import OutOfBudget, enforce
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import input_files, write_whole
from seriatim.cli.limits_options import Effort, effort_options
from seriatim.cli.terminal import Terminal
from seriatim.frontends.formatting import format_source
from seriatim.frontends.kinds import only_for
from seriatim.frontends.languages import ACTIONS, CONC, SER
from seriatim.frontends.reading import BadInput, InputFile, load
from seriatim.program.expression_printer import Style
from seriatim.report.limits_text import budget_diagnostic
from seriatim.source import InputError, SourceText

STYLES = {"braces": Style.BRACES, "layout": Style.LAYOUT}


@click.command("fmt", short_help="Format programs.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--check", is_flag=True, help="Change no file; exit with 1 if one would change.")
@click.option("--diff", is_flag=True, help="Like --check, and show what would change.")
@click.option(
    "--style",
    type=click.Choice(list(STYLES)),
    help="Write all blocks in this style; by default in that of the first block of each file.",
)
@effort_options
@click.pass_context
def command(
    context: click.Context,
    files: tuple[str, ...],
    check: bool,
    diff: bool,
    style: str | None,
    effort: Effort,
) -> None:
    """Format the programs in FILEs: one statement a line, blocks indented, comments where they were.

    A FILE may be a folder, for its .ser, .actions and .conc files, or - for standard input, which is then
    written to standard output. What a program means stays the same; a file with mistakes is left alone.

    \b
    Examples:
      ser fmt counter.ser
      ser fmt --check programs/
      ser fmt --style braces - < counter.ser

    \b
    Exit codes:
      0  all files are formatted now
      1  with --check or --diff: some file is not
      2  bad input or usage
      3  a limit was reached
    """
    terminal = effort.terminal()
    codes = {ExitCode.YES}
    for file in input_files(files, suffixes=(*SER.suffixes, *ACTIONS.suffixes, *CONC.suffixes)):
        try:
            with enforce(effort.deadline()):
                source, formatted = load(
                    file, only_for("fmt", partial(format_source, style=STYLES.get(style or "")))
                )
            is_changed = formatted != source.text
            if diff:
                terminal.say("".join(difference(source, formatted)))
            if check or diff:
                codes.add(ExitCode.NO if is_changed else ExitCode.YES)
                if is_changed and not diff:
                    terminal.say(f"would format {file.name}\n")
            else:
                store(file, formatted, is_changed, terminal)
        except BadInput as bad:
            terminal.complain(bad.source, *bad.diagnostics)
            codes.add(ExitCode.BAD_INPUT)
        except InputError as error:
            terminal.complain(SourceText(file.name, ""), *error.diagnostics)
            codes.add(ExitCode.BAD_INPUT)
        except OutOfBudget as out:
            terminal.complain(SourceText(file.name, ""), budget_diagnostic(out))
            codes.add(ExitCode.UNKNOWN)
    context.exit(ExitCode.BAD_INPUT if ExitCode.BAD_INPUT in codes else max(codes))


def store(file: InputFile, formatted: str, is_changed: bool, terminal: Terminal) -> None:
    """Writes the formatted text back to where it came from."""
    if file.path is None:
        terminal.hand_on(formatted)
    elif is_changed:
        write_whole(file.path, formatted)
        terminal.say(f"formatted {file.name}\n")


def difference(source: SourceText, formatted: str) -> Iterator[str]:
    """The lines that would change, as a patch."""
    before, after = (StringIO(text, newline="\n").readlines() for text in (source.text, formatted))
    for line in unified_diff(before, after, source.name, f"{source.name} (formatted)"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
