"""Decides a whole log for `ser history`, and lets the checker check the evidence before it answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from seriatim.budget import Deadline
from seriatim.certificate.history import (
    Contradiction,
    CountedContradiction,
    CountedOrder,
    HistoryCertificate,
    HistoryEvidence,
    TimedOrder,
)
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.history.objects import Thing
from seriatim.checking.history.verify import NEVER, About, Logged, verify_history
from seriatim.checking.obligation import Report
from seriatim.folding import Folded, Repeated
from seriatim.history.automaton import Label
from seriatim.history.counted import NoAnswer
from seriatim.history.log import Entry
from seriatim.history.model import Model, Part, Request, Unfit
from seriatim.history.smallest import Smallest, SmallestCounts, smallest_counts, smallest_timed
from seriatim.history.timed import Inexplicable, decide_timed, operations
from seriatim.history.untimed import Unordered, decide_untimed, tallies
from seriatim.source import Diagnostic, InputError, Span

ALLOWANCE = 50_000_000


@dataclass(frozen=True, slots=True)
class Question:
    """A log and the model to compare it with."""

    model: Model
    thing: Thing
    """The model as the checker sees it."""
    model_text: str
    """The source text of the model; certificates hold its digest."""
    entries: Sequence[Entry]
    log_digest: str = ""
    """SHA-256 of the text of the log, if there is one."""

    @property
    def is_timed(self) -> bool:
        return bool(self.entries) and all(entry.start is not None for entry in self.entries)


@dataclass(frozen=True, slots=True)
class Order:
    """Some order explains the log."""

    certificate: HistoryCertificate
    report: Report


@dataclass(frozen=True, slots=True)
class NoOrder:
    """No order explains the log."""

    certificate: HistoryCertificate
    report: Report
    part: Part
    contradiction: Smallest | SmallestCounts


@dataclass(frozen=True, slots=True)
class Undecided:
    reason: str


Outcome = Order | NoOrder | Undecided


def decide(question: Question, deadline: Deadline) -> Outcome:
    """Decides whether some order explains a log. Raises `InputError` for entries that do not fit the model,
    and `OutOfBudget`."""
    about = about_of(question)
    try:
        found = (
            _decide_timed(question, deadline) if question.is_timed else _decide_untimed(question, deadline)
        )
        if isinstance(found, Undecided):
            return found
        evidence, part, contradiction = found
        certificate = HistoryCertificate(about.model, about.log, evidence)
        report = check(certificate, question, about, deadline)
    except NoAnswer:
        return Undecided("without times, this model has too many states to look at all orders")
    except GaveUp as stopped:
        return Undecided(f"the checker gave up: {stopped}")
    if not report.accepted:
        return Undecided(f"the checker refuses the evidence: {report.obligations[-1].detail}")
    return (
        Order(certificate, report)
        if contradiction is None
        else NoOrder(certificate, report, part, contradiction)
    )


def check(certificate: HistoryCertificate, question: Question, about: About, deadline: Deadline) -> Report:
    """Checks a certificate by the checker alone; raises `GaveUp`, `OutOfBudget`."""
    return verify_history(certificate, about, question.thing, Allowance(ALLOWANCE, deadline))


Found = tuple[HistoryEvidence, Part, Smallest | SmallestCounts | None]


def _decide_timed(question: Question, deadline: Deadline) -> Found | Undecided:
    ops = list(operations(question.model, question.entries))
    verdict = decide_timed(question.model, ops, deadline)
    if not isinstance(verdict, Inexplicable):
        return TimedOrder(tuple(order for _, order in verdict.orders)), None, None
    mine = [op for op in ops if question.model.part(op.request) == verdict.part]
    contradiction = smallest_timed(question.model, mine, verdict, deadline)
    return Contradiction(contradiction.numbers), verdict.part, contradiction


def _decide_untimed(question: Question, deadline: Deadline) -> Found | Undecided:
    model = question.model
    verdict = decide_untimed(model, tallies(model, question.entries), deadline)
    if not isinstance(verdict, Unordered):
        orders = tuple(_spell(order, model) for _, order in verdict.orders)
        return CountedOrder(orders), None, None
    tally, walks = verdict.tally, verdict.walks
    contradiction = smallest_counts(lambda least: walks.walk(least, tally.totals(), tally.lost), tally)
    counts = tuple(((model.spell(r), answer), count) for (r, answer), count in contradiction.counts)
    return CountedContradiction(counts), verdict.part, contradiction


def _spell(order: tuple[Folded[Label], ...], model: Model) -> tuple[Folded[tuple[str, str]], ...]:
    found: list[Folded[tuple[str, str]]] = []
    for item in order:
        if isinstance(item, Repeated):
            found.append(Repeated(_spell(item.items, model), item.times))
        else:
            found.append((model.spell(item[0]), item[1]))
    return tuple(found)


def about_of(question: Question) -> About:
    """The digests and entries that a certificate has to be about; raises `InputError`."""
    model = question.model
    spelt: dict[str, tuple[Request, str]] = {}
    logged: list[Logged] = []
    seen = sha256(question.log_digest.encode())
    for entry in question.entries:
        try:
            if entry.request not in spelt:
                request = model.request(entry.request)
                spelt[entry.request] = request, model.spell(request)
            request, text = spelt[entry.request]
            answer = None if entry.answer is None else model.answer(request, entry.answer)
        except Unfit as unfit:
            place = Span(entry.line, 1, entry.line, 1)
            raise InputError([Diagnostic("SER573", str(unfit), place)]) from None
        start = -NEVER if entry.start is None else entry.start
        end = NEVER if entry.end is None else entry.end
        logged.append(Logged(text, answer, start, end))
        seen.update(f"{text}\0{answer}\0{entry.start}\0{entry.end}\n".encode())
    model_digest = sha256(question.model_text.encode()).hexdigest()
    return About(model_digest, seen.hexdigest(), tuple(logged))
