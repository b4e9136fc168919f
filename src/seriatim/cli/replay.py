"""`ser replay`: steps through the run of a certificate, forwards and backwards."""

import sys
from functools import partial

import click

from seriatim.certificate.certificate import Certificate
from seriatim.certificate.thread_run import ThreadRunEvidence
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.limits_options import limits_options
from seriatim.cli.terminal import Terminal, color_option
from seriatim.cli.verify import load_certificate
from seriatim.explain.retracing import RunningEvidence, retell
from seriatim.explain.thread_timeline import show_threads
from seriatim.explain.timeline import Timeline
from seriatim.frontends.all import translate_any
from seriatim.frontends.kinds import only_for
from seriatim.frontends.reading import BadInput, InputFile, load
from seriatim.program.inputs import Decidable, digest
from seriatim.program.threads.runs import NotARun
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.properties.threads import pose
from seriatim.report.limits_text import limit_diagnostic
from seriatim.report.replay_text import step_text
from seriatim.source import Diagnostic, SourceText
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.replay import ImpossibleTurn, TooManyTurns

FORWARDS = frozenset({"n", " ", "\r", "\n", "j", "l", "\x1b[C", "\x1b[B", "\x1bOC", "\x1bOB"})
BACKWARDS = frozenset({"b", "p", "k", "h", "\x7f", "\x1b[D", "\x1b[A", "\x1bOD", "\x1bOA"})
TO_START = frozenset({"0", "g", "\x1b[H", "\x1bOH"})
TO_END = frozenset({"$", "G", "\x1b[F", "\x1bOF"})
QUIT = frozenset({"q", "\x1b", "\x04"})
"""Keys, some of them as the sequences that terminals send; \\x1b alone is the escape key."""

KEYS = "n, right: next   b, left: back   g: start   G: end   q: quit"


@click.command("replay", short_help="Step through a counterexample that `ser check` has saved.")
@click.argument("certificate")
@click.argument("program")
@limits_options
@color_option
@click.pass_context
def command(
    context: click.Context,
    certificate: str,
    program: str,
    max_states: int,
    max_value: int,
    color: str,
) -> None:
    """Step through the run in a CERTIFICATE of the PROGRAM, forwards and backwards.

    If the output is not a terminal, all steps are printed.

    \b
    Examples:
      ser check counter.ser --certificate counter.cert.json
      ser replay counter.cert.json counter.ser
      ser replay counter.cert.json counter.ser | less

    \b
    Exit codes:
      0  the run was shown
      2  bad input or usage, such as a certificate of another program
      3  a limit was reached
    """
    terminal = Terminal.with_color(color)
    certificate_file, program_file = InputFile.from_argument(certificate), InputFile.from_argument(program)
    try:
        evidence = load_certificate(certificate_file, program_file, "replay")
        settings = {} if evidence.provenance is None else dict(evidence.provenance.settings)
        source, translation = load(
            program_file, only_for("replay", partial(translate_any, settings=settings))
        )
        content = translation.content
        limits = Limits(max_states, max_value)
        shown = replay(evidence, SourceText(certificate_file.name, ""), source, content, limits)
    except BadInput as bad:
        terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    except LimitReached as reached:
        terminal.complain(SourceText(program_file.name, ""), limit_diagnostic(reached))
        context.exit(ExitCode.UNKNOWN)
    if is_interactive():
        step_through(shown, terminal)
    else:
        told = [step_text(shown, step, terminal.out) for step in range(len(shown.turns) + 1)]
        terminal.say("\n".join(told))


def replay(
    certificate: Certificate, origin: SourceText, source: SourceText, content: Decidable, limits: Limits
) -> Timeline:
    """Replays the run of a certificate; `origin` is the file that the certificate comes from.

    Raises `BadInput` if this program has no such run, `LimitReached` if the program cannot be run so far.
    """
    evidence = certificate.evidence
    if not isinstance(evidence, RunningEvidence | ThreadRunEvidence):
        message = "this certificate proves that there is no violation, so it has no run to step through"
        hint = f"for sample runs: ser run {source.name}"
        raise BadInput(origin, [Diagnostic("SER411", message, hint=hint)])
    if certificate.digest != digest(content):
        message = f"this run does not belong to {source.name}, or the program has changed since"
        hint = f"make it again: ser check {source.name} --certificate {origin.name}"
        raise BadInput(origin, [Diagnostic("SER412", message, hint=hint)])
    if isinstance(content, ThreadProgram) or isinstance(evidence, ThreadRunEvidence):
        return replay_threads(certificate, content, origin)
    try:
        return retell(evidence, content, source, limits)
    except TooManyTurns:
        message = "this run has too many turns to step through"
        hint = "`ser verify` shows it folded, and replays it in full"
        raise BadInput(origin, [Diagnostic("SER414", message, hint=hint)]) from None
    except ImpossibleTurn as impossible:
        message = f"turn {impossible.number} is not a step of {source.name}"
        hint = "the certificate is damaged; `ser verify` says more"
        raise BadInput(origin, [Diagnostic("SER413", message, hint=hint)]) from None


def replay_threads(certificate: Certificate, content: Decidable, origin: SourceText) -> Timeline:
    evidence = certificate.evidence
    assert isinstance(content, ThreadProgram), "the certificate is about this input"
    hint = "the certificate is damaged; `ser verify` says more"
    if not isinstance(evidence, ThreadRunEvidence):
        raise BadInput(origin, [Diagnostic("SER413", "this is not a run of threads", hint=hint)])
    try:
        return show_threads(pose(content, certificate.question.states()), evidence.run).timeline
    except NotARun as wrong:
        raise BadInput(origin, [Diagnostic("SER413", str(wrong), hint=hint)]) from None


def is_interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def step_through(shown: Timeline, terminal: Terminal) -> None:
    """Shows the step that each key leads to, until a key ends it."""
    step: int | None = 0
    while step is not None:
        click.clear()
        terminal.say(step_text(shown, step, terminal.out) + f"\n{KEYS}\n")
        try:
            step = after_key(click.getchar(), step, len(shown.turns))
        except EOFError:
            step = None


def after_key(key: str, step: int, last: int) -> int | None:
    """The step that a key leads to; None ends it, and a key without a meaning changes nothing."""
    if key in FORWARDS:
        return min(step + 1, last)
    if key in BACKWARDS:
        return max(step - 1, 0)
    if key in TO_START:
        return 0
    if key in TO_END:
        return last
    return None if key in QUIT else step
