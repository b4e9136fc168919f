"""`ser verify`: does a certificate prove its verdict about an input?"""

import json
from typing import assert_never

import click
from click.core import ParameterSource

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline, OutOfBudget, OutOfTime
from seriatim.certificate.certificate import Certificate
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp, verify
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.limits_options import memory_for_each, memory_option, timeout_option
from seriatim.cli.terminal import Terminal, color_option
from seriatim.cli.thread_options import reader_of_steps, steps_option
from seriatim.frontends.certificates import read_certificate as read_certificate
from seriatim.frontends.reading import BadInput, InputFile, load
from seriatim.frontends.ser.specification import read_specification
from seriatim.report.verification import bad_input_json, gave_up_json, verification_json, verification_text
from seriatim.source import Diagnostic, SourceText


@click.command("verify", short_help="Re-check the evidence that `ser check` has saved.")
@click.argument("certificate")
@click.argument("program")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
@click.option("--explain", "details", is_flag=True, help="Say for every claim what was looked at.")
@click.option(
    "--solver",
    type=click.Choice(["z3", "cvc5", "both"]),
    default="z3",
    show_default=True,
    help="Whom to ask where only a solver can tell; cvc5 is an extra, seriatim[cvc5].",
)
@click.option("--spec", metavar="FILE", help="Refuse certificates about another specification than this.")
@click.option("--no-solver", is_flag=True, help="Refuse evidence about which only a solver can tell.")
@timeout_option
@memory_option
@steps_option
@color_option
@click.pass_context
def command(
    context: click.Context,
    certificate: str,
    program: str,
    as_json: bool,
    details: bool,
    solver: str,
    spec: str | None,
    no_solver: bool,
    timeout: float,
    max_memory: int | None,
    steps: str,
    color: str,
) -> None:
    """Check a CERTIFICATE that `ser check --certificate` has saved against the PROGRAM that it is about.

    The checker shares no code with what came to the verdict: it runs the program by the rules of the
    language, and believes nothing that the certificate says. Evidence of the kinds `linear-cover` and
    `chains`, and runs of very many requests, may leave questions of integer arithmetic to a solver; all
    other evidence does without.

    \b
    Exit codes:
      0  valid: the verdict of the certificate is right
      1  refused: it proves nothing about this program
      2  bad input or usage
      3  the checker gave up, because of a time or size limit, or so did every solver that was asked
    """
    if no_solver and context.get_parameter_source("solver") is not ParameterSource.DEFAULT:
        raise click.UsageError("--solver and --no-solver exclude each other.", context)
    terminal = Terminal.with_color(color)
    certificate_file, program_file = InputFile.named(certificate), InputFile.named(program)
    names = certificate_file.name, program_file.name
    try:
        solvers = () if no_solver else chosen_solvers(solver)
        evidence = load_certificate(certificate_file, program_file, "verify")
        _, content = load(program_file, reader_of_steps(steps == "statement"))
        deadline = Deadline(timeout, memory_for_each(max_memory))
        specification = None if spec is None else load(InputFile.named(spec), read_specification)[1]
        report = verify(evidence, content, Context(Allowance(deadline=deadline), solvers), specification)
    except BadInput as bad:
        if as_json:
            terminal.say(json.dumps(bad_input_json(bad.source.name, bad.diagnostics, *names)) + "\n")
        else:
            terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    except (GaveUp, OutOfBudget) as stopped:
        reason = stop_reason(stopped, timeout)
        if as_json:
            terminal.say(json.dumps(gave_up_json(reason, *names)) + "\n")
        else:
            terminal.say(f"{certificate_file.name}: UNDECIDED: {reason}\n")
        context.exit(ExitCode.UNKNOWN)
    if as_json:
        terminal.say(json.dumps(verification_json(report, evidence, *names)) + "\n")
    else:
        terminal.say(verification_text(report, evidence, *names, terminal.out, details))
    context.exit(ExitCode.YES if report.accepted else ExitCode.NO)


def stop_reason(stopped: GaveUp | OutOfBudget, timeout: float) -> str:
    match stopped:
        case OutOfTime():
            return f"not done after {timeout:g} seconds"
        case OutOfBudget():
            return stopped.spent
        case GaveUp():
            return str(stopped)
        case _:
            assert_never(stopped)


def chosen_solvers(choice: str) -> tuple[SolverName, ...]:
    """The solvers that the user wants; raises `BadInput` if one is not installed."""
    names = tuple(SolverName) if choice == "both" else (SolverName(choice),)
    for name in names:
        if not name.is_installed():
            hint = f"install it: pip install 'seriatim[{name}]'"
            missing = Diagnostic("SER406", f"the solver {name} is not installed", hint=hint)
            raise BadInput(SourceText("--solver", ""), [missing])
    return names


def load_certificate(file: InputFile, program: InputFile, command_name: str) -> Certificate:
    """The certificate in a file; raises `BadInput`, which says so if the other file has it."""
    try:
        return load(file, parse_certificate)[1]
    except BadInput as bad:
        if not is_certificate(program):
            raise
        message = f"this is no certificate, but {program.name} is one"
        hint = f"the certificate comes first: ser {command_name} {program.name} {file.name}"
        raise BadInput(bad.source, [Diagnostic("SER403", message, hint=hint)]) from None


def is_certificate(file: InputFile) -> bool:
    if file.path is None:  # Nobody may have asked to read standard input yet, and it may never end.
        return False
    try:
        load(file, parse_certificate)
    except BadInput:
        return False
    return True


def parse_certificate(source: SourceText) -> Certificate:
    return read_certificate(source.text)
