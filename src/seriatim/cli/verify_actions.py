"""`ser verify` for certificates about asynchronous programs."""

import json

import click

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline, enforce
from seriatim.certificate.certificate import FORMAT, Certificate
from seriatim.checking.obligation import Obligation, Report
from seriatim.checking.sequentialization.verify import verify_sequential
from seriatim.cli.action_files import load_actions
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.limits_options import memory_for_each
from seriatim.cli.terminal import Terminal
from seriatim.frontends.actions.proof_text import read_proof
from seriatim.frontends.certificates import read_certificate
from seriatim.frontends.reading import BadInput, InputFile, load, read
from seriatim.report.text_look import Style
from seriatim.report.verification import VERSION, obligation_json, obligation_lines
from seriatim.source import InputError, SourceText


def concerns_actions(file: InputFile) -> bool:
    """Whether a file is a certificate about an asynchronous program."""
    return file.path is not None and is_about_actions(read(file)[0].text)


def is_about_actions(text: str) -> bool:
    """Whether a text is a certificate about an asynchronous program, well-formed or not."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("format") == FORMAT and found.get("question") == "sequential"


def verify_actions(
    context: click.Context,
    terminal: Terminal,
    files: tuple[InputFile, InputFile],
    solvers: tuple[SolverName, ...],
    limits: tuple[float, int | None],
    as_json: bool,
    details: bool,
    fits: bool,
) -> None:
    """Checks a certificate and ends the command; raises `BadInput`, `GaveUp`, `OutOfBudget`.

    `fits` is false if an option asks for something that only certificates about handlers have.
    """
    certificate_file, program_file = files
    _, certificate = load(certificate_file, lambda source: read_certificate(source.text))
    deadline = Deadline(limits[0], memory_for_each(limits[1]))
    program = load_actions(program_file, deadline, "sequentialize").program
    try:
        with enforce(deadline):
            report = verify_sequential(certificate, program, read_proof, solvers, deadline)
    except InputError as error:  # the proof in the certificate is not in the language
        raise BadInput(SourceText(certificate_file.name, ""), error.diagnostics) from None
    if not fits:
        claim = "the certificate answers what the options ask for"
        detail = "it is about an asynchronous program; --property, --expect and --kernel do not apply to it"
        report = Report((Obligation(claim, False, detail), *report.obligations))
    names = certificate_file.name, program_file.name
    if as_json:
        terminal.say(json.dumps(_json(report, certificate, *names)) + "\n")
    else:
        terminal.say(_text(report, certificate, *names, terminal, details))
    context.exit(ExitCode.YES if report.accepted else ExitCode.NO)


def _text(
    report: Report,
    certificate: Certificate,
    name: str,
    program: str,
    terminal: Terminal,
    details: bool,
) -> str:
    look = terminal.out
    if report.accepted:
        conclusion = f"{look.paint('valid', Style.GOOD)}: {program} is {certificate.verdict}"
    else:
        what = f"it does not prove that {program} is {certificate.verdict}"
        conclusion = f"{look.paint('REFUSED', Style.BAD)}: {what}"
    lines = [f"{look.paint(name, Style.STRONG)}: {conclusion}"]
    for obligation in report.obligations:
        lines += obligation_lines(obligation, look, details or not obligation.holds)
    return "".join(f"{line}\n" for line in lines)


def _json(report: Report, certificate: Certificate, name: str, program: str) -> dict[str, object]:
    return {
        "version": VERSION,
        "certificate": name,
        "file": program,
        "result": "valid" if report.accepted else "refused",
        "verdict": certificate.verdict,
        "kind": certificate.evidence.kind,
        "obligations": [obligation_json(each) for each in report.obligations],
    }
