"""`ser net`: questions about Petri nets of any origin."""

import json

import click

from seriatim.budget import Deadline, OutOfBudget, enforced
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.limits_options import memory_for_each, memory_option, timeout_option
from seriatim.cli.terminal import Terminal, color_option
from seriatim.frontends.reading import BadInput, InputFile, load
from seriatim.petri.query_xml import read_queries
from seriatim.petri.reading import read_net
from seriatim.report.limits_text import budget_diagnostic
from seriatim.show.net_reach import answer_json, answer_text, answered
from seriatim.source import SourceText


@click.group("net", short_help="Ask questions about Petri nets.")
def command() -> None:
    """Ask questions about Petri nets, given as TINA's .net or as PNML."""


@command.command("reach", short_help="Decide reachability queries about a net.")
@click.argument("file", metavar="NET")
@click.option(
    "--formula",
    required=True,
    metavar="FILE",
    help="The queries, in the XML of the Model Checking Contest: EF or AG.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each query, a line each.")
@click.option(
    "--max-markings",
    type=click.IntRange(min=1),
    default=200_000,
    show_default=True,
    metavar="N",
    help="How many markings to try for each case of a query.",
)
@timeout_option
@memory_option
@color_option
@click.pass_context
def reach_command(
    context: click.Context,
    file: str,
    formula: str,
    as_json: bool,
    max_markings: int,
    timeout: float,
    max_memory: int | None,
    color: str,
) -> None:
    """Decide the reachability queries in a file about a NET.

    A query is settled by a run, which is shown, or by counting: the state equation with siphon and trap cuts
    excludes what is sought. The timeout is for each query.

    \b
    Examples:
      ser net reach model.pnml --formula ReachabilityCardinality.xml
      ser net reach philosophers.net --formula deadlock.xml --json

    \b
    Exit codes (of several queries, the first of 3, 1, 0 that occurs):
      0  every query holds
      1  a query does not hold
      2  bad input or usage
      3  a query is open
    """
    terminal = Terminal.with_color(color)
    try:
        _, net = load(InputFile.named(file), read_net)
        _, queries = load(InputFile.named(formula), lambda source: read_queries(source.text, net))
    except BadInput as bad:
        terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    outcomes: set[bool | None] = set()
    for query in queries:
        try:
            deadline = Deadline(timeout, memory_for_each(max_memory))
            with enforced(deadline):
                answer = answered(net, query, max_markings, deadline)
        except OutOfBudget as out:
            terminal.complain(SourceText(query.name or formula, ""), budget_diagnostic(out))
            outcomes.add(None)
            continue
        outcomes.add(answer.holds)
        if as_json:
            terminal.say(json.dumps(answer_json(answer, net), ensure_ascii=False) + "\n")
        else:
            terminal.say(answer_text(answer, net))
    codes = {None: ExitCode.UNKNOWN, False: ExitCode.NO, True: ExitCode.YES}
    context.exit(next(code for outcome, code in codes.items() if outcome in outcomes))
