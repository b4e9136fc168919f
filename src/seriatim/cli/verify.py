"""`ser verify`: does a certificate prove its verdict about an input?"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import assert_never

import click
from click.core import ParameterSource

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline, OutOfBudget, OutOfTime, enforce
from seriatim.certificate.certificate import Certificate
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.expected import Expected
from seriatim.checking.verify import GaveUp, Report, verify
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.kernel import Confirmation, confirm, kernel_option
from seriatim.cli.limits_options import Effort, collect, effort_options, json_option
from seriatim.cli.property_options import AskedProperties, asked_properties
from seriatim.cli.terminal import Terminal
from seriatim.cli.verify_actions import concerns_actions, verify_actions
from seriatim.cli.verify_logs import Wanted, is_about_logs, verify_logs
from seriatim.export.kernel.kinds import KernelKind
from seriatim.frontends.all import translate_any
from seriatim.frontends.certificates import read_certificate as read_certificate
from seriatim.frontends.kinds import only_for, refuse_program
from seriatim.frontends.protocol import COMPARED, Comparison, Settings, ThreadTranslation, Translation
from seriatim.frontends.reading import BadInput, InputFile, load
from seriatim.frontends.ser.specification import read_specification
from seriatim.program.specification import Specification
from seriatim.properties.all import PROPERTIES, QUESTIONS
from seriatim.properties.property import MAX_BARRIERS, SPECIFICATION
from seriatim.report.verification import bad_input_json, gave_up_json, verification_json, verification_text
from seriatim.source import Diagnostic, Severity, SourceText

VERDICTS = tuple(verdict for each in QUESTIONS.values() for verdict in each.verdicts)


def _verdict(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
    """Reads a verdict, as JSON or as people write it."""
    word = None if given is None else given.strip().lower().replace(" ", "_").replace("-", "_")
    if word is not None and word not in VERDICTS:
        raise click.BadParameter(f"{given!r} is not a verdict; there are {', '.join(VERDICTS)}.")
    return word


@dataclass(frozen=True, slots=True)
class GateOptions:
    """Options: what a certificate has to prove."""

    expect: str | None
    property_name: str | None
    observe: str | None
    barriers: int | None
    pending: bool | None
    spec: str | None
    level: str | None
    model: str | None

    def specification(self) -> Specification | None:
        return None if self.spec is None else load(InputFile.from_argument(self.spec), read_specification)[1]

    def wanted_of_logs(self, kernel: str | None) -> Wanted:
        """Returns what a certificate about a log has to prove."""
        of_programs = (self.observe, self.barriers, self.pending, self.spec, kernel)
        foreign = any(each is not None for each in of_programs)
        return Wanted(self.expect, self.property_name, self.level, self.model, foreign)

    def expected(self) -> Expected:
        """Returns what a certificate has to prove. Raises `UsageError` if the options do not fit together."""
        if self.level is not None or self.model is not None:
            raise click.UsageError("--level and --model are for certificates about logs.")
        if self.property_name is None:
            if any(each is not None for each in (self.observe, self.barriers, self.pending)):
                raise click.UsageError("--observe, --barriers and --pending belong to --property.")
            return Expected(self.expect)
        if self.property_name not in PROPERTIES:
            raise click.UsageError(f"--property {self.property_name} is for certificates about logs.")
        asked = PROPERTIES[self.property_name]
        spec = self.spec if SPECIFICATION in asked.takes else None
        given = AskedProperties((self.property_name,), self.observe, self.barriers, spec, self.pending)
        (question,) = asked_properties(given)
        if self.expect is not None and self.expect not in question.verdicts:
            raise click.UsageError(
                f"--expect {self.expect} is not a verdict on --property {self.property_name};"
                f" there are {' and '.join(question.verdicts)}."
            )
        return Expected(self.expect, question)


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """Options: how to check and how to report."""

    as_json: bool
    details: bool
    solver: str
    no_solver: bool
    kernel: str | None


@click.command(
    "verify",
    short_help="Re-check the evidence that `ser check` has saved.",
    help="""Check a CERTIFICATE that `ser check --certificate` has saved against the PROGRAM that it is about.

    The checker uses none of the engines that found the verdict: it runs the program by the rules of the
    language, and takes nothing in the certificate for granted. Most evidence needs no solver; proofs about
    unbounded integers, counting arguments and runs of very many requests may need one.

    Certificates of `ser history` are checked against the LOG that they are about, in place of PROGRAM.

    With --kernel, a second checker, which is itself proved correct, confirms what the first one accepts, and
    says which statement it has proved.

    A valid certificate may also show that the program is not serializable, or that it satisfies some
    specification. In scripts, say what you expect:

    \b
      ser verify counter.cert.json counter.ser --property serializable --expect serializable

    \b
    Exit codes:
      0  valid: the verdict of the certificate is right, and it is what was expected
      1  refused: it proves nothing about this program, or something else
      2  bad input or usage
      3  the checker or the solver reached a limit, or the kernel does not cover this, or disagrees
    """,
)
@click.argument("certificate")
@click.argument("program")
@json_option
@click.option("--explain", "details", is_flag=True, help="For every claim, say what was checked.")
@click.option(
    "--solver",
    type=click.Choice(["z3", "cvc5", "both"]),
    default="z3",
    show_default=True,
    help="Solver for obligations that need one; cvc5 is an extra, seriatim[cvc5].",
)
@click.option(
    "--expect",
    metavar="VERDICT",
    callback=_verdict,
    help="Refuse certificates with a verdict other than this one, such as serializable.",
)
@click.option(
    "--property",
    "property_name",
    type=click.Choice(list(QUESTIONS)),
    help="Refuse certificates about another question; its parameters are options as in `ser check`.",
)
@click.option("--observe", metavar="responses|all|X,Y", help="With --property serializable.")
@click.option(
    "--barriers",
    type=click.IntRange(0, MAX_BARRIERS),
    metavar="K",
    help="With --property strict or linearizable.",
)
@click.option("--pending", is_flag=True, default=None, help="With --property linearizable.")
@click.option("--spec", metavar="FILE", help="Refuse certificates about another specification.")
@click.option("--level", metavar="NAME", help="For transactions: the isolation level in question.")
@click.option(
    "--model",
    metavar="PROGRAM",
    help="For logs of requests: the program, if it is not where it was when the log was compared with it.",
)
@click.option("--no-solver", is_flag=True, help="Refuse evidence that needs a solver.")
@kernel_option
@effort_options
@collect(gate=GateOptions, options=CheckOptions)
@click.pass_context
def command(
    context: click.Context,
    certificate: str,
    program: str,
    gate: GateOptions,
    options: CheckOptions,
    effort: Effort,
) -> None:
    """Reads the certificate, checks it, reports."""
    if options.no_solver and context.get_parameter_source("solver") is not ParameterSource.DEFAULT:
        raise click.UsageError("--solver and --no-solver exclude each other.", context)
    terminal = effort.terminal()
    certificate_file, program_file = InputFile.from_argument(certificate), InputFile.from_argument(program)
    names = certificate_file.name, program_file.name
    try:
        solvers = () if options.no_solver else chosen_solvers(options.solver)
        if is_about_logs(certificate_file):
            deadline, files = effort.deadline(), (certificate_file, program_file)
            wanted = gate.wanted_of_logs(options.kernel)
            context.exit(verify_logs(terminal, files, wanted, deadline, options.as_json, options.details))
        if concerns_actions(certificate_file):
            files, room = (certificate_file, program_file), (effort.timeout, effort.max_memory)
            fits = gate == GateOptions(*[None] * 8) and options.kernel is None
            verify_actions(context, terminal, files, solvers, room, options.as_json, options.details, fits)
        deadline = effort.deadline()
        with enforce(deadline):
            evidence = load_certificate(certificate_file, program_file, "verify")
            source, translation = translate_again(evidence, program_file)
            here = Context(Allowance(deadline=deadline), solvers)
            report = verify(evidence, translation.content, here, gate.specification(), gate.expected())
            confirmation = None
            if options.kernel is not None and report.accepted:
                kind = KernelKind(options.kernel)
                confirmation = ask_kernel(kind, evidence, translation, source, deadline)
    except BadInput as bad:
        if options.as_json:
            terminal.say(json.dumps(bad_input_json(bad.source.name, bad.diagnostics, *names)) + "\n")
        else:
            terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    except (GaveUp, OutOfBudget) as stopped:
        reason = stop_reason(stopped, effort.timeout)
        if options.as_json:
            terminal.say(json.dumps(gave_up_json(reason, *names)) + "\n")
        else:
            terminal.say(f"{certificate_file.name}: UNDECIDED: {reason}\n")
        context.exit(ExitCode.UNKNOWN)
    settings = {} if translation.provenance is None else dict(translation.provenance.settings)
    again = compare_again(evidence, source, translation, effort.timeout) if report.accepted else None
    tell(terminal, report, evidence, names, options, confirmation, settings, again)
    if again is not None and not options.as_json:
        told = (
            f"the model and {again.engine} differ: {again.difference}" if again.difference else again.sentence
        )
        terminal.say(f"  {told}\n")
    if again is not None and again.difference:
        context.exit(ExitCode.UNKNOWN)
    if confirmation is not None:
        context.exit(confirmation.exit_code)
    context.exit(ExitCode.YES if report.accepted else ExitCode.NO)


def translate_again(
    evidence: Certificate, program: InputFile
) -> tuple[SourceText, Translation | ThreadTranslation]:
    """Translates the program with the settings that the certificate names. Raises `BadInput`, also for proofs
    about a program that leaves its scopes: such a proof says nothing about it."""
    settings = {} if evidence.provenance is None else dict(evidence.provenance.settings)
    source, translation = load(program, only_for("verify", partial(translate_any, settings=settings)))
    proves = evidence.verdict == evidence.question.verdicts[0]
    if proves and isinstance(translation, Translation) and translation.escape is not None:
        raise BadInput(source, [replace(translation.escape, severity=Severity.ERROR)])
    return source, translation


def compare_again(
    evidence: Certificate, source: SourceText, translation: Translation | ThreadTranslation, timeout: float
) -> Comparison | None:
    """Compares the model with the real thing, as was done before the certificate was written."""
    recorded = {} if evidence.provenance is None else dict(evidence.provenance.settings)
    if COMPARED not in recorded or not isinstance(translation, Translation) or translation.comparer is None:
        return None
    from seriatim.frontends.sql.comparing import compare  # Most certificates are about exact inputs.

    proves = evidence.verdict == evidence.question.verdicts[0]
    try:
        return compare(source, translation, proves, Deadline(timeout))
    except OutOfBudget as out:
        return Comparison(None, f"Not compared with a server: {out.spent}.")


def ask_kernel(
    kind: KernelKind,
    evidence: Certificate,
    translation: Translation | ThreadTranslation,
    source: SourceText,
    deadline: Deadline,
) -> Confirmation:
    """Asks the proved kernel. Raises `BadInput` about programs that it does not cover."""
    if isinstance(translation, ThreadTranslation):
        unknown = Diagnostic("SER217", "the kernel knows nothing about threads", hint="leave --kernel out")
        raise BadInput(SourceText(source.name, ""), [unknown])
    return confirm(kind, evidence, translation, source, deadline)


def tell(
    terminal: Terminal,
    report: Report,
    evidence: Certificate,
    names: tuple[str, str],
    options: CheckOptions,
    confirmation: Confirmation | None,
    settings: Settings,
    again: Comparison | None,
) -> None:
    if options.as_json:
        confirmed: dict[str, object] = {}
        if confirmation is not None:
            confirmed["kernel"] = confirmation.fields()
        if again is not None:
            confirmed["compared"] = again.told
        given = {"settings": dict(settings)} if settings else {}
        terminal.say(json.dumps(verification_json(report, evidence, *names) | given | confirmed) + "\n")
        return
    terminal.say(verification_text(report, evidence, *names, terminal.out, options.details))
    if shown := settings_words(settings):
        terminal.say(f"  {names[1]} was read with {shown}: the certificate says so.\n")
    if again is not None:
        terminal.say(f"  {again.told}\n")
    if confirmation is not None:
        confirmation.show(terminal, names[0])


def settings_words(settings: Settings) -> str:
    """Says what options a source was translated with; a file by its length. Leave to run is no option."""
    found = ((name, value) for name, value in settings.items() if name not in ("module", "run", COMPARED))
    return ", ".join(
        f"{name} = ({len(value.splitlines())} lines)" if "\n" in value else f"{name} = {value}"
        for name, value in found
    )


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
    """The certificate in a file. Raises `BadInput`, with a hint if the other file is the certificate."""
    try:
        return load(file, only_for_certificates(command_name))[1]
    except BadInput as bad:
        if not is_certificate(program):
            raise
        message = f"this is not a certificate, but {program.name} is one"
        hint = f"the certificate comes first: ser {command_name} {program.name} {file.name}"
        raise BadInput(bad.source, [Diagnostic("SER403", message, hint=hint)]) from None


def only_for_certificates(command_name: str) -> Callable[[SourceText], Certificate]:
    """A reader of certificates, which refuses programs by their names."""

    def read(source: SourceText) -> Certificate:
        refuse_program(source.name, command_name)
        return parse_certificate(source)

    return read


def is_certificate(file: InputFile) -> bool:
    if file.path is None:  # Standard input may never end, so it is not read just for a hint.
        return False
    try:
        load(file, parse_certificate)
    except BadInput:
        return False
    return True


def parse_certificate(source: SourceText) -> Certificate:
    return read_certificate(source.text)
