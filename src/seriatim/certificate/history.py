"""Certificates about logs: an order that explains one, or entries that no order explains."""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar, Literal

from seriatim.certificate.certificate import FORMAT, VERSION
from seriatim.folding import Folded, Repeated
from seriatim.properties.explained import Explained
from seriatim.strict_json import (
    Record,
    boolean,
    document,
    error,
    items,
    natural,
    one_of,
    parse,
    positive,
    string,
    string_or_nothing,
    wrong,
)

QUESTION = "history"
EXPLICABLE, INEXPLICABLE = "explicable", "inexplicable"

Answered = tuple[str, str]
"""A request and its answer."""


@dataclass(frozen=True, slots=True)
class TimedOrder:
    """Entries, by number, in the order in which they took effect; one order for each part."""

    kind: ClassVar[Literal["history-order"]] = "history-order"
    orders: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class CountedOrder:
    """Requests with answers in an order, folded; one order for each part."""

    kind: ClassVar[Literal["history-walk"]] = "history-walk"
    orders: tuple[tuple[Folded[Answered], ...], ...]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Entries, by number, whose answers no order explains, whatever the others were answered."""

    kind: ClassVar[Literal["history-contradiction"]] = "history-contradiction"
    entries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CountedContradiction:
    """So many entries with these answers, which no order explains, whatever the others were answered."""

    kind: ClassVar[Literal["history-counts"]] = "history-counts"
    counts: tuple[tuple[Answered, int], ...]


HistoryEvidence = TimedOrder | CountedOrder | Contradiction | CountedContradiction

KINDS = (TimedOrder.kind, CountedOrder.kind, Contradiction.kind, CountedContradiction.kind)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a log of requests is compared with, and how: enough to ask the same question again."""

    program: str
    """The name of a built-in model, or the path of a program."""
    initial: str | None = None
    isolation: str | None = None
    ignores_times: bool = False
    is_keyed: bool = False
    """Whether each request names its key first."""

    @property
    def asked(self) -> Explained:
        return Explained(self.program)


@dataclass(frozen=True, slots=True)
class HistoryCertificate:
    model: str
    """SHA-256 of the model that the log is compared with."""
    log: str
    """SHA-256 of the log's content."""
    evidence: HistoryEvidence

    @property
    def verdict(self) -> str:
        return EXPLICABLE if isinstance(self.evidence, TimedOrder | CountedOrder) else INEXPLICABLE


def _fields(evidence: HistoryEvidence) -> dict[str, object]:
    match evidence:
        case TimedOrder(orders=orders):
            return {"orders": [list(order) for order in orders]}
        case CountedOrder(orders=walks):
            return {"orders": [[_write_folded(item) for item in walk] for walk in walks]}
        case Contradiction(entries=entries):
            return {"entries": list(entries)}
        case CountedContradiction(counts=counts):
            return {"counts": [[request, answer, count] for (request, answer), count in counts]}


def _write_folded(item: Folded[Answered]) -> object:
    if isinstance(item, Repeated):
        return {"repeat": [_write_folded(each) for each in item.items], "times": item.times}
    return list(item)


def write(certificate: HistoryCertificate, compared: Comparison, log_format: str) -> str:
    body = _fields(certificate.evidence)
    whole = {
        "format": FORMAT,
        "version": VERSION,
        "question": QUESTION,
        "compared": _write_comparison(compared),
        "log_format": log_format,
        "model_sha256": certificate.model,
        "log_sha256": certificate.log,
        "verdict": certificate.verdict,
        "kind": certificate.evidence.kind,
        **body,
        "evidence_sha256": _digest(body),
    }
    return json.dumps(whole) + "\n"


COMPARED = ("program", "initial", "isolation", "ignore_times", "keyed")


def _write_comparison(compared: Comparison) -> dict[str, object]:
    given = (compared.program, compared.initial, compared.isolation)
    return dict(zip(COMPARED, (*given, compared.ignores_times, compared.is_keyed), strict=True))


def _read_comparison(value: object, where: str) -> Comparison:
    found = document(value, where, COMPARED)
    return Comparison(
        found.read("program", string),
        found.read("initial", string_or_nothing),
        found.read("isolation", string_or_nothing),
        found.read("ignore_times", boolean),
        found.read("keyed", boolean),
    )


def _digest(body: dict[str, object]) -> str:
    return sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


HEADER = (
    *("format", "version", "question", "compared", "log_format"),
    *("model_sha256", "log_sha256", "verdict", "kind"),
)


def read(text: str) -> tuple[Comparison, str, HistoryCertificate]:
    """Returns what a log was compared with, its format, and the certificate.

    Raises `InputError` if the text departs from the format.
    """
    found = parse(text)
    if not isinstance(found, dict) or found.get("question") != QUESTION:
        raise error("SER405", "this is not a certificate about a log", "decide the log again")
    kind = one_of(found.get("kind"), "kind", KINDS)
    keys = {Contradiction.kind: "entries", CountedContradiction.kind: "counts"}.get(kind, "orders")
    whole = document(found, "the certificate", (*HEADER, keys, "evidence_sha256"))
    if found["format"] != FORMAT or found["version"] != VERSION:
        raise error("SER403", f"the `version` of this certificate is not {VERSION}")
    if found["evidence_sha256"] != _digest({keys: found[keys]}):
        raise error("SER405", "`evidence_sha256` does not fit the evidence", "decide the log again")
    evidence = _evidence(kind, whole)
    certificate = HistoryCertificate(
        whole.read("model_sha256", string), whole.read("log_sha256", string), evidence
    )
    if found["verdict"] != certificate.verdict:
        raise error("SER405", f"evidence of the kind `{kind}` is for the verdict `{certificate.verdict}`")
    return whole.read("compared", _read_comparison), whole.read("log_format", string), certificate


def _evidence(kind: str, whole: Record) -> HistoryEvidence:
    if kind == TimedOrder.kind:
        return TimedOrder(whole.read("orders", lambda value, where: items(value, where, _numbers)))
    if kind == CountedOrder.kind:
        return CountedOrder(whole.read("orders", lambda value, where: items(value, where, _walk)))
    if kind == Contradiction.kind:
        return Contradiction(whole.read("entries", _numbers))
    return CountedContradiction(whole.read("counts", lambda value, where: items(value, where, _count)))


def _numbers(value: object, where: str) -> tuple[int, ...]:
    return items(value, where, natural)


def _walk(value: object, where: str) -> tuple[Folded[Answered], ...]:
    return items(value, where, _step)


def _step(value: object, where: str) -> Folded[Answered]:
    match value:
        case [str() as request, str() as answer]:
            return request, answer
        case {"repeat": list(stretch), "times": times, **rest} if stretch and not rest:
            return Repeated(_walk(stretch, where), positive(times, where))
        case _:
            raise wrong(where, "a request and its answer, or a stretch that is repeated")


def _count(value: object, where: str) -> tuple[Answered, int]:
    match value:
        case [str() as request, str() as answer, count]:
            return (request, answer), positive(count, where)
        case _:
            raise wrong(where, "a request, its answer, and a count")
