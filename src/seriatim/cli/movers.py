"""`ser movers`: which action of an asynchronous program can be moved before which."""

import json
from pathlib import Path
from time import perf_counter

import click

from seriatim.actions.meaning import Failed
from seriatim.budget import enforce
from seriatim.cli.action_files import load_actions, unreadable
from seriatim.cli.failures import report_failures
from seriatim.cli.files import write_whole
from seriatim.cli.limits_options import Effort, effort_options, json_option
from seriatim.frontends.reading import BadInput, InputFile
from seriatim.report.movers import movers_html, movers_json, movers_text
from seriatim.sequencing.movers import find_movers


@click.command("movers", short_help="Show which actions can be moved before which.")
@click.argument("file")
@json_option
@click.option(
    "--html", type=click.Path(path_type=Path), metavar="PATH", help="Also write the matrix as a page."
)
@effort_options
@click.pass_context
def command(
    context: click.Context,
    file: str,
    as_json: bool,
    html: Path | None,
    effort: Effort,
) -> None:
    """Show for each pair of actions in FILE whether one can be moved before the other.

    FILE is an asynchronous program (.actions), or a program with request handlers (.ser), whose steps between
    two `yield`s are actions.

    A counterexample is a run at a small size in which both orders differ. Without one, a solver is asked
    about all states and all sizes; if it cannot tell, the answer is about all runs at small sizes.

    \b
    Examples:
      ser movers broadcast.actions
      ser movers paxos.actions --html movers.html

    \b
    Exit codes:
      0  done
      2  bad input or usage
      3  a time or size limit was reached
    """
    terminal = effort.terminal()
    input_file = InputFile.from_argument(file)
    begun = perf_counter()
    with report_failures(context, terminal, input_file.name):
        deadline = effort.deadline()
        found = load_actions(input_file, deadline, "movers")
        try:
            with enforce(deadline):
                movers = find_movers(found.program, deadline)
        except Failed as failed:
            raise BadInput(found.source, [unreadable(failed)]) from None
        if html is not None:
            write_whole(html, movers_html(input_file.name, movers))
        if as_json:
            shown = movers_json(input_file.name, movers, perf_counter() - begun)
            terminal.say(json.dumps(shown) + "\n")
        else:
            terminal.say(movers_text(input_file.name, movers, terminal.out))
