"""`ser history`: does some one-at-a-time order explain what production answered, and which isolation levels
do transactions show?"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from hashlib import file_digest
from itertools import chain
from pathlib import Path

import click
from click.core import ParameterSource

from seriatim import __version__
from seriatim.budget import Deadline, OutOfBudget, enforce
from seriatim.cache import Cache, CacheKey
from seriatim.certificate.history import Comparison
from seriatim.cli.cluster_options import cache_options, open_cache
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import write_whole
from seriatim.cli.limits_options import (
    Effort,
    collect,
    effort_options,
    evidence_option,
    json_option,
    limits_options,
    memory_for_each,
    path_option,
)
from seriatim.cli.log_files import open_log, server_log_diagnostic, with_line
from seriatim.cli.one_check import exit_code
from seriatim.cli.progress import progress_line
from seriatim.cli.terminal import Terminal
from seriatim.deciding.log_evidence import is_complete, shows_levels, shows_requests
from seriatim.deciding.logs import (
    About,
    AboutLevels,
    Compared,
    decide_levels,
    decide_requests,
    empty_log,
    load_model,
    question_about,
    read_log,
    read_question,
    unreadable,
    whole_entries,
)
from seriatim.engines.stage import Progress
from seriatim.explain.explanation import Explanation
from seriatim.frontends.kinds import refuse_unread
from seriatim.frontends.languages import LOG, kind_named
from seriatim.frontends.reading import BadInput
from seriatim.history.frontier import TooManyWays
from seriatim.history.log import Entry, Record, Time, Unpaired
from seriatim.history.model import Model, Unfit
from seriatim.history.reading import Format, format_by_suffix, read_records
from seriatim.history.stream import Alarm, CountedStream, EntryStream, EventStream, Late
from seriatim.history.transactions.names import find_level
from seriatim.history.untimed import Unordered, decide_counts
from seriatim.report.history import alarm_text
from seriatim.report.html.page import page
from seriatim.report.html.section import section
from seriatim.report.junit import junit
from seriatim.report.limits_text import limit_diagnostic
from seriatim.report.result_json import result_json
from seriatim.report.sarif import sarif
from seriatim.report.text_look import Style
from seriatim.report.verdict_text import verdict_text
from seriatim.result import Recorded, Result, Undecided
from seriatim.source import Diagnostic, InputError, SourceText
from seriatim.systems.limits import LimitReached, Limits


@dataclass(frozen=True, slots=True)
class LogQuestion:
    """The options about the question."""

    form: str | None
    level: str | None
    levels: bool
    initial: str | None
    keyed: bool
    ignore_times: bool
    longest: float | None
    isolation: str | None
    max_states: int
    max_value: int

    def about(self, program: str | None) -> About:
        """Raises `InputError` if options do not fit together."""
        if program is None:
            if self.initial not in (None, "any"):
                message = "transactions begin with empty lists, or nil in registers"
                hint = "--initial any allows one value of each register that nobody wrote"
                raise InputError([Diagnostic("SER572", message, hint=hint)])
            level = None if self.level is None else find_level(self.level)
            return AboutLevels(level, self.levels, self.initial == "any")
        if self.level is not None or self.levels:
            message = "isolation levels are for transactions"
            hint = "leave out the program: ser history LOG --level NAME"
            raise InputError([Diagnostic("SER574", message, hint=hint)])
        return Comparison(program, self.initial, self.isolation, self.ignore_times, self.keyed)


@dataclass(frozen=True, slots=True)
class Output:
    """The options about what to write."""

    certificate: Path | None
    html: Path | None
    sarif: Path | None
    junit: Path | None
    as_json: bool

    @property
    def is_plain(self) -> bool:
        """Whether nothing is wanted but text."""
        return self == Output(None, None, None, None, as_json=False)


@dataclass(frozen=True, slots=True)
class CacheOptions:
    """The options about the cache."""

    cache: Path | None
    no_cache: bool


@click.command(
    "history",
    short_help="Explain a log of answers by some one-at-a-time order.",
    help="""Tell whether the answers in LOG can come from some one-at-a-time order of the requests of PROGRAM;
    or, without PROGRAM, which isolation levels the transactions in LOG show.

    PROGRAM is a file with request handlers (.ser, .py, .sql), or a model that is built in: register, counter,
    set, queue, map, kv, registers, mutex, bank.

    LOG has one JSON object per line (request, answer, and optionally start and end), or is CSV, or a
    history of Jepsen in EDN. With times, each request has to take effect between its start and its end.
    Without times, only the counts of answers matter. - is standard input: the command reports the first
    answer that nothing can explain at once, and has no time limit unless --timeout is given.

    Transactions are histories of Jepsen (EDN, or the same as JSON lines) whose operations append to lists, or
    read and write registers.

    \b
    Examples:
      ser history register log.jsonl
      ser history shop.ser answers.csv
      tail -f log.jsonl | ser history map - --longest 30
      ser history history.edn --level snapshot-isolation

    \b
    Exit codes:
      0  some order explains all answers; the levels hold
      1  no order does; some level does not hold
      2  bad input or usage
      3  undecided: a limit was reached
    """,
)
@click.argument("program", metavar="[PROGRAM]")
@click.argument("log", required=False, metavar="LOG")
@click.option(
    "--format",
    "form",
    type=click.Choice([each.value for each in Format]),
    help="The format of LOG; by default its suffix, or jsonl.",
)
@click.option("--level", metavar="NAME", help="For transactions: the isolation level in question.")
@click.option("--levels", is_flag=True, help="For transactions: list the verdict on every level.")
@click.option(
    "--initial",
    metavar="JSON",
    help="The initial value of a register, counter or bank; any, for transactions: one value of each"
    " register may be read though nobody wrote it.",
)
@click.option(
    "--keyed", is_flag=True, help="Each request names its key first, as Jepsen's independent ones do."
)
@click.option("--ignore-times", is_flag=True, help="Accept any order, whatever the times are.")
@click.option(
    "--longest",
    type=click.FloatRange(min=0),
    metavar="TIME",
    help="For entries with times on standard input: no request takes longer.",
)
@click.option("--isolation", metavar="LEVEL", help="For SQL: the level of transactions that name none.")
@evidence_option
@path_option("--html", "Write a report for people: one HTML file.")
@path_option("--sarif", "Write a report for code scanning (SARIF 2.1.0).")
@path_option("--junit", "Write a report for test servers (JUnit XML).")
@json_option
@cache_options
@limits_options
@effort_options
@collect(asked=LogQuestion, output=Output, caching=CacheOptions)
@click.pass_context
def command(
    context: click.Context,
    program: str,
    log: str | None,
    asked: LogQuestion,
    output: Output,
    caching: CacheOptions,
    effort: Effort,
) -> None:
    """Reads the log, decides it or follows it, saves the evidence, reports."""
    terminal = effort.terminal()
    path = program if log is None else log
    name = "<stdin>" if path == "-" else path
    form = format_by_suffix(path) if asked.form is None else Format(asked.form)
    waits = path == "-" and context.get_parameter_source("timeout") is ParameterSource.DEFAULT
    deadline = Deadline(None if waits else effort.timeout, memory_for_each(effort.max_memory))
    with report_bad_input(context, terminal, program, name, path):
        refuse_other_files(program, log)
        about = asked.about(None if log is None else program)
        try:
            with enforce(deadline), progress_line(name, terminal) as observer:
                if observer is not None and path != "-":
                    deadline.pulse = partial(observer, Progress("log", 0, 0))
                place = Log(name, path, form)
                cache = open_cache(caching.cache, caching.no_cache)
                result = answer(context, place, about, asked, output, terminal, deadline, cache)
        except OutOfBudget as out:
            result = Result(SourceText(name, ""), about.asked, Undecided(out.spent, out.hint, 0))
    tell(result, output, terminal)
    context.exit(exit_code(result))


@dataclass(frozen=True, slots=True)
class Log:
    name: str
    path: str
    form: Format


def answer(
    context: click.Context,
    log: Log,
    about: About,
    asked: LogQuestion,
    output: Output,
    terminal: Terminal,
    deadline: Deadline,
    cache: Cache | None,
) -> Result:
    """Decides a log, or recalls an earlier verdict; if it is only to be followed, ends the command."""
    with open_log(log.path) as lines:
        if isinstance(about, AboutLevels):
            transactions = read_log(lines, log.form, about.any_initial, deadline)
            return recall_or_decide(
                cache,
                key_of(log, about, ""),
                lambda known: shows_levels(known, transactions, about, deadline),
                lambda: decide_levels(log.name, transactions, about, log.form, deadline),
            )
        compared = load_model(about, Limits(asked.max_states, asked.max_value), deadline)
        if log.path == "-" and output.is_plain:
            records = read_records(lines, log.form)
            context.exit(follow_stream(log, records, compared, about, asked, terminal, deadline))
        question = read_question(compared, lines, log.form, about.ignores_times)
        return recall_or_decide(
            cache,
            key_of(log, about, compared.text),
            lambda known: shows_requests(known, question, about, deadline),
            lambda: decide_requests(log.name, question, about, log.form, deadline),
        )


def key_of(log: Log, about: About, model_text: str) -> CacheKey | None:
    """The key in the cache: the content of the log, and all else that the verdict or its words depend on;
    None for standard input."""
    if log.path == "-":
        return None
    with open(log.path, "rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return CacheKey(f"log {digest}", (log.name, log.form, about, model_text))


def recall_or_decide(
    cache: Cache | None, key: CacheKey | None, shows: Callable[[Result], bool], decide: Callable[[], Result]
) -> Result:
    """An earlier verdict whose evidence holds here, or a new one."""
    if cache is None or key is None:
        return decide()
    known = cache.recall(key)
    if known is not None:
        with suppress(InputError):  # An entry that is damaged is ignored.
            if shows(known):
                return known
    found = decide()
    if is_complete(found):
        cache.keep(key, found, found.seconds)
    return found


def tell(result: Result, output: Output, terminal: Terminal) -> None:
    """Writes what was asked for, and prints the result."""
    if output.certificate is not None and isinstance(result.answer, Recorded):
        write_whole(output.certificate, "".join(result.answer.certificates))
    if output.html is not None:
        write_whole(output.html, page([section(result, Explanation())], __version__))
    if output.sarif is not None:
        write_whole(output.sarif, sarif([result], __version__))
    if output.junit is not None:
        write_whole(output.junit, junit([result]))
    if output.as_json:
        terminal.say(json.dumps(result_json(result)) + "\n")
    else:
        terminal.say(verdict_text(result, terminal.out))


@contextmanager
def report_bad_input(
    context: click.Context, terminal: Terminal, program: str, log: str, path: str
) -> Iterator[None]:
    """Ends the command with a message where the log or the program is not what it should be."""
    try:
        yield
    except BadInput as bad:
        terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    except InputError as error:
        found = server_log_diagnostic(path) if log == path else None
        terminal.complain(SourceText(log, ""), *([found] if found else map(with_line, error.diagnostics)))
        context.exit(ExitCode.BAD_INPUT)
    except LimitReached as reached:
        terminal.complain(SourceText(program, ""), limit_diagnostic(reached))
        context.exit(ExitCode.UNKNOWN)


def refuse_other_files(program: str, log: str | None) -> None:
    """Raises `InputError` if the log is no log, or the model is none."""
    kind = kind_named(program if log is None else log)
    if log is None and kind is not None and "history" in kind.commands and kind is not LOG:
        message = f"this is {kind.noun}, and the log is missing"
        raise InputError([Diagnostic("SER240", message, hint=f"ser history {program} LOG")])
    if kind is not None and kind is not LOG:
        message = f"this is {kind.noun}, not a log"
        hint = f"logs end in {' or '.join(LOG.suffixes)}; the model comes first: ser history MODEL LOG"
        raise InputError([Diagnostic("SER240", message, hint=hint)])
    if log is not None and Path(program).suffix:
        refuse_unread(program, "history")


# --- streams ------------------------------------------------------------------------------------------------


def follow_stream(
    log: Log,
    records: Iterator[Record],
    compared: Compared,
    about: Comparison,
    asked: LogQuestion,
    terminal: Terminal,
    deadline: Deadline,
) -> ExitCode:
    """Follows a log that is still being written; reports the first answer that no order explains at once.

    Where times are ignored, or requests may last for ever, the log is read to its end first."""
    first = next(records, None)
    if first is None:
        raise empty_log()
    all_records = chain([first], records)
    is_timed = isinstance(first, Entry) and first.start is not None and not about.ignores_times
    longest = None if asked.longest is None else Decimal(str(asked.longest))
    if about.ignores_times or (is_timed and longest is None):
        entries = whole_entries(all_records, about.ignores_times)
        result = decide_requests(log.name, question_about(compared, entries), about, log.form, deadline)
        terminal.say(verdict_text(result, terminal.out))
        return exit_code(result)
    return follow_closely(log.name, all_records, compared, longest or 0, terminal, deadline)


def follow_closely(
    name: str,
    records: Iterator[Record],
    compared: Compared,
    longest: Time,
    terminal: Terminal,
    deadline: Deadline,
) -> ExitCode:
    model = compared.model
    events, timed = EventStream(model), EntryStream(model, longest)
    counted = CountedStream(model, deadline)
    count, line, alarm = 0, 0, None
    kinds: set[str] = set()
    try:
        for record in records:
            deadline.check()
            line, count = record.line, count + 1
            kinds.add(_kind(record))
            if len(kinds) > 1:
                raise unreadable(
                    f"line {line} is of another kind than the lines before it", "do not mix them"
                )
            alarm = _fed(record, events, timed, counted)
            if alarm is not None:
                break
        alarm = alarm or timed.finish()
    except Unfit as unfit:
        raise InputError([Diagnostic("SER573", f"line {line}: {unfit}")]) from None
    except (Unpaired, Late) as problem:
        raise unreadable(f"line {problem.line}: {problem}", "see `ser history --help`") from None
    except TooManyWays:
        terminal.say(f"{name}: undecided: line {line}: too many requests are in flight at once\n")
        return ExitCode.UNKNOWN
    if alarm is not None:
        terminal.say(alarm_text(name, alarm, model, terminal.out))
        return ExitCode.NO
    return _ended(name, count, counted, model, terminal, deadline)


def _kind(record: Record) -> str:
    if not isinstance(record, Entry):
        return "event"
    return "counted" if record.start is None else "timed"


def _fed(record: Record, events: EventStream, timed: EntryStream, counted: CountedStream) -> Alarm | None:
    if not isinstance(record, Entry):
        return events.feed(record)
    return counted.feed(record) if record.start is None else timed.feed(record)


def _ended(
    name: str, count: int, counted: CountedStream, model: Model, terminal: Terminal, deadline: Deadline
) -> ExitCode:
    """Ends the stream. Without times, the counts have to be exact now."""
    look = terminal.out
    if counted.tallies:
        found = decide_counts(model, counted.tallies, deadline)
        if found is None:
            terminal.say(f"{name}: undecided: too many orders to look at\n")
            return ExitCode.UNKNOWN
        if isinstance(found, Unordered):
            terminal.say(f"{name}: {look.paint('NOT EXPLAINED', Style.BAD)}: no order gives these answers\n")
            return ExitCode.NO
    terminal.say(f"{name}: {look.paint('explained', Style.GOOD)}: {count:,} records\n")
    return ExitCode.YES
