"""`ser net`: questions about Petri nets of any origin."""

import json

import click

from seriatim.budget import Deadline, OutOfBudget, enforce
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.limits_options import memory_for_each, memory_option, timeout_option
from seriatim.cli.terminal import Terminal, color_option
from seriatim.explain.timeline import ShownRun
from seriatim.frontends.all import read_input
from seriatim.frontends.kinds import only_for
from seriatim.frontends.reading import BadInput, InputFile, load
from seriatim.petri.net import PetriNet
from seriatim.petri.query_xml import read_queries
from seriatim.petri.reachability import Reached
from seriatim.petri.reading import read_net
from seriatim.program.inputs import Input
from seriatim.report.limits_text import budget_diagnostic, limit_diagnostic
from seriatim.report.run_json import run_json
from seriatim.report.verdict_text import timeline_text
from seriatim.show.net_program import AnotherNet, program_run
from seriatim.show.net_reach import Answer, answer_json, answer_query, answer_text
from seriatim.source import Diagnostic, SourceText
from seriatim.systems.limits import LimitReached, Limits


@click.group("net", short_help="Ask questions about Petri nets.")
def command() -> None:
    """Ask questions about Petri nets, given as TINA's .net or as PNML."""


@command.command(
    "reach",
    short_help="Decide reachability queries about a net.",
    help="""Decide the reachability queries in a file about a NET.

    A query is settled by a run, which is shown, by trying all markings, by counting, where the state
    equation with siphon and trap cuts shows that no such marking is reachable, or by an invariant. The
    timeout is for each query.

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
    """,
)
@click.argument("file", metavar="NET")
@click.option(
    "--formula",
    required=True,
    metavar="FILE",
    help="The queries, in the XML of the Model Checking Contest: EF or AG.",
)
@click.option(
    "--program",
    metavar="FILE",
    help="The input that `ser export` made the net from: runs are shown as steps of it.",
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
    program: str | None,
    as_json: bool,
    max_markings: int,
    timeout: float,
    max_memory: int | None,
    color: str,
) -> None:
    """Answers each query in turn."""
    terminal = Terminal.with_color(color)
    try:
        _, net = load(InputFile.from_argument(file), only_for("net", read_net))
        _, queries = load(InputFile.from_argument(formula), lambda source: read_queries(source.text, net))
        origin = None if program is None else load(InputFile.from_argument(program), read_input)
    except BadInput as bad:
        terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    outcomes: set[bool | None] = set()
    for query in queries:
        try:
            deadline = Deadline(timeout, memory_for_each(max_memory))
            with enforce(deadline):
                answer = answer_query(net, query, max_markings, deadline)
        except OutOfBudget as out:
            terminal.complain(SourceText(query.name or formula, ""), budget_diagnostic(out))
            outcomes.add(None)
            continue
        outcomes.add(answer.holds)
        try:
            run = None if origin is None else run_behind(answer, net, *origin, deadline)
        except (LimitReached, OutOfBudget) as stopped:
            run = None
            terminal.complain(SourceText(str(program), ""), stop_diagnostic(stopped))
        except AnotherNet:
            hint = "export it again: ser export FILE --to net"
            another = Diagnostic("SER907", "this net was not made from that input", hint=hint)
            terminal.complain(SourceText(file, ""), another)
            context.exit(ExitCode.BAD_INPUT)
        if as_json:
            steps = {} if run is None else {"run": run_json(run)}
            terminal.say(json.dumps(answer_json(answer, net) | steps, ensure_ascii=False) + "\n")
        else:
            terminal.say(answer_text(answer, net))
            if run is not None:
                terminal.say("\n" + timeline_text(run.timeline, terminal.out))
    codes = {None: ExitCode.UNKNOWN, False: ExitCode.NO, True: ExitCode.YES}
    context.exit(next(code for outcome, code in codes.items() if outcome in outcomes))


def run_behind(
    answer: Answer, net: PetriNet, source: SourceText, content: Input, deadline: Deadline
) -> ShownRun | None:
    """The run of the input that corresponds to the run of its net, if the answer has one."""
    if not isinstance(answer.found, Reached):
        return None
    return program_run(net, tuple(answer.found.firings), content, source, Limits(), deadline)


def stop_diagnostic(stopped: LimitReached | OutOfBudget) -> Diagnostic:
    return limit_diagnostic(stopped) if isinstance(stopped, LimitReached) else budget_diagnostic(stopped)
