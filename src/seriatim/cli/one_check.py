"""Takes one input from its text to its report: decides it or recalls it, re-checks, saves, explains."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from seriatim.budget import Deadline, Observer, OutOfBudget
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import write_whole
from seriatim.cli.outputs import NOWHERE, OutputsOfOne
from seriatim.cli.speakers import Checked, Speaker
from seriatim.cli.translation_options import Handling
from seriatim.deciding.pipeline import Options, Work, out_of_budget
from seriatim.deciding.sources import decide_translation, read_or_run
from seriatim.engines.stage import Progress
from seriatim.frontends.all import allow_run, translate
from seriatim.frontends.kinds import only_for
from seriatim.frontends.languages import language_of
from seriatim.frontends.protocol import (
    RUN,
    SYSTEM,
    ActionTranslation,
    AnyTranslation,
    Settings,
    ThreadTranslation,
    Translation,
)
from seriatim.frontends.reading import BadInput, parse_source
from seriatim.program.inputs import Decidable
from seriatim.properties.property import property_fields
from seriatim.result import Faulty, Holds, Lost, Recorded, Refused, Result, Undecided, Unusable, Violated
from seriatim.source import Diagnostic, InputError, Severity, SourceText

if TYPE_CHECKING:
    from seriatim.cache import Cache, CacheKey
    from seriatim.explain.explanation import Detail


def exit_code(result: Result) -> ExitCode:
    """The exit code of a result."""
    match result.answer:
        case Holds() | Recorded(holds=True):
            return ExitCode.YES
        case (
            Violated() | Recorded() | Faulty()
        ):  # A failing step is a violation of `safe`, with a certificate.
            return ExitCode.NO
        case Undecided() | Refused() | Lost():
            return ExitCode.UNKNOWN
        case Unusable():
            return ExitCode.BAD_INPUT
        case never:
            assert_never(never)


def escalate_warnings(warnings: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Turns warnings into errors, as `--deny warnings` asks; notes are left out."""
    found = (warning for warning in warnings if warning.severity is Severity.WARNING)
    return tuple(replace(warning, severity=Severity.ERROR) for warning in found)


Read = tuple[SourceText, Diagnostic | None]
"""The text of a file, and the problem with the file if there is one."""


@dataclass(frozen=True, slots=True)
class CheckTask:
    """An input to check, already read: a worker has no standard input."""

    found: Read
    options: Options
    outputs: OutputsOfOne
    handling: Handling
    details: "frozenset[Detail]"
    is_default: bool
    """Whether the question is the default one."""
    cache: "Cache | None" = None
    """The verdicts of earlier runs; None to decide everything again."""

    def key(self) -> "CacheKey":
        """The key in the cache: all that the verdict and its words depend on, without time and memory."""
        from seriatim.cache import CacheKey  # Some checks have no cache.

        options, source = self.options, self.found[0]
        asked = property_fields(options.question)
        ways = (options.limits, options.method, options.optimizations, options.wants, options.threads)
        handling = (dict(self.handling.settings), self.handling.replay, self.is_default)
        return CacheKey(source.text, (source.name, asked, ways, handling))

    def bare(self) -> "CheckTask":
        """The task for another machine, which saves no files and keeps no cache."""
        handling = replace(self.handling, emit_model=None, emit_test=None, denies_warnings=False)
        return replace(self, outputs=NOWHERE, handling=handling, details=frozenset(), cache=None)


Decided = tuple[Result, Work | None]
Decider = Callable[[CheckTask, SourceText, AnyTranslation, Observer[Progress] | None, Deadline], Decided]
"""A function that decides a task; raises `BadInput`."""


def decide_here(
    task: CheckTask,
    source: SourceText,
    translation: AnyTranslation,
    observer: Observer[Progress] | None,
    deadline: Deadline,
) -> Decided:
    """Decides a task, or recalls an earlier verdict whose evidence still holds."""
    needs_work = task.outputs.steps is not None
    key = None if task.cache is None or needs_work else task.key()
    if task.cache is not None and key is not None:
        known = task.cache.recall(key)
        if known is not None:
            from seriatim.deciding.rechecking import Unfounded, recheck  # Most checks find no entry.

            try:
                question, replay = task.options.question, task.handling.replay
                return recheck(known, source, translation, question, deadline, replay), None
            except (Unfounded, OutOfBudget):
                pass  # An unfounded entry is ignored.
    decided = decide_translation(
        translation,
        source,
        task.options,
        observer,
        deadline,
        replay=task.handling.replay,
        is_default=task.is_default,
    )
    if task.cache is not None and key is not None:
        task.cache.keep(key, decided[0], decided[0].seconds)
    return decided


def answer_text(task: CheckTask) -> str:
    """Checks a task in a worker; returns the result as JSON."""
    import json

    from seriatim.report.result_json import result_json  # Only workers need it.

    return json.dumps(result_json(check_one(task.bare()).result))


def decider_from(answer: str | Lost) -> Decider:
    """A decider that re-checks the evidence of a worker's result, then takes the result."""

    def decide(
        task: CheckTask,
        source: SourceText,
        translation: AnyTranslation,
        _: Observer[Progress] | None,
        deadline: Deadline,
    ) -> Decided:
        from seriatim.deciding.rechecking import Unfounded, recheck
        from seriatim.report.result_from_json import result_from_json

        question = task.options.question
        if isinstance(answer, Lost):
            return Result(source, question, answer), None
        try:
            found = result_from_json(answer)
            result = recheck(found, source, translation, question, deadline, task.handling.replay)
        except (ValueError, Unfounded) as wrong:
            return Result(source, question, Lost(f"a worker has sent a result, but {wrong}")), None
        if task.cache is not None:
            task.cache.keep(task.key(), result, found.seconds)
        return result, None

    return decide


def check_one(
    task: CheckTask, observer: Observer[Progress] | None = None, decide: Decider = decide_here
) -> Checked:
    """Decides one input, saves the files asked for, and adds the details asked for."""
    question = task.options.question
    deadline = Deadline(task.options.timeout, task.options.max_memory)
    source, problem = task.found
    try:
        if problem is not None:
            raise BadInput(source, [problem])
        parse_source(source, only_for("check", lambda _: None))
        may_run = task.handling.replay
        settings = allow_run(source, task.handling.settings) if may_run else task.handling.settings
        translation = read_or_run(source, question, settings, deadline, may_run=may_run)
    except BadInput as bad:
        return Checked(Result(bad.source, question, Unusable(bad.diagnostics)))
    except OutOfBudget as out:
        return Checked(Result(source, question, out_of_budget(out)))
    try:
        if task.handling.emit_model is not None and isinstance(translation, Translation):
            save_model(translation, source, task, task.handling.emit_model)
        result, work = decide(task, source, translation, observer, deadline)
        content = None if isinstance(translation, ActionTranslation) else translation.content
        saved_as = save_one(task, content, result, work)
        if task.handling.emit_test is not None and isinstance(result.answer, Violated):
            save_test(result.answer, source, task.handling.settings, task.handling.emit_test)
    except BadInput as bad:
        return Checked(Result(bad.source, question, Unusable(bad.diagnostics)))
    except InputError as error:
        return Checked(Result(source, question, Unusable(error.diagnostics)))
    if not task.details or isinstance(translation, ActionTranslation):
        return Checked(result, saved_as=saved_as)
    from seriatim.elaborate import elaborate, elaborate_threads  # They load much that few checks need.

    if isinstance(translation, ThreadTranslation):
        told = elaborate_threads(
            translation.content, result, task.details, task.options, settings, is_default=task.is_default
        )
        return Checked(result, told, saved_as)
    told = elaborate(translation.content, result, task.details, task.options, settings)
    return Checked(result, told, saved_as)


def save_model(translation: Translation, source: SourceText, task: CheckTask, path: Path) -> None:
    """Writes the translation of a source, or all states of one that is run; raises `InputError`."""
    from seriatim.frontends.model_text import model_text  # Most checks write no model.

    if task.handling.replay and RUN in language_of(source).settings:
        translation = translate(source, allow_run(source, task.handling.settings, for_states=SYSTEM))
    write_whole(path, model_text(translation, source.name))


def save_test(violated: Violated, source: SourceText, settings: Settings, path: Path) -> None:
    """Writes a test that repeats a violation; raises `InputError`."""
    if not source.name.endswith(".py"):
        message = "--emit-test is for asyncio services"
        raise InputError([Diagnostic("SER920", message, hint="it is for files that end in .py")])
    from seriatim.frontends.python.race_tests import test_text

    requests = list(violated.run.timeline.handlers())
    write_whole(path, test_text(source, requests, settings, path.parent))


def save_one(task: CheckTask, content: Decidable | None, result: Result, work: Work | None) -> str | None:
    """Saves the evidence, or a bug bundle, and returns its path. Raises `BadInput` if warnings are denied."""
    if isinstance(result.answer, Refused):
        return save_bug(result.answer, result.source, task.options)
    errors = escalate_warnings(result.warnings) if task.handling.denies_warnings else ()
    if errors:
        raise BadInput(result.source, errors)
    if work is not None:
        task.outputs.save_steps(work)
    return task.outputs.save(result, content, task.options.limits)


def save_bug(refused: Refused, source: SourceText, options: Options) -> str | None:
    """Saves a bundle about a bug in Seriatim and returns its path; None if it cannot be saved."""
    from seriatim.cli.bug_bundle import save_bundle  # It loads much that other checks do not need.

    try:
        return save_bundle(refused, source, options)
    except InputError:
        return None  # Reporting the bug matters more than saving the bundle.


def check_and_tell(task: CheckTask, speaker: Speaker) -> Checked:
    """Checks one input in this process and reports the result."""
    with speaker.progress(task.found[0]) as observer:
        checked = check_one(task, observer)
    speaker.tell(checked)
    return checked
