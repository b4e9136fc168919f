"""`ser export`: an input in the formats of other tools."""

from pathlib import Path

import click

from seriatim.budget import Deadline, enforce
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
from seriatim.export.formats import ExportTarget, export_beginning, export_input
from seriatim.frontends.all import read_input
from seriatim.frontends.kinds import only_for
from seriatim.frontends.reading import InputFile, load
from seriatim.program.inputs import Input
from seriatim.program.syntax import Program
from seriatim.systems.limits import LimitReached, Limits


@click.command("export", short_help="Write an input for other tools: nets, queries, SMT-LIB, JSON.")
@click.argument("file", metavar="FILE")
@click.option(
    "--to",
    "target",
    type=click.Choice([target.value for target in ExportTarget]),
    required=True,
    help="net, pnml: the Petri net of all interleavings, for TINA or in PNML; xml: the query whether it can "
    "reach answers that no serial run gives; smt2: net and query as a state equation; json: the network "
    "system.",
)
@click.option(
    "--for-query",
    is_flag=True,
    help="Add to the net the places q1, q2, … that the query of --to xml needs if it is about remainders.",
)
@click.option(
    "--part",
    is_flag=True,
    help="With --to net or pnml: if there are too many states, write the first ones, to look at. Steps beyond"
    " them end in places of their own; no answer about such a net is one about FILE.",
)
@click.option("--output", "-o", type=click.Path(path_type=Path), metavar="PATH", help="Write to this file.")
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
    target: str,
    for_query: bool,
    part: bool,
    output: Path | None,
    max_states: int,
    max_value: int,
    effort: Effort,
) -> None:
    """Write the program or network system in FILE for other tools.

    FILE is serializable if and only if the query does not hold of the net. If smt2 is unsatisfiable, FILE is
    serializable; if it is satisfiable, nothing is known.

    \b
    Examples:
      ser export counter.ser --to pnml -o counter.pnml
      ser export counter.ser --to net --for-query -o counter.net
      ser export counter.ser --to xml -o counter.xml
    """
    if part and (for_query or target not in (ExportTarget.NET, ExportTarget.PNML)):
        raise click.UsageError("--part is for --to net and --to pnml, without --for-query.")
    terminal = effort.terminal()
    input_file = InputFile.from_argument(file)
    with report_failures(context, terminal, input_file.name):
        limits, deadline = Limits(max_states, max_value), effort.deadline()
        with enforce(deadline):
            _, content = load(input_file, only_for("export", read_input))
            text = _export(ExportTarget(target), content, input_file, for_query, part, limits, deadline)
        if output is None:
            terminal.say(text)
        else:
            write_whole(output, text)


def _export(
    target: ExportTarget,
    content: Input,
    file: InputFile,
    for_query: bool,
    part: bool,
    limits: Limits,
    deadline: Deadline,
) -> str:
    try:
        return export_input(target, content, file.stem, for_query, limits, deadline)
    except LimitReached as reached:
        if (
            not isinstance(content, Program)
            or target not in (ExportTarget.NET, ExportTarget.PNML)
            or for_query
        ):
            raise
        if part:
            return export_beginning(target, content, file.stem, limits, deadline)
        reached.hint += "; or write the first states, to look at: --part"
        raise
