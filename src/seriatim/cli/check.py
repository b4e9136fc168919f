"""`ser check`: decides inputs, one after the other or several at a time, and says what came of each."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

import click

from seriatim.budget import Deadline, Observer, OutOfBudget, enforced
from seriatim.cli.collect import collect
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import input_files, write_whole
from seriatim.cli.limits_options import (
    Bounds,
    jobs_option,
    limits_options,
    memory_for_each,
    memory_option,
    timeout_option,
)
from seriatim.cli.outputs import OutputPaths, OutputsOfOne, output_options, planned
from seriatim.cli.paper_options import without_option
from seriatim.cli.property_options import Asked, asked_properties, doubtful, property_options
from seriatim.cli.speakers import Checked, Manner, Speaker, speaker_for
from seriatim.cli.terminal import Terminal, color_option
from seriatim.cli.thread_options import ThreadsAsked, thread_options
from seriatim.cli.translation_options import Handling, Sources, translation_options
from seriatim.deciding.confirming import decide_about
from seriatim.deciding.pipeline import Options, Work, out_of_budget
from seriatim.deciding.smaller_arrays import time_for_written_size, with_decided_size
from seriatim.engines.stage import Progress
from seriatim.frontends.all import translate_any
from seriatim.frontends.protocol import Settings, ThreadTranslation, Translation
from seriatim.frontends.reading import BadInput, parsed, read
from seriatim.frozen import frozen, replace
from seriatim.method import ALL_OPTIMIZATIONS, Method, Optimizations
from seriatim.program.inputs import Decidable
from seriatim.properties.property import Property
from seriatim.properties.safe import SAFETY
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.result import Faulty, Holds, Refused, Result, Undecided, Unusable, Violated, verdict_name
from seriatim.source import Diagnostic, InputError, Severity, SourceText
from seriatim.workers import Lost, in_workers

if TYPE_CHECKING:
    from seriatim.explain.explanation import Detail

SEVERITY = (ExitCode.BAD_INPUT, ExitCode.NO, ExitCode.UNKNOWN, ExitCode.YES)
"""Of several inputs, the first one here that occurs counts."""


def exit_code(result: Result) -> ExitCode:
    """What a result exits with."""
    match result.answer:
        case Holds():
            return ExitCode.YES
        case Violated():
            return ExitCode.NO
        case Undecided() | Refused() | Lost():
            return ExitCode.UNKNOWN
        case Faulty() | Unusable():
            return ExitCode.BAD_INPUT
        case never:
            assert_never(never)


@frozen
class Subject:
    """What to check, and how strictly, as the options say."""

    files: tuple[str, ...]
    deny: str | None
    watch: bool

    @property
    def denies_warnings(self) -> bool:
        return self.deny is not None


@frozen
class Way:
    """By which method, as the options say."""

    method: str
    optimizations: Optimizations


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
@thread_options
@click.option("--explain", is_flag=True, help="Say more about why, line by line or state by state.")
@click.option("--stats", is_flag=True, help="Say where the time went.")
@click.option("--watch", is_flag=True, help="Check again whenever a file changes, until Ctrl-C.")
@click.option("--quiet", "-q", is_flag=True, help="Print one line for each input.")
@color_option
@collect(
    subject=Subject,
    bounds=Bounds,
    asked=Asked,
    sources=Sources,
    way=Way,
    paths=OutputPaths,
    manner=Manner,
    threads=ThreadsAsked,
)
@click.pass_context
def command(
    context: click.Context,
    subject: Subject,
    bounds: Bounds,
    asked: Asked,
    sources: Sources,
    way: Way,
    paths: OutputPaths,
    manner: Manner,
    threads: ThreadsAsked,
) -> None:
    """Decide whether the handlers in each FILE are serializable, or have another property.

    FILE is a program (.ser), an asyncio service (.py), SQL transactions (.sql, .spec), a network system
    (.json), or a program with threads (.conc, .c) about which the question is whether it is safe; a folder
    with such files, or - for standard input.
    The answer holds for any number of requests or threads. If it is no, a run shows why, a shortest one if
    possible.

    \b
    Examples:
      ser check counter.ser
      ser check counter.ser --certificate counter.cert.json
      ser check programs/ --quiet --timeout 10
      ser check counter.ser --watch
      ser check counter.ser --observe all
      ser check counter.ser --property strict --barriers 2
      ser check counter.ser --property serializable,safe
      ser check workers.c --width
      generate | ser check - --json

    \b
    Exit codes (of several inputs, the first of 2, 1, 3, 0 that occurs):
      0  serializable or safe, or whatever --property asks
      1  not so
      2  bad input or usage
      3  undecided
    """
    if way.optimizations != ALL_OPTIMIZATIONS and way.method != Method.PAPER:
        raise click.UsageError("--without belongs to --method paper.")
    if manner.explain and (manner.as_json or manner.quiet):
        raise click.UsageError("--explain is for people: it does not go with --json or --quiet.")
    if paths.save is not None and way.method != Method.PAPER:
        raise click.UsageError("--save belongs to --method paper.")
    terminal = Terminal.with_color(manner.color)
    if sources.explain_scope or sources.conformance is not None:
        from seriatim.cli.sources import compare_sources, explain_scopes  # Most checks do without.

        found = map(read, input_files(subject.files))
        if sources.explain_scope:
            context.exit(explain_scopes(found, sources, terminal))
        context.exit(compare_sources(found, sources, bounds.timeout, terminal))
    check = partial(check_files, subject, bounds, asked, sources, way, paths, manner, threads)
    if not subject.watch:
        context.exit(check())
    if "-" in subject.files:
        raise click.UsageError("--watch needs files: standard input does not change.")
    from seriatim.cli.watch import watched

    context.exit(watched(subject.files, check, terminal))


def check_files(
    subject: Subject,
    bounds: Bounds,
    asked: Asked,
    sources: Sources,
    way: Way,
    paths: OutputPaths,
    manner: Manner,
    threads: ThreadsAsked,
) -> int:
    """Checks all inputs once; the exit code."""
    inputs = input_files(subject.files)
    if (sources.emit_model or sources.emit_test) and len(inputs) > 1:
        raise click.UsageError("--emit-model and --emit-test are for one input.")
    terminal = Terminal.with_color(manner.color)
    try:
        properties = asked_questions(asked, subject.denies_warnings, terminal)
        settings = {**sources.settings(), **threads.settings()}
        if way.method == Method.PAPER and properties != (SERIALIZABILITY,):
            raise click.UsageError("--method paper decides whether responses are serializable, nothing else.")
        outputs = planned(inputs, properties, subject.files, paths)
    except (BadInput, InputError) as bad:
        source = bad.source if isinstance(bad, BadInput) else SourceText("ser check", "")
        terminal.complain(source, *bad.diagnostics)
        return ExitCode.BAD_INPUT
    options = Options(
        bounds.limits(),
        bounds.timeout,
        Method(way.method),
        memory_for_each(bounds.max_memory, bounds.jobs),
        way.optimizations,
        wants=manner.wants() | outputs.wants(),
        threads=threads.options(),
    )
    details = wanted_details(manner, paths)
    handling = sources.handling(settings, subject.denies_warnings)
    tasks = (
        Task(found, replace(options, question=each), place, handling, details, not asked.properties)
        for file in inputs
        for found in (read(file),)
        for each, place in ((each, outputs.of(file, each)) for each in properties)
    )
    speaker = speaker_for(manner, terminal)
    if settings.get("isolation") == "all":
        from seriatim.cli.levels import compare_levels  # Most checks are at one level.

        return min(compare_levels(tasks, manner, terminal), key=SEVERITY.index)
    if bounds.jobs == 1 or len(inputs) * len(properties) == 1:
        checked = [check_and_tell(task, speaker) for task in tasks]  # Each is read when its turn comes.
    else:
        checked = list(check_in_workers(list(tasks), bounds.jobs, bounds.timeout, speaker))
    if len(inputs) > 1:
        speaker.sum_up(len(inputs), Counter(verdict_name(each.result) for each in checked))
    try:
        outputs.report(checked)
    except InputError as error:
        terminal.complain(SourceText("ser check", ""), *error.diagnostics)
        return ExitCode.BAD_INPUT
    return min((exit_code(each.result) for each in checked), key=SEVERITY.index)


def asked_questions(asked: Asked, denies_warnings: bool, terminal: Terminal) -> tuple[Property, ...]:
    """What the options ask, after what is doubtful about it is told; raises `BadInput` if that is denied."""
    found = asked_properties(asked)
    for specification, warnings in dict.fromkeys(map(doubtful, found)):
        errors = denied(warnings) if denies_warnings else ()
        if errors:
            raise BadInput(specification, errors)
        terminal.complain(specification, *warnings)
    return found


def wanted_details(manner: Manner, paths: OutputPaths) -> "frozenset[Detail]":
    """What has to be found out beyond the results."""
    if not manner.explain and paths.html is None:
        return frozenset()
    from seriatim.explain.explanation import Detail

    told = {Detail.REASONS, Detail.FIRINGS, Detail.BLAME} if manner.explain else set()
    return frozenset(told | ({Detail.BLAME, Detail.PICTURES} if paths.html is not None else set()))


def denied(warnings: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """What has been a warning, as an error; notes are none."""
    found = (warning for warning in warnings if warning.severity is Severity.WARNING)
    return tuple(replace(warning, severity=Severity.ERROR) for warning in found)


Read = tuple[SourceText, Diagnostic | None]
"""The text of a file, and what is wrong with the file."""


@frozen
class Task:
    """An input to check. We have read it: a worker has no standard input."""

    found: Read
    options: Options
    outputs: OutputsOfOne
    handling: Handling
    details: "frozenset[Detail]"
    is_default: bool
    """Whether nobody has said what to ask."""


def check_and_tell(task: Task, speaker: Speaker) -> Checked:
    with speaker.progress(task.found[0]) as observer:
        checked = check_one(task, observer)
    speaker.tell(checked)
    return checked


def check_one(task: Task, observer: Observer[Progress] | None = None) -> Checked:
    """Decides one input, saves what is to be saved, and finds out what else is wanted."""
    question = task.options.question
    deadline = Deadline(task.options.timeout, task.options.max_memory)
    try:
        with enforced(deadline):
            source, translation = read_translation(task.found, question, task.handling.settings)
    except BadInput as bad:
        return Checked(Result(bad.source, question, Unusable(bad.diagnostics)))
    except OutOfBudget as out:
        return Checked(Result(task.found[0], question, out_of_budget(out)))
    try:
        if isinstance(translation, ThreadTranslation):
            return check_threads(task, source, translation, observer, deadline)
        if task.handling.emit_model is not None:
            save_model(translation, source, task.handling.emit_model)
        own = time_for_written_size(translation.content, deadline)
        result, work = decide_about(translation, source, task.options, observer, task.handling.replay, own)
        result = with_decided_size(result, task.options, deadline)
        saved_as = save_one(task, translation.content, result, work)
        if task.handling.emit_test is not None and isinstance(result.answer, Violated):
            save_test(result.answer, source, task.handling.emit_test)
    except BadInput as bad:
        return Checked(Result(bad.source, question, Unusable(bad.diagnostics)))
    except InputError as error:
        return Checked(Result(task.found[0], question, Unusable(error.diagnostics)))
    if not task.details:
        return Checked(result, saved_as=saved_as)
    from seriatim.elaborate import elaborate  # It needs much that no other check does.

    return Checked(result, elaborate(translation.content, result, task.details, task.options), saved_as)


def check_threads(
    task: Task,
    source: SourceText,
    translation: ThreadTranslation,
    observer: Observer[Progress] | None,
    deadline: Deadline,
) -> Checked:
    """The same for a program with threads, about which only one question can be asked."""
    from seriatim.deciding.threads import decide_threads  # Checks of requests do without.

    if not (task.is_default or task.options.question == SAFETY):
        name = task.options.question.name
        message = f"`{name}` is about requests, and this is a program with threads"
        raise BadInput(source, [Diagnostic("SER214", message, hint="ask for --property safe, or nothing")])
    options = replace(task.options, provenance=translation.provenance)
    result = decide_threads(translation.content, options, observer, source, deadline)
    result = replace(result, approximations=translation.approximations)
    return Checked(result, saved_as=save_one(task, translation.content, result, None))


def save_model(translation: Translation, source: SourceText, path: Path) -> None:
    """Writes what a source was translated to; raises `InputError`."""
    from seriatim.frontends.model_text import model_text  # Most checks write none.

    write_whole(path, model_text(translation, source.name))


def save_test(violated: Violated, source: SourceText, path: Path) -> None:
    """Writes a test that repeats a violation; raises `InputError`."""
    if not source.name.endswith(".py"):
        message = "--emit-test is for asyncio services"
        raise InputError([Diagnostic("SER920", message, hint="it is for files that end in .py")])
    from seriatim.frontends.python.exploration import test_text

    write_whole(path, test_text(source, list(violated.run.timeline.handlers())))


def read_translation(
    found: Read, question: Property, settings: Settings
) -> tuple[SourceText, Translation | ThreadTranslation]:
    """An input about which the question can be asked; raises `BadInput`."""
    source, problem = found
    if problem is not None:
        raise BadInput(source, [problem])
    translation = parsed(source, partial(translate_any, settings=settings))
    if isinstance(translation, ThreadTranslation):
        return source, translation
    culprit, unfit = question.misfits(translation.content, source)
    if unfit:
        raise BadInput(culprit, unfit)
    return source, translation


def save_one(task: Task, content: Decidable, result: Result, work: Work | None) -> str | None:
    """Where the evidence is now, or the bundle about a bug; raises `BadInput` if warnings are denied."""
    if isinstance(result.answer, Refused):
        return save_bug(result.answer, result.source, task.options)
    errors = denied(result.warnings) if task.handling.denies_warnings else ()
    if errors:
        raise BadInput(result.source, errors)
    if work is not None:
        task.outputs.save_steps(work)
    return task.outputs.save(result, content, task.options.limits)


def save_bug(refused: Refused, source: SourceText, options: Options) -> str | None:
    """Where the bundle about a bug of ours is now; None if there is nowhere to save it."""
    from seriatim.cli.bug_bundle import save_bundle  # It needs much that no other check does.

    try:
        return save_bundle(refused, source, options)
    except InputError:
        return None  # The alarm matters more.


def check_in_workers(tasks: Sequence[Task], jobs: int, timeout: float, speaker: Speaker) -> Iterator[Checked]:
    """Checks inputs, several at a time, and tells what came of them in their order."""
    early: dict[int, Checked | Lost] = {}
    position = 0
    for index, found in in_workers(check_one, tasks, jobs, timeout):
        early[index] = found
        while position in early:
            checked = early.pop(position)
            if isinstance(checked, Lost):
                source, _ = tasks[position].found
                checked = Checked(Result(source, tasks[position].options.question, checked))
            speaker.tell(checked)
            yield checked
            position += 1
