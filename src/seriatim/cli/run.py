"""`ser run`: a random run, step by step."""

import json
from collections.abc import Sequence
from random import SystemRandom
from typing import TYPE_CHECKING

import click

from seriatim.budget import Deadline, OutOfBudget, enforce
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.limits_options import Effort, collect, limits_options, memory_option, timeout_option
from seriatim.cli.terminal import Terminal, color_option
from seriatim.explain.drawing import draw
from seriatim.explain.drawn import Answered, CutShort, DrawnRun, GotStuck
from seriatim.explain.thread_timeline import show_threads
from seriatim.frontends.all import read_decidable
from seriatim.frontends.kinds import only_for
from seriatim.frontends.reading import BadInput, InputFile, load
from seriatim.program.network_system import NetworkSystem
from seriatim.program.syntax import Program
from seriatim.report.drawn_text import drawn_text
from seriatim.report.limits_text import budget_diagnostic, limit_diagnostic
from seriatim.report.result_json import error_json
from seriatim.report.run_json import run_json
from seriatim.report.sample_json import drawn_json
from seriatim.report.verdict_text import sizes, timeline_text
from seriatim.source import SourceText
from seriatim.systems.from_input import Origin, explain_limit, unfold
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.random_run import random_handlers
from seriatim.systems.threads.finite import FiniteSystem
from seriatim.systems.threads.random_walk import random_walk

if TYPE_CHECKING:
    from seriatim.program.threads.syntax import ThreadProgram

MAX_REQUESTS = 1_000
SEEDS = 1_000_000


@click.command(
    "run",
    short_help="Run requests at random and show what happens.",
    help="""Run some requests of FILE, interleaved at random, and show what happens.

    \b
    Examples:
      ser run counter.ser
      ser run counter.ser --requests incr=2 --requests get --seed=7
      ser run counter.ser --requests 5 --serial
      ser run workers.conc --seed 1

    \b
    Exit codes:
      0  all requests were answered
      1  they got stuck: some wait for ever; or a step of a thread fails
      2  bad input or usage
      3  a limit was reached
    """,
)
@click.argument("file", metavar="FILE")
@click.option(
    "--requests",
    "-r",
    multiple=True,
    default=("3",),
    show_default=True,
    metavar="NAME[=COUNT]|N",
    help="A request by its name, several of them, or N requests drawn at random; may be repeated.",
)
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="The same seed gives the same run.")
@click.option("--serial", is_flag=True, help="One request at a time.")
@click.option("--json", "as_json", is_flag=True, help="Print the run as one JSON object.")
@timeout_option
@limits_options
@memory_option
@color_option
@collect(effort=Effort)
@click.pass_context
def command(
    context: click.Context,
    file: str,
    requests: tuple[str, ...],
    seed: int | None,
    serial: bool,
    as_json: bool,
    max_states: int,
    max_value: int,
    effort: Effort,
) -> None:
    """Draws a random run and shows it."""
    terminal = effort.terminal()
    chosen_seed = SystemRandom().randrange(SEEDS) if seed is None else seed
    deadline = effort.deadline()
    try:
        with enforce(deadline):
            source, content = load(InputFile.from_argument(file), only_for("run", read_decidable))
            if not isinstance(content, Program | NetworkSystem):
                context.exit(run_threads(content, source, chosen_seed, as_json, terminal, deadline))
            origin = unfold(content, Limits(max_states, max_value), deadline)
    except BadInput as bad:
        if as_json:
            terminal.say(json.dumps(error_json(bad.source.name, bad.diagnostics)) + "\n")
        else:
            terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    except OutOfBudget as out:
        terminal.complain(SourceText(file, ""), budget_diagnostic(out))
        context.exit(ExitCode.UNKNOWN)
    try:
        handlers = chosen_handlers(requests, origin, chosen_seed)
        with enforce(deadline):
            drawn = draw(
                origin, source, handlers, chosen_seed, deadline, serial=serial, wants_order=not as_json
            )
    except LimitReached as reached:
        terminal.complain(source, limit_diagnostic(explain_limit(reached, origin)))
        context.exit(ExitCode.UNKNOWN)
    except OutOfBudget as out:
        terminal.complain(source, budget_diagnostic(out))
        context.exit(ExitCode.UNKNOWN)
    if as_json:
        terminal.say(json.dumps(drawn_json(drawn, source)) + "\n")
    else:
        terminal.say(drawn_text(drawn, source, terminal.out, seed_is_news=seed is None))
    context.exit(exit_code(drawn))


THREAD_STEPS = 60
"""The largest number of steps in a random run of threads."""


def run_threads(
    program: "ThreadProgram",
    source: SourceText,
    seed: int,
    as_json: bool,
    terminal: Terminal,
    deadline: Deadline,
) -> ExitCode:
    """A random run of a program with threads."""
    walk = random_walk(FiniteSystem(program, deadline, forgets=True), seed, THREAD_STEPS)
    shown = show_threads(program, walk.run)
    ending = "fails" if walk.fails else "ends" if walk.is_stuck else "goes on"
    if as_json:
        told = {"file": source.name, "seed": seed, "ending": ending} | run_json(shown)
        terminal.say(json.dumps(told) + "\n")
    else:
        terminal.say(f"{source.name}: {sizes(shown)}, seed {seed}; the run {ending}\n\n")
        terminal.say(timeline_text(shown.timeline, terminal.out))
    return ExitCode.NO if walk.fails else ExitCode.YES


def exit_code(drawn: DrawnRun) -> ExitCode:
    match drawn.ending:
        case Answered():
            return ExitCode.YES
        case GotStuck():
            return ExitCode.NO
        case CutShort():
            return ExitCode.UNKNOWN


def chosen_handlers(requests: Sequence[str], origin: Origin, seed: int) -> list[int]:
    """The handler of each request that was asked for."""
    handlers: list[int] = []
    for wish in requests:
        name, _, count = wish.rpartition("=")
        if wish in origin.requests:
            handlers.append(origin.requests.index(wish))
        elif name in origin.requests and count.isdecimal():
            handlers += [origin.requests.index(name)] * checked_count(count, wish)
        elif wish.isdecimal():
            handlers += random_handlers(origin, checked_count(wish, wish), seed)
        else:
            known = ", ".join(origin.requests)
            raise bad_wish(f"{wish!r} is neither a number nor a request of this input ({known}).")
    if not handlers:
        raise bad_wish("there is nothing to run.")
    return handlers


def checked_count(digits: str, wish: str) -> int:
    if len(digits) > 9 or not 0 <= int(digits) <= MAX_REQUESTS:
        raise bad_wish(f"{wish!r} asks for more than {MAX_REQUESTS} requests.")
    return int(digits)


def bad_wish(message: str) -> click.BadParameter:
    return click.BadParameter(message, param_hint="--requests")
