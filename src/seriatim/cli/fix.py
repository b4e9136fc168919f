"""`ser fix`: small changes that make a program serializable, each of them proved."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from seriatim.budget import Deadline, OutOfBudget, enforce
from seriatim.cli.cluster_options import cluster_option
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import write_whole
from seriatim.cli.fix_ahead import decide_ahead
from seriatim.cli.fix_services import fix_service
from seriatim.cli.fix_texts import fix_text
from seriatim.cli.limits_options import (
    collect,
    limits_options,
    memory_for_each,
    memory_option,
    timeout_option,
)
from seriatim.cli.one_check import exit_code
from seriatim.cli.progress import progress_line
from seriatim.cli.terminal import Terminal, color_option
from seriatim.cluster.client import join_cluster
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.kinds import only_for
from seriatim.frontends.reading import BadInput, InputFile, load
from seriatim.program.syntax import Program
from seriatim.repair.candidate import Change
from seriatim.repair.repairs import Repairs
from seriatim.repair.search import MAX_CANDIDATES, Ask, may_hang
from seriatim.repair.suggestions import read_program, suggest_repairs
from seriatim.repair.text_changes import has_changes
from seriatim.report.limits_text import budget_diagnostic
from seriatim.report.repair_text import repairs_json, repairs_text
from seriatim.report.result_json import error_json, result_json
from seriatim.report.verdict_text import verdict_text
from seriatim.result import Faulty, Holds, Result
from seriatim.source import Diagnostic, InputError, SourceText
from seriatim.systems.limits import Limits

if TYPE_CHECKING:
    from seriatim.cluster.address import Address


@dataclass(frozen=True, slots=True)
class Wishes:
    """Options: what to do with the repairs."""

    write: bool
    pick: int
    candidates: int
    keep_yields: bool
    as_json: bool
    cluster: "Address | None"

    def changes(self) -> frozenset[Change]:
        return frozenset(each for each in Change if each.keeps_yields or not self.keep_yields)


@dataclass(frozen=True, slots=True)
class Reach:
    """Options: the limits for one input."""

    timeout: float
    max_states: int
    max_value: int
    max_memory: int | None

    def options(self) -> Options:
        limits = Limits(self.max_states, self.max_value)
        return Options(limits, self.timeout, max_memory=memory_for_each(self.max_memory))


@click.command("fix", short_help="Suggest changes that make a program serializable.")
@click.argument("file", metavar="FILE")
@click.option("--write", "-w", is_flag=True, help="Apply a repair to FILE.")
@click.option(
    "--pick",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Which repair --write applies.",
)
@click.option(
    "--candidates",
    type=click.IntRange(min=1),
    default=MAX_CANDIDATES,
    show_default=True,
    metavar="N",
    help="How many changes to decide at most.",
)
@click.option("--keep-yields", is_flag=True, help="Offer nothing that drops or moves a yield.")
@click.option("--json", "as_json", is_flag=True, help="Print the repairs as one JSON object.")
@cluster_option
@timeout_option
@limits_options
@memory_option
@color_option
@collect(wishes=Wishes, reach=Reach)
@click.pass_context
def command(context: click.Context, file: str, wishes: Wishes, reach: Reach, color: str) -> None:
    """Suggest small changes that make the program in FILE serializable: a lock for each element of an array,
    a lock around as few statements as possible, a retry if another request was faster, moving a yield, or
    removing some. Comments and layout stay as they are.

    Each change is proved correct before it is shown, as `ser check` would do it, and lets no request wait
    for ever. A request that runs alone does the same as before. Changes that keep all yields come first: in
    a service or a database, you can seldom drop one.

    In an asyncio service (.py), the changes are a lock around as few lines as possible, a second test after
    a pause, and a write before it. Each changed copy is run as `ser check` runs the file; it has to show no
    race, and the same answers to requests that run one at a time.

    In SQL and C, the changes make transactions or threads wait: rows locked by the SELECT that reads them, a
    stronger level, a mutex. Each is proved by the model of the changed file, without running it.

    --timeout limits the whole command: the verdict on FILE and the proofs of the changes.

    \b
    Examples:
      ser fix counter.ser
      ser fix counter.ser --keep-yields
      ser fix counter.ser --write --pick 2
      ser fix service.py
      ser fix orders.sql

    \b
    Exit codes:
      0  there is a repair, or nothing to fix
      1  no repair was found, or a step fails: an assertion, a range, an index
      2  bad input or usage
      3  undecided whether there is anything to fix
    """
    terminal = Terminal.with_color(color)
    target = InputFile.from_argument(file)
    try:
        context.exit(fix_file(target, wishes, reach.options(), terminal))
    except BadInput as bad:
        complain(terminal, bad.source, bad.diagnostics, wishes.as_json)
        context.exit(ExitCode.BAD_INPUT)
    except InputError as error:
        complain(terminal, SourceText(target.name, ""), error.diagnostics, wishes.as_json)
        context.exit(ExitCode.BAD_INPUT)
    except OutOfBudget as out:
        complain(terminal, SourceText(target.name, ""), (budget_diagnostic(out),), wishes.as_json)
        context.exit(ExitCode.UNKNOWN)


def fix_file(target: InputFile, wishes: Wishes, options: Options, terminal: Terminal) -> ExitCode:
    """Shows the repairs of a program, and applies one if asked to."""
    if wishes.write and target.path is None:
        hint = "name a file, or leave --write out"
        raise InputError([Diagnostic("SER209", "standard input cannot be changed", hint=hint)])
    deadline = Deadline(options.timeout, options.max_memory)
    if target.name.endswith(".py"):
        pick = wishes.pick if wishes.write else None
        return fix_service(target, deadline, wishes.candidates, pick, wishes.as_json, terminal)
    if has_changes(target.name):
        pick = wishes.pick if wishes.write else None
        return fix_text(target, options, pick, wishes.as_json, terminal)
    with enforce(deadline):
        source, program = load(target, only_for("fix", read_program))
    ask = partial(asking, program, source.text, wishes)
    with progress_line(source.name, terminal) as observer:
        found = suggest_repairs(
            program, source, options, deadline, observer, wishes.candidates, wishes.changes(), ask
        )
    if isinstance(found, Result):
        tell_verdict(found, terminal, wishes.as_json)
        return exit_code(found)
    tell_repairs(found, source, wishes, terminal)
    if wishes.write and found.found and target.path is not None:
        apply(found, target.path, source.name, wishes, terminal)
    return ExitCode.YES if found.found else ExitCode.NO


@contextmanager
def asking(program: Program, text: str, wishes: Wishes, options: Options) -> Iterator[Ask]:
    """Chooses the function that decides changes."""
    if wishes.cluster is None:
        yield decide
        return
    with join_cluster(wishes.cluster) as crew:
        yield decide_ahead(crew, program, text, options, wishes.candidates, wishes.changes())


def tell_repairs(found: Repairs, source: SourceText, wishes: Wishes, terminal: Terminal) -> None:
    if wishes.as_json:
        terminal.say(json.dumps(repairs_json(found, source)) + "\n")
    else:
        terminal.say(repairs_text(found, source, terminal.out) + how_to_apply(found, source, wishes.write))


def apply(found: Repairs, path: Path, name: str, wishes: Wishes, terminal: Terminal) -> None:
    """Writes the text of a repair to the file."""
    if wishes.pick > len(found.found):
        raise click.BadParameter(f"there is no repair {wishes.pick}.", param_hint="--pick")
    write_whole(path, found.found[wishes.pick - 1].text)
    if not wishes.as_json:
        terminal.say(f"\nRepair {wishes.pick} is applied to {name}.\n")


def tell_verdict(result: Result, terminal: Terminal, as_json: bool) -> None:
    """Says why there is nothing to fix, or why that is not known."""
    if as_json:
        terminal.say(json.dumps(result_json(result)) + "\n")
        return
    terminal.say(verdict_text(result, terminal.out))
    if isinstance(result.answer, Holds):
        stuck = ", but for requests that wait for ever" if may_hang(result) else ""
        terminal.say(f"  There is nothing to fix{stuck}.\n")
    elif isinstance(result.answer, Faulty):
        terminal.say("\n  Correct this mistake first; no repair was looked for.\n")


def how_to_apply(found: Repairs, source: SourceText, is_applied: bool) -> str:
    if is_applied or not found.found or source.name == "<stdin>":
        return ""
    return f"\nTo apply one: ser fix {source.name} --write --pick N\n"


def complain(
    terminal: Terminal, source: SourceText, diagnostics: tuple[Diagnostic, ...], as_json: bool
) -> None:
    if as_json:
        terminal.say(json.dumps(error_json(source.name, diagnostics)) + "\n")
    else:
        terminal.complain(source, *diagnostics)
