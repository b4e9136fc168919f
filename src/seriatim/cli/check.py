"""`ser check`: decides inputs, one after the other or several at a time, and says what came of each."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import click

from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import input_files, write_whole
from seriatim.cli.limits_options import (
    jobs_option,
    limits_options,
    memory_for_each,
    memory_option,
    timeout_option,
)
from seriatim.cli.outputs import Entry, OutputsOfOne, output_options, planned
from seriatim.cli.paper_options import without_option
from seriatim.cli.property_options import asked_property, doubtful, property_options
from seriatim.cli.speakers import JsonSpeaker, Speaker, TextSpeaker
from seriatim.cli.terminal import Recording, Terminal, color_option
from seriatim.cli.translation_options import (
    TranslationOptions,
    translation_options,
    translation_options_of,
)
from seriatim.cli.watch import watched
from seriatim.confirming import decide_about
from seriatim.engines.paper.record import ALL_OPTIMIZATIONS, Optimizations
from seriatim.engines.stage import Method
from seriatim.frontends.all import translate
from seriatim.frontends.protocol import Translation
from seriatim.frontends.reading import BadInput, parsed, read
from seriatim.pipeline import Options
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.report.outcome import Abandoned, Decided, Unusable
from seriatim.source import Diagnostic, InputError, Severity, SourceText
from seriatim.systems.limits import Limits
from seriatim.verdict import Decision, Refused
from seriatim.workers import Lost, in_workers

SEVERITY = (ExitCode.BAD_INPUT, ExitCode.NO, ExitCode.UNKNOWN, ExitCode.YES)
"""Of several inputs, the first one here that occurs counts."""


def exit_code(verdict: str) -> ExitCode:
    """What a verdict exits with."""
    match verdict:
        case "error":
            return ExitCode.BAD_INPUT
        case "unknown":
            return ExitCode.UNKNOWN
        case _:
            return ExitCode.NO if verdict.startswith("not_") else ExitCode.YES


@click.command("check", short_help="Decide whether handlers are serializable.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each input, a line each.")
@timeout_option
@output_options
@jobs_option
@limits_options
@memory_option
@property_options
@translation_options
@click.option(
    "--method",
    type=click.Choice([method.value for method in Method]),
    default=Method.AUTO.value,
    show_default=True,
    help="Try one way to decide alone.",
)
@click.option(
    "--deny",
    type=click.Choice(["warnings"]),
    help="Refuse inputs with warnings, as bad input.",
)
@without_option
@click.option("--explain", is_flag=True, help="Say more about why, line by line or state by state.")
@click.option("--stats", is_flag=True, help="Say where the time went.")
@click.option("--watch", is_flag=True, help="Check again whenever a file changes, until Ctrl-C.")
@click.option("--quiet", "-q", is_flag=True, help="Print one line for each input.")
@color_option
@click.pass_context
def command(
    context: click.Context,
    files: tuple[str, ...],
    as_json: bool,
    timeout: float,
    certificate: Path | None,
    itf: Path | None,
    diagram: Path | None,
    sarif: Path | None,
    junit: Path | None,
    html: Path | None,
    save: Path | None,
    jobs: int,
    deny: str | None,
    max_states: int,
    max_value: int,
    max_memory: int | None,
    property_name: str,
    observe: str | None,
    barriers: int | None,
    spec: str | None,
    pending: bool | None,
    method: str,
    optimizations: Optimizations,
    explain: bool,
    stats: bool,
    watch: bool,
    quiet: bool,
    color: str,
) -> None:
    """Decide whether the handlers in each FILE are serializable, or have another property.

    FILE is a program (.ser) or a network system (.json), a folder with such files, or - for standard input.
    The answer holds for any number of requests. If it is no, a run shows why, a shortest one if possible.

    \b
    Examples:
      ser check counter.ser
      ser check counter.ser --certificate counter.cert.json
      ser check programs/ --quiet --timeout 10
      ser check counter.ser --watch
      ser check counter.ser --observe all
      ser check counter.ser --property strict --barriers 2
      generate | ser check - --json

    \b
    Exit codes (of several inputs, the first of 2, 1, 3, 0 that occurs):
      0  serializable, or whatever --property asks
      1  not so
      2  bad input or usage
      3  undecided
    """
    if optimizations != ALL_OPTIMIZATIONS and method != Method.PAPER:
        raise click.UsageError("--without belongs to --method paper.")
    if explain and (as_json or quiet):
        raise click.UsageError("--explain is for people: it does not go with --json or --quiet.")
    if save is not None and method != Method.PAPER:
        raise click.UsageError("--save belongs to --method paper.")
    if watch:
        context.exit(watched(files, partial(checked_again, context), Terminal.with_color(color)))
    inputs = input_files(files)
    limits, memory = Limits(max_states, max_value), memory_for_each(max_memory, jobs)
    terminal = Terminal.with_color(color)
    try:
        asked = asked_property(property_name, observe, barriers, spec, pending)
        sources = translation_options_of(context)
    except BadInput as bad:
        terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    if sources.emit_model is not None and len(inputs) > 1:
        raise click.UsageError("--emit-model writes the model of one input.")
    if sources.explain_scope:
        context.exit(explain_scopes(map(read, inputs), sources, terminal))
    specification, warnings = doubtful(asked)
    if deny is not None:
        warnings = tuple(replace(warning, severity=Severity.ERROR) for warning in warnings)
    terminal.complain(specification, *warnings)
    if warnings and deny is not None:
        context.exit(ExitCode.BAD_INPUT)
    if method == Method.PAPER and asked != SERIALIZABILITY:
        raise click.UsageError("--method paper decides whether responses are serializable, nothing else.")
    options = Options(limits, timeout, Method(method), memory, optimizations, asked)
    try:
        outputs = planned(inputs, files, certificate, itf, diagram, sarif, junit, html, save)
    except InputError as error:
        terminal.complain(SourceText("ser check", ""), *error.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    deny_warnings = deny is not None
    speaker = (
        JsonSpeaker(terminal)
        if as_json
        else TextSpeaker(terminal, quiet, stats, options if explain else None)
    )
    if jobs == 1 or len(inputs) == 1:
        entries = [
            check_one(read(file), options, sources, outputs.of(file), deny_warnings, speaker)
            for file in inputs
        ]
    else:
        recording = Recording(terminal.out, terminal.err)
        recorder = replace(speaker, terminal=recording)
        tasks = [
            Task(read(file), options, sources, outputs.of(file), deny_warnings, recorder, recording)
            for file in inputs
        ]
        entries = list(check_in_workers(tasks, jobs, timeout, speaker))
    verdicts = Counter(entry.verdict for entry in entries)
    if len(inputs) > 1:
        speaker.sum_up(verdicts)
    try:
        outputs.report(entries)
    except InputError as error:
        terminal.complain(SourceText("ser check", ""), *error.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    context.exit(min(map(exit_code, verdicts), key=SEVERITY.index))


def checked_again(context: click.Context) -> int:
    """One check of all that is watched; its exit code."""
    if "-" in context.params["files"]:
        raise click.UsageError("--watch needs files: standard input does not change.")
    try:
        context.invoke(command, **(context.params | {"watch": False}))
    except click.exceptions.Exit as end:
        return end.exit_code
    return ExitCode.YES


Read = tuple[SourceText, Diagnostic | None]
"""The text of a file, and what is wrong with the file."""


def check_one(
    found: Read,
    options: Options,
    sources: TranslationOptions,
    outputs: OutputsOfOne,
    deny_warnings: bool,
    speaker: Speaker,
) -> Entry:
    """Decides one input and tells the result; what the reports are to say of it."""
    source, problem = found
    try:
        if problem is not None:
            raise BadInput(source, [problem])
        translation = parsed(source, partial(translate, settings=sources.settings))
        content = translation.content
        if sources.emit_model is not None:
            emit_model(translation, source, sources.emit_model)
        culprit, unfit = options.question.misfits(content, source)
        if unfit:
            raise BadInput(culprit, unfit)
    except BadInput as bad:
        speaker.tell_errors(bad.source, bad.diagnostics)
        return outputs.entry(Unusable(bad.source, bad.diagnostics))
    except InputError as error:
        speaker.tell_errors(source, error.diagnostics)
        return outputs.entry(Unusable(source, error.diagnostics))
    with speaker.progress(source) as observer:
        decision = decide_about(translation, source, options, observer, sources.replay)
    if isinstance(decision.verdict, Refused):
        tell_bug(decision, decision.verdict, source, options, speaker)
        return outputs.entry(Decided(source, content, decision))
    denied = [
        replace(warning, severity=Severity.ERROR)
        for warning in decision.warnings
        if deny_warnings and warning.severity is Severity.WARNING
    ]
    if denied:
        speaker.tell_errors(source, denied)
        return outputs.entry(Unusable(source, tuple(denied)))
    try:
        saved_as = outputs.save(source, decision)
    except InputError as error:
        speaker.tell_errors(source, error.diagnostics)
        return outputs.entry(Unusable(source, error.diagnostics))
    speaker.tell(decision, source, saved_as)
    return outputs.entry(Decided(source, content, decision))


def emit_model(translation: Translation, source: SourceText, path: Path) -> None:
    """Writes what a source was translated to; raises `InputError`."""
    from seriatim.frontends.model_text import model_text  # Most checks write none.

    write_whole(path, model_text(translation, source.name))


def explain_scopes(found: Iterable[Read], sources: TranslationOptions, terminal: Terminal) -> ExitCode:
    """Shows what sources were taken for."""
    from seriatim.report.translation_text import scope_text  # Most checks do without.

    code = ExitCode.YES
    for source, problem in found:
        try:
            if problem is not None:
                raise BadInput(source, [problem])
            translation = parsed(source, partial(translate, settings=sources.settings))
        except BadInput as bad:
            terminal.complain(bad.source, *bad.diagnostics)
            code = ExitCode.BAD_INPUT
        else:
            terminal.say(scope_text(translation, source, terminal.out))
    return code


def tell_bug(
    decision: Decision, refused: Refused, source: SourceText, options: Options, speaker: Speaker
) -> None:
    """Our own checker refuses our own evidence: no verdict, and a bundle to report."""
    from seriatim.cli.bug_bundle import save_bundle  # It needs much that no other check does.

    saved_as: str | None = None
    hint = "please report this, with the input and the command"
    try:
        saved_as = save_bundle(refused, source, options)
        hint = f"please report this, with {saved_as}: it contains the input and the evidence, nothing else"
    except InputError:
        pass  # There is nowhere to save it; the alarm matters more.
    message = f"A MISTAKE IN SERIATIM ITSELF: its own evidence was refused: {refused.complaint}"
    speaker.tell(decision, source, saved_as)
    speaker.terminal.complain(source, Diagnostic("SER601", message, hint=hint))


# Several inputs at a time


@dataclass(frozen=True, slots=True)
class Task:
    """An input for a worker. We have read it: the worker has no standard input."""

    found: Read
    options: Options
    sources: TranslationOptions
    outputs: OutputsOfOne
    deny_warnings: bool
    speaker: Speaker
    recording: Recording
    """Where the speaker speaks to; each worker has copies of both."""


Told = tuple[Entry, Recording]
"""(what the reports are to say of an input, what there is to say about it now)."""


def work(task: Task) -> Told:
    """What a worker does with an input."""
    entry = check_one(task.found, task.options, task.sources, task.outputs, task.deny_warnings, task.speaker)
    return entry, task.recording


def check_in_workers(tasks: Sequence[Task], jobs: int, timeout: float, speaker: Speaker) -> Iterator[Entry]:
    """Decides inputs and tells the results in their order; what the reports are to say of each."""
    early: dict[int, Told | Lost] = {}
    position = 0
    for index, told in in_workers(work, tasks, jobs, timeout):
        early[index] = told
        while position in early:
            match early.pop(position):
                case Lost() as lost:
                    source, _ = tasks[position].found
                    speaker.tell_loss(lost, source)
                    yield tasks[position].outputs.entry(Abandoned(source, lost))
                case entry, recording:
                    speaker.repeat(recording)
                    yield entry
            position += 1
