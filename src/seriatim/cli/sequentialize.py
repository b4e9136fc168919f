"""`ser sequentialize`: proves that one order of actions covers every run of an asynchronous program."""

import json
import re
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import assert_never

import click

from seriatim.actions.meaning import Failed
from seriatim.actions.printer import print_actions, proof_lines
from seriatim.actions.syntax import ActionProgram, Proof
from seriatim.actions.values import Sizes
from seriatim.budget import OutOfBudget, enforce
from seriatim.certificate.certificate import write
from seriatim.checking.allowance import GaveUp
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.discharge import condition_script
from seriatim.cli.action_files import ActionFile, load_actions, unreadable
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import make_directory, write_whole
from seriatim.cli.limits_options import Effort, effort_options, evidence_option, json_option, path_option
from seriatim.cli.terminal import Terminal
from seriatim.cli.verify import chosen_solvers
from seriatim.frontends.actions.parser import parse
from seriatim.frontends.actions.proof_text import read_proof
from seriatim.frontends.reading import BadInput, InputFile, load
from seriatim.properties.sequential import SEQUENTIAL
from seriatim.report.diagnostic_json import diagnostic_json
from seriatim.report.endings import claim_json, claim_text
from seriatim.report.sequentialization import outcome_json, outcome_text
from seriatim.sequencing.claims import Claim, Holds, Unknown, Violated, decide_claim
from seriatim.sequencing.decide import Decision, Settings
from seriatim.sequencing.endings import Ending
from seriatim.sequencing.handlers import complete_proof, is_serial
from seriatim.sequencing.orders import lacks_order
from seriatim.sequencing.outcome import Outcome, Proved, RunBreaks
from seriatim.source import Diagnostic, InputError, SourceText


@click.command(
    "sequentialize",
    short_help="Prove that one simple order of actions covers all runs.",
    help="""Prove that executing the actions of FILE in one order covers every run, for all sizes.

    FILE is an asynchronous program (.actions) with a block `sequential`. If the proof succeeds, then no
    assertion fails in any run, and what the block ensures holds whenever a run ends.

    A program with request handlers (.ser) is converted: each step between two `yield`s is an action, and
    requests that have started are finished first. If that order covers all runs in which N requests are
    answered, their outcomes are those of serial runs. --write-actions shows the actions; --proof gives
    another order for them.

    \b
    Examples:
      ser sequentialize broadcast.actions
      ser sequentialize broadcast.actions --size N=2..4
      ser sequentialize paxos.actions --size N=3 --size R=2 --find-order
      ser sequentialize spin_lock.ser

    \b
    Exit codes:
      0  proved
      1  a run breaks an assertion or what is ensured
      2  bad input or usage
      3  not proved: some premise fails, or a limit was reached
    """,
)
@click.argument("file")
@click.option(
    "--size",
    "sizes",
    multiple=True,
    metavar="N=3",
    help="Decide it exactly at this size instead of for all; N=2..4 for several sizes. May be repeated.",
)
@click.option(
    "--values",
    default="0..1",
    show_default=True,
    metavar="A..B",
    help="With --size: the integers that free choices range over.",
)
@click.option(
    "--terminating", is_flag=True, help="Cover only runs that terminate; failing runs may be missed."
)
@click.option(
    "--proof",
    "proof_file",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Use the block `sequential` in this file: another order, other facts; for handlers (.ser), too.",
)
@click.option(
    "--property",
    "asked",
    type=click.Choice([SEQUENTIAL.name, *(each.value for each in Ending)]),
    default=SEQUENTIAL.name,
    show_default=True,
    help="deadlock-free: no run gets stuck; terminating: every run ends. Exact at sizes given by --size;"
    " for all sizes where a reason is known.",
)
@click.option("--find-order", is_flag=True, help="Look for an order that works.")
@click.option("--write", "write_proof", is_flag=True, help="Write the proof that was found into FILE.")
@path_option(
    "--write-actions",
    "Save the asynchronous program; useful for handlers (.ser), to give them another order or facts.",
)
@json_option
@evidence_option
@click.option(
    "--emit-smt",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write each condition as an SMT-LIB file.",
)
@click.option(
    "--solver",
    type=click.Choice(["z3", "cvc5", "both"]),
    default="z3",
    show_default=True,
    help="Solver for the conditions; both: cvc5 confirms what z3 proves. It is an extra, seriatim[cvc5].",
)
@effort_options
@click.pass_context
def command(
    context: click.Context,
    file: str,
    sizes: tuple[str, ...],
    values: str,
    terminating: bool,
    proof_file: Path | None,
    asked: str,
    find_order: bool,
    write_proof: bool,
    write_actions: Path | None,
    as_json: bool,
    certificate: Path | None,
    emit_smt: Path | None,
    solver: str,
    effort: Effort,
) -> None:
    """Reads the program, decides it, saves files, reports."""
    terminal = effort.terminal()
    input_file = InputFile.from_argument(file)
    begun = perf_counter()
    source = SourceText(input_file.name, "")
    try:
        solvers = chosen_solvers(solver)
        deadline = effort.deadline()
        found = load_actions(input_file, deadline, "sequentialize")
        source, program = found.source, found.program
        if write_actions is not None:
            write_whole(write_actions, print_actions(program))
        proof = None if proof_file is None else given_proof(proof_file, found)
        find_order = find_order or (not found.converted and lacks_order(proof or program.proof))
        terminating = terminating or found.converted
        settings = Settings(instance_sizes(program, sizes, values), terminating, find_order, solvers)
        decision = Decision(program, settings, read_proof, deadline, proof)
        if asked != SEQUENTIAL.name:
            refuse_claim_options(found, certificate, emit_smt, write_proof)
            with enforce(deadline):
                claim = decide_claim(decision, Ending(asked))
            context.exit(say_claim(terminal, input_file.name, Ending(asked), claim, begun, as_json))
        with enforce(deadline):
            outcome = decision.decide()
        if found.converted and isinstance(outcome, Proved):
            outcome = replace(outcome, endings=None)  # Where requests wait, the actions have no steps.
        save(outcome, program, terminating, certificate, emit_smt)
        if write_proof and isinstance(outcome, Proved) and not found.converted:
            write_into(input_file, source, outcome)
    except (BadInput, Failed, InputError) as error:
        refuse(terminal, bad_input(error, source), input_file.name, as_json)
        context.exit(ExitCode.BAD_INPUT)
    except (GaveUp, OutOfBudget) as stopped:
        reason = stopped.spent if isinstance(stopped, OutOfBudget) else str(stopped)
        undecided(terminal, input_file.name, reason, perf_counter() - begun, as_json)
        context.exit(ExitCode.UNKNOWN)
    if as_json:
        terminal.say(json.dumps(outcome_json(input_file.name, outcome, perf_counter() - begun)) + "\n")
    else:
        terminal.say(outcome_text(input_file.name, program, outcome, terminal.out))
        if found.converted and isinstance(outcome, Proved) and is_serial(outcome.proof):
            terminal.say("  So every outcome of these requests is the outcome of a serial run.\n")
    context.exit(exit_code(outcome))


def refuse_claim_options(
    found: ActionFile, certificate: Path | None, folder: Path | None, write_proof: bool
) -> None:
    """Refuses what only the question `sequential` has; raises `InputError`."""
    if found.converted:
        hint = "ask: ser check FILE --property deadlock-free"
        raise InputError([Diagnostic("SER214", "handlers wait in steps that actions do not have", hint=hint)])
    if certificate is not None or folder is not None or write_proof:
        hint = "leave out --certificate, --emit-smt and --write, or --property"
        raise InputError([Diagnostic("SER214", "only `sequential` has a proof to save", hint=hint)])


def say_claim(
    terminal: Terminal, name: str, ending: Ending, claim: Claim, begun: float, as_json: bool
) -> ExitCode:
    """Tells how runs end, and returns the exit code of that."""
    told = claim_json if as_json else claim_text
    terminal.say(told(name, ending, claim, terminal.out, perf_counter() - begun))
    return claim_exit_code(claim)


def claim_exit_code(claim: Claim) -> ExitCode:
    match claim:
        case Holds():
            return ExitCode.YES
        case Violated():
            return ExitCode.NO
        case Unknown():
            return ExitCode.UNKNOWN
        case never:
            assert_never(never)


def bad_input(error: BadInput | Failed | InputError, source: SourceText) -> BadInput:
    if isinstance(error, BadInput):
        return error
    return BadInput(source, [unreadable(error)] if isinstance(error, Failed) else error.diagnostics)


def exit_code(outcome: Outcome) -> ExitCode:
    if isinstance(outcome, Proved):
        return ExitCode.YES
    return ExitCode.NO if isinstance(outcome, RunBreaks) else ExitCode.UNKNOWN


def given_proof(path: Path, found: ActionFile) -> Proof:
    """The proof in a file of its own, about a program; raises `BadInput`."""

    def read_block(source: SourceText) -> Proof:
        return read_proof(found.program, tuple(source.text.rstrip().split("\n")))

    _, given = load(InputFile.from_argument(str(path)), read_block)
    if found.converted:
        return complete_proof(found.program, given)
    stated = found.program.proof or given
    return replace(
        given,
        ensures=tuple(dict.fromkeys((*stated.ensures, *given.ensures))),
        invariants=tuple(dict.fromkeys((*stated.invariants, *given.invariants))),
    )


def refuse(terminal: Terminal, bad: BadInput, name: str, as_json: bool) -> None:
    if as_json:
        found = [diagnostic_json(each) for each in bad.diagnostics]
        header = {"file": name, "property": "sequential", "verdict": "error", "seconds": 0, "method": "none"}
        terminal.say(json.dumps(header | {"diagnostics": found}) + "\n")
    else:
        terminal.complain(bad.source, *bad.diagnostics)


def undecided(terminal: Terminal, name: str, reason: str, seconds: float, as_json: bool) -> None:
    if as_json:
        found = {
            "file": name,
            "property": "sequential",
            "verdict": "not proved",
            "seconds": round(seconds, 3),
        }
        terminal.say(json.dumps(found | {"method": "none", "reason": reason}) + "\n")
    else:
        terminal.say(f"{name}: not proved: {reason}\n")


def _range(text: str, what: str) -> tuple[int, int]:
    found = re.fullmatch(r"(-?[0-9]{1,6})(?:\.\.(-?[0-9]{1,6}))?", text)
    if found is None or (found[2] is not None and int(found[2]) < int(found[1])):
        raise click.BadParameter(f"{text!r} is neither a number nor a range such as 2..4.", param_hint=what)
    return int(found[1]), int(found[2] or found[1])


def instance_sizes(program: ActionProgram, given: tuple[str, ...], values: str) -> tuple[Sizes, ...]:
    """All combinations of the sizes given; empty means all sizes."""
    low, high = _range(values, "--values")
    if not given:
        return ()
    named: dict[str, tuple[int, int]] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or name not in {size.name for size in program.sizes}:
            known = ", ".join(size.name for size in program.sizes) or "none"
            raise click.BadParameter(
                f"{text!r} names no size; this program has {known}.", param_hint="--size"
            )
        named[name] = _range(value, "--size")
    found: list[dict[str, int]] = [{}]
    for size in program.sizes:
        first, last = named.get(size.name, (max(size.least, 2), max(size.least, 2)))
        if first < size.least:
            raise click.BadParameter(f"{size.name} has to be at least {size.least}.", param_hint="--size")
        found = [{**each, size.name: value} for each in found for value in range(first, last + 1)]
    return tuple(Sizes(each, low, high) for each in found)


def save(
    outcome: Outcome, program: ActionProgram, terminating: bool, certificate: Path | None, folder: Path | None
) -> None:
    """Saves the files asked for."""
    if certificate is not None and isinstance(outcome, Proved | RunBreaks):
        write_whole(certificate, write(outcome.certificate))
    if folder is not None and isinstance(outcome, Proved):
        make_directory(folder)
        conditions = Conditions(program, outcome.proof, terminating).all()
        for number, condition in enumerate(conditions, 1):
            text = condition_script(condition, condition.goal)
            write_whole(folder / f"{number:04}-{condition.premise}.smt2", text)


def write_into(file: InputFile, source: SourceText, outcome: Proved) -> None:
    """Writes the whole proof into the program, in place of its old block `sequential`."""
    if file.path is None:
        raise InputError([Diagnostic("SER209", "standard input cannot be changed", hint="name a file")])
    lines = source.text.rstrip().split("\n")
    start = next((n for n, line in enumerate(lines) if re.match(r"sequential\s*:", line)), len(lines))
    end = next((n for n in range(start + 1, len(lines)) if lines[n][:1].strip()), len(lines))
    kept = [*lines[:start], *([] if start < len(lines) else [""])]
    text = "\n".join([*kept, *proof_lines(outcome.proof), *lines[end:]]) + "\n"
    written = parse(SourceText(source.name, text)).proof
    if written != replace(outcome.proof, span=outcome.proof.span):
        raise InputError([Diagnostic("SER559", "the proof cannot be written into this file")])
    write_whole(file.path, text)
