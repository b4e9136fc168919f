"""Evidence of the kind `no-cycle`: how finely to examine requests to exclude cycles of conflicts."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.in_flight import LEVELS, Invariant, Level, invariants_fields, read_invariant
from seriatim.strict_json import document

KEYS = ("level", "invariants")


@dataclass(frozen=True, slots=True)
class NoCycleEvidence:
    """Conflict-serializable: no request can close a cycle of conflicts, given what can be in flight
    together."""

    kind: ClassVar[Literal["no-cycle"]] = "no-cycle"
    proves: ClassVar[Literal[True]] = True

    level: Level
    invariants: tuple[Invariant, ...]


def fields(evidence: NoCycleEvidence) -> dict[str, object]:
    return {"level": evidence.level, "invariants": invariants_fields(evidence.invariants)}


def read(body: dict[str, object]) -> NoCycleEvidence:
    found = document(body, "the certificate", KEYS)
    return NoCycleEvidence(
        level=found.one_of("level", LEVELS),
        invariants=found.items("invariants", read_invariant),
    )
