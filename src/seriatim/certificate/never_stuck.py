"""Evidence of the kind `never-stuck`: how finely to examine requests to see that one can always complete."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.in_flight import LEVELS, Invariant, Level, invariants_fields, read_invariant
from seriatim.strict_json import document

KEYS = ("level", "invariants")


@dataclass(frozen=True, slots=True)
class NeverStuckEvidence:
    """Free of deadlocks: wherever requests are in flight, one of them can complete."""

    kind: ClassVar[Literal["never-stuck"]] = "never-stuck"
    proves: ClassVar[Literal[True]] = True

    level: Level
    invariants: tuple[Invariant, ...]


def fields(evidence: NeverStuckEvidence) -> dict[str, object]:
    return {"level": evidence.level, "invariants": invariants_fields(evidence.invariants)}


def read(body: dict[str, object]) -> NeverStuckEvidence:
    found = document(body, "the certificate", KEYS)
    return NeverStuckEvidence(found.one_of("level", LEVELS), found.items("invariants", read_invariant))
