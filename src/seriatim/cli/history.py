"""`ser history`: does some one-at-a-time order explain what production answered?"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import TextIO

import click
from click.core import ParameterSource

from seriatim.budget import Deadline, OutOfBudget, enforce
from seriatim.certificate.history import HistoryCertificate
from seriatim.certificate.history import read as read_certificate
from seriatim.certificate.history import write as write_certificate
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.history.objects import Running, Textbook, Thing
from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import write_whole
from seriatim.cli.limits_options import limits_options, memory_for_each, memory_option, timeout_option
from seriatim.cli.terminal import Terminal, color_option
from seriatim.cli.transactions import Wanted, decide_transactions
from seriatim.frontends.all import translate
from seriatim.frontends.protocol import Translation
from seriatim.frontends.reading import BadInput, InputFile, load
from seriatim.history.built_in import BUILT_IN, Set, find_model
from seriatim.history.decide import ALLOWANCE, NoOrder, Order, Outcome, Question, about_of, check, decide
from seriatim.history.frontier import TooManyWays
from seriatim.history.handlers import Handlers
from seriatim.history.log import Entry, Record, Time, Unpaired, entries_of
from seriatim.history.model import Model, Unfit
from seriatim.history.reading import Format, format_by_suffix, read_records
from seriatim.history.stream import Alarm, CountedStream, EntryStream, EventStream, Late
from seriatim.report.history import alarm_text, outcome_json, outcome_text
from seriatim.report.limits_text import budget_diagnostic, limit_diagnostic
from seriatim.report.look import Style
from seriatim.report.verification import obligation_lines
from seriatim.source import Diagnostic, InputError, SourceText
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import LimitReached, Limits


@dataclass(frozen=True, slots=True)
class Compared:
    """The model that a log is compared with."""

    model: Model
    thing: Thing
    text: str


@click.command(
    "history",
    short_help="Explain a log of answers by some one-at-a-time order.",
    help="""Tell whether the answers in LOG can come from some one-at-a-time order of the requests of PROGRAM;
    or, without PROGRAM, which isolation levels the transactions in LOG show.

    PROGRAM is a file with request handlers (.ser, .py, .sql), or a model that is built in: register, counter,
    set, queue, map, kv, mutex, bank.

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
@click.option("--initial", metavar="JSON", help="The initial value of a register, counter or bank.")
@click.option("--ignore-times", is_flag=True, help="Accept any order, whatever the times are.")
@click.option(
    "--longest",
    type=click.FloatRange(min=0),
    metavar="TIME",
    help="For entries with times on standard input: no request takes longer.",
)
@click.option("--isolation", metavar="LEVEL", help="For SQL: the level of transactions that name none.")
@click.option("--certificate", type=click.Path(path_type=Path), metavar="PATH", help="Save the evidence.")
@click.option(
    "--check",
    "checked",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Re-check this certificate about LOG, and search for nothing.",
)
@click.option(
    "--html", type=click.Path(path_type=Path), metavar="PATH", help="For transactions: also write a page."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
@timeout_option
@limits_options
@memory_option
@color_option
@click.pass_context
def command(
    context: click.Context,
    program: str,
    log: str | None,
    form: str | None,
    level: str | None,
    levels: bool,
    initial: str | None,
    ignore_times: bool,
    longest: float | None,
    isolation: str | None,
    certificate: Path | None,
    checked: Path | None,
    html: Path | None,
    as_json: bool,
    timeout: float,
    max_states: int,
    max_value: int,
    max_memory: int | None,
    color: str,
) -> None:
    """Reads the log, decides it or follows it, saves the evidence, reports."""
    terminal = Terminal.with_color(color)
    begun = perf_counter()
    transactions = log is None
    log = program if log is None else log
    name = "<stdin>" if log == "-" else log
    chosen = format_by_suffix(log) if form is None else Format(form)
    bound = None if longest is None else Decimal(str(longest))
    waits = log == "-" and context.get_parameter_source("timeout") is ParameterSource.DEFAULT
    deadline = Deadline(None if waits else timeout, memory_for_each(max_memory))
    with report_bad_input(context, terminal, program, name), enforce(deadline):
        if transactions:
            wanted = Wanted(level, levels, certificate, checked, html, as_json)
            with open_log(log) as lines:
                context.exit(decide_transactions(name, lines, chosen, wanted, terminal, deadline))
        if level is not None or levels or html is not None:
            message = "isolation levels and their page are for transactions"
            hint = "leave out the program: ser history LOG --level NAME"
            raise InputError([Diagnostic("SER574", message, hint=hint)])
        compared = load_model(program, initial, isolation, Limits(max_states, max_value), deadline)
        with open_log(log) as lines:
            records = read_records(lines, chosen)
            if log == "-" and certificate is None and checked is None and not as_json:
                context.exit(follow_stream(name, records, compared, bound, ignore_times, terminal, deadline))
            entries = whole_entries(records, ignore_times)
        question = Question(*split_by_element(compared, entries), entries)
        if checked is not None:
            context.exit(recheck(checked, question, terminal, deadline))
        outcome = decide(question, deadline)
    if certificate is not None and isinstance(outcome, Order | NoOrder):
        write_whole(certificate, write_certificate(outcome.certificate))
    if as_json:
        terminal.say(json.dumps(outcome_json(name, question, outcome, perf_counter() - begun)) + "\n")
    else:
        terminal.say(outcome_text(name, question, outcome, terminal.out))
    context.exit(exit_code(outcome))


@contextmanager
def report_bad_input(context: click.Context, terminal: Terminal, program: str, log: str) -> Iterator[None]:
    """Ends the command with a message where the log or the program is not what it should be."""
    try:
        yield
    except BadInput as bad:
        terminal.complain(bad.source, *bad.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    except InputError as error:
        terminal.complain(SourceText(log, ""), *map(name_line, error.diagnostics))
        context.exit(ExitCode.BAD_INPUT)
    except LimitReached as reached:
        terminal.complain(SourceText(program, ""), limit_diagnostic(reached))
        context.exit(ExitCode.UNKNOWN)
    except OutOfBudget as out:
        terminal.complain(SourceText(log, ""), budget_diagnostic(out))
        context.exit(ExitCode.UNKNOWN)


def exit_code(outcome: Outcome) -> ExitCode:
    if isinstance(outcome, Order):
        return ExitCode.YES
    return ExitCode.NO if isinstance(outcome, NoOrder) else ExitCode.UNKNOWN


def name_line(diagnostic: Diagnostic) -> Diagnostic:
    """The diagnostic with its line in words, because logs are not kept as texts."""
    if diagnostic.span is None:
        return diagnostic
    return replace(diagnostic, message=f"line {diagnostic.span.line}: {diagnostic.message}", span=None)


def unreadable(message: str, hint: str) -> InputError:
    return InputError([Diagnostic("SER571", message, hint=hint)])


def empty_log() -> InputError:
    return unreadable("the log has no requests", "is it the right file, and in the right --format?")


def open_log(log: str) -> TextIO:
    """Raises `InputError`."""
    if log == "-":
        return sys.stdin
    try:
        return open(log, encoding="utf-8-sig", newline="")
    except OSError as error:
        raise unreadable(f"cannot read the log: {error.strerror or error}", "name a file, or -") from None


def load_model(
    program: str, initial: str | None, isolation: str | None, limits: Limits, deadline: Deadline
) -> Compared:
    """Raises `BadInput`, `InputError`, `LimitReached`."""
    if program in BUILT_IN and not Path(program).exists():
        model = find_model(program, initial)
        return Compared(model, Textbook(program, initial, is_split=False), f"{program} {initial}")
    if initial is not None:
        message = "a program declares its own initial values"
        raise InputError([Diagnostic("SER572", message, hint="leave --initial out")])
    source, found = load(InputFile.from_argument(program), lambda text: translate_alone(text, isolation))
    content = found.content
    names = content.answer_names
    model = Handlers(program, unfold(content, limits, deadline), names, limits.max_states)
    return Compared(model, Running(content, Allowance(ALLOWANCE, deadline)), source.text)


def translate_alone(source: SourceText, isolation: str | None) -> Translation:
    """Translates for requests that run one at a time. Isolation levels then make no difference: where a SQL
    file names none, the first one that the front end accepts will do."""
    if isolation is not None:
        return translate(source, {"isolation": isolation})
    if not source.name.endswith(".sql"):
        return translate(source)
    try:
        return translate(source, {"isolation": "repeatable-read"})
    except InputError:
        return translate(source, {"isolation": "read-committed"})


def whole_entries(records: Iterator[Record], ignore_times: bool) -> list[Entry]:
    """Raises `InputError`."""
    try:
        found = entries_of(records)
    except UnicodeDecodeError:
        raise unreadable("the log is not UTF-8 text", "convert it") from None
    except Unpaired as unpaired:
        raise unreadable(
            f"line {unpaired.line}: {unpaired}", "each process has one request at a time"
        ) from None
    if not found:
        raise empty_log()
    if ignore_times:
        return [Entry(entry.line, entry.request, entry.answer) for entry in found]
    timed = sum(entry.start is not None for entry in found)
    if 0 < timed < len(found):
        line = next(entry.line for entry in found if entry.start is None)
        hint = "give all entries times, or compare counts with --ignore-times"
        raise unreadable(f"line {line} has no times, but other lines have", hint)
    return found


def split_by_element(compared: Compared, entries: list[Entry]) -> tuple[Model, Thing, str]:
    """Splits a log by elements, if the model is a set that no request reads as a whole."""
    if isinstance(compared.model, Set) and all(entry.request != "read" for entry in entries):
        return Set(has_whole_reads=False), Textbook("set", None, is_split=True), compared.text
    return compared.model, compared.thing, compared.text


# --- certificates -------------------------------------------------------------------------------------------


def recheck(path: Path, question: Question, terminal: Terminal, deadline: Deadline) -> ExitCode:
    """Raises `BadInput`, `InputError`."""
    _, certificate = load(InputFile.from_argument(str(path)), lambda source: read_certificate(source.text))
    assert isinstance(certificate, HistoryCertificate)
    look = terminal.out
    try:
        report = check(certificate, question, about_of(question), deadline)
    except GaveUp as stopped:
        terminal.say(f"{path}: undecided: {stopped}\n")
        return ExitCode.UNKNOWN
    verdict = look.paint("valid", Style.GOOD) if report.accepted else look.paint("REFUSED", Style.BAD)
    terminal.say(f"{look.paint(str(path), Style.STRONG)}: {verdict}: the log is {certificate.verdict}\n")
    for obligation in report.obligations:
        for line in obligation_lines(obligation, look, not obligation.holds):
            terminal.say(f"{line}\n")
    return ExitCode.YES if report.accepted else ExitCode.NO


# --- streams ------------------------------------------------------------------------------------------------


def follow_stream(
    name: str,
    records: Iterator[Record],
    compared: Compared,
    longest: Time | None,
    ignore_times: bool,
    terminal: Terminal,
    deadline: Deadline,
) -> ExitCode:
    """Reports the first inexplicable answer at once; decides the whole log where it needs all entries."""
    first = next(records, None)
    if first is None:
        raise empty_log()
    all_records = chain([first], records)
    is_timed = isinstance(first, Entry) and first.start is not None and not ignore_times
    if ignore_times or (is_timed and longest is None):
        entries = whole_entries(all_records, ignore_times)
        question = Question(*split_by_element(compared, entries), entries)
        outcome = decide(question, deadline)
        terminal.say(outcome_text(name, question, outcome, terminal.out))
        return exit_code(outcome)
    return follow_closely(name, all_records, compared, longest or 0, terminal, deadline)


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
        from seriatim.history.untimed import Unordered, decide_counts

        found = decide_counts(model, counted.tallies, deadline)
        if found is None:
            terminal.say(f"{name}: undecided: too many orders to look at\n")
            return ExitCode.UNKNOWN
        if isinstance(found, Unordered):
            terminal.say(f"{name}: {look.paint('NOT EXPLAINED', Style.BAD)}: no order gives these answers\n")
            return ExitCode.NO
    terminal.say(f"{name}: {look.paint('explained', Style.GOOD)}: {count:,} records\n")
    return ExitCode.YES
