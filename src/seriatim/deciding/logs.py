"""Questions about logs: which model, which entries or transactions, and the result.

`decide_log` reads a log and decides it; the rest are its parts, for faces that follow a log as it grows.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from seriatim.budget import Deadline
from seriatim.certificate.history import Comparison
from seriatim.certificate.history import write as write_about_requests
from seriatim.certificate.transactions import Level, Reading
from seriatim.certificate.transactions import write as write_about_level
from seriatim.checking.allowance import Allowance
from seriatim.checking.history.objects import Keyed as EachKey
from seriatim.checking.history.objects import Running, Textbook, Thing
from seriatim.checking.history.transactions import TransactionLog
from seriatim.explain.account import Account, Finding, Reason
from seriatim.explain.logged_requests import account_of_requests
from seriatim.explain.logged_transactions import (
    Verdicts,
    account_of_transactions,
    strongest,
    weakest,
)
from seriatim.frontends.all import allow_run, translate
from seriatim.frontends.protocol import ALONE, Translation
from seriatim.frontends.reading import InputFile, load
from seriatim.history import decide as requests
from seriatim.history.built_in import BUILT_IN, Queue, Set, expand_drains, find_model
from seriatim.history.handlers import Handlers
from seriatim.history.keyed import Keyed
from seriatim.history.log import DigestedLines, Entry, Record, Unpaired, entries_of
from seriatim.history.model import Model, Unfit
from seriatim.history.reading import Format, read_records
from seriatim.history.transactions import decide as transactions
from seriatim.history.transactions.anomalies import count_anomalies
from seriatim.history.transactions.observe import Observed
from seriatim.history.transactions.reading import read_transactions
from seriatim.properties.isolated import Isolated
from seriatim.result import Answer, Recorded, Result, Undecided, Unusable
from seriatim.source import Diagnostic, InputError, Severity, SourceText
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import Limits


@dataclass(frozen=True, slots=True)
class Compared:
    """The model that a log is compared with."""

    model: Model
    thing: Thing
    text: str


@dataclass(frozen=True, slots=True)
class AboutLevels:
    """Which isolation levels are in question."""

    level: Level | None = None
    """None for all of them."""
    lists_all: bool = False
    any_initial: bool = False
    """Whether a register may have begun with a value that nobody wrote."""

    @property
    def asked(self) -> Isolated:
        return Isolated("" if self.level is None else self.level.value)


About = Comparison | AboutLevels


def decide_log(name: str, lines: Iterable[str], form: Format, about: About, deadline: Deadline) -> Result:
    """Reads a log and decides it. Raises `BadInput` for a bad program, `InputError` for a bad log,
    `LimitReached`, `OutOfBudget`."""
    match about:
        case Comparison():
            compared = load_model(about, Limits(), deadline)
            question = read_question(compared, lines, form, about.ignores_times)
            return decide_requests(name, question, about, form, deadline)
        case AboutLevels():
            return decide_levels(
                name, read_log(lines, form, about.any_initial, deadline), about, form, deadline
            )


def decide_requests(
    name: str, question: requests.Question, about: Comparison, form: Format, deadline: Deadline
) -> Result:
    """Raises `InputError`, `OutOfBudget`."""
    begun = perf_counter()
    outcome = requests.decide(question, deadline)
    if isinstance(outcome, requests.Undecided):
        answer: Answer = Undecided(outcome.reason, None, 0)
    else:
        account = account_of_requests(question, outcome)
        if isinstance(question.model, Handlers):
            is_no = isinstance(outcome, requests.NoOrder)
            aim = "look for an interleaving that does this" if is_no else "decide about all logs"
            told = f"To {aim}: ser check {question.model.name}"
            account = replace(account, reasons=(*account.reasons, Reason(told)))
        certificate = write_about_requests(outcome.certificate, about, form)
        answer = Recorded(isinstance(outcome, requests.Order), account, (certificate,))
    return Result(SourceText(name, ""), about.asked, answer, seconds=perf_counter() - begun)


def decide_levels(
    name: str, log: TransactionLog, about: AboutLevels, form: Format, deadline: Deadline
) -> Result:
    """Raises `InputError`, `OutOfBudget`."""
    begun = perf_counter()
    levels = list(Level) if about.level is None else [about.level]
    observed = Observed(log)
    verdicts = transactions.decide_observed(observed, levels, deadline)
    is_violated = any(isinstance(each, transactions.Decided) and not each.holds for each in verdicts.values())
    anomalies = count_anomalies(observed, deadline.part(0.5)) if is_violated and deadline.remaining() else {}
    account = account_of_transactions(log, verdicts, about.lists_all, anomalies)
    answer = _answer(verdicts, account, Reading(form, about.any_initial))
    return Result(SourceText(name, ""), about.asked, answer, seconds=perf_counter() - begun)


def _answer(verdicts: Verdicts, account: Account, reading: Reading) -> Answer:
    decided = [verdict for verdict in verdicts.values() if isinstance(verdict, transactions.Decided)]
    violated = any(not verdict.holds for verdict in decided)
    undecided = [v for v in verdicts.values() if isinstance(v, transactions.Undecided)]
    if not violated and undecided:
        held = "" if not decided else f"; what holds is {_listed(account.findings)}"
        return Undecided(f"{undecided[0].level.words}: {undecided[0].reason}{held}", None, 0)
    if not decided:
        message = f"{account.findings[0].text}"
        return Unusable((Diagnostic("SER574", message, hint="record an event when a transaction begins"),))
    telling = [*strongest(verdicts), *weakest(verdicts)]
    shown = (write_about_level(each.certificate, reading) for each in decided if each.level in telling)
    return Recorded(not violated, account, tuple(shown))


def _listed(findings: Sequence[Finding]) -> str:
    return " and ".join(each.text for each in findings if each.holds) or "not known"


# --- reading ------------------------------------------------------------------------------------------------


def read_log(lines: Iterable[str], form: Format, any_initial: bool, deadline: Deadline) -> TransactionLog:
    """Raises `InputError`, `OutOfBudget`."""
    try:
        return read_transactions(lines, form, deadline, any_initial)
    except UnicodeDecodeError:
        raise unreadable("the log is not UTF-8 text", "convert it") from None


def read_question(
    compared: Compared, lines: Iterable[str], form: Format, ignores_times: bool
) -> requests.Question:
    """Reads a log of requests. Raises `InputError`."""
    text = DigestedLines(lines)
    entries = whole_entries(read_records(text, form), ignores_times)
    return replace(question_about(compared, entries), log_digest=text.digest)


def unreadable(message: str, hint: str) -> InputError:
    return InputError([Diagnostic("SER571", message, hint=hint)])


def misused(message: str, hint: str) -> InputError:
    return InputError([Diagnostic("SER572", message, hint=hint)])


def empty_log() -> InputError:
    return unreadable("the log has no requests", "is it the right file, and in the right --format?")


def load_model(about: Comparison, limits: Limits, deadline: Deadline) -> Compared:
    """Raises `BadInput`, `InputError`, `LimitReached`."""
    model, thing, text = _find_model(about, limits, deadline)
    manner = (about.initial, about.isolation, about.ignores_times, about.is_keyed)
    return Compared(model, thing, json.dumps([text, *manner]))


def _find_model(about: Comparison, limits: Limits, deadline: Deadline) -> tuple[Model, Thing, str]:
    program, initial = about.program, about.initial
    if program in BUILT_IN and not Path(program).exists():
        model = find_model(program, initial)
        thing = Textbook(program, initial, is_split=False)
        if not about.is_keyed:
            return model, thing, program
        if program in ("map", "kv", "registers"):
            raise misused(f"a {program} has keys of its own", "leave --keyed out")
        return Keyed(model), EachKey(thing), program
    if about.is_keyed:
        raise misused("--keyed is for built-in models", "let the handlers take the key as an argument")
    if initial is not None:
        raise misused("a program declares its own initial values", "leave --initial out")
    source, found = load(
        InputFile.from_argument(program), lambda text: translate_alone(text, about.isolation)
    )
    content = found.content
    names = content.answer_names
    handlers = Handlers(program, unfold(content, limits, deadline), names, limits.max_states)
    return handlers, Running(content, Allowance(requests.ALLOWANCE, deadline)), source.text


def translate_alone(source: SourceText, isolation: str | None) -> Translation:
    """Translates for requests that run one at a time. Isolation levels then make no difference: where a SQL
    file names none, the first one that the front end accepts will do. Raises `InputError`, also if values
    leave their scope: what happens then is not in the model, and may be in the log."""
    found = _translate_alone(source, isolation)
    if found.escape is not None:
        raise InputError([replace(found.escape, severity=Severity.ERROR)])
    return found


def _translate_alone(source: SourceText, isolation: str | None) -> Translation:
    if isolation is not None:
        return translate(source, {"isolation": isolation})
    if not source.name.endswith(".sql"):
        return translate(source, allow_run(source, for_states=ALONE))
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


def question_about(compared: Compared, entries: list[Entry]) -> requests.Question:
    """The question whether the model explains the entries. A set that no request reads as a whole is split
    by elements; a drain of a queue is so many dequeues. Raises `InputError`."""
    inner = compared.model.inner if isinstance(compared.model, Keyed) else compared.model
    if isinstance(inner, Queue):
        try:
            entries = list(expand_drains(entries))
        except Unfit as unfit:
            raise InputError([Diagnostic("SER573", str(unfit))]) from None
    if isinstance(compared.model, Set) and all(entry.request != "read" for entry in entries):
        model, thing = Set(has_whole_reads=False), Textbook("set", None, is_split=True)
        return requests.Question(model, thing, compared.text, entries)
    return requests.Question(compared.model, compared.thing, compared.text, entries)
