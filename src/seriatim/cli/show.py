"""`ser show`: what a program becomes on the way to a verdict."""

from pathlib import Path

import click

from seriatim.budget import enforce
from seriatim.cli.failures import report_failures
from seriatim.cli.files import write_whole
from seriatim.cli.limits_options import (
    STATES_TO_LOOK_AT,
    Effort,
    collect,
    memory_option,
    states_option,
    timeout_option,
    value_option,
)
from seriatim.cli.terminal import color_option
from seriatim.frontends.all import read_decidable
from seriatim.frontends.kinds import only_for
from seriatim.frontends.reading import InputFile, load
from seriatim.program.network_system import NetworkSystem
from seriatim.program.syntax import Program
from seriatim.report.png import png
from seriatim.show.threads import show_threads
from seriatim.show.views import View, ViewForm, list_forms, show
from seriatim.systems.limits import Limits

_PNG = "png"
"""PNG is bytes, rendered from SVG; the other forms are texts."""


@click.command("show", short_help="Show what an input becomes on the way to a verdict.")
@click.argument("file", metavar="FILE")
@click.option(
    "--as",
    "view",
    type=click.Choice([view.value for view in View]),
    default=View.NS.value,
    show_default=True,
    help="ns: the network system; delta: its transitions as a table; serial: what requests do one at a time; "
    "net: the Petri net; regex, semilinear, query: the steps of the paper's method; stats: sizes; "
    "run: a counterexample if there is one, otherwise a sample.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice([*(form.value for form in ViewForm), _PNG]),
    default=ViewForm.TEXT.value,
    show_default=True,
    help="dot, mermaid, svg and png are pictures, of ns, serial, net, run; png is an extra, seriatim[png].",
)
@click.option("--output", "-o", type=click.Path(path_type=Path), metavar="PATH", help="Write to this file.")
@click.option(
    "--threads",
    type=click.IntRange(1, 8),
    default=2,
    show_default=True,
    help="For threads, with --as net: how many instances of each template.",
)
@timeout_option
@states_option(STATES_TO_LOOK_AT)
@value_option
@memory_option
@color_option
@collect(effort=Effort)
@click.pass_context
def command(
    context: click.Context,
    file: str,
    view: str,
    form: str,
    output: Path | None,
    threads: int,
    max_states: int,
    max_value: int,
    effort: Effort,
) -> None:
    """Show what the program or network system in FILE becomes on the way to a verdict.

    \b
    Examples:
      ser show counter.ser
      ser show counter.ser --as serial --format mermaid
      ser show counter.ser --as net --format svg -o counter.svg
      ser show counter.ser --as run --format png -o race.png
      ser show workers.conc --as net --threads 2
    """
    text_form = ViewForm.SVG if form == _PNG else ViewForm(form)
    if text_form not in list_forms(View(view)):
        raise click.UsageError(f"--as {view} exists as {' or '.join(list_forms(View(view)))}, not as {form}.")
    if form == _PNG and output is None:
        raise click.UsageError("--format png is for a file: add --output PATH.")
    terminal = effort.terminal()
    input_file = InputFile.from_argument(file)
    with report_failures(context, terminal, input_file.name):
        deadline = effort.deadline()
        with enforce(deadline):
            source, content = load(input_file, only_for("show", read_decidable))
            match content:
                case Program() | NetworkSystem():
                    limits = Limits(max_states, max_value)
                    text = show(View(view), text_form, content, source, limits, deadline)
                case _:
                    text = show_threads(View(view), text_form, content, threads)
        terminal.complain(source, *content.warnings)
        if output is None:
            terminal.say(text)
        else:
            write_whole(output, png(text) if form == _PNG else text)
