"""`ser net`: questions about Petri nets of any origin."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from seriatim.budget import Deadline, OutOfBudget, enforce
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import write_whole
from seriatim.cli.limits_options import Effort, effort_options
from seriatim.cli.terminal import Terminal
from seriatim.explain.timeline import ShownRun
from seriatim.frontends.all import read_input
from seriatim.frontends.kinds import only_for
from seriatim.frontends.reading import BadInput, InputFile, load
from seriatim.petri.boundedness import Pump, decide_boundedness
from seriatim.petri.coverability import decide_covering
from seriatim.petri.covering import Covered, Covering
from seriatim.petri.mist import is_mist
from seriatim.petri.net import PetriNet
from seriatim.petri.net_certificates import (
    Bounded,
    Coverable,
    Most,
    NetClaim,
    Reachable,
    evidence_of,
    is_confirmed,
    read_certificate,
    write_certificate,
)
from seriatim.petri.queries import Bound, Query
from seriatim.petri.query_xml import read_queries
from seriatim.petri.reachability import Reached
from seriatim.petri.reading import read_covering, read_net
from seriatim.program.inputs import Input
from seriatim.report.limits_text import budget_diagnostic, limit_diagnostic
from seriatim.report.run_json import run_json
from seriatim.report.verdict_text import timeline_text
from seriatim.show import net_reach
from seriatim.show.net_program import AnotherNet, program_run
from seriatim.show.net_questions import (
    boundedness_json,
    boundedness_text,
    covering_json,
    covering_text,
    read_target,
)
from seriatim.show.net_reach import (
    ReachAnswer,
    answer_bound,
    answer_json,
    answer_query,
    answer_text,
    contest_line,
)
from seriatim.source import Diagnostic, InputError, SourceText
from seriatim.systems.limits import LimitReached, Limits

Content = TypeVar("Content")

markings_option = click.option(
    "--max-markings",
    type=click.IntRange(min=1),
    default=200_000,
    show_default=True,
    metavar="N",
    help="How many markings to try for each case of a question.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each answer.")
certificate_option = click.option(
    "--certificate",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the answers with their evidence; `ser net verify` checks them.",
)


@click.group("net", short_help="Ask questions about Petri nets.")
def command() -> None:
    """Ask questions about Petri nets, given as TINA's .net, as PNML, or as MIST's .spec."""


def reads_net(read: Callable[[SourceText], Content]) -> Callable[[SourceText], Content]:
    """The reader of nets, for files of any name that hold one of MIST's questions, and for nets."""

    def either(source: SourceText) -> Content:
        return read(source) if is_mist(source.text) else only_for("net", read)(source)

    return either


def save(path: Path | None, net: PetriNet, claims: list[NetClaim]) -> None:
    """Writes a certificate; raises `BadInput` if the file cannot be written."""
    if path is not None:
        try:
            write_whole(path, write_certificate(net, tuple(claims)))
        except InputError as problem:
            raise BadInput(SourceText(str(path), ""), problem.diagnostics) from None


@command.command(
    "reach",
    short_help="Decide reachability queries about a net.",
    help="""Decide the reachability queries in a file about a NET.

    A query is settled by a run, which is shown, by trying all markings, by counting, where the state
    equation with siphon and trap cuts shows that no such marking is reachable, or by an invariant. Upper
    bounds are numbers: the most tokens that some places have together. The timeout is for each query.

    \b
    Examples:
      ser net reach model.pnml --formula ReachabilityCardinality.xml
      ser net reach model.pnml --formula UpperBounds.xml --contest
      ser net reach philosophers.net --formula deadlock.xml --json

    \b
    Exit codes (of several queries, the first of 3, 1, 0 that occurs):
      0  every query holds; every upper bound is known
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
    help="The queries, in the XML of the Model Checking Contest: EF, AG or upper bounds.",
)
@click.option(
    "--program",
    metavar="FILE",
    help="The input that `ser export` made the net from: runs are shown as steps of it.",
)
@json_option
@click.option("--contest", is_flag=True, help="Print answers as the Model Checking Contest wants them.")
@certificate_option
@markings_option
@effort_options
@click.pass_context
def reach_command(
    context: click.Context,
    file: str,
    formula: str,
    program: str | None,
    as_json: bool,
    contest: bool,
    certificate: Path | None,
    max_markings: int,
    effort: Effort,
) -> None:
    """Answers each query in turn."""
    terminal = effort.terminal()
    try:
        _, net = load(InputFile.from_argument(file), reads_net(read_net))
        _, queries = load(InputFile.from_argument(formula), lambda source: read_queries(source.text, net))
        origin = None if program is None else load(InputFile.from_argument(program), read_input)
    except BadInput as bad:
        terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    outcomes: set[bool | None] = set()
    claims: list[NetClaim] = []
    for query in queries:
        try:
            deadline = effort.deadline()
            with enforce(deadline):
                answer = settle(net, query, max_markings, deadline)
        except OutOfBudget as out:
            terminal.complain(SourceText(query.name or formula, ""), budget_diagnostic(out))
            outcomes.add(None)
            if contest:
                terminal.say(f"FORMULA {query.name} CANNOT_COMPUTE\n")
            continue
        outcomes.add(answer.holds)
        claims += claim_of(answer)
        if contest:
            terminal.say(contest_line(answer) + "\n")
            continue
        try:
            run = find_run(answer, net, origin, SourceText(str(program), ""), terminal, deadline)
        except AnotherNet:
            hint = "export it again: ser export FILE --to net"
            another = Diagnostic("SER907", "this net was not made from that input", hint=hint)
            terminal.complain(SourceText(file, ""), another)
            context.exit(ExitCode.BAD_INPUT)
        terminal.say(told(answer, net, run, as_json, terminal))
    try:
        save(certificate, net, claims)
    except BadInput as bad:
        terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    codes = {None: ExitCode.UNKNOWN, False: ExitCode.NO, True: ExitCode.YES}
    context.exit(next(code for outcome, code in codes.items() if outcome in outcomes))


def find_run(
    answer: ReachAnswer | net_reach.Most,
    net: PetriNet,
    origin: tuple[SourceText, Input] | None,
    program: SourceText,
    terminal: Terminal,
    deadline: Deadline,
) -> ShownRun | None:
    """The run of the program that an answer is about; complains about a limit that ends the search for it."""
    try:
        return None if origin is None else run_behind(answer, net, *origin, deadline)
    except (LimitReached, OutOfBudget) as stopped:
        terminal.complain(program, stop_diagnostic(stopped))
        return None


def told(
    answer: ReachAnswer | net_reach.Most,
    net: PetriNet,
    run: ShownRun | None,
    as_json: bool,
    terminal: Terminal,
) -> str:
    """An answer, and the run behind it."""
    if as_json:
        steps = {} if run is None else {"run": run_json(run)}
        return json.dumps(answer_json(answer, net) | steps, ensure_ascii=False) + "\n"
    timeline = "" if run is None else "\n" + timeline_text(run.timeline, terminal.out)
    return answer_text(answer, net) + timeline


def settle(
    net: PetriNet, query: Query | Bound, max_markings: int, deadline: Deadline
) -> ReachAnswer | net_reach.Most:
    if isinstance(query, Bound):
        return answer_bound(net, query, max_markings, deadline)
    return answer_query(net, query, max_markings, deadline)


def claim_of(answer: ReachAnswer | net_reach.Most) -> list[NetClaim]:
    """Returns what a certificate says about an answer; nothing about an open question."""
    if answer.holds is None:
        return []
    evidence: Any = evidence_of(answer.found)
    if isinstance(answer, ReachAnswer):
        query = answer.query
        asked = Reachable(query.name, query.quantifier, query.predicate)
        return [NetClaim(asked, answer.holds, evidence)]
    tokens = 0 if isinstance(answer.found, Pump) else answer.found.tokens
    return [
        NetClaim(
            Most(answer.query.name, tokens, answer.query.places.terms),
            not isinstance(answer.found, Pump),
            evidence,
        )
    ]


def run_behind(
    answer: ReachAnswer | net_reach.Most,
    net: PetriNet,
    source: SourceText,
    content: Input,
    deadline: Deadline,
) -> ShownRun | None:
    """The run of the input that corresponds to the run of its net, if the answer has one."""
    if not isinstance(answer.found, Reached):
        return None
    return program_run(net, tuple(answer.found.firings), content, source, Limits(), deadline)


def stop_diagnostic(stopped: LimitReached | OutOfBudget) -> Diagnostic:
    return limit_diagnostic(stopped) if isinstance(stopped, LimitReached) else budget_diagnostic(stopped)


@command.command(
    "cover",
    short_help="Decide whether a net can reach at least some tokens.",
    help="""Decide whether a NET reaches a marking with at least the tokens of a target.

    A .spec of MIST names its targets, and may start with any number of tokens in some places. For other nets,
    name the tokens. The answer is a run, or a barrier that no run passes.

    \b
    Examples:
      ser net cover basicME.spec
      ser net cover mutex.net --target "critical1, critical2" --certificate proof.json

    \b
    Exit codes:
      0  covered
      1  not covered
      2  bad input or usage
      3  undecided within the limits
    """,
)
@click.argument("file", metavar="NET")
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="TOKENS",
    help='Tokens to cover, such as "p1 >= 2, p3"; of several targets, one is enough.',
)
@json_option
@certificate_option
@effort_options
@click.pass_context
def cover_command(
    context: click.Context,
    file: str,
    targets: tuple[str, ...],
    as_json: bool,
    certificate: Path | None,
    effort: Effort,
) -> None:
    """Answers one question."""
    terminal = effort.terminal()
    try:
        source, question = load(InputFile.from_argument(file), reads_net(read_covering))
        question = with_targets(source, question, targets)
        deadline = effort.deadline()
        with enforce(deadline):
            answer = decide_covering(question, deadline)
        is_covered = isinstance(answer, Covered)
        asked = Coverable(question.targets, tuple(sorted(question.open_places)))
        save(certificate, question.net, [NetClaim(asked, is_covered, answer)])
    except BadInput as bad:
        terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    except OutOfBudget as out:
        terminal.complain(SourceText(file, ""), budget_diagnostic(out))
        context.exit(ExitCode.UNKNOWN)
    found = covering_json(question, answer)
    terminal.say(json.dumps(found, ensure_ascii=False) + "\n" if as_json else covering_text(question, answer))
    context.exit(ExitCode.YES if is_covered else ExitCode.NO)


def with_targets(source: SourceText, question: Covering, targets: tuple[str, ...]) -> Covering:
    """A question with the targets of the command line, if there are some; raises `BadInput`."""
    try:
        given = tuple(read_target(each, question.net) for each in targets) or question.targets
    except InputError as error:
        raise BadInput(source, error.diagnostics) from None
    if not given:
        hint = 'name the tokens: --target "p1 >= 2, p3"'
        raise BadInput(source, [Diagnostic("SER909", "nothing says which tokens to cover", hint=hint)])
    return Covering(question.net, given, question.open_places)


@command.command(
    "bound",
    short_help="Decide whether the tokens of a net are bounded.",
    help="""Decide whether the number of tokens in a NET can grow without a bound.

    The answer is a run with a part that can be repeated for ever, or a sum of tokens that never grows, or the
    number of all markings, which were tried. `ser net reach` finds exact bounds of places.

    \b
    Exit codes:
      0  bounded
      1  not bounded
      2  bad input or usage
      3  undecided within the limits
    """,
)
@click.argument("file", metavar="NET")
@json_option
@certificate_option
@markings_option
@effort_options
@click.pass_context
def bound_command(
    context: click.Context,
    file: str,
    as_json: bool,
    certificate: Path | None,
    max_markings: int,
    effort: Effort,
) -> None:
    """Answers one question."""
    terminal = effort.terminal()
    try:
        _, net = load(InputFile.from_argument(file), reads_net(read_net))
        deadline = effort.deadline()
        with enforce(deadline):
            answer = decide_boundedness(net, max_markings, deadline)
        if answer is not None:
            save(certificate, net, [NetClaim(Bounded(), not isinstance(answer, Pump), answer)])
    except BadInput as bad:
        terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    except OutOfBudget as out:
        terminal.complain(SourceText(file, ""), budget_diagnostic(out))
        context.exit(ExitCode.UNKNOWN)
    if answer is None:
        terminal.say(f"open: among {max_markings:,} markings, none shows that tokens grow\n")
        context.exit(ExitCode.UNKNOWN)
    found = boundedness_json(net, answer)
    terminal.say(json.dumps(found, ensure_ascii=False) + "\n" if as_json else boundedness_text(net, answer))
    context.exit(ExitCode.NO if isinstance(answer, Pump) else ExitCode.YES)


@command.command(
    "verify",
    short_help="Check a certificate about a net.",
    help="""Check the claims in a CERTIFICATE about a NET, from the net and the evidence alone.

    \b
    Exit codes:
      0  every claim is confirmed
      1  a claim is refused
      2  bad input or usage
      3  the limits were reached
    """,
)
@click.argument("file", metavar="NET")
@click.argument("certificate", metavar="CERTIFICATE")
@effort_options
@click.pass_context
def verify_command(context: click.Context, file: str, certificate: str, effort: Effort) -> None:
    """Checks each claim in turn."""
    terminal = effort.terminal()
    try:
        _, question = load(InputFile.from_argument(file), reads_net(read_covering))
        net = question.net
        _, claims = load(
            InputFile.from_argument(certificate), lambda source: read_certificate(source.text, net)
        )
        outcomes: list[bool] = []
        for claim in claims:
            deadline = effort.deadline()
            with enforce(deadline):
                outcomes.append(is_confirmed(net, question.open_places, claim, deadline))
            terminal.say(f"{'confirmed' if outcomes[-1] else 'REFUSED'}: {claim_text(claim)}\n")
    except BadInput as bad:
        terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    except OutOfBudget as out:
        terminal.complain(SourceText(file, ""), budget_diagnostic(out))
        context.exit(ExitCode.UNKNOWN)
    context.exit(ExitCode.YES if all(outcomes) else ExitCode.NO)


def claim_text(claim: NetClaim) -> str:
    """A claim in words."""
    match claim.question:
        case Coverable(targets=targets):
            what = "the target" if len(targets) == 1 else f"one of {len(targets):,} targets"
            return f"{what} is {'covered' if claim.holds else 'not covered'}"
        case Bounded():
            return "the net is bounded" if claim.holds else "the net is not bounded"
        case Most(name=name, tokens=tokens):
            return f"{name or 'query'}: {f'{tokens:,} tokens at most' if claim.holds else 'no bound'}"
        case Reachable(name=name, quantifier=quantifier):
            return f"{quantifier} {name or 'query'} {'holds' if claim.holds else 'does not hold'}"
        case _:
            return "an unknown claim"
