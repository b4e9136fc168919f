"""`ser check`: decides inputs, one after the other or several at a time, and prints the results."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from seriatim.cli.cluster_options import (
    Shard,
    WorkerOptions,
    cache_options,
    cluster_option,
    lanes_option,
    shard_option,
)
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import FoundFiles, find_files
from seriatim.cli.limits_options import (
    Bounds,
    collect,
    jobs_option,
    limits_options,
    memory_for_each,
    memory_option,
    timeout_option,
)
from seriatim.cli.one_check import CheckTask, escalate_warnings, exit_code
from seriatim.cli.option_groups import GroupedCommand
from seriatim.cli.outputs import OutputPaths, output_options, plan_outputs
from seriatim.cli.property_options import (
    AskedProperties,
    asked_properties,
    property_options,
    specification_warnings,
)
from seriatim.cli.speakers import PrintOptions, speaker_for
from seriatim.cli.terminal import Terminal, color_option
from seriatim.cli.translation_options import Handling, Sources, translation_options
from seriatim.deciding.answer import Want
from seriatim.deciding.pipeline import Options
from seriatim.frontends.protocol import Settings
from seriatim.frontends.reading import BadInput, InputFile, read
from seriatim.method import (
    ALL_OPTIMIZATIONS,
    OPTIMIZATIONS,
    Algorithm,
    Method,
    Optimizations,
    ThreadOptions,
)
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.result import verdict_name
from seriatim.source import InputError, SourceText

if TYPE_CHECKING:
    from seriatim.explain.explanation import Detail

Function = TypeVar("Function", bound=Callable[..., Any])

SEVERITY = (ExitCode.BAD_INPUT, ExitCode.NO, ExitCode.UNKNOWN, ExitCode.YES)
"""With several inputs, the first one in this order that occurs counts."""


@dataclass(frozen=True, slots=True)
class InputOptions:
    """Options: the inputs to check, and how strictly."""

    files: tuple[str, ...]
    shard: Shard | None
    deny: str | None
    watch: bool

    def inputs(self) -> FoundFiles:
        found = find_files(self.files, has_parts=True)
        return found if self.shard is None else replace(found, files=tuple(self.shard.take(found.files)))

    @property
    def denies_warnings(self) -> bool:
        return self.deny is not None


@dataclass(frozen=True, slots=True)
class MethodOptions:
    """Options: the method to use."""

    method: str
    optimizations: Optimizations


class _Letters(click.ParamType[Optimizations]):
    """Optimizations to switch off, by the paper's letters."""

    name = "letters"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Optimizations:
        if isinstance(value, Optimizations):
            return value
        letters = str(value).upper()
        if not letters or not set(letters) <= set(OPTIMIZATIONS):
            self.fail(f"{value!r} are not letters among {', '.join(OPTIMIZATIONS)}.", param, ctx)
        return Optimizations.without(letters)


without_option = click.option(
    "--without",
    "optimizations",
    type=_Letters(),
    default=ALL_OPTIMIZATIONS,
    metavar="LETTERS",
    help="With --method paper, switch optimizations off: B bidirectional slicing, R removal of redundant "
    "periods and components, G generating fewer constraints, S strategic elimination order.",
)


steps_option = click.option(
    "--steps",
    type=click.Choice(["access", "statement"]),
    default="access",
    show_default=True,
    help="For C: what counts as one step, an access to something shared or a whole statement.",
)


order_option = click.option(
    "--memory",
    type=click.Choice(["sc", "tso"]),
    default="sc",
    show_default=True,
    help="For C: when others see what a thread writes: at once, or later and in order, as on x86 processors.",
)


def _macros(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    for each in given:
        if not re.fullmatch(r"[A-Za-z_]\w*(=[^\n\r]*)?", each):
            raise click.BadParameter(f"{each!r} is not of the form NAME or NAME=VALUE.")
    return given


def thread_options(command: Function) -> Function:
    """Adds the options about programs with threads."""
    algorithm = click.option(
        "--algorithm",
        type=click.IntRange(1, 3),
        default=1,
        show_default=True,
        help="For threads: which algorithm of the paper on petrification to use.",
    )
    width = click.option(
        "--width", is_flag=True, help="For threads: say how many threads of a template can exist at a time."
    )
    include = click.option(
        "--include",
        "-I",
        "folders",
        multiple=True,
        metavar="FOLDER",
        help="For C and P4: look for files there, too.",
    )
    define = click.option(
        "--define",
        "-D",
        "macros",
        multiple=True,
        metavar="NAME[=VALUE]",
        callback=_macros,
        help="For C: define a macro.",
    )
    for option in (width, algorithm, define, include, order_option, steps_option):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class ThreadsAsked:
    """Options: how to decide programs with threads."""

    steps: str
    memory: str
    algorithm: int
    width: bool
    folders: tuple[str, ...]
    macros: tuple[str, ...]

    def settings(self) -> Settings:
        """The settings for the front end."""
        found = {"include": "\n".join(self.folders), "define": "\n".join(self.macros)}
        if self.steps == "statement":
            found["steps"] = self.steps
        if self.memory != "sc":
            found["memory"] = self.memory
        return {name: value for name, value in found.items() if value}

    def options(self) -> ThreadOptions:
        algorithms: tuple[Algorithm, ...] = (1, 2, 3)
        return ThreadOptions(algorithms[self.algorithm - 1], self.width)


CALLS = "calls"
"""What `--observe` asks about services in Python, whose globals have no names in the question."""

GROUPS = {
    "Needed most": (
        "property", "json", "quiet", "explain", "certificate", "html", "timeout", "watch", "no-run", "help",
    ),
    "The question": ("observe", "barriers", "spec", "pending"),
    "Python": ("cancel", "timeouts", "failures", "replay", "emit-test"),
    "SQL": ("isolation", "engine", "on-abort", "compare", "from-log"),
    "C and other threads": ("include", "define", "steps", "memory", "width", "algorithm"),
    "P4": ("p4-model", "entries"),
    "All translated sources": ("scope", "explain-scope", "emit-model"),
    "Reports and pictures": ("sarif", "junit", "diagram", "itf", "stats", "color"),
    "Limits": ("max-memory", "max-states", "max-value", "deny"),
    "Many inputs": ("jobs", "cache", "no-cache", "shard", "cluster"),
    "How to decide": ("method", "lanes", "without", "save"),
}  # fmt: skip
"""The options by heading, in the order of the help."""


@click.command(
    "check", cls=GroupedCommand, groups=GROUPS, short_help="Decide whether handlers are serializable."
)
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each input, a line each.")
@timeout_option
@output_options
@jobs_option
@cluster_option
@lanes_option
@shard_option
@cache_options
@limits_options
@memory_option
@property_options
@translation_options
@click.option(
    "--method",
    type=click.Choice([method.value for method in Method]),
    default=Method.AUTO.value,
    show_default=True,
    help="Use only this method.",
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
    given=InputOptions,
    bounds=Bounds,
    asked=AskedProperties,
    sources=Sources,
    how=MethodOptions,
    paths=OutputPaths,
    printing=PrintOptions,
    threads=ThreadsAsked,
    workers=WorkerOptions,
)
@click.pass_context
def command(
    context: click.Context,
    given: InputOptions,
    bounds: Bounds,
    asked: AskedProperties,
    sources: Sources,
    how: MethodOptions,
    paths: OutputPaths,
    printing: PrintOptions,
    threads: ThreadsAsked,
    workers: WorkerOptions,
) -> None:
    """Decide whether the handlers in each FILE are serializable, or have another property.

    FILE is a program (.ser), an asyncio service (.py; one class of it as
    service.py::Name), SQL transactions (.sql, .spec), a packet program
    (.p4), a protocol (.actions), a network system (.json) or a program with threads (.conc, .c); a folder,
    for all such files in it; or - for standard input. Programs with threads are asked whether they are safe,
    those in C also for data races and hangs. The answer holds for any number of requests or threads. If it is
    no, a run shows why, the shortest one if possible.

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
      0  the property holds
      1  it does not, or a step fails: an assertion, a range, an index
      2  bad input or usage
      3  undecided
    """
    refuse_contradictions(how, printing, paths)
    terminal = Terminal.with_color(printing.color)
    if sources.explain_scope:
        from seriatim.cli.sources import explain_scopes  # Most checks do not need it.

        found = map(read, find_files(given.files, has_parts=True).files)
        context.exit(explain_scopes(found, sources, terminal))
    check = partial(check_files, given, bounds, asked, sources, how, paths, printing, threads, workers)
    if not given.watch:
        context.exit(check())
    if "-" in given.files:
        raise click.UsageError("--watch needs files: standard input does not change.")
    from seriatim.cli.watch import watched

    context.exit(watched(given.files, check, terminal))


def refuse_contradictions(how: MethodOptions, printing: PrintOptions, paths: OutputPaths) -> None:
    """Raises `UsageError` if options do not fit together."""
    if how.optimizations != ALL_OPTIMIZATIONS and how.method != Method.PAPER:
        raise click.UsageError("--without belongs to --method paper.")
    if printing.explain and (printing.as_json or printing.quiet):
        raise click.UsageError("--explain is for people: it does not go with --json or --quiet.")
    if paths.save is not None and how.method != Method.PAPER:
        raise click.UsageError("--save belongs to --method paper.")


def check_files(
    given: InputOptions,
    bounds: Bounds,
    asked: AskedProperties,
    sources: Sources,
    how: MethodOptions,
    paths: OutputPaths,
    printing: PrintOptions,
    threads: ThreadsAsked,
    workers: WorkerOptions,
) -> int:
    """Checks all inputs once and returns the exit code."""
    found = given.inputs()
    inputs, skipped = found.files, found.skipped
    if (sources.emit_model or sources.emit_test) and len(inputs) > 1:
        raise click.UsageError("--emit-model and --emit-test are for one input.")
    terminal = Terminal.with_color(printing.color)
    try:
        settings, asked = settings_and_question(sources, threads, asked, [each.name for each in inputs])
        properties = asked_questions(asked, given.denies_warnings, terminal)
        if how.method == Method.PAPER and properties != (SERIALIZABILITY,):
            raise click.UsageError("--method paper decides whether responses are serializable, nothing else.")
        outputs = plan_outputs(inputs, properties, given.files, paths)
    except (BadInput, InputError) as bad:
        source = bad.source if isinstance(bad, BadInput) else SourceText("ser check", "")
        terminal.complain(source, *bad.diagnostics)
        return ExitCode.BAD_INPUT
    options = options_of(bounds, how, threads, printing.wants() | outputs.wants())
    details = wanted_details(printing, paths)
    handling = sources.handling(settings, given.denies_warnings)
    cache, usual = workers.opened_cache(), not asked.properties
    tasks = (
        CheckTask(
            text, replace(options, question=each), place, of_part(handling, file), details, usual, cache
        )
        for file in inputs
        for text in (read(file),)
        for each, place in ((each, outputs.of(file, each)) for each in properties)
    )
    speaker = speaker_for(printing, terminal)
    if "all" in settings.values():
        from seriatim.cli.levels import compare_levels, compared  # Most checks compare no levels.

        if (ladder := compared(settings)) is not None:
            return min(compare_levels(tasks, ladder, printing, terminal, paths.html), key=SEVERITY.index)
    try:
        checked = list(workers.check(tasks, len(inputs) * len(properties), bounds, speaker))
        if len(inputs) > 1 or skipped:
            speaker.sum_up(len(inputs), Counter(verdict_name(each.result) for each in checked), skipped)
        outputs.report(checked)
    except InputError as error:
        terminal.complain(SourceText("ser check", ""), *error.diagnostics)
        return ExitCode.BAD_INPUT
    return min((exit_code(each.result) for each in checked), key=SEVERITY.index)


def options_of(bounds: Bounds, how: MethodOptions, threads: ThreadsAsked, wants: frozenset[Want]) -> Options:
    """How inputs are decided, whatever is asked about them."""
    memory = memory_for_each(bounds.max_memory, bounds.jobs)
    method = Method(how.method)
    return Options(
        bounds.limits(),
        bounds.timeout,
        method,
        memory,
        how.optimizations,
        wants=wants,
        threads=threads.options(),
    )


def of_part(handling: Handling, file: InputFile) -> Handling:
    """How to treat a file of which one class is meant."""
    return replace(handling, settings={**handling.settings, "service": file.part}) if file.part else handling


def settings_and_question(
    sources: Sources, threads: ThreadsAsked, asked: AskedProperties, names: Sequence[str]
) -> tuple[dict[str, str], AskedProperties]:
    """The settings and the question; to observe the calls of services in Python is a setting."""
    settings = {**sources.settings(), **threads.settings()}
    if asked.observe != CALLS or not all(name.endswith(".py") for name in names):
        return settings, asked
    return {**settings, CALLS: "yes"}, replace(asked, observe=None)


def asked_questions(
    asked: AskedProperties, denies_warnings: bool, terminal: Terminal
) -> tuple[Property, ...]:
    """The questions that the options ask. Shows warnings; raises `BadInput` if those are denied."""
    found = asked_properties(asked)
    for specification, warnings in dict.fromkeys(map(specification_warnings, found)):
        errors = escalate_warnings(warnings) if denies_warnings else ()
        if errors:
            raise BadInput(specification, errors)
        terminal.complain(specification, *warnings)
    return found


def wanted_details(printing: PrintOptions, paths: OutputPaths) -> "frozenset[Detail]":
    """The details to find out beyond the results."""
    if not printing.explain and paths.html is None:
        return frozenset()
    from seriatim.explain.explanation import Detail

    told = {Detail.REASONS, Detail.FIRINGS, Detail.BLAME} if printing.explain else set()
    shown = {Detail.BLAME, Detail.PICTURES, Detail.REPAIRS} if paths.html is not None else set()
    return frozenset(told | shown)
