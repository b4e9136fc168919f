"""Evidence of the kind `petrified`: a bound on the threads of each template, and what holds within it."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.thread_predicates import Predicate, predicate_fields, read_predicate
from seriatim.strict_json import document, positive

KEYS = ("bound", "bounded", "safe")


@dataclass(frozen=True, slots=True)
class PetrifiedEvidence:
    """Safe: there are never more threads of a template than the bound, and so many do not fail."""

    kind: ClassVar[Literal["petrified"]] = "petrified"
    proves: ClassVar[Literal[True]] = True

    bound: int
    bounded: tuple[Predicate, ...]
    """Predicates that exclude a fork when its template already has as many threads as the bound."""
    safe: tuple[Predicate, ...]
    """Predicates that exclude a failing step."""


def fields(evidence: PetrifiedEvidence) -> dict[str, object]:
    bounded = [predicate_fields(each) for each in evidence.bounded]
    safe = [predicate_fields(each) for each in evidence.safe]
    return dict(zip(KEYS, (evidence.bound, bounded, safe), strict=True))


def read(body: dict[str, object]) -> PetrifiedEvidence:
    found = document(body, "the certificate", KEYS)
    return PetrifiedEvidence(
        found.read("bound", positive),
        found.items("bounded", read_predicate),
        found.items("safe", read_predicate),
    )
