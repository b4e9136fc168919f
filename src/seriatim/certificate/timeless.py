"""Evidence of the kind `timeless`: a proof without time, whose order can be sorted by time."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from seriatim.certificate import all as kinds
from seriatim.certificate.in_flight import LEVELS, Invariant, Level, invariants_fields, read_invariant
from seriatim.strict_json import document, one_of, wrong

if TYPE_CHECKING:
    from seriatim.certificate.evidence import Evidence

KEYS = ("level", "invariants", "serial")


@dataclass(frozen=True, slots=True)
class TimelessEvidence:
    """Strictly serializable: there is a serial order, and it can be sorted by time."""

    kind: ClassVar[Literal["timeless"]] = "timeless"
    proves: ClassVar[Literal[True]] = True

    level: Level
    invariants: tuple[Invariant, ...]
    """How closely to look at who can be in flight together, to see who can come after whom."""
    serial: "Evidence"
    """That the input is serializable."""


def fields(evidence: TimelessEvidence) -> dict[str, object]:
    inner = {"kind": evidence.serial.kind, **kinds.fields(evidence.serial)}
    return dict(zip(KEYS, (evidence.level, invariants_fields(evidence.invariants), inner), strict=True))


def read(body: dict[str, object]) -> TimelessEvidence:
    found = document(body, "the certificate", KEYS)
    return TimelessEvidence(
        level=found.one_of("level", LEVELS),
        invariants=found.items("invariants", read_invariant),
        serial=found.read("serial", _serial),
    )


def _serial(value: object, where: str) -> "Evidence":
    if not isinstance(value, dict) or "kind" not in value:
        raise wrong(where, "evidence of some kind")
    kind = one_of(value["kind"], f"{where}.kind", kinds.KINDS)
    if kind == TimelessEvidence.kind:
        raise wrong(f"{where}.kind", "evidence without time")
    return kinds.read(kind, {key: item for key, item in value.items() if key != "kind"})
