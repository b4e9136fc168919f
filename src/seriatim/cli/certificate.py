"""`ser certificate`: exports certificates for other tools."""

from pathlib import Path

import click

from seriatim.budget import Deadline, OutOfBudget, enforce
from seriatim.certificate.certificate import Certificate
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp, verify
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import write_whole
from seriatim.cli.limits_options import Effort, effort_options
from seriatim.cli.verify import load_certificate, stop_reason
from seriatim.export.kernel.as_written import as_written
from seriatim.export.kernel.claim import NotCovered, kernel_claims
from seriatim.export.kernel.rocq import rocq_file
from seriatim.export.smt_lib.export import NoInvariant, smt_lib
from seriatim.frontends.all import read_input
from seriatim.frontends.kinds import only_for
from seriatim.frontends.reading import BadInput, InputFile, load
from seriatim.program.inputs import Input
from seriatim.report.verification import verification_text
from seriatim.source import Diagnostic, InputError, SourceText


@click.group("certificate", short_help="Export a proof, for other tools to confirm.")
def command() -> None:
    """Use certificates that `ser check --certificate` has saved. To re-check one: ser verify."""


@command.command(
    "export",
    short_help="Write a proof as questions for a solver.",
    help="""Write a CERTIFICATE about PROGRAM for other tools to confirm. It is verified first.

    smt2 is for proofs of serializability: an invariant, and questions about it. Does it hold at the start,
    does every step keep it, does it exclude what no serial run does? The proof is confirmed if a solver
    answers `unsat` to each question.

    kernel and rocq are for proofs and counterexamples. The kernel is a checker that is itself proved correct
    (docs/kernel.md); `ser verify --kernel` exports and runs it at once.

    \b
    Example:
      ser certificate export counter.cert.json counter.ser --to smt2 -o counter.smt2
      z3 counter.smt2

    \b
    Exit codes:
      0  written
      1  refused: the certificate proves nothing about this program
      2  bad input or usage, or a certificate that contains nothing of this kind
      3  gave up, because of a time or size limit
    """,
)
@click.argument("certificate")
@click.argument("program")
@click.option(
    "--to",
    "form",
    type=click.Choice(["smt2", "kernel", "rocq"]),
    required=True,
    help="smt2: an invariant in SMT-LIB 2; kernel: what the proved kernel reads; rocq: a file that states "
    "and proves the verdict in Rocq.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Write to this file instead of standard output.",
)
@effort_options
@click.pass_context
def export(
    context: click.Context,
    certificate: str,
    program: str,
    form: str,
    output: Path | None,
    effort: Effort,
) -> None:
    """Verifies a certificate, then writes it in another form."""
    terminal = effort.terminal()
    certificate_file, program_file = InputFile.from_argument(certificate), InputFile.from_argument(program)
    deadline = effort.deadline()
    try:
        with enforce(deadline):
            evidence = load_certificate(certificate_file, program_file, "certificate export")
            source, content = load(program_file, only_for("certificate", read_input))
        try:
            with enforce(deadline):
                report = verify(evidence, content, Context(Allowance(deadline=deadline)))
        except GaveUp:
            report = None  # If our solver gave up, another one may succeed: that is what the export is for.
        if report is not None and not report.accepted:
            names = certificate_file.name, program_file.name
            terminal.warn(verification_text(report, evidence, *names, terminal.err, details=False))
            context.exit(ExitCode.NO)
        with enforce(deadline):
            text = exported(form, evidence, content, source, deadline)
        if output is None:
            terminal.say(text)
        else:
            write_whole(output, text)
    except BadInput as bad:
        terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    except InputError as error:
        terminal.complain(SourceText("--output", ""), *error.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    except (NoInvariant, NotCovered) as reason:
        about = (
            "there is nothing to export" if isinstance(reason, NoInvariant) else "not covered by the kernel"
        )
        nothing = Diagnostic("SER407", f"{about}: {reason}")
        terminal.complain(SourceText(certificate_file.name, ""), nothing)
        context.exit(ExitCode.BAD_INPUT)
    except (GaveUp, OutOfBudget) as stopped:
        terminal.warn(f"{certificate_file.name}: UNDECIDED: {stop_reason(stopped, effort.timeout)}\n")
        context.exit(ExitCode.UNKNOWN)


def exported(
    form: str, certificate: Certificate, content: Input, source: SourceText, deadline: Deadline
) -> str:
    """The certificate in this format. Raises `NoInvariant`, `NotCovered`, `GaveUp` and `OutOfBudget`."""
    if form == "smt2":
        return smt_lib(certificate, content, deadline)
    claims = kernel_claims(certificate, content, deadline, as_written(source, content))
    return rocq_file(claims) if form == "rocq" else "".join(claim.text for claim in claims)
